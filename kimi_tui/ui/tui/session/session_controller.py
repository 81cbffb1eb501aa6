"""Creates, replaces and closes the session's engine."""

import asyncio
import contextlib
import dataclasses
import logging
from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from kimi_tui.errors import KimiTuiError
from kimi_tui.ui.tui.composer.input_history import InputHistory, history_file
from kimi_tui.ui.tui.engine_protocol import Engine, LiveEngine
from kimi_tui.ui.tui.i18n.catalog import _
from kimi_tui.ui.tui.i18n.translate import translate_lines
from kimi_tui.ui.tui.terminal import escape_sequences

if TYPE_CHECKING:
    from kimi_tui.ui.tui.composer.draft_store import DraftStore
    from kimi_tui.ui.tui.session.session_view import SessionView
    from kimi_tui.ui.tui.session.wire_bridge import WireBridge

_log = logging.getLogger(__name__)
MakeEngine = Callable[[], Awaitable[Engine]]


class SessionController:
    """Opens and closes the engines of an app.

    `engine` is None until the first one is created; `starting` is true while it may still be created.

    `prompt` is sent to the first engine. `work_dir` is the folder of the draft until then. `clock` is the clock of the
    messages, `frame` the seconds between two batches.
    """

    def __init__(
        self,
        view: "SessionView",
        make_engine: MakeEngine,
        *,
        prompt: str | None,
        work_dir: Path | None,
        clock: Callable[[], float],
        frame: float,
    ) -> None:
        self._view, self._make_engine = view, make_engine
        self._first_prompt, self._work_dir = prompt, work_dir
        self._clock, self._frame = clock, frame
        self._bridge: WireBridge | None = None
        self._switching: asyncio.Task[bool] | None = None
        self._creating = self._closed = False
        self.engine: Engine | None = None
        self.starting = True

    @property
    def live_engine(self) -> LiveEngine | None:
        """The engine, or None if it is a recording."""
        return self.engine.live if self.engine is not None else None

    def store_draft(self) -> None:
        """Store what the user types from now on, before there is a session."""
        from kimi_tui.ui.tui.composer.draft_store import DraftStore, start_draft_file

        if self._work_dir is not None:
            drafts = DraftStore(start_draft_file(self._work_dir), locks=True)
            self._view.main_screen.composer.set_drafts(drafts)  # defence: draft-before-the-session

    def store_last_draft(self, more: str) -> None:
        """Store the draft at the end of the app, and what was typed before the composer could take it."""
        from kimi_tui.ui.tui.composer.draft_store import DraftStore, start_draft_file

        if self._work_dir is not None and (more or self.engine is None):
            drafts = DraftStore(start_draft_file(self._work_dir), locks=True)
            self._view.main_screen.composer.save_last_draft(more, drafts)

    async def open(self, initial_screen: str) -> None:
        """Create the first engine, then open the given screen."""
        match await self._create_engine():
            case str(cause):
                self._show_start_error(cause)
            case engine:
                self._attach(engine)
                self._view.report_trust()
                self._view.open_initial_screen(initial_screen)

    async def switch(self, *, leave_first: bool = False) -> bool:
        """Switch to a new engine; if it cannot be created, everything stays as it was.

        `leave_first`: the new engine is for the same session, so the old one releases the lock first. Messages sent
        meanwhile go to the new engine. A switch continues if its caller is cancelled: half a switch would leave no
        engine.
        """
        self._switching = asyncio.create_task(self._switch(self._switching, leave_first=leave_first))
        return await asyncio.shield(self._switching)  # defence: whole-switch

    async def _switch(self, before: "asyncio.Task[bool] | None", *, leave_first: bool) -> bool:
        if before is not None:
            await asyncio.wait([before])
        self._set_starting(True)  # defence: message-during-a-switch
        if leave_first:
            await self._close_engine()
        match await self._create_engine():
            case str(cause):
                if leave_first:
                    self._show_start_error(cause)
                elif self.engine is None:
                    self._return_pending()
                else:
                    self._set_starting(False)
                    self._send_pending()
                self._view.show_toast(cause, severity="warning")
                return False
            case engine if self._closed:
                await engine.aclose()
                return False
            case engine:
                await self._close_engine()
                self._view.presenter.clear()
                self._attach(engine)
                self._view.report_trust()
                return True

    async def close(self) -> None:
        """Interrupt and close the engine; no engine can be opened afterwards."""
        self._closed = True
        if (switching := self._switching) is not None:
            if self._creating:
                switching.cancel()
            await asyncio.wait([switching])
        await self._close_engine()

    async def _close_engine(self) -> None:
        bridge, engine = self._bridge, self.engine
        self._bridge = self.engine = self._first_prompt = None
        if bridge is not None:
            bridge.close()
        await self._view.prompts.detach()
        if engine is not None:
            with contextlib.suppress(KimiTuiError, OSError):
                await engine.aclose()

    async def _create_engine(self) -> Engine | str:
        """Ask for folder trust, then create the engine; returns the cause if that fails."""
        view = self._view
        self._creating = True
        try:
            if (factory := view.engine_factory) is not None:
                await factory.prepare()
                view.apply_config(factory)
            await view.take_waiting_keys()  # defence: keys-after-the-configuration
            if factory is not None:
                await view.ask_trust()
            return await self._make_engine()
        except KimiTuiError as error:
            return str(error)
        except Exception as error:  # noqa: BLE001 - the edge: a fault of ours is told, the screen stays
            _log.exception("the engine could not be made")
            await view.take_waiting_keys()
            return f"{type(error).__name__}: {error}"
        finally:
            self._creating = False

    def on_turn_end(self) -> None:
        """Flush the last messages at once, then mark the turn as ended."""
        if self._bridge is not None and self._view.is_running:
            self._bridge.flush()
            self._view.call_later(self._on_idle)

    def _on_idle(self) -> None:
        if self.engine is not None and not self.engine.busy:
            self._view.show_idle()

    def _show_start_error(self, cause: str) -> None:
        from kimi_tui.ui.tui.state.items import ErrorItem

        main_screen = self._view.main_screen
        self._view.presenter.add_notice(ErrorItem(_("The session could not start"), translate_lines(cause)))
        if self._work_dir is not None and not main_screen.composer.history.is_stored:
            main_screen.composer.set_history(InputHistory(history_file(self._work_dir)))
        self._return_pending()

    def _set_starting(self, starting: bool) -> None:
        self.starting = self._view.prompts.held = starting
        main_screen, failed = self._view.main_screen, not starting and self.engine is None
        self._view.prompts.start_failed = failed  # defence: message-without-a-session
        main_screen.facts = dataclasses.replace(main_screen.facts, failed=failed)

    def _return_pending(self) -> None:
        """No session could start: put the messages for it back into the composer."""
        from kimi_tui.wire.parts import text_of

        self._set_starting(False)
        first, self._first_prompt = self._first_prompt, None
        composer = self._view.main_screen.composer
        composer.put_before([*filter(None, (first,)), *map(text_of, self._view.prompts.take_pending())])
        composer.show_queue(())

    def _draft_store(self, engine: Engine) -> "DraftStore":
        """The session's draft; for an empty session, an orphaned draft."""
        from kimi_tui.ui.tui.composer.draft_store import DraftStore, draft_file, orphaned_drafts

        live, folder = self.live_engine, engine.work_dir
        is_new = live is None or live.session.is_empty
        return DraftStore(draft_file(folder, engine.session_id), partial(orphaned_drafts, folder) if is_new else tuple)

    def _attach(self, engine: Engine) -> None:
        from kimi_tui.soul.commands.command import CommandInfo
        from kimi_tui.ui.tui.composer.file_index import FileIndex
        from kimi_tui.ui.tui.screens.screen_commands import SCREEN_COMMANDS
        from kimi_tui.ui.tui.session.wire_bridge import WireBridge

        view, presenter, prompts = self._view, self._view.presenter, self._view.prompts
        self.engine = engine
        self._set_starting(False)
        presenter.attach(engine, sending=bool(self._first_prompt or prompts.pending_before_start))
        loop = asyncio.get_running_loop()
        self._bridge = WireBridge(engine.wire, post=view.post_message, loop=loop, clock=self._clock, frame=self._frame)
        prompts.attach(engine)
        if (live := self.live_engine) is not None:
            live.frontend_commands = tuple(
                CommandInfo(screen.name, _(screen.description), screen.aliases) for screen in SCREEN_COMMANDS
            )
        composer = view.main_screen.composer
        composer.save_draft()
        composer.set_history(InputHistory(history_file(engine.work_dir)))
        composer.images.unseen = prompts.image_warning
        composer.set_drafts(self._draft_store(engine))
        composer.files = FileIndex(engine.work_dir, also=engine.resources)
        engine.progress.listen(lambda output: view.append_tool_output(output.tool_call_id, "\n".join(output.lines)))
        engine.skills.listen(lambda _change: presenter.show_flows())
        engine.skills.listen(lambda _change: view.report_trust(pending=True))
        view.write_to_terminal(escape_sequences.title_sequence(f"kimi-tui · {engine.title or engine.work_dir.name}"))
        if self._first_prompt:
            prompts.submit(self._first_prompt)
        pending = self._send_pending()
        if not self._first_prompt and not pending and not composer.is_written:
            view.call_after_refresh(view.offer_resume)
        prompts.show_queue()
        view.session_shown(engine)

    def _send_pending(self) -> bool:
        """Send the messages that were kept for the engine; False if there were none."""
        from kimi_tui.wire.parts import text_of

        pending = self._view.prompts.take_pending()
        for content in pending:
            if not self._view.handle_slash(text_of(content)):
                self._view.prompts.submit(content)
        return bool(pending)
