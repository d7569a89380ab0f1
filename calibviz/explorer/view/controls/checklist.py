"""A list of which any number can be chosen: closed it says what is, open it can be searched and checked."""

from __future__ import annotations

from typing import Any

import traitlets

from ..elements import OwnControl, page_script, page_style


class Checklist(OwnControl):
    """Chooses any number of options; a stand-in for `ipywidgets.SelectMultiple`.

    The browser's half is ``checklist.js``. Of many options it shows the first that match the search.
    """

    _esm = page_script(__file__)
    _css = page_style(__file__)

    options: traitlets.Tuple = traitlets.Tuple(help="The texts to choose from").tag(sync=True)
    labels: traitlets.Tuple = traitlets.Tuple(help="The words of each option; empty where these are the options").tag(
        sync=True
    )
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
