"""The app: composes, binds and routes. The panes hold the looks, the state reducers the meaning.

Modules that the first frame does not need are imported after it; the panes' message types are named here, not loaded.
"""

import asyncio
import logging
import time
from collections.abc import Callable, Coroutine, Sequence
from typing import TYPE_CHECKING, ClassVar

from textual import events
from textual.binding import BindingType
from textual.screen import ModalScreen

from kimi_tui.ui.tui.accessibility import DisplayOptions
from kimi_tui.ui.tui.composer.composer import Composer
from kimi_tui.ui.tui.engine_protocol import Command, Engine
from kimi_tui.ui.tui.i18n.catalog import _, n_
from kimi_tui.ui.tui.i18n.translate import translate_lines
from kimi_tui.ui.tui.keys.bindings import ACTIONS, bindings
from kimi_tui.ui.tui.keys.hints import approvals_key, composer_hints, focus_context, hints_for, writes
from kimi_tui.ui.tui.keys.keymap import KeyMap
from kimi_tui.ui.tui.main_screen.layout_css import LAYOUT
from kimi_tui.ui.tui.main_screen.screen import MainScreen, PaneName
from kimi_tui.ui.tui.navigation.activity_indicator import ActivityIndicator
from kimi_tui.ui.tui.navigation.escape_handler import EscapeHandler
from kimi_tui.ui.tui.navigation.screen_registry import ScreenRouter
from kimi_tui.ui.tui.navigation.subagent_screens import SubagentScreens
from kimi_tui.ui.tui.navigation.trust_prompt import TrustPrompt
from kimi_tui.ui.tui.session.engine_factory import EngineFactory
from kimi_tui.ui.tui.session.prompt_controller import PromptController
from kimi_tui.ui.tui.session.session_controller import MakeEngine, SessionController
from kimi_tui.ui.tui.startup import gc_tuning
from kimi_tui.ui.tui.startup.deferred_imports import preload
from kimi_tui.ui.tui.startup.input_buffer import StartupInputBuffer
from kimi_tui.ui.tui.state.view_clock import ViewClock
from kimi_tui.ui.tui.terminal.app_base import TerminalApp
from kimi_tui.ui.tui.terminal.frame_rate import FRAME
from kimi_tui.ui.tui.themes import theme
from kimi_tui.ui.tui.themes.theme_registry import ThemeRegistry
from kimi_tui.ui.tui.widgets.modal_frame import ModalFrame

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from kimi_tui.ui.tui.dialogs.approval import ApprovalDialog
    from kimi_tui.ui.tui.dialogs.branch_choice import BranchDialog
    from kimi_tui.ui.tui.dialogs.question import QuestionDialog
    from kimi_tui.ui.tui.flow_pane.chart_view import FlowChart
    from kimi_tui.ui.tui.flow_pane.controller import FlowController
    from kimi_tui.ui.tui.flow_pane.flow_list import FlowList
    from kimi_tui.ui.tui.flow_pane.pane import FlowPane
    from kimi_tui.ui.tui.main_screen.approvals_pane import ApprovalsPane
    from kimi_tui.ui.tui.main_screen.scrub_bar import ScrubBar
    from kimi_tui.ui.tui.replay.time_travel import TimeTravel
    from kimi_tui.ui.tui.session.presenter import Presenter
    from kimi_tui.ui.tui.session.wire_bridge import WireBatch
    from kimi_tui.ui.tui.transcript.view import Transcript
    from kimi_tui.wire.parts import UserInput

_log = logging.getLogger(__name__)
_LEAVE_S = 10.0
_GOODBYES = frozenset({"/exit", "/quit", "exit", "quit"})


