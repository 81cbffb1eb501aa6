"""The app: composes, binds and routes. What things look like is in the panes, what they mean in the fold.

What the first frame does not need is imported after it: types of the panes' messages are named here, not loaded.
"""

import asyncio
import contextlib
import dataclasses
import gc
import logging
import time
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, ClassVar

from textual import events
from textual.app import App
from textual.binding import BindingType
from textual.filter import LineFilter
from textual.screen import ModalScreen
from textual.timer import Timer

from kimi_tui import paths
from kimi_tui.errors import KimiTuiError
from kimi_tui.ui.tui import terminal, themes
from kimi_tui.ui.tui.ascii import sign_filters
from kimi_tui.ui.tui.composer.composer import Composer
from kimi_tui.ui.tui.composer.drafts import DraftFile
from kimi_tui.ui.tui.composer.history import History, draft_file, history_file
from kimi_tui.ui.tui.doors import Doors
from kimi_tui.ui.tui.editor import write_in_editor
from kimi_tui.ui.tui.engine import Command, Engine
from kimi_tui.ui.tui.frame_rate import FRAME
from kimi_tui.ui.tui.hinting import WRITING, hints_for, where_of
from kimi_tui.ui.tui.host import Host
from kimi_tui.ui.tui.keys import ACTIONS, bindings
from kimi_tui.ui.tui.manners import Manners
from kimi_tui.ui.tui.replay.moment import Moment
from kimi_tui.ui.tui.screens.frame import Frame
from kimi_tui.ui.tui.screens.home import PANES, Home, PaneName
from kimi_tui.ui.tui.theme_shelf import ThemeShelf

if TYPE_CHECKING:
    from textual.command import Provider

    from kimi_tui.ui.tui.bridge import Bridge, WireBatch
    from kimi_tui.ui.tui.dialogs.approval import ApprovalDialog
    from kimi_tui.ui.tui.dialogs.branches import BranchDialog
    from kimi_tui.ui.tui.dialogs.question import QuestionDialog
    from kimi_tui.ui.tui.flow.chart import FlowChart
    from kimi_tui.ui.tui.flow.listing import FlowList
    from kimi_tui.ui.tui.flow.pane import FlowPane
    from kimi_tui.ui.tui.flow_desk import FlowDesk
    from kimi_tui.ui.tui.meanwhile import Meanwhile
    from kimi_tui.ui.tui.panels.strip import StripLine
    from kimi_tui.ui.tui.panels.waiting import WaitingPane
    from kimi_tui.ui.tui.replay.bar import ScrubBar
    from kimi_tui.ui.tui.replay.machine import TimeMachine
    from kimi_tui.ui.tui.screens.finder import Finder
    from kimi_tui.ui.tui.stage import Stage
    from kimi_tui.ui.tui.transcript.view import Transcript
    from kimi_tui.ui.tui.turns import Turns
    from kimi_tui.wire.parts import UserInput

_log = logging.getLogger(__name__)
MakeEngine = Callable[[], Awaitable[Engine]]
_TWICE_S = 1.5
_AFTER_THE_FIRST_FRAME = (
    "screens.furniture", "stage", "bridge", "turns", "flow_desk", "composer.files", "replay.machine", "replay.scene",
    "screens.help",
)  # fmt: skip
_WRITING = frozenset({"enter", "shift+enter", "alt+enter", "ctrl+j", "backspace", "left", "right", "ctrl+q"})


def _load_the_rest() -> None:
    for name in _AFTER_THE_FIRST_FRAME:
        import_module(f"kimi_tui.ui.tui.{name}")


def _palette() -> "type[Provider]":
    from kimi_tui.ui.tui.commands import Actions

    return Actions


