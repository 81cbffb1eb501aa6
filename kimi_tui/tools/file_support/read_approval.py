"""Requests approval to read a file if its name marks it as a secret, or if a rule requires it."""

from kimi_tui.i18n import tr
from kimi_tui.interaction.approvals import Approvals, ProposedAction
from kimi_tui.paths import path_exists
from kimi_tui.tools.core.ask_approval import ask_approval
from kimi_tui.tools.core.permission_subject import file_subject
from kimi_tui.tools.file_support.workspace import ResolvedPath
from kimi_tui.wire.parts import ToolReturnValue


async def ask_to_read(approvals: Approvals, resolved: ResolvedPath, *, sender: str) -> ToolReturnValue | None:
    """Return None if the file may be read, else the result that reports the denial."""
    sensitive = resolved.sensitive and path_exists(resolved.real)
    return await ask_approval(
        approvals,
        ProposedAction(
            sender=sender,
            action=tr("read sensitive file") if sensitive else tr("read file"),
            description=tr("Read `{file}`, which may contain secrets", file=resolved.shown)
            if sensitive
            else tr("Read `{file}`", file=resolved.shown),
            subject=file_subject(resolved, edit=False),
            force_ask=sensitive,
            ask_only_by_rule=not sensitive,
        ),
    )
