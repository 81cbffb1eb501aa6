"""The engine in its seat: made when the panes are there, changed for another session or model, and left."""

import asyncio
import contextlib
import dataclasses
import logging
from collections.abc import Awaitable, Callable
from functools import partial
from typing import TYPE_CHECKING, cast

from kimi_tui.errors import KimiTuiError
from kimi_tui.ui.tui.composer.input_history import History, history_file
from kimi_tui.ui.tui.engine_protocol import Engine
from kimi_tui.ui.tui.i18n.catalog import _
from kimi_tui.ui.tui.i18n.translate import answered
from kimi_tui.ui.tui.terminal import escape_sequences

if TYPE_CHECKING:
    from kimi_tui.soul.engine import Engine as SoulEngine
    from kimi_tui.ui.tui.app import KimiTui
    from kimi_tui.ui.tui.composer.draft_store import DraftFile
    from kimi_tui.ui.tui.session.wire_bridge import Bridge

_log = logging.getLogger(__name__)
MakeEngine = Callable[[], Awaitable[Engine]]


class Seat:
    """`engine` is None until the first is there; `starting` says that it may still come.

    `prompt` is said to the first engine. `clock` is the one of the messages, `frame` the time between two batches.
    """

    def __init__(
        self, app: "KimiTui", make_engine: MakeEngine, *, prompt: str | None, clock: Callable[[], float], frame: float
    ) -> None:
        self._app, self._make_engine = app, make_engine
        self._first_prompt = prompt
        self._clock, self._frame = clock, frame
        self._bridge: Bridge | None = None
        self.engine: Engine | None = None
        self.starting = True

    @property
    def soul_engine(self) -> "SoulEngine | None":
        """The engine, where it is a real one and not a recording."""
        return cast("SoulEngine", self.engine) if hasattr(self.engine, "services") else None

    async def start(self, door: str) -> None:
        """Have the first engine, and begin in this further screen."""
        try:
            engine = await self._make()
        except KimiTuiError as error:
            self._cannot_start(str(error))
        except Exception as error:  # noqa: BLE001 - the edge: a fault of ours is told, the screen stays
            _log.exception("the engine could not be made")
            self._cannot_start(f"{type(error).__name__}: {error}")
        else:
            self._take(engine)
            self._app.trust.tell_left_out()
            self._app.doors.begin(door)

    async def change(self, *, leave_first: bool = False) -> bool:
        """Go on with the engine that is made now, once it is; where it cannot be, all is as it was.

        `leave_first`: it is for the session that is open, whose lock has to be given back before.
        """
        if leave_first:
            await self.leave()
        try:
            engine = await self._make()
        except KimiTuiError as error:
            if leave_first:
                self._cannot_start(str(error))
            self._app.tell(str(error), severity="warning")
            return False
        await self.leave()
        self._app.stage.clear()
        self._take(engine)
        self._app.trust.tell_left_out()
        return True

    async def leave(self) -> None:
        """Interrupt what it does, and close it."""
        bridge, engine = self._bridge, self.engine
        self._bridge = self.engine = self._first_prompt = None
        if bridge is not None:
            bridge.close()
        await self._app.prompts.detach()
        if engine is not None:
            with contextlib.suppress(KimiTuiError, OSError):
                await engine.aclose()

    async def _make(self) -> Engine:
        """An engine, once it is said whether its folder is trusted. Raises KimiTuiError."""
        app = self._app
        if (host := app.host) is not None:
            await host.prepare()
            if not app.shelf.use(host.config.theme):
                app.tell(_("there is no theme {name} that can be read", name=host.config.theme), severity="warning")
            app.home.transcript.thoughts = host.config.show_thinking_stream
            app.use_keys(host.config.keys, host.config_file)
            await app.trust.ask()
        return await self._make_engine()

    def turn_ended(self) -> None:
        """Show at once what was said last; then what was under way has ended."""
        if self._bridge is not None and self._app.is_running:
            self._bridge.flush()
            self._app.call_later(self._settle)

    def _settle(self) -> None:
        if self.engine is not None and not self.engine.busy:
            self._app.stage.settle()
            self._app.work_signs.show()

    def _cannot_start(self, cause: str) -> None:
        from kimi_tui.ui.tui.state.items import ErrorItem
        from kimi_tui.wire.parts import text_of

        home, early = self._app.home, self._app.prompts.early
        self.starting = False
        home.header.facts = dataclasses.replace(home.header.facts, failed=True)
        self._app.stage.say(ErrorItem(_("The session could not start"), answered(cause)))
        home.composer.put_before([*map(text_of, early)])
        home.composer.show_queue(())

    def _tail(self, call_id: str, text: str) -> None:
        """A tool has printed something: the agent's or that of a subagent somebody looks into."""
        self._app.stage.progress(call_id, text)
        self._app.insides.tail(call_id, text)

    def _drafts(self, engine: Engine) -> "DraftFile":
        """Its own draft; where nothing was said in it yet, one that was left behind."""
        from kimi_tui.ui.tui.composer.draft_store import DraftFile, draft_file, left_drafts

        soul, folder = self.soul_engine, engine.work_dir
        is_new = soul is None or soul.session.is_empty
        return DraftFile(draft_file(folder, engine.session_id), partial(left_drafts, folder) if is_new else tuple)

    def _take(self, engine: Engine) -> None:
        from kimi_tui.soul.commands.command import CommandInfo
        from kimi_tui.ui.tui.composer.file_index import FileIndex
        from kimi_tui.ui.tui.navigation.screen_registry import DOORS
        from kimi_tui.ui.tui.session.wire_bridge import Bridge
        from kimi_tui.wire.parts import text_of

        app, stage, prompts = self._app, self._app.stage, self._app.prompts
        self.engine, self.starting = engine, False
        stage.attach(engine)
        loop = asyncio.get_running_loop()
        self._bridge = Bridge(engine.wire, post=app.post_message, loop=loop, clock=self._clock, frame=self._frame)
        prompts.attach(engine)
        if (soul := self.soul_engine) is not None:
            soul.faces_commands = tuple(CommandInfo(door.name, _(door.description), door.aliases) for door in DOORS)
        composer = app.home.composer
        composer.keep_draft()
        composer.take_history(History(history_file(engine.work_dir)))
        composer.images.unseen = prompts.unseen
        composer.take_drafts(self._drafts(engine))
        composer.files = FileIndex(engine.work_dir, also=engine.resources)
        engine.progress.listen(lambda told: self._tail(told.tool_call_id, "\n".join(told.lines)))
        engine.skills.listen(lambda _change: stage.show_flows())
        engine.skills.listen(lambda _change: app.trust.tell_waiting())
        app.write_out(escape_sequences.title_sequence(f"kimi-tui · {engine.title or engine.work_dir.name}"))
        early, prompts.early = prompts.early, []
        if self._first_prompt:
            prompts.submit(self._first_prompt)
        for text in early:
            composer.remember(text_of(text))
            if not app.doors.takes(text_of(text)):
                prompts.submit(text)
        if not self._first_prompt and not early and not composer.is_written:
            app.call_after_refresh(app.desk.offer_resume, by_itself=True)
        prompts.show_queue()
        app.hint()
        app.opened(engine)
