"""Asks for approval of the current tool call."""

from collections.abc import Callable, Sequence
from contextvars import ContextVar

from kimi_tui.i18n import tr
from kimi_tui.interaction.approvals import Approvals, ProposedAction
from kimi_tui.permission.rule import Effect
from kimi_tui.permission.subject import Subject
from kimi_tui.tools.core.tool import current_tool_call, failed, rejected, unattended
from kimi_tui.wire.display import BriefBlock
from kimi_tui.wire.parts import ToolReturnValue

comments_of_call: ContextVar[list[str]] = ContextVar("comments_of_call")
"""The user's comments on approvals of the current call."""


async def ask_approval(
    approvals: Approvals,
    proposed: ProposedAction,
    *,
    on_edit: Callable[[str], None] | None = None,
    on_selected_hunks: Callable[[frozenset[int]], None] | None = None,
) -> ToolReturnValue | None:
    """Ask the user; return None on approval, else the result that reports the denial. See `Approvals.ask`.

    With `on_edit` the user may change the action; the callback gets the changed text before the approval. With
    `on_selected_hunks` the user may select some of the `hunks` changes; the callback gets a partial selection.
    `with_comments` passes the user's comments on an approval to the model.
    """
    call = current_tool_call.get()
    verdict = await approvals.ask(
        proposed,
        tool_call_id=call.id,
        call=f"{call.function.name} {call.function.arguments or ''}",
        editable=on_edit is not None,
    )
    if verdict.edited is not None and on_edit is not None:
        on_edit(verdict.edited)
    if verdict.selected_hunks is not None and on_selected_hunks is not None:
        on_selected_hunks(verdict.selected_hunks)
    if verdict.approved and verdict.feedback and (comments := comments_of_call.get(None)) is not None:
        comments.append(verdict.feedback)
    if verdict.denied_by is not None:
        return _denied(verdict.denied_by)
    if verdict.unattended:
        return unattended()
    return None if verdict.approved else rejected(verdict.feedback)


def with_comments(value: ToolReturnValue, comments: Sequence[str]) -> ToolReturnValue:
    """Return the result with the user's approval comments added."""
    if not comments:
        return value
    user_comments = "\n".join(comments)
    return value.model_copy(
        update={
            "message": f"{value.message}\nThe user approved this and says: {user_comments}".strip(),
            "display": (*value.display, BriefBlock(text=tr("You: {words}", words=user_comments))),
            "extras": {**(value.extras or {}), "comments": user_comments},
        }
    )


def denied_result(approvals: Approvals, sender: str, subject: Subject | None) -> ToolReturnValue | None:
    """Return the result for a rule that denies an action which the user has already approved; else None."""
    decision = approvals.policy.decide(sender, subject)
    return _denied(decision.why) if decision.effect is Effect.DENY else None


def _denied(why: str) -> ToolReturnValue:
    return failed(f"This is not allowed: {why}.", brief=f"Not allowed: {why}")
