"""A list of which any number can be chosen: closed it says what is, open it can be searched and checked."""

from __future__ import annotations

from typing import Any

import traitlets

from ..elements import FIELD, FOCUSED, PLAIN_BUTTON, OwnControl, labelled, page_script
from ..theme import FAINT, LINE

STYLE_SHEET = f"""{labelled("calibviz-checklist")}
.calibviz-checklist > div {{ flex: 1; min-width: 0; }}
.calibviz-checklist button {{ {PLAIN_BUTTON} }}
.calibviz-checklist .opener {{
  width: 100%; min-height: 28px; text-align: left; border: 1px solid {FAINT}; padding: 2px 20px 2px 6px;
  overflow-wrap: anywhere; position: relative; line-height: 1.3;
}}
.calibviz-checklist .opener::after {{ content: "▾"; position: absolute; right: 6px; top: 4px; }}
.calibviz-checklist .opener[aria-expanded=true]::after {{ content: "▴"; }}
.calibviz-checklist :is(button, input):focus-visible {{ {FOCUSED} }}
.calibviz-checklist .list {{ border: 1px solid {LINE}; border-top: none; padding: 4px 6px; }}
.calibviz-checklist input[type=search] {{
  {FIELD} border-radius: 3px; width: 100%; padding: 2px 6px; margin-bottom: 4px;
}}
.calibviz-checklist .rows {{ max-height: 190px; overflow-y: auto; }}
.calibviz-checklist .rows label {{ display: flex; gap: 6px; align-items: baseline; padding: 1px 0; cursor: pointer; }}
.calibviz-checklist .rows span {{ flex: 1; min-width: 0; overflow-wrap: anywhere; }}
.calibviz-checklist small {{ color: {FAINT}; }}
.calibviz-checklist .every button {{ border: none; padding: 2px 6px 2px 0; text-decoration: underline; }}
.calibviz-own-controls > .calibviz-checklist > .widget-label {{ min-width: 56px; text-align: right; }}
"""


class Checklist(OwnControl):
    """Chooses any number of options; a stand-in for `ipywidgets.SelectMultiple`.

    The browser's half is ``checklist.js``. Of many options it shows the first that match the search.
    """

    _esm = page_script(__file__)
    _css = STYLE_SHEET

    options: traitlets.Tuple = traitlets.Tuple(help="The texts to choose from").tag(sync=True)
    counts: traitlets.Tuple = traitlets.Tuple(help="What stands beside each option, such as its samples").tag(sync=True)
    value: traitlets.Tuple = traitlets.Tuple(help="The chosen options").tag(sync=True)

    @traitlets.validate("value")
    def _check_value(self, proposal: Any) -> tuple[str, ...]:
        unknown = [text for text in proposal.value if text not in self.options]
        if unknown:
            raise traitlets.TraitError(f"{unknown[0]!r} is none of the options")
        return tuple(option for option in self.options if option in proposal.value)

    @traitlets.observe("options")
    def _keep_known(self, _change: Any) -> None:
        self.value = tuple(text for text in self.value if text in self.options)
