"""Columns of follow-up: until when each row was followed, and whether the event, or another one, ended that."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from itertools import permutations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...foundation.validation import listed
from ...foundation.written import counted, whole_percent
from ..survival import CENSORED, COMPETING, EVENT
from .choices import NOBODY, Account, ReadingOptions, Unclear
from .classes import Labels, pair_of
from .known_names import chosen_column
from .tables import ColumnTable

NO, YES = "no", "yes"  # the classes, as those of `Predictions.at_horizon`
ROUND, MOST_HORIZONS = (1, 2, 5), 4  # of the horizons for which a message says how many rows are followed


@dataclass(frozen=True)
class FollowUp:
    """The columns of the times and of the events in a table."""

    time: str
    event: str

    @classmethod
    def asked(cls, columns: Collection[str], choices: ReadingOptions, account: Account) -> FollowUp | None:
        """The columns that the options `time` and `event` name; None where they name none."""
        if choices.time is None or choices.event is None:
            return None
        time, event = chosen_column(choices.time, columns, "time"), chosen_column(choices.event, columns, "event")
        if time == event:
            raise ValueError(f"time and event are both {time!r}: one column says when, the other what happened")
        account.take("time", time)
        account.take("event", event)
        return cls(time, event)

    def labels(self, table: ColumnTable, choices: ReadingOptions, account: Account) -> Labels:
        """The labels of the event by the horizon; missing where the time or the event is."""
        held, time = table.labels(self.event), self._times(table)
        there = (held.codes >= 0) & ~np.isnan(time)
        if not there.any():
            raise ValueError(f"no row has both a time in {self.time!r} and an event in {self.event!r}")
        if choices.horizon is None:
            raise ValueError(self._without_horizon(time[there]))
        event, censored = self._meant(held, choices)
        others = [value for value in held.present if value not in (event, censored)]
        said = [f"{event!r} is the event", f"{censored!r} is censored" if censored else "nobody is censored"]
        account.say(", ".join([*said, *([f"{listed(others)} compete{'s' * (len(others) == 1)}"] if others else [])]))
        had = (time <= choices.horizon) & (held.numbered({event: EVENT}) == EVENT)
        return Labels(np.where(there, had, -1), [NO, YES], self.event)

    def arguments(self, table: ColumnTable, choices: ReadingOptions) -> dict[str, Any]:
        """The follow-up of the rows of the table, all of which have labels, for `Predictions`."""
        held = table.labels(self.event)
        event, censored = self._meant(held, choices)
        kinds = dict.fromkeys(held.present, COMPETING) | {censored: CENSORED, event: EVENT}
        by = None if choices.by is None else chosen_column(choices.by, table.columns, "by")
        return {
            "time": self._times(table),
            "code": held.numbered(kinds),
            "horizon": choices.horizon,
            "by": None if by is None else (by, table.fields([by])[by]),
        }

    def _times(self, table: ColumnTable) -> NDArray[np.float64]:
        return table.values([self.time])[:, 0]

    def _meant(self, held: Labels, choices: ReadingOptions) -> tuple[str, str]:
        """The values of the event and of censored rows, by options, or as they are usually written."""
        present, event, censored = held.present, choices.event_of, choices.censored
        for name, value in (("event_of", event), ("censored", censored)):
            if value not in (None, NOBODY) and value not in present:
                raise ValueError(f"{name}={value!r} is in no row of {self.event!r}, which holds {listed(present)}")
        if event is None and censored is None and (pair := pair_of(present)) is not None:
            return pair[1], pair[0]
        if all(value.isdecimal() for value in present) and str(CENSORED) in present:
            event = str(EVENT) if event is None and censored != str(EVENT) else event
            censored = str(CENSORED) if censored is None and event != str(CENSORED) else censored
        if event is None or censored is None:
            ways = [{"event_of": e, "censored": c} for e, c in permutations(present, 2)]
            ways += [{"event_of": e, "censored": NOBODY} for e in present]
            given = {name: value for name, value in (("event_of", event), ("censored", censored)) if value is not None}
            raise Unclear(
                f"{self.event!r} holds {listed(present)}: event_of=... says which is the event, censored=... which is "
                "none, because follow-up ended",
                *(way for way in ways if way.items() >= given.items()),
            )
        if event == censored:
            raise ValueError(f"event_of and censored are both {event!r}: a row without the event is censored")
        return event, censored

    def _without_horizon(self, time: NDArray[np.float64]) -> str:
        """The message where nobody says by when the event counts: until when rows were followed."""
        least, most = float(np.quantile(time, 0.1)), float(time.max())
        rounds = [digit * 10.0**power for power in range(-6, 13) for digit in ROUND]
        some = [f"{whole_percent(float(np.mean(time >= at)))} to {at:g}" for at in rounds if least <= at <= most]
        rows = f"{counted(len(time), 'row')} of {self.time!r} are followed to {np.median(time):g} at the median"
        return (
            f"horizon is missing: a risk is that of an event by a time, which nobody knows but you. {rows}, "
            f"{', '.join([*some[-MOST_HORIZONS:], f'the longest to {most:g}'])}; pass horizon=..., in the same unit"
        )
