"""Shows the folder trust dialog, and reports the effects of a refusal."""

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING

from kimi_tui.ui.tui.i18n.catalog import _

if TYPE_CHECKING:
    from kimi_tui.ui.tui.app_protocols import TrustHost
    from kimi_tui.ui.tui.session.engine_factory import EngineFactory


class TrustPrompt:
    """The trust prompt of one app; stores a refusal until its effects are reported."""

    def __init__(self, host: "TrustHost") -> None:
        self._host = host
        self._refused = False
        self._reported_folder: Path | None = None

    async def ask(self) -> None:
        """Ask about the engine factory's folder before any project item is used, and again if one has changed
        meanwhile.
        """
        if (factory := self._host.engine_factory) is None:
            return
        while items := await asyncio.to_thread(factory.untrusted):
            from kimi_tui.ui.tui.screens.trust import TrustQuestion

            question = TrustQuestion(factory.work_dir, items, clock=self._host.monotonic)
            answer = await self._host.push_screen_wait(question)
            self._refused = answer is not True
            await self._trust_as(factory, answer is True, keep=answer is not None)

    async def ask_again(self) -> None:
        """Ask about a folder despite an earlier answer, and restart with the new one."""
        from kimi_tui.ui.tui.navigation.session_actions import restart_session
        from kimi_tui.ui.tui.screens.trust import TrustQuestion

        host, factory = self._host, self._host.engine_factory
        if factory is None or not (items := factory.project_items()):
            host.show_toast(_("nothing in this folder needs your trust"))
            return
        answer = await host.push_screen_wait(TrustQuestion(factory.work_dir, items, clock=host.monotonic))
        if answer is not None:
            self._refused = not answer
            await self._trust_as(factory, answer, keep=True)
            await restart_session(host)

    def report_ignored(self) -> None:
        """After a refusal, once the session is open, report the disabled items and how to enable them."""
        from kimi_tui.paths import project_root, real_path
        from kimi_tui.permission.trust import name_in
        from kimi_tui.ui.tui.state.items import NoticeItem

        if self._refused and (factory := self._host.engine_factory) is not None and (items := factory.ignored_items()):
            root = project_root(real_path(factory.work_dir))
            names = ", ".join(name_in(root, item.path) for item in items)
            text = _("Folder not trusted; ignored: {names}. Run /trust to change this.", names=names)
            self._host.presenter.add_notice(NoticeItem(text, "warning"))
        self._refused = False

    def report_pending(self) -> None:
        """Report skills that have appeared in a folder without a trust decision, once per folder."""
        from kimi_tui.ui.tui.state.items import NoticeItem

        factory, engine = self._host.engine_factory, self._host.live_engine
        if factory is None or engine is None or not engine.skills.snapshot.waiting:
            return
        if self._reported_folder == factory.work_dir:
            return
        self._reported_folder = factory.work_dir
        text = _("This folder now contains skills. They are disabled until you trust it (/trust).")
        self._host.presenter.add_notice(NoticeItem(text, "warning"))

    async def _trust_as(self, factory: "EngineFactory", answer: bool, *, keep: bool) -> None:
        try:
            await asyncio.to_thread(factory.trust, answer, keep=keep)
        except OSError as error:
            self._host.show_toast(
                _("the answer could not be saved: {cause}", cause=error.strerror or error), severity="warning"
            )
