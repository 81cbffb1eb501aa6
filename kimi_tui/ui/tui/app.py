"""The app: composes the panes, starts the session and binds keys. Panes draw; state reducers interpret the Wire.

Modules that the first frame does not need are imported later; the panes' message types are referenced by name only.
"""

import asyncio
import logging
import time
from collections.abc import Callable, Coroutine, Sequence
from typing import TYPE_CHECKING, ClassVar

from textual import events
from textual.app import App
from textual.binding import BindingType
from textual.screen import ModalScreen
from textual.widgets import Input

from kimi_tui.timestamps import steady_time
from kimi_tui.ui.tui.accessibility import DisplayOptions
from kimi_tui.ui.tui.composer.composer import Composer
from kimi_tui.ui.tui.engine_protocol import Command, Engine
from kimi_tui.ui.tui.i18n.catalog import _
from kimi_tui.ui.tui.keys.bindings import ACTIONS, KeyContext, bindings, opens_something
from kimi_tui.ui.tui.keys.input_buffer import InputBuffer, KeyPassed
from kimi_tui.ui.tui.keys.keymap import KeyMap
from kimi_tui.ui.tui.main_screen.layout import PaneName
from kimi_tui.ui.tui.main_screen.layout_css import LAYOUT
from kimi_tui.ui.tui.main_screen.screen import MainScreen
from kimi_tui.ui.tui.navigation.activity_indicator import ActivityIndicator
from kimi_tui.ui.tui.navigation.escape_handler import EscapeHandler
from kimi_tui.ui.tui.navigation.screen_registry import ScreenRouter
from kimi_tui.ui.tui.navigation.subagent_screens import SubagentScreens
from kimi_tui.ui.tui.navigation.trust_prompt import TrustPrompt
from kimi_tui.ui.tui.pane_messages import PaneMessages
from kimi_tui.ui.tui.session.engine_factory import EngineFactory
from kimi_tui.ui.tui.session.prompt_controller import PromptController
from kimi_tui.ui.tui.session.session_controller import MakeEngine, SessionController
from kimi_tui.ui.tui.startup import gc_tuning
from kimi_tui.ui.tui.startup.deferred_imports import preload
from kimi_tui.ui.tui.state.view_clock import ViewClock
from kimi_tui.ui.tui.terminal.drawn_reports import forget_requests
from kimi_tui.ui.tui.terminal.frame_rate import FRAME
from kimi_tui.ui.tui.themes import theme
from kimi_tui.ui.tui.themes.theme_registry import ThemeRegistry
from kimi_tui.ui.tui.widgets.key_guard import restart_all, restart_unready
from kimi_tui.ui.tui.widgets.modal_frame import ModalFrame

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from rich.console import RenderableType

    from kimi_tui.ui.tui.session.wire_bridge import WireBatch
    from kimi_tui.wire.parts import UserInput

_log = logging.getLogger(__name__)
_CLOSE_TIMEOUT_S = 10.0
_CLOSE_WORD_S = 1.0
_QUIT_COMMANDS = frozenset({"/exit", "/quit", "exit", "quit"})


