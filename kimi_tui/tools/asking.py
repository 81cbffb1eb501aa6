"""Asking for approval on behalf of the call that is being answered."""

from collections.abc import Sequence

from kimi_tui.approval import Approvals, Scope
from kimi_tui.permission.subject import Subject
from kimi_tui.tools.tool import current_tool_call, failed, rejected
from kimi_tui.wire.display import DisplayBlock
from kimi_tui.wire.parts import ToolReturnValue


async def ask(
    approvals: Approvals,
    *,
    sender: str,
    action: str,
    description: str,
    display: Sequence[DisplayBlock] = (),
    scope: Scope | None = None,
    subject: Subject | None = None,
    because: Sequence[str] = (),
    must_ask: bool = False,
    free: bool = False,
) -> ToolReturnValue | None:
    """None where it may go ahead, else the result that says it may not. See `Approvals.ask`."""
    verdict = await approvals.ask(
        tool_call_id=current_tool_call.get().id,
        sender=sender,
        action=action,
        description=description,
        display=display,
        scope=scope,
        subject=subject,
        because=because,
        must_ask=must_ask,
        free=free,
    )
    if verdict.denied_by is not None:
        return failed(f"This is not allowed: {verdict.denied_by}.", brief=f"Not allowed: {verdict.denied_by}")
    return None if verdict.approved else rejected(verdict.feedback)