class KimiTui(App[int]):
    """Shows one session.

    The panes are made after the first frame, the engine after them. What is sent before that waits for it;
    a key that is no writing waits for the panes.
    """

    TITLE = "kimi-tui"
    ENABLE_COMMAND_PALETTE = True
    COMMANDS = {_palette}  # noqa: RUF012 - Textual's own type
    BINDINGS: ClassVar[list[BindingType]] = [*bindings()]
    stage: "Stage"
    machine: "TimeMachine"
    desk: "FlowDesk"
    meanwhile: "Meanwhile"

    def __init__(
        self,
        make_engine: MakeEngine,
        *,
        host: Host | None = None,
        door: str = "",
        prompt: str | None = None,
        theme: str = themes.DEFAULT_THEME,
        place: str = "",
        clock: Callable[[], float] = time.time,
        steady: Callable[[], float] = time.monotonic,
        frame: float = FRAME,
        motion: bool = True,
        manners: Manners | None = None,
    ) -> None:
        self.manners = manners or Manners(motion=motion)
        self._filters_of_manners = sign_filters(self.manners)
        super().__init__()
        if self.manners.still:
            self.animation_level = "none"
        self._make_engine = make_engine
        self.host = host
        self._first_door = door
        self._first_prompt = prompt
        self._clock, self.steady, self._frame = clock, steady, frame
        self._quit_asked = self._escaped = float("-inf")
        self._early: list[str] = []
        self._ticker: Timer | None = None
        self._bridge: Bridge | None = None
        self._turns: Turns | None = None
        self.engine: Engine | None = None
        self.moment = Moment(clock)
        self.home = Home(manners=self.manners)
        self._furnished = False
        self._starting = True
        self._held: list[events.Key | events.Paste] = []
        self.attention = terminal.Caller(self._write, lambda: self.app_focus)
        self._place = place
        self.doors = Doors(self)
        self.shelf = ThemeShelf(self)
        self.shelf.use(theme)

    # Start and end

    def get_line_filters(self) -> Sequence[LineFilter]:
        return [*super().get_line_filters(), *self._filters_of_manners]

    def get_theme_variable_defaults(self) -> dict[str, str]:
        return dict(themes.VARIABLE_DEFAULTS)

    def on_mount(self) -> None:
        self.push_screen(self.home)
        self.call_after_refresh(self._started)

    def _started(self) -> None:
        self.home.composer.commands = self.commands
        if self._place:
            self.home.header.facts = dataclasses.replace(self.home.header.facts, place=self._place)
        self._hint()
        self.run_worker(self._start_engine(), group="engine")

    async def _furnish(self) -> None:
        """The panes, and what works them."""
        await asyncio.to_thread(_load_the_rest)
        from kimi_tui.ui.tui.flow_desk import FlowDesk
        from kimi_tui.ui.tui.meanwhile import Meanwhile
        from kimi_tui.ui.tui.replay.machine import TimeMachine
        from kimi_tui.ui.tui.replay.scene import PastScene
        from kimi_tui.ui.tui.screens.furniture import make_furniture
        from kimi_tui.ui.tui.stage import Stage

        home = self.home
        motion = not self.manners.still
        await home.furnish(make_furniture(clock=self.moment, steady=self.steady, motion=motion))
        self.stage = Stage(home, clock=self._clock, moment=self.moment, attention=self.attention)
        self.machine = TimeMachine(PastScene(self.stage), home.scrub, steady=self.steady)
        self.stage.hearer = self.machine
        self.meanwhile = Meanwhile()
        self.desk = FlowDesk(self, self.stage, self.machine, clock=self.moment)
        self._furnished = True
        while self._held:
            await super().on_event(self._held[0])
            del self._held[0]

    async def _start_engine(self) -> None:
        await self._furnish()
        try:
            await self.doors.ask_trust()
            engine = await self._make_engine()
        except KimiTuiError as error:
            self._cannot_start(str(error))
        except Exception as error:  # noqa: BLE001 - the edge: a fault of ours is told, the screen stays
            _log.exception("the engine could not be made")
            self._cannot_start(f"{type(error).__name__}: {error}")
        else:
            self._take_engine(engine)
            self.doors.begin(self._first_door)
        if not gc.isenabled():
            gc.freeze()
            gc.enable()

    async def change_engine(self, *, leave_first: bool = False) -> bool:
        """Go on with the engine that is made now, once it is; where it cannot be, all is as it was.

        `leave_first`: it is for the session that is open, whose lock has to be given back before.
        """
        if leave_first:
            await self._leave_engine()
        try:
            await self.doors.ask_trust()
            engine = await self._make_engine()
        except KimiTuiError as error:
            if leave_first:
                self._cannot_start(str(error))
            self.tell(str(error), severity="warning")
            return False
        await self._leave_engine()
        self.stage.clear()
        self._take_engine(engine)
        return True

    async def _leave_engine(self) -> None:
        bridge, turns, engine = self._bridge, self._turns, self.engine
        self._bridge = self._turns = self.engine = None
        if self._furnished:
            self.meanwhile.clear()
        self._first_prompt = None
        if bridge is not None:
            bridge.close()
        if turns is not None:
            await turns.aclose()
        if engine is not None:
            with contextlib.suppress(KimiTuiError, OSError):
                await engine.aclose()

    def _cannot_start(self, cause: str) -> None:
        from kimi_tui.ui.tui.transcript.items import ErrorItem

        self._starting = False
        self.home.header.facts = dataclasses.replace(self.home.header.facts, failed=True)
        self.stage.say(ErrorItem("The session could not start", cause))
        self.home.composer.queued.show(())
        self.home.composer.text = "\n".join([*self._early, self.home.composer.text]).strip()

    def _take_engine(self, engine: Engine) -> None:
        from kimi_tui.ui.tui.bridge import Bridge
        from kimi_tui.ui.tui.composer.files import FileIndex
        from kimi_tui.ui.tui.turns import Turns

        self.engine, self._starting = engine, False
        self.stage.attach(engine)
        self._bridge = Bridge(
            engine.wire,
            post=self.post_message,
            loop=asyncio.get_running_loop(),
            clock=self._clock,
            frame=self._frame,
        )
        self._turns = Turns(
            engine, changed=self._queue_changed, refused=self._refused, failed=self._failed, ended=self._turn_ended
        )
        composer = self.home.composer
        composer.keep_draft()
        composer.history = History(history_file(engine.work_dir))
        composer.take_drafts(DraftFile(draft_file(engine.work_dir)))
        composer.files = FileIndex(engine.work_dir)
        engine.progress.listen(lambda told: self.stage.progress(told.tool_call_id, "\n".join(told.lines)))
        engine.skills.listen(lambda _change: self.stage.show_flows())
        self._write(terminal.title_sequence(f"kimi-tui · {engine.title or engine.work_dir.name}"))
        if self._first_prompt:
            self._turns.submit(self._first_prompt)
        for text in self._early:
            composer.history.add(text)
            if not self.doors.takes(text):
                self._turns.submit(text)
        if not self._first_prompt and not self._early:
            self.call_after_refresh(self.desk.offer_resume)
        self._early.clear()
        self._queue_changed()
        self._hint()

    async def on_unmount(self) -> None:
        await self._leave_engine()

    def _fatal_error(self) -> None:
        """A fault of ours that nothing caught: the log has all of it, the terminal one line and no traceback."""
        from rich.text import Text

        error = self._exception
        _log.critical("the screen ended by a fault of its own", exc_info=error)
        if self.is_headless:
            super()._fatal_error()
            return
        what = f"{type(error).__name__}: {error}".splitlines()[0][:200]
        self._exit_renderables.append(
            Text(f"kimi-tui ended by a fault of its own ({what}); {paths.home() / 'logs'} has more")
        )
        self._close_messages_no_wait()

    def _write(self, sequence: str) -> None:
        if self._driver is not None and not self.is_headless:
            self._driver.write(sequence)

    # The Wire

    def on_wire_batch(self, event: "WireBatch") -> None:
        self.stage.take(event.messages)
        self._hear_meanwhile(event)
        self._run_ticker()
        self._hint()

    def _hear_meanwhile(self, event: "WireBatch") -> None:
        """What was steered has gone in, or is given back where the turn was over before."""
        from kimi_tui.wire.parts import text_of

        before = self.meanwhile.texts
        for _, message in event.messages:
            for content in self.meanwhile.hear(message):
                self._give_back(text_of(content))
        if self.meanwhile.texts != before:
            self._queue_changed()

    def _run_ticker(self) -> None:
        if self.stage.counts and self._ticker is None and not self.manners.plain:
            self._ticker = self.set_interval(1.0, self._tick)
        elif not self.stage.counts and self._ticker is not None:
            self._ticker.stop()
            self._ticker = None

    def _tick(self) -> None:
        self.stage.tick()

    # Prompts

    def commands(self) -> Sequence[Command]:
        return self.doors.among(self.engine.commands() if self.engine is not None else ())

    def submit(self, text: str) -> None:
        """Send it to the engine, as soon as there is one."""
        if self._furnished:
            self.home.transcript.follow = True
        if self._turns is None:
            self._early.append(text)
            self.home.composer.queued.show(self._early)
        else:
            self._turns.submit(text)

    def on_composer_submitted(self, event: Composer.Submitted) -> None:
        if self._starting or not self.doors.takes(event.text):
            self.submit(event.text)

    def on_composer_steered(self, event: Composer.Steered) -> None:
        queue = self._turns.queue if self._turns is not None else []
        content = event.text or (queue[0] if queue else "")
        if event.text.startswith("!") or self._turns is None or not self._turns.steer(event.text or None):
            if event.text:
                self.submit(event.text)
            else:
                self.tell("no turn is running that could be steered")
        elif content:
            self.meanwhile.add(content)
            self._queue_changed()

    def on_composer_take_back(self) -> None:
        if self._turns is not None and (last := self._turns.take_back()) is not None:
            from kimi_tui.wire.parts import text_of

            self.home.composer.put_back(text_of(last))

    def on_composer_leave(self) -> None:
        self.action_leave()

    def _queue_changed(self) -> None:
        from kimi_tui.wire.parts import text_of

        if self._turns is not None and self.is_running:
            queue = [text_of(content) for content in self._turns.queue]
            self.home.composer.queued.show(queue, self.meanwhile.texts)

    def _refused(self, content: "UserInput", why: str) -> None:
        from kimi_tui.wire.parts import text_of

        if self.engine is not None and self.engine.busy:
            self.tell(why, severity="warning")
        self._give_back(text_of(content))

    def _give_back(self, text: str) -> None:
        """A message that was not taken, to be edited; Up brings it where something else is written by now."""
        if not self.home.composer.text:
            self.home.composer.put_back(text)

    def _failed(self, cause: str) -> None:
        from kimi_tui.ui.tui.transcript.items import ErrorItem

        self.stage.say(ErrorItem("Something went wrong in kimi-tui itself", cause, "the log has the details"))

    def _turn_ended(self) -> None:
        if self._bridge is not None and self.is_running:
            self._bridge.flush()
            self.call_later(self._settle)

    def _settle(self) -> None:
        if self.engine is not None and not self.engine.busy:
            self.stage.settle()
            self._run_ticker()

    def put_command(self, name: str) -> None:
        """Write a slash command, to be completed by its arguments."""
        self.home.composer.text = f"/{name} "
        self.home.composer.prompt.focus()

    # Approvals and branches

    def on_approval_dialog_answered(self, event: "ApprovalDialog.Answered") -> None:
        if self.engine is not None:
            self.engine.approvals.settle(event.request_id, event.response, event.feedback, edited=event.edited)

    def on_approval_dialog_typed(self, event: "ApprovalDialog.Typed") -> None:
        self.home.composer.prompt.focus()
        self.home.composer.prompt.paste(event.text)

    def on_waiting_pane_opened(self, event: "WaitingPane.Opened") -> None:
        self.stage.ask(event.request_id)

    def on_branch_dialog_chosen(self, event: "BranchDialog.Chosen") -> None:
        self.desk.take_branch(event.node_id, event.label)

    def on_question_dialog_answered(self, event: "QuestionDialog.Answered") -> None:
        if self.engine is not None:
            self.engine.questions.settle(event.request_id, event.answers)
        self.stage.answered(event.request_id)

    # Flows

    def on_flow_list_chosen(self, event: "FlowList.Chosen") -> None:
        self.desk.start(event.flow_name)

    def on_flow_pane_steered(self, event: "FlowPane.Steered") -> None:
        self.desk.steer(event.action, event.node_id)

    def on_flow_chart_branch_clicked(self, event: "FlowChart.BranchClicked") -> None:
        self.desk.take_branch(event.node_id, event.label)

    def on_flow_chart_node_opened(self, event: "FlowChart.NodeOpened") -> None:
        self.desk.open(event.node_id)

    def on_flow_pane_wanted(self, event: "FlowPane.Wanted") -> None:
        match event.what:
            case "export":
                self.desk.export()
            case "runs":
                self.desk.runs(event.flow_name)
            case "start":
                self.desk.start(event.flow_name)
            case "live":
                self.machine.leave()

    def open_dialog(self, screen: ModalScreen[str | None], done: Callable[[str | None], None]) -> None:
        self.push_screen(screen, done)

    def work_aside(self, work: Coroutine[None, None, None]) -> None:
        self.run_worker(work, group="desk", exclusive=True)

    # Time

    def action_time(self) -> None:
        """The session as it was: the bar to go through its time with."""
        if isinstance(self.screen, Home) and not self.machine.open():
            self.tell("nothing was said yet")

    def on_scrub_bar_moved(self, event: "ScrubBar.Moved") -> None:
        if event.number is not None:
            self.machine.go_to(event.number)
        elif self.home.scrub.position.recorded:
            self.action_leave()
        else:
            self.machine.leave()
            self.home.focus_work()

    def on_scrub_bar_played(self, event: "ScrubBar.Played") -> None:
        self.machine.play(event.speed)

    # The conversation

    def on_transcript_item_clicked(self, event: "Transcript.ItemClicked") -> None:
        action, _, target = event.action.partition(":")
        if action == "node" and self.stage.shown.flow.picture is not None:
            self.home.go_to("flow")
            self.home.flow.chart.select(target)

    def on_finder_changed(self, event: "Finder.Changed") -> None:
        self.home.finder.count(len(self.home.transcript.find(event.query_text)))

    def on_finder_step(self, event: "Finder.Step") -> None:
        self.home.transcript.find_next()

    # Keys

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """The keys of the conversation do not act behind another screen."""
        return not (isinstance(self.screen, Frame) and action in ACTIONS and action != "leave")

    async def on_event(self, event: events.Event) -> None:
        """Until the panes are there, a key that is no writing waits for them, and what comes after waits behind it."""
        if isinstance(event, events.Key | events.Paste) and not event.is_forwarded:
            writes = isinstance(event, events.Paste) or event.is_printable or event.key in _WRITING
            if self._held or not (self._furnished or writes):
                self._held.append(event)
                return
        await super().on_event(event)

    def on_descendant_focus(self, event: events.DescendantFocus) -> None:
        self._hint()

    def on_strip_line_clicked(self, event: "StripLine.Clicked") -> None:
        self.home.toggle_drawer()

    def on_key(self, event: events.Key) -> None:
        """A letter that means nothing where the focus is belongs to the message that is being written."""
        if not isinstance(self.screen, Home) or not event.is_printable or not event.character:
            return
        bound = self.screen.active_bindings.get(event.key)
        if self.home.focused_pane is None or (bound is not None and bound.enabled):
            return
        event.stop()
        event.prevent_default()
        self.home.composer.prompt.focus()
        self.home.composer.prompt.insert(event.character)

    def _hint(self) -> None:
        if self.is_running and self.home.is_mounted:
            self.home.hints.show(hints_for(self.home, self.stage.state) if self._furnished else WRITING)

    def tell(self, text: str, *, severity: str = "information") -> None:
        """A passing word to the person."""
        self.notify(text, severity="warning" if severity == "warning" else "information", timeout=4, markup=False)

    def action_escape(self) -> None:
        home = self.home
        if home.approval.leave_why() or home.question.leave():
            return
        if home.finder.is_open:
            home.finder.close()
            home.transcript.focus()
        elif home.branch.is_open and home.branch.has_focus_within:
            home.branch.close()
            home.composer.prompt.focus()
        elif self.stage.state.turn.running and self.engine is not None:
            self.engine.cancel()
        elif home.zoomed is not None:
            home.zoom(None)
        elif home.has_class("-drawer"):
            home.toggle_drawer()
        elif home.composer.prompt.has_focus and self.steady() - self._escaped < _TWICE_S and not home.composer.text:
            self._escaped = float("-inf")
            self.doors.open("rewind")
        else:
            self._escaped = self.steady()
            home.composer.prompt.focus()

    def action_plan(self) -> None:
        """Plan mode, where one writes; elsewhere the focus goes back."""
        if self.home.composer.prompt.has_focus and isinstance(self.screen, Home):
            self.doors.toggle_plan()
        else:
            self.screen.focus_previous()

    def action_editor(self) -> None:
        if isinstance(self.screen, Home):
            write_in_editor(self)

    def action_copy_or_clear(self) -> None:
        """Copy what is selected; else clear what is written; else quit when asked twice."""
        prompt = self.home.composer.prompt
        selected = self.home.transcript.selected_text() or prompt.selected_text
        if selected:
            self.copy_to_clipboard(selected)
            self.tell("copied")
        elif self.home.composer.clear():
            self._quit_asked = float("-inf")
        elif self.steady() - self._quit_asked < _TWICE_S:
            self.action_leave()
        else:
            self._quit_asked = self.steady()
            self.tell("press Ctrl+C once more to quit")

    def action_leave(self) -> None:
        self.exit(0)

    def action_door(self, name: str) -> None:
        self.doors.open(name)

    def action_help(self) -> None:
        from kimi_tui.ui.tui.screens.help import Help

        if isinstance(self.screen, Home):
            self.push_screen(Help(where_of(self.home)))

    def action_pane(self, name: PaneName) -> None:
        if not isinstance(self.screen, Home):
            return
        if name == "waiting" and self.home.approval.is_open:
            self.home.approval.focus()
        elif not self.home.go_to(name):
            self.tell({"flow": "there are no flows", "todo": "the todo list is empty"}.get(name, "nothing waits"))

    def action_next_pane(self) -> None:
        if not isinstance(self.screen, Home):
            return
        filled: list[PaneName] = [name for name in PANES if self.home.is_filled(name)]
        here = self.home.focused_pane
        if here is None:
            self.home.go_to(filled[0])
        elif here == filled[-1]:
            self.home.composer.prompt.focus()
        else:
            self.home.go_to(filled[filled.index(here) + 1])

    def action_zoom(self) -> None:
        if isinstance(self.screen, Home):
            here = self.home.focused_pane or "talk"
            self.home.zoom(None if self.home.zoomed is not None else here)

    def action_drawer(self) -> None:
        if isinstance(self.screen, Home):
            self.home.toggle_drawer()

    def action_expand(self) -> None:
        self.home.transcript.toggle_all()

    def action_find(self) -> None:
        from kimi_tui.ui.tui.dialogs.whole import WholeRequest

        screen = self.screen
        if isinstance(screen, WholeRequest):
            screen.dismiss(None)
        elif isinstance(screen, Home) and not (self.home.approval.has_focus and self.home.approval.read_whole()):
            self.home.finder.open()

    # Themes

    def action_themes(self) -> None:
        self.doors.open("theme")

    def use_theme(self, name: str) -> None:
        if self.shelf.use(name):
            self.doors.keep(name)
        else:
            self.tell("this theme cannot be read; the log says why", severity="warning")
