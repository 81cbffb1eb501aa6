"""Asking before a file is read: where its name says that it holds secrets, and where a rule says so."""

from kimi_tui.approval import Approvals
from kimi_tui.tools.asking import ask
from kimi_tui.tools.rule_subject import file_subject
from kimi_tui.tools.workspace import Place
from kimi_tui.wire.parts import ToolReturnValue


async def ask_to_read(approvals: Approvals, place: Place, *, sender: str) -> ToolReturnValue | None:
    """None where it may be read, else the result that says it may not."""
    sensitive = place.sensitive and place.real.exists()
    why = ", which by its name holds secrets," if sensitive else ""
    return await ask(
        approvals,
        sender=sender,
        action="read sensitive file" if sensitive else "read file",
        description=f"Read `{place.shown}`{why} and tell the model",
        subject=file_subject(place, edit=False),
        must_ask=sensitive,
        free=not sensitive,
    )