class KimiTui(TerminalApp):
    """Shows one session.

    The panes are mounted after the first frame, the engine is created after them. Messages sent earlier wait for the
    engine; keys that are not text wait for the panes.
    """

    TITLE = "kimi-tui"
    CSS = LAYOUT
    ENABLE_COMMAND_PALETTE = False
    BINDINGS: ClassVar[list[BindingType]] = [*bindings()]
    stage: "Presenter"
    machine: "TimeTravel"
    desk: "FlowController"

    def __init__(
        self,
        make_engine: MakeEngine,
        *,
        host: EngineFactory | None = None,
        door: str = "",
        prompt: str | None = None,
        theme: str = theme.DEFAULT_THEME,
        place: str = "",
        clock: Callable[[], float] = time.time,
        steady: Callable[[], float] = time.monotonic,
        frame: float = FRAME,
        motion: bool = True,
        manners: DisplayOptions | None = None,
    ) -> None:
        super().__init__(manners or DisplayOptions(motion=motion))
        self.host = host
        self._first_door = door
        self._clock, self.steady = clock, steady
        self.moment = ViewClock(clock)
        self.home = MainScreen(manners=self.manners, place=place, hints=composer_hints())
        self.seat = SessionController(self, make_engine, prompt=prompt, clock=clock, frame=frame)
        self.prompts = PromptController(
            self.home,
            tell=lambda text, warning: self.tell(text, severity="warning" if warning else "information"),
            ended=self.seat.on_turn_end,
            failed=lambda cause: self.stage.show_internal_error(cause),
        )
        self.keymap = KeyMap()
        self.way_back = EscapeHandler(self, steady=steady)
        self.furnished = False
        self.work_signs = ActivityIndicator(self)
        self._early_keys = StartupInputBuffer()
        self.doors = ScreenRouter(self)
        self.insides = SubagentScreens(self)
        self.trust = TrustPrompt(self)
        self.shelf = ThemeRegistry(self)
        self.shelf.load_initial(theme)

    # Start and end

    def get_theme_variable_defaults(self) -> dict[str, str]:
        return dict(theme.VARIABLE_DEFAULTS)

    def get_default_screen(self) -> MainScreen:
        return self.home

    def on_mount(self) -> None:
        self.call_after_refresh(self._started)

    def _started(self) -> None:
        self.home.composer.commands = self.commands
        self.run_worker(self._begin(), group="engine")

    async def _furnish(self) -> None:
        """Mount the panes and create their controllers."""
        await asyncio.to_thread(preload)
        from kimi_tui.ui.tui.flow_pane.controller import FlowController
        from kimi_tui.ui.tui.main_screen.panes import build_panes
        from kimi_tui.ui.tui.replay.presenter_adapter import HistoryPresenter
        from kimi_tui.ui.tui.replay.time_travel import TimeTravel
        from kimi_tui.ui.tui.session.presenter import Presenter

        home = self.home
        motion = not self.manners.reduced_motion
        await home.mount_panes(build_panes(clock=self.moment, steady=self.steady, motion=motion))
        self.stage = Presenter(
            home, clock=self._clock, moment=self.moment, attention=self.attention, steady=self.steady
        )
        self.machine = TimeTravel(HistoryPresenter(self.stage), home.scrub, steady=self.steady)
        self.stage.history_sink = self.machine
        self.desk = FlowController(self, self.stage, self.machine, clock=self.moment)
        self.furnished = True
        await self._early_keys.flush_all(super().on_event)

    async def _begin(self) -> None:
        await self._furnish()
        await self.seat.open(self._first_door)
        if self.engine is not None and self.host is not None:
            follow = self.shelf.watch(lambda problem: self.tell(problem, severity="warning"))
            self.run_worker(follow, group="themes", exit_on_error=False)
        if self.engine is not None:
            await self.engine.loaded()
        gc_tuning.freeze_startup_objects()

    @property
    def engine(self) -> Engine | None:
        return self.seat.engine

    def opened(self, engine: Engine) -> None:
        """Called when a session is shown."""

    async def on_unmount(self) -> None:
        self.work_signs.clear()
        try:
            async with asyncio.timeout(_LEAVE_S):
                await self.seat.close()
        except TimeoutError:
            _log.warning("what ran could not be ended in time")

    def copy(self, text: str) -> None:
        """Copy the text, and report how much was copied and by which method."""
        from kimi_tui.ui.tui.terminal import clipboard

        self.copy_to_clipboard(text)
        lines = text.count("\n") + 1
        much = n_("{count} line copied", "{count} lines copied", lines)
        self.tell(_("{much}, by {way}", much=much, way=clipboard.copy_method()))

    def watch_app_focus(self) -> None:
        self.work_signs.update()

    # The Wire

    def on_wire_batch(self, event: "WireBatch") -> None:
        self.stage.apply_batch(event.messages)
        self.insides.follow()
        self.prompts.on_wire(event.messages)
        self.work_signs.update()
        self.hint()

    # Prompts

    def commands(self) -> Sequence[Command]:
        engine = self.engine
        return (
            self.doors.all_commands(engine.commands(), engine.skills)
            if engine is not None
            else self.doors.all_commands(())
        )

    def submit(self, content: "UserInput") -> None:
        """Send the prompt to the engine, or keep it until there is an engine."""
        self.prompts.submit(content)

    def on_composer_submitted(self, event: Composer.Submitted) -> None:
        if event.text.strip() in _GOODBYES:
            self.action_leave()
        elif self.seat.starting or not self.doors.handle_slash(event.text):
            self.submit(event.content)

    def on_composer_steered(self, event: Composer.Steered) -> None:
        self.prompts.steer(event.content)

    def on_composer_noted(self, event: Composer.Noted) -> None:
        self.tell(event.text, severity="warning")

    def on_composer_take_back(self) -> None:
        self.prompts.take_back()

    def on_composer_leave(self) -> None:
        self.action_leave()

    def put_command(self, name: str) -> None:
        """Write a slash command into the composer, ready for its arguments."""
        self.home.composer.text = f"/{name} "
        self.home.composer.prompt.focus()

    # Approvals and branches

    def on_approval_dialog_answered(self, event: "ApprovalDialog.Answered") -> None:
        if self.engine is not None:
            self.engine.approvals.settle(
                event.request_id, event.response, event.feedback, edited=event.edited, taken=event.taken
            )

    def on_approvals_pane_opened(self, event: "ApprovalsPane.Opened") -> None:
        self.stage.show_approvals(event.request_id)

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
            case "time":
                self.action_time()
            case "resume":
                self.desk.offer_resume()
            case "menu":
                self.desk.menu(event.flow_name)
            case "whole":
                self.home.flow.focus_inside()
                self.home.action_zoom()

    def open_dialog(self, screen: ModalScreen[str | None], done: Callable[[str | None], None]) -> None:
        self.push_screen(screen, done)

    def run_in_background(self, work: Coroutine[None, None, None]) -> None:
        self.run_worker(work, group="desk", exclusive=True)

    # Time

    def action_time(self) -> None:
        """Show the session's past states with the scrub bar."""
        if isinstance(self.screen, MainScreen) and not self.machine.open():
            self.tell(_("nothing was said yet"))

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
        if action == "agent":
            self.insides.open(event.item_id)
        elif action == "node" and self.stage.shown_ids.flow.picture is not None:
            if self.home.in_pane or self.home.layout_size != "wide" or self.home.zoomed is not None:
                self.home.go_to("flow")
            self.home.flow.chart.select(target)

    def on_transcript_copied(self, event: "Transcript.Copied") -> None:
        self.copy(event.text)

    # Keys

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Disable the conversation's keys while another screen is on top."""
        if action == "suspend":
            return "suspend" in self.keymap.overrides or not self.would_undo()
        if action == "copy_or_clear":  # on another screen only to close it
            return isinstance(self.screen, MainScreen) or not getattr(self.focused, "selected_text", "")
        return not (isinstance(self.screen, ModalFrame) and action in ACTIONS and action != "leave")

    async def on_event(self, event: events.Event) -> None:
        """Map a key through the user's key bindings; buffer it until the panes are mounted."""
        if isinstance(event, events.Key) and not event.is_forwarded and self.keymap.overrides:
            from kimi_tui.ui.tui.keys.remap import resolve_key

            if (pressed := await resolve_key(self, event)) is None:
                return
            event = pressed
        if isinstance(event, events.Key) and not event.is_forwarded and self.furnished:
            self.home.hints.say("")
            if self.home.in_pane:
                self.stage.last_steered_at = self.steady()
        if not self._early_keys.buffer(event, can_write=self.home.focused is not None):
            await super().on_event(event)

    async def on_descendant_focus(self, event: events.DescendantFocus) -> None:  # defence: cheap-focus
        self.hint()
        await self._early_keys.flush_text(super().on_event)

    def on_main_screen_zoomed(self) -> None:
        self.hint()

    def on_question_dialog_asked(self) -> None:
        self.hint()

    def hint(self) -> None:
        """Update the key hints in the footer."""
        if self.is_running and self.home.is_mounted:
            self.home.hints.show(
                hints_for(self.home, self.stage.state, self.keymap) if self.furnished else composer_hints()
            )
        if self.furnished and self.app_focus and (asks := self.home.open_dialog_widget) is not None:
            asks.show_focus_hint(approvals_key(self.keymap))

    def use_keys(self, table: "Mapping[str, str]", file: "Path | None") -> None:
        """Apply user key bindings; problems are reported in the conversation."""
        from kimi_tui.ui.tui.keys.keymap import format_problems, read_keys
        from kimi_tui.ui.tui.state.items import NoticeItem

        before, self.keymap = self.keymap, read_keys(table)
        self.home.write_key = writes(self.keymap)
        self.hint()
        if (troubles := self.keymap.problems) and troubles != before.problems:
            words = "\n".join([_("Some of your keys cannot be used:"), *format_problems(troubles, file)])
            self.stage.add_notice(NoticeItem(words, "warning"))

    def tell(self, text: str, *, severity: str = "information") -> None:
        """Show a short notification to the user."""
        bad = severity == "warning"
        words = f"! {translate_lines(text)}" if bad else translate_lines(text)
        self.notify(words, severity="warning" if bad else "information", timeout=8 if bad else 4, markup=False)

    def action_escape(self) -> None:
        self.way_back.escape()

    def action_copy_or_clear(self) -> None:
        self.way_back.copy_clear_or_quit()

    def action_plan(self) -> None:
        """Toggle plan mode from the composer; elsewhere move the focus back."""
        if self.home.composer.prompt.has_focus and isinstance(self.screen, MainScreen):
            from kimi_tui.ui.tui.navigation.plan_mode_action import toggle_plan_mode

            toggle_plan_mode(self)
        else:
            self.screen.focus_previous()

    def action_editor(self) -> None:
        from kimi_tui.ui.tui.navigation import external_editor

        if isinstance(self.screen, MainScreen):
            reading = self.home.focused_pane == "talk"
            (external_editor.open_conversation_in_editor if reading else external_editor.edit_draft_in_editor)(self)

    def action_scrollback(self) -> None:
        from kimi_tui.ui.tui.navigation.scrollback import show_in_scrollback

        if isinstance(self.screen, MainScreen):
            show_in_scrollback(self)

    def action_leave(self) -> None:
        self.exit(0)

    def action_door(self, name: str) -> None:
        self.doors.open(name)

    def action_command_palette(self) -> None:
        from kimi_tui.ui.tui.navigation.command_palette import CommandPalette, PaletteEntry, palette_entries

        def taken(entry: PaletteEntry | None) -> None:
            if entry is not None:
                self.call_later(entry.run)

        if isinstance(self.screen, MainScreen):
            self.push_screen(CommandPalette(tuple(palette_entries(self))), taken)

    def action_help(self) -> None:
        from kimi_tui.ui.tui.screens.help import Help

        if isinstance(self.screen, MainScreen):
            self.push_screen(Help(focus_context(self.home), self.keymap))
        elif isinstance(self.screen, Help):
            self.screen.dismiss(None)

    def action_pane(self, name: PaneName) -> None:
        if not isinstance(self.screen, MainScreen):
            return
        if name == "waiting" and (asks := self.home.open_dialog_widget) is not None:
            self.home.focus_dialog(asks)
        elif not self.home.go_to(name):
            nothing = {"flow": _("there are no flows"), "todo": _("the todo list is empty")}
            starting = _("the session is still starting")
            self.tell(starting if self.seat.starting else nothing.get(name, _("nothing waits")))

    # Themes

    def action_themes(self) -> None:
        self.doors.open("theme")

    def use_theme(self, name: str) -> None:
        if self.shelf.activate(name):
            self.doors.keep_theme(name)
        else:
            self.tell(_("this theme cannot be read; the log says why"), severity="warning")
