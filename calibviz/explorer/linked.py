"""The common base of the Explorer and of single panels: they follow a state, and say what went wrong."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import Any

import ipywidgets
import numpy as np

from ..answers.acting.likert import promises
from ..answers.asked.spec import Spec
from ..answers.exports.caption import caption_of
from ..answers.exports.cube import cube_of
from ..answers.exports.numbers_code import code_of, code_of_kept
from ..answers.exports.recorded import FEW, MOST
from ..answers.exports.view_code import code_of_view
from ..answers.first_screen.verdict import verdict_after
from ..answers.first_screen.verdict_sentences import Verdict
from ..answers.registry import ANSWERS, answers_of
from ..answers.situation.content import Answer, Content, ShortAnswer, made_here
from ..answers.situation.engine import Engine
from ..answers.situation.situation import Situation
from ..answers.situation.summarized import unsummarized
from ..answers.subject import title
from ..answers.views.instances import chosen_rows
from ..data.models import takes_arrays
from ..figures import Figure, Grid
from ..figures.captions import Caption
from ..figures.tables import Table
from ..foundation import validation
from ..foundation.files import path_to_write, write_whole
from ..foundation.marked import Run, plain, runs
from ..reports.recorded import recorded_page
from ..reports.writing.page import framed
from .state.arrangement import on_screen
from .state.state import ExplorerState
from .transport.shared_widgets import push_button
from .transport.transport import assign
from .view.page.live import Live
from .view.page.still import labelled
from .view.page.stopped import RECORDED
from .view.panels.view import View
from .view.panels.views import VIEWS, layout_of
from .view.sentence import Sentence, as_html


class Linked(Live):
    """Pictures that follow an `ExplorerState`; the base of `Explorer` and of the panels."""

    state: ExplorerState
    _followed = "spec"
    _named_first: Mapping[str, str] = {}  # what a script passes before the predictions, and what it says of that

    @takes_arrays
    def __init__(
        self, predictions: Any, calibration: Any = None, state: ExplorerState | None = None, **choices: Any
    ) -> None:
        predictions, calibration = unsummarized(predictions, calibration)
        self._engine = Engine(predictions, calibration, self._refresh)
        models = tuple(self._engine.models)
        kinds = (ExplorerState, type(None))
        validation.kind(state, "state", kinds, "that of another view, such as explorer.state")
        if state is not None and state.models != models:
            raise ValueError(f"state is of the models {', '.join(state.models)}, not of {', '.join(models)}")
        is_new = state is None
        if state is None:
            state = ExplorerState(models)
            state._offer(self._engine.by_field)
            state._open_on(lens=self._engine.first_lens)
        self.state = state
        if is_new:
            self.state._begin(choices)
            self.state._start()
        else:
            self.state.update(**choices)
        self._panels: dict[str, View] = {}
        self._contents: dict[str, Content] = {}
        self._is_letting_go = False
        super().__init__(self._engine.jobs)
        self._notice = Sentence(transport=self._transport, _dom_classes=("calibviz-notice",))
        about = "Undo the choice that cannot be shown"
        self._take_back = push_button(
            self._transport, "Take it back", about, lambda: self._step(self.state.undo), comes_and_goes=True
        )
        self._refusal.children = [self._status, self._take_back]
        self._on_screen = self._made_of(self.state.spec)
        self._assemble(self._build())
        self._leave_state = self.state._shown_by(self._refuse_unseen)
        self._begin()
        if self.situation.has_lost_bin:
            self._follow(None)

    def _follow(self, change: Any) -> None:
        """Show what the state says; let go of a chosen bin that has no sample any more."""
        view = self._made_of(self.state.spec)  # what it computes is kept as long as it lives
        self._engine.readings.step()
        with self._transport.lock:
            try:
                lost = view.has_lost_bin
            except ValueError:  # there is nothing to see at all, which `super` says
                lost = False
        if lost:
            assert view.spec.bin is not None
            notice = f"Bin {view.spec.bin + 1} holds no sample now: all samples are listed."
            self._note(notice)
            self._is_letting_go = True
            try:
                self.state._amend(bin=None)  # comes here again
            finally:
                self._is_letting_go = False
        else:
            if not self._is_letting_go:
                self._note("")
            super()._follow(change)

    def _note(self, sentence: str) -> None:
        """Say something beside the view, which goes on; the next choice takes it away."""
        assign(self._notice, value=f'<div role="status">{as_html(sentence)}</div>' if sentence else "")

    def _step(self, step: Callable[..., None], *arguments: Any) -> None:
        """Go through the steps of the state, or say why that fails."""
        self._say(self._tried(step, *arguments) or self._refused)

    def _say(self, sentence: str) -> None:
        """Say why the choices cannot be shown, beside a button that takes the last one back; or another sentence."""
        super()._say(sentence)
        has_way_back = bool(sentence) and sentence == self._refused
        assign(self._take_back.layout, display=None if has_way_back else "none")
        (self._refusal.add_class if has_way_back else self._refusal.remove_class)("has-way-back")

    def _choose(self, **chosen: Any) -> None:
        """Set choices; where no sample is left to see, no panel is opened or closed, which would be a step in vain."""
        if chosen.keys() == {"panels"} and (nothing := self._tried(self._refuse_unseen, self.state.spec)):
            self._say(nothing)
        else:
            super()._choose(**chosen)

    @property
    def situation(self) -> Situation:
        """The situation on screen."""
        return self._on_screen

    def _made_of(self, choices: Spec) -> Situation:
        return Situation(self._engine, choices)

    def _want_again(self) -> None:
        self._contents_of(self.situation, self._visible(self.situation))

    def _build(self) -> Sequence[ipywidgets.Widget]:
        """The widgets between the status and the transport."""
        raise NotImplementedError

    def _visible(self, situation: Situation) -> tuple[str, ...]:
        """The names of the panels on screen."""
        return on_screen(situation.spec.panels, situation.spec.projector)

    def _draw(self, situation: Situation, contents: Mapping[str, Content]) -> None:
        """Draw the contents of panels, and what stands around the panels."""
        raise NotImplementedError

    def _offered(self, situation: Situation) -> Mapping[str, Answer]:
        """All answers that this view can show, by name."""
        return answers_of(situation.spec)

    def _contents_of(self, situation: Situation, names: Iterable[str]) -> dict[str, Content]:
        offered = self._offered(situation)
        return {name: offered[name].content(situation) for name in names}

    def _show(self, situation: Situation) -> None:
        """Show a situation; where something of it cannot be made, the last good one stays.

        In a step, which leaves the same panels on screen, the page draws the first of them while the others are made.
        """
        names, ahead = self._visible(situation), dict[str, Content]()
        try:
            if names and names == tuple(self._contents):
                ahead = self._contents_of(situation, names[:1])
                for name, content in ahead.items():
                    self._panels[name].draw(situation, content)
                self._transport.send_now()
            others = self._contents_of(situation, names[len(ahead) :])
            self._draw(situation, others)
        except BaseException:
            for name in ahead:
                self._panels[name].draw(self._on_screen, self._contents[name])
            raise
        self._contents = {**ahead, **others}

    @property
    def selected(self) -> Any:
        """The indices of the samples of the chosen bin (all that are shown where there is none), ascending."""
        situation = self._seen()
        chosen = situation.drawn.problems[0].order[chosen_rows(situation)]
        return np.unique(chosen).tolist()  # under the pooled lens a sample has many scores

    @property
    def sentences(self) -> dict[str, str]:
        """The texts of the answers on screen, by their names, such as "segments"; "verdict" is always there.

        It waits for nothing: what is still being computed is missing, or says so. See `finish`.
        """
        situation = self._seen()
        texts = {"verdict": str(verdict_after(situation))} | {
            name: answer.text for name, answer in self._short_answers(situation).items()
        }
        for name, content in self._contents.items():
            texts[name] = " ".join(filter(None, (content.answer, plain(content.below), content.note)))
        return {name: text for name, text in texts.items() if text}

    def _short_answers(self, situation: Situation) -> dict[str, ShortAnswer]:
        """The answers of which the page shows a short form now, by their names."""
        return {}

    @property
    def verdict(self) -> Verdict:
        """The verdict on the scores after the chosen calibrator, if there is one; it waits for what is computed.

        See Also
        --------
        Report.verdict : The same of a page.
        """
        situation = self._seen()
        self._complete(aside=False)
        return verdict_after(situation)

    def to_html(self, path: str | PathLike[str], progress: bool = True) -> Path:
        """Write what is on screen as a page for a browser, in which choices can be moved without Python.

        The page is one file, which loads nothing from the network. It holds the verdict and the panels on screen: for
        the segments that are the furthest off, up to three calibrators and up to three lenses, each with each; and by
        themselves for 5 to 20 bins, thresholds and edges of categories in steps of 5 %. It says what it leaves out.

        Parameters
        ----------
        path : str or path
            A file of that name is replaced by the whole page, or stays.
        progress : bool
            Show a progress bar when it takes longer than a second.

        Raises
        ------
        OSError
            Where the page cannot be written.
        ValueError
            Where the choices cannot be shown.

        See Also
        --------
        report : A page of all answers.
        """
        file = path_to_write(path)
        return write_whole(file, self._recorded(MOST, validation.truth(progress, "progress")).encode())

    def _recorded(self, most: tuple[int, int, int], progress: bool) -> str:
        return made_here(self._jobs, self._recording(self._seen(), most, progress), "page", progress)

    def _recording(
        self, situation: Situation, most: tuple[int, int, int], progress: bool
    ) -> Generator[tuple[Any, ...], None, str]:
        """Steps of a job; their result is the page of a situation, of its panels that are on screen.

        It moves through at most so many segments, calibrators and lenses.
        """
        visible = self._made_of(situation.spec.but(panels=self._visible(situation)))
        return recorded_page(visible, self._offered(visible), self._code_of, most, progress)

    def _instead(self, how: str) -> str:
        page = self._recorded(FEW, progress=True)
        return labelled(RECORDED.format(how=how), framed(page, title(self.situation)[0]))

    def code(self) -> str:
        """The Python that reproduces the numbers on screen, and then opens the view again.

        It begins with the verdict, which it waits for, and with what that is about. Where states are kept, the numbers
        of A and B come first.
        """
        situation = self._seen()
        self._complete(aside=False)
        return self._code_of(situation)

    def _code_of(self, situation: Situation) -> str:
        """The Python that reproduces the numbers of a situation, and then opens it, with what is known by now."""
        name = self._public_name
        kept, view = code_of_kept(situation, name), code_of_view(situation, name, self._named_first)
        return caption_of(situation).comment + kept + code_of(situation, name) + view

    @property
    def _public_name(self) -> str:
        """Return the name of the class of this view in a script, such as "cv.Explorer"."""
        public = next(kind for kind in type(self).__mro__ if kind.__module__.startswith("calibviz."))
        return f"cv.{public.__name__}"

    def cube(self) -> Any:
        """The numbers on screen, and those of all compared calibrators and models, as `evaluate` labels them."""
        return cube_of(self._seen())

    def _caption(self) -> Caption:
        lines = [line for content in self._contents.values() for line in content.marked.split("\n") if line]
        return replace(caption_of(self.situation), said=tuple(map(runs, lines)))

    def _beside(self) -> Mapping[str, Sequence[Run]]:
        answers = self._short_answers(self.situation)
        return {ANSWERS[name].question: runs(answer.marked) for name, answer in answers.items() if answer.text}

    def _asked(self) -> object:
        answers = [ANSWERS[name].short for name in self._contents if name in ANSWERS]
        return [short(self.situation) for short in answers if short is not None]

    def _below(self) -> Table | None:
        return promises(self.situation)

    def _records(self) -> Sequence[Figure | Grid | Table]:
        """The pictures and tables on screen, as far as they have filled in; nothing where no picture is among them.

        A table that its panel names on screen has the name of the panel.
        """
        offered = self._offered(self.situation)
        shown = [
            replace(record, title=offered[name].button) if isinstance(record, Table) and not record.title else record
            for name, content in self._contents.items()
            for record in content.records
        ]
        return shown if any(not isinstance(record, Table) or record.has_axis for record in shown) else []

    def _leave_behind(self) -> Iterable[ipywidgets.Widget]:
        self._leave_state()
        return [panel.widget for panel in self._panels.values()]

    def _panel(self, answer: Answer, controls: Sequence[ipywidgets.Widget]) -> View:
        name = answer.name
        if name not in self._panels:
            made = answer, layout_of(answer), self.state, self._transport, controls, self._choose
            self._panels[name] = VIEWS.get(name, View)(*made)
        return self._panels[name]

    def _refuse_unseen(self, spec: Spec) -> None:
        """Raise where there is nothing to see: an unknown class, outcome or field, or a selection of no sample."""
        with self._transport.lock:
            Situation(self._engine, spec).exists()

    def _sentence(self) -> str:
        return str(verdict_after(self.situation))
