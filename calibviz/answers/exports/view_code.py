"""The Python that opens the view on screen again."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import xarray as xr

from ...foundation.sources import Source, source_of, written
from ..asked.choices import CHOICES, first_defaults
from ..asked.spec import Spec, overlay_choices
from ..situation.as_code import MAPPINGS, as_code, comment_on
from ..situation.situation import Situation

#: Choices among which may be something of the user's own, and its kind.
OF_OWN = {name: choice.own for name, choice in CHOICES.items() if choice.own}


def code_of_view(situation: Situation, opened: str, before: Mapping[str, str]) -> str:
    """A script that opens the view again, after that of `code_of`: what was passed, and each choice that was made.

    `before` holds the code of what is passed before the predictions, each with a comment that says what it is, or none.
    """
    spec = situation.spec
    first = first_defaults(tuple(situation.engine.models)) | {"lens": situation.engine.first_lens}
    first["threshold"] = spec.first_threshold
    others, own = _own_variables(spec)
    lines = [
        f"# {variable} is the one named {name!r} that was passed to {opened}"
        for (_, name), variable in others.items()  # `code_of` says already what those are that are chosen
    ]
    lines += filter(None, before.values())
    own |= others
    passed = list(before)
    for name, given in zip(("predictions", "calibration"), situation.engine.given, strict=True):
        if given is not None:
            passed.append(_passed(name, given, spec.model, lines, opened))
    chosen = _changed({name: getattr(spec, name) for name in first}, first)
    if spec.kept:
        chosen["kept"] = {name: _changed(dict(kept), first) for name, kept in spec.kept}
    passable = {(kind, name) for choice, kind in OF_OWN.items() for name in _several(getattr(spec, choice))}
    if own.keys() <= passable:
        order = sorted(chosen, key=lambda name: name not in OF_OWN)  # others may name what is the user's own
        passed += [f"{name}={_choice(name, chosen[name], own)}" for name in order]
        after = []
    else:  # something was chosen earlier, and is now a part of another choice
        after = [
            f"explorer.state.{f'{kind}s = [{variable}]' if kind in ('metric', 'panel') else f'{kind} = {variable}'}"
            for (kind, _), variable in own.items()
        ]
        after.append(f"explorer.state.from_dict({written(chosen)})")
    shown = [f"    {argument}," for argument in passed]
    return "\n".join(["", "# The view on screen", *lines, f"explorer = {opened}(", *shown, ")", *after, "explorer", ""])


def _own_variables(spec: Spec) -> tuple[dict[tuple[str, str], str], dict[tuple[str, str], str]]:
    """The variables of the script for things of the user's own that some choice names, by kind and name.

    First those that are named in passing, then those that are chosen, by the names that `code_of` gives them.
    """
    things = set[tuple[str, str]]().union(*map(_things_of, (spec, *spec.of_kept().values())))
    made = {"lens": spec.make_lens(), "distance": spec.error[0], "binning": spec.chosen_binning}
    names = {(kind, getattr(spec, kind)): as_code(kind, made.get(kind)) for kind in (*made, "calibrator")}
    chosen = {thing: names[thing] for thing in things if thing in names}
    others: dict[tuple[str, str], str] = {}
    for kind, name in sorted(things - chosen.keys()):
        others[kind, name] = f"{kind}_{1 + sum(other == kind for other, _ in others)}"
    return others, chosen


def _things_of(spec: Spec) -> set[tuple[str, str]]:
    """The kind and the name of each thing of the user's own that choices name, but for kept ones."""
    drawn = overlay_choices((), spec.known_calibrators)
    things = {(kind, thing) for choice, kind in OF_OWN.items() for thing in _several(getattr(spec, choice))}
    things |= {("lens", lens) for _, lens, _ in spec.compared}
    things |= {("calibrator", drawn[text].name) for text in spec.overlays if text in drawn}
    return things & {(kind, name) for kind, named in spec.own for name, _ in named}


def _choice(name: str, value: Any, own: dict[tuple[str, str], str]) -> str:
    """A choice as code; what is the user's own as the script calls it."""
    kind = OF_OWN.get(name)
    if kind is None:
        return written(value)
    if isinstance(value, str):
        return own.get((kind, value), repr(value))
    return f"[{', '.join(own.get((kind, entry), repr(entry)) for entry in value)}]"


def _changed(choices: dict[str, Any], first: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in choices.items() if value != first[name]}


def _passed(name: str, given: Any, model: str, lines: list[str], opened: str) -> str:
    """Code for an argument of the view; where nobody knows how to make it, a comment is added to `lines`."""
    if isinstance(given, xr.Dataset):
        source = source_of(given)
        return name if source is None else str(source)
    if not isinstance(given, Mapping) or list(given) == ["model"]:
        return name
    sources = {str(key): source_of(value) for key, value in given.items()}
    if len(sources) == 1:
        return written({model: Source(name)})
    bases = {str(source).removesuffix(f"[{key!r}]") for key, source in sources.items()}
    if None in sources.values():
        if sources.get(model) is not None:  # else it has been said already
            lines.append(comment_on(name, opened))
        return MAPPINGS[name]
    if len(bases) == 1 and all(str(source).endswith(f"[{key!r}]") for key, source in sources.items()):
        return f"{{name: {bases.pop()}[name] for name in {list(sources)!r}}}"
    return written(sources)


def _several(names: str | tuple[str, ...]) -> tuple[str, ...]:
    return (names,) if isinstance(names, str) else names
