"""Asks for folder trust, and reports what a refusal disables."""

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING

from kimi_tui.ui.tui.i18n.catalog import _

if TYPE_CHECKING:
    from kimi_tui.ui.tui.app import KimiTui
    from kimi_tui.ui.tui.session.engine_factory import EngineFactory


class TrustPrompt:
    """Asks for one app; remembers a refusal until its effects are reported."""

    def __init__(self, app: "KimiTui") -> None:
        self._app = app
        self._refused = False
        self._told_waiting: Path | None = None

    async def ask(self) -> None:
        """Ask about the engine factory's folder, once, before any project item is used."""
        if (host := self._app.host) is None:
            return
        brought = await asyncio.to_thread(host.untrusted)
        if not brought:
            return
        from kimi_tui.ui.tui.screens.trust import TrustQuestion

        answer = await self._app.push_screen_wait(TrustQuestion(host.work_dir, brought, clock=self._app.steady))
        self._refused = answer is not True
        await self._trust_as(host, answer is True, keep=answer is not None)

    async def ask_again(self) -> None:
        """Ask about a folder despite an earlier answer, and restart with the new one."""
        from kimi_tui.ui.tui.navigation.session_actions import restart_session
        from kimi_tui.ui.tui.screens.trust import TrustQuestion

        app, host = self._app, self._app.host
        if host is None or not (brought := host.project_items()):
            app.tell(_("this folder brings nothing along that one would have to trust"))
            return
        answer = await app.push_screen_wait(TrustQuestion(host.work_dir, brought, clock=app.steady))
        if answer is not None:
            self._refused = not answer
            await self._trust_as(host, answer, keep=True)
            await restart_session(app)

    def report_ignored(self) -> None:
        """After a refusal, once the session is open: report what is disabled and how to undo it."""
        from kimi_tui.ui.tui.state.items import NoticeItem

        if self._refused and (host := self._app.host) is not None and (brought := host.ignored_items()):
            names = ", ".join(one.path.name for one in brought)
            words = _("This folder is not trusted, so this is left out: {names}. /trust asks again.", names=names)
            self._app.stage.add_notice(NoticeItem(words, "warning"))
        self._refused = False

    def report_pending(self) -> None:
        """Report skills that have appeared in a folder without a trust decision, once per folder."""
        from kimi_tui.ui.tui.state.items import NoticeItem

        host, engine = self._app.host, self._app.seat.live_engine
        if host is None or engine is None or not engine.skills.snapshot.waiting:
            return
        if self._told_waiting == host.work_dir:
            return
        self._told_waiting = host.work_dir
        words = _("This folder brings along skills now; they are not used until you trust it: /trust asks.")
        self._app.stage.add_notice(NoticeItem(words, "warning"))

    async def _trust_as(self, host: "EngineFactory", answer: bool, *, keep: bool) -> None:
        try:
            await asyncio.to_thread(host.trust, answer, keep=keep)
        except OSError as error:
            self._app.tell(
                _("the answer could not be kept: {cause}", cause=error.strerror or error), severity="warning"
            )