class KimiTui(PaneMessages):
    """Shows one session.

    The panes are mounted after the first frame, and the engine is created after them. Until then, messages wait for the
    engine, and keys that are not text wait for the panes and the configuration.
    """

    TITLE = "kimi-tui"
    CSS = LAYOUT
    SUSPENDED_SCREEN_CLASS = "-covered"
    ENABLE_COMMAND_PALETTE = False
    BINDINGS: ClassVar[list[BindingType]] = [*bindings()]

    def __init__(
        self,
        make_engine: MakeEngine,
        *,
        engine_factory: EngineFactory | None = None,
        initial_screen: str = "",
        prompt: str | None = None,
        theme: str = theme.DEFAULT_THEME,
        work_dir_label: str = "",
        work_dir: "Path | None" = None,
        clock: Callable[[], float] = steady_time,
        monotonic: Callable[[], float] = time.monotonic,
        key_age: Callable[[events.Event], float] = lambda event: time.monotonic() - event.time,
        frame: float = FRAME,
        motion: bool = True,
        display_options: DisplayOptions | None = None,
    ) -> None:
        super().__init__(display_options or DisplayOptions(motion=motion))
        self.engine_factory = engine_factory
        self._initial_screen = initial_screen
        self._clock, self.monotonic, self._key_age = clock, monotonic, key_age
        self.view_clock = ViewClock(clock)
        self.main_screen = MainScreen(display_options=self.display_options, work_dir_label=work_dir_label)
        self.session_controller = SessionController(
            self, make_engine, prompt=prompt, work_dir=work_dir, clock=clock, frame=frame
        )
        self.prompts = PromptController(
            self.main_screen,
            show_toast=lambda text, warning: self.show_toast(text, severity="warning" if warning else "information"),
            on_turn_end=self.session_controller.on_turn_end,
            on_failure=lambda cause: self.presenter.show_internal_error(cause),
        )
        self.keymap = KeyMap()
        self.escape_handler = EscapeHandler(self, monotonic=monotonic)
        self.panes_mounted = False
        self.activity_indicator = ActivityIndicator(self)
        self._input_buffer = InputBuffer(self, self._deliver)
        self.screen_router = ScreenRouter(self)
        self.subagent_screens = SubagentScreens(self)
        self.trust = TrustPrompt(self)
        self.theme_registry = ThemeRegistry(self)
        self.theme_registry.load_initial(theme)

    # Start and end

    def get_theme_variable_defaults(self) -> dict[str, str]:
        return dict(theme.VARIABLE_DEFAULTS)

    def get_default_screen(self) -> MainScreen:
        return self.main_screen

    def on_mount(self) -> None:
        # After a suspension, the first keys may still be meant for the shell or the editor.
        self.app_resume_signal.subscribe(self, self._on_resume, immediate=True)  # defence: guard-after-resume
        self.call_after_refresh(self._on_first_frame)

    def _on_first_frame(self) -> None:
        self.main_screen.composer.commands = self.commands
        self.main_screen.composer.menu.preview = self._chart_of_command
        self.run_worker(self._start_session(), group="engine")

    async def _mount_panes(self) -> None:
        """Mount the panes and create their controllers."""
        await asyncio.to_thread(preload)
        from kimi_tui.ui.tui.main_screen.panes import build_panes
        from kimi_tui.ui.tui.replay.presenter_adapter import HistoryPresenter
        from kimi_tui.ui.tui.replay.time_travel import TimeTravel
        from kimi_tui.ui.tui.session.flow_controller import FlowController
        from kimi_tui.ui.tui.session.presenter import Presenter

        main_screen = self.main_screen
        motion = not self.display_options.reduced_motion
        panes = build_panes(clock=self.view_clock, monotonic=self.monotonic, motion=motion)
        await main_screen.mount_panes(panes)
        self.presenter = Presenter(
            main_screen,
            clock=self._clock,
            view_clock=self.view_clock,
            attention=self.attention,
            monotonic=self.monotonic,
        )
        self.time_travel = TimeTravel(HistoryPresenter(self.presenter), panes.scrub_bar, monotonic=self.monotonic)
        self.presenter.history_sink = self.time_travel
        self.flow_controller = FlowController(self, self.presenter, self._browse_runs, clock=self.view_clock)
        self.panes_mounted = True

    async def take_waiting_keys(self) -> None:
        """Deliver the keys that waited for the panes and the configuration."""
        await self._input_buffer.flush_all()

    async def _browse_runs(self, work_dir: "Path", name: str) -> None:
        from kimi_tui.ui.tui.replay.run_browser import RunBrowser

        await RunBrowser(self, self.presenter, self.time_travel).open(work_dir, name)

    async def _start_session(self) -> None:
        self.session_controller.store_draft()
        await self._mount_panes()
        await self.session_controller.open(self._initial_screen)
        self.run_worker(self._finish_startup(self.engine), group="startup")

    async def _finish_startup(self, engine: Engine | None) -> None:
        """Do what the first request would otherwise wait for."""
        if engine is not None:
            await engine.loaded()
        gc_tuning.freeze_startup_objects()
        if engine is not None and self.engine_factory is not None:
            watch = self.theme_registry.watch(lambda problem: self.show_toast(problem, severity="warning"))
            self.run_worker(watch, group="themes", exit_on_error=False)

    @property
    def has_terminal_focus(self) -> bool:
        return self.app_focus

    async def switch_session(self, *, leave_first: bool = False) -> bool:
        """Open the session that the engine factory makes now; False if it cannot be opened."""
        return await self.session_controller.switch(leave_first=leave_first)

    def session_shown(self, engine: Engine) -> None:
        """Called when a session is shown."""
        self.hint()

    def apply_config(self, factory: EngineFactory) -> None:
        """Use the configuration's theme, keys and display settings."""
        config = factory.config
        if not self.theme_registry.activate(config.theme):
            self.show_toast(_("theme {name} not found or not readable", name=config.theme), severity="warning")
        self.main_screen.transcript.thoughts = config.show_thinking_stream
        self.use_keys(config.keys, factory.config_file)

    async def ask_trust(self) -> None:
        """Ask for trust in the folder, if there is no answer yet."""
        await self.trust.ask()

    async def ask_trust_again(self) -> None:
        """Ask about the folder despite an earlier answer."""
        await self.trust.ask_again()

    def report_trust(self, *, pending: bool = False) -> None:
        """Report what a refusal disables, or with `pending` the items that wait for an answer."""
        if pending:
            self.trust.report_pending()
        else:
            self.trust.report_ignored()

    def show_idle(self) -> None:
        """Called when the engine becomes idle."""
        self.presenter.settle()
        self.activity_indicator.update()
        self.hint()  # defence: hints-of-an-idle-engine

    def show_model(self) -> None:
        """Update the display after a model change."""
        self.presenter.show_model()

    def append_tool_output(self, call_id: str, text: str) -> None:
        """Append output of a tool, of the agent or of a subagent with an open screen."""
        self.presenter.append_tool_output(call_id, text)
        self.subagent_screens.append_output(call_id, text)

    def open_initial_screen(self, name: str) -> None:
        self.screen_router.open_initial(name)

    def handle_slash(self, text: str) -> bool:
        """Open the screen of a bare slash command, for which later keys wait; False if the text is anything else."""
        opens = self.screen_router.handle_slash(text)
        if opens and self.panes_mounted:
            self._input_buffer.hold()  # defence: keys-of-a-command-that-opens-a-screen
        return opens

    def offer_resume(self) -> None:
        """Offer to resume an interrupted flow run, if there is one."""
        self.flow_controller.offer_resume(by_itself=True)

    def interrupt(self) -> bool:
        """Interrupt the running turn, or the work before and after it; False if none runs."""
        running = self.presenter.state.turn.running or self.prompts.running  # defence: interrupt-before-the-turn
        if running and self.engine is not None:
            self.prompts.interrupt()
        return running and self.engine is not None

    def exit(self, result: int | None = None, return_code: int = 0, message: "RenderableType | None" = None) -> None:
        if self.panes_mounted and self.screen_stack:
            self._return_words()  # defence: words-of-a-dialog-at-the-end
        super().exit(result, return_code, message)

    def _return_words(self) -> None:
        """Move what the user writes in a dialog into the message, which is kept."""
        from kimi_tui.ui.tui.dialogs.edit_text import EditText

        self.main_screen.dialogs.return_words()
        if isinstance(self.screen, EditText):
            self.screen.return_words()

    async def on_unmount(self) -> None:
        self.activity_indicator.clear()
        self.session_controller.store_last_draft(self._input_buffer.take_text())  # defence: draft-at-an-early-end
        text = _("Closing: running work or a hook is still ending")
        saying = asyncio.get_running_loop().call_later(_CLOSE_WORD_S, self.write_last_row, text)
        try:
            async with asyncio.timeout(_CLOSE_TIMEOUT_S):
                await self.session_controller.close()
        except TimeoutError:
            _log.warning("running work could not be stopped in time")
        finally:
            saying.cancel()

    def _on_resume(self, _app: App[object]) -> None:
        forget_requests()  # defence: reports-after-another-program
        restart_all()

    def watch_app_focus(self) -> None:
        restart_all()  # defence: guard-after-focus
        self.activity_indicator.update()

    # The Wire

    def on_wire_batch(self, event: "WireBatch") -> None:
        self.presenter.apply_batch(event.messages)
        self.subagent_screens.follow()
        self.prompts.on_wire(event.messages)
        self.activity_indicator.update()
        self.hint()

    # Prompts

    def commands(self) -> Sequence[Command]:
        engine = self.engine
        return (
            self.screen_router.all_commands(engine.commands(), engine.skills)
            if engine is not None
            else self.screen_router.all_commands(())
        )

    def _chart_of_command(self, label: str) -> str:
        """The first nodes of the flow that a slash command starts; "" for any other command."""
        from kimi_tui.ui.tui.flow_pane.flow_list import first_nodes

        name, engine = label.removeprefix("/").partition(":")[2], self.engine
        if not name or engine is None:
            return ""
        return next((first_nodes(skill) for skill in engine.skills.flows() if skill.name == name), "")

    def submit(self, content: "UserInput") -> None:
        """Send the prompt to the engine, or keep it until there is an engine."""
        self.prompts.submit(content)

    def on_composer_submitted(self, event: Composer.Submitted) -> None:
        self._leave_past()
        if event.text.strip() in _QUIT_COMMANDS:
            self.action_leave()
        elif self.session_controller.starting or not self.handle_slash(event.text):
            self.submit(event.content)

    def on_composer_steered(self, event: Composer.Steered) -> None:
        if self.prompts.is_for_model(event.content):
            self._leave_past()
            self.prompts.steer(event.content)
        else:
            # defence: commands-do-not-steer
            self.on_composer_submitted(Composer.Submitted(event.text, event.content))

    def _leave_past(self) -> None:
        """Return to the present, where what the user sends now is shown."""
        if self.panes_mounted:
            self.time_travel.leave()

    def on_composer_noted(self, event: Composer.Noted) -> None:
        self.show_toast(event.text, severity="warning")

    def on_composer_edit_queued(self, event: Composer.EditQueued) -> None:
        # defence: one-message-taken-back
        if event.times_set == self.main_screen.composer.prompt.times_set:  # else another message was put back since
            self.prompts.take_back()

    def on_composer_leave(self) -> None:
        self.action_leave()

    def write_message(self, text: str, *, take_focus: bool = True, apart: bool = False) -> None:
        self.main_screen.write_message(text, take_focus=take_focus, apart=apart)

    def write_command(self, name: str) -> None:
        """Write a slash command into the composer, ready for its arguments. Up recalls the draft."""
        self.main_screen.composer.begin_anew(f"/{name} ")
        self.main_screen.composer.prompt.focus()

    def open_dialog(self, screen: ModalScreen[str | None], done: Callable[[str | None], None]) -> None:
        self.push_screen(screen, done)

    def run_in_background(self, work: Coroutine[None, None, None]) -> None:
        self.run_worker(work, group="flow", exclusive=True)

    # Keys

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Disable the conversation's keys while another screen is on top."""
        if action == "suspend":
            return "suspend" in self.keymap.overrides or not self.would_undo()
        if action == "copy_or_clear":  # on another screen only to close it
            return self.on_main_screen or not getattr(self.focused, "selected_text", "")
        return not (isinstance(self.screen, ModalFrame) and action in ACTIONS and action != "leave")

    async def on_event(self, event: events.Event) -> None:
        """Buffer a key until it can act."""
        if isinstance(event, events.Key) and not event.is_forwarded and self.panes_mounted:
            self.main_screen.show_note("")
            if self.main_screen.in_pane:
                self.presenter.last_steered_at = self.monotonic()
        if not self._input_buffer.buffer(event, can_write=self.main_screen.focused is not None):
            await self._deliver(event)

    async def _deliver(self, event: events.Event) -> None:
        """Deliver an event, a key mapped through the user's key bindings; what follows a key that opens a screen waits
        for that screen.
        """
        if isinstance(event, events.Key | events.MouseUp) and not event.is_forwarded:
            restart_unready(self._key_age(event))  # defence: keys-of-an-earlier-moment
        if isinstance(event, events.Key) and not event.is_forwarded and self.keymap.overrides:
            from kimi_tui.ui.tui.keys.remap import resolve_key

            if (pressed := await resolve_key(self, event)) is None:  # an action ran, which may have opened something
                self._input_buffer.hold()
                return
            event = pressed
        bound = None
        if isinstance(event, events.Key) and not event.is_forwarded and not event.is_printable:
            bound = self.screen.active_bindings.get(event.key)
        opens = bound is not None and bound.enabled and opens_something(bound.binding.action)
        await super().on_event(event)
        if opens and self.panes_mounted:
            self._input_buffer.hold()  # defence: keys-of-an-opening-screen

    async def on_key_passed(self, event: KeyPassed) -> None:
        if self.screen_stack:  # defence: keys-on-their-way-at-the-end
            await self._input_buffer.key_passed(event)

    async def on_descendant_focus(self, event: events.DescendantFocus) -> None:  # defence: cheap-focus
        self.hint()
        await self._input_buffer.flush_text()

    def on_hints_changed(self) -> None:
        self.hint()

    @property
    def key_context(self) -> KeyContext | None:
        """The key context of the focused widget; None on a screen with its own keys."""
        from kimi_tui.ui.tui.dialogs.approval_fullscreen import ApprovalFullscreen

        if not self.on_main_screen:
            return "approval" if isinstance(self.screen, ApprovalFullscreen) else None
        return "everywhere" if isinstance(self.focused, Input) else self.main_screen.key_context

    def hint(self) -> None:
        """Update the key hints in the footer."""
        if self.is_running and self.main_screen.is_mounted:
            hints = self.main_screen.hints(self.presenter.state if self.panes_mounted else None)
            self.main_screen.show_column_key(self.keymap.first_key("drawer"))
            self.main_screen.show_hints(self.keymap.rename(hints, self.main_screen.key_context))
        if self.panes_mounted and self.app_focus and (dialog := self.main_screen.current_dialog) is not None:
            dialog.show_focus_hint(self.keymap.first_key("approvals"))

    def use_keys(self, table: "Mapping[str, str]", file: "Path | None") -> None:
        """Apply user key bindings; problems are reported in the conversation."""
        from kimi_tui.ui.tui.keys.keymap import format_problems, read_keys
        from kimi_tui.ui.tui.state.items import NoticeItem

        before, self.keymap = self.keymap, read_keys(table)
        self.main_screen.use_keys(self.keymap)
        self.hint()
        if (problems := self.keymap.problems) and problems != before.problems:
            text = "\n".join([_("Some of your key bindings cannot be used:"), *format_problems(problems, file)])
            self.presenter.add_notice(NoticeItem(text, "warning"))

    def action_escape(self) -> None:
        self.escape_handler.escape()

    def action_copy_or_clear(self) -> None:
        self.escape_handler.copy_clear_or_quit()

    def action_plan(self) -> None:
        """Toggle plan mode if the composer has the focus; otherwise focus the previous widget."""
        if self.main_screen.composer.prompt.has_focus and self.on_main_screen:
            from kimi_tui.ui.tui.navigation.plan_mode_action import toggle_plan_mode

            toggle_plan_mode(self)
        else:
            self.screen.focus_previous()

    def action_editor(self) -> None:
        from kimi_tui.ui.tui.navigation import external_editor

        if self.on_main_screen:
            in_conversation = self.main_screen.focused_pane == "conversation"
            (external_editor.open_conversation_in_editor if in_conversation else external_editor.edit_draft_in_editor)(
                self
            )

    def action_scrollback(self) -> None:
        from kimi_tui.ui.tui.navigation.scrollback import show_in_scrollback

        if self.on_main_screen:
            show_in_scrollback(self)

    def action_open_screen(self, name: str) -> None:
        self.screen_router.open(name)

    def action_command_palette(self) -> None:
        from kimi_tui.ui.tui.navigation.command_palette import CommandPalette, PaletteEntry, palette_entries

        def run_entry(entry: PaletteEntry | None) -> None:
            if entry is not None:
                self.call_later(entry.run)

        if self.on_main_screen:
            self.push_screen(CommandPalette(tuple(palette_entries(self))), run_entry)

    def action_help(self) -> None:
        from kimi_tui.ui.tui.screens.help import Help

        if self.on_main_screen:
            self.push_screen(Help(self.main_screen.key_context, self.keymap))
        elif isinstance(self.screen, Help):
            self.screen.dismiss(None)

    def action_pane(self, name: PaneName) -> None:
        if not self.on_main_screen:
            return
        if name == "approvals" and (dialog := self.main_screen.current_dialog) is not None:
            self.main_screen.dialogs.focus(dialog)
        elif not (name == "approvals" and self.flow_controller.ask_again()) and not self.main_screen.go_to(name):
            nothing = {"flow": _("no flows found"), "todo": _("the todo list is empty")}
            starting = _("the session is still starting")
            self.show_toast(starting if self.session_controller.starting else nothing.get(name, _("nothing pending")))

    # Themes

    def action_themes(self) -> None:
        self.screen_router.open("theme")

    def use_theme(self, name: str) -> None:
        if self.theme_registry.activate(name):
            self.screen_router.keep_theme(name)
        else:
            self.show_toast(_("this theme cannot be read; see the log for details"), severity="warning")
