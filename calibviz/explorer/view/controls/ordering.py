"""A list of names in their order: each can be moved, written anew or removed, and others added."""

from __future__ import annotations

from typing import Any

import traitlets

from ..elements import OwnControl, page_script, page_style


class Ordering(OwnControl):
    """Names in an order that somebody chooses, such as those of classes; the browser's half is ``ordering.js``."""

    _esm = page_script(__file__)
    _css = page_style(__file__)

    names: traitlets.Tuple = traitlets.Tuple(help="The names that are known, in their usual order").tag(sync=True)
    value: traitlets.Tuple = traitlets.Tuple(help="The chosen names in order; none: the usual ones").tag(sync=True)

    @traitlets.validate("value")
    def _check_value(self, proposal: Any) -> tuple[str, ...]:
        names = [str(name).strip() for name in proposal.value]
        return tuple(dict.fromkeys(name for name in names if name))
