"""Labels of an approval: requester, request, and the scope of an answer for the session."""

from kimi_tui.ui.tui.i18n.catalog import _
from kimi_tui.ui.tui.i18n.labels import tool_label
from kimi_tui.ui.tui.i18n.translate import translate
from kimi_tui.ui.tui.text.call_summary import one_line
from kimi_tui.wire.display import BriefBlock, DiffBlock, ShellBlock
from kimi_tui.wire.requests import ApprovalRequest


def requester_label(request: ApprovalRequest) -> str:
    """Return a label for the requester: the tool, and the subagent that called it, with its task."""
    agent, task = request.subagent_type or "", request.source_description or ""
    if not agent and not task:
        return tool_label(request.sender)
    named = f"{one_line(agent)} ({one_line(task)})" if agent and task else one_line(agent or task)
    return _("{tool} of {agent}", tool=tool_label(request.sender), agent=named)


def approval_title(request: ApprovalRequest) -> str:
    """Return the request in one line."""
    for block in request.display:
        match block:
            case ShellBlock():
                return one_line(block.command)
            case DiffBlock():
                return block.path
            case BriefBlock():
                return translate(one_line(block.text))
            case _:
                continue
    return translate(one_line(request.description or request.action))
