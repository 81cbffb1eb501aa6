"""What an approval says of itself: who asks, for what, and how far a broad yes would reach."""

from kimi_tui.ui.tui.headline import one_line
from kimi_tui.wire.display import BriefBlock, DiffBlock, ShellBlock
from kimi_tui.wire.requests import ApprovalRequest


def who_asks(request: ApprovalRequest) -> str:
    """The tool, and the subagent it works for."""
    if request.subagent_type or request.source_description:
        agent = request.source_description or request.subagent_type or ""
        return f"{request.sender} of {one_line(agent)}"
    return request.sender


def headline_of(request: ApprovalRequest) -> str:
    """What is asked for, in one line."""
    for block in request.display:
        match block:
            case ShellBlock():
                return one_line(block.command)
            case DiffBlock():
                return block.path
            case BriefBlock():
                return one_line(block.text)
            case _:
                continue
    return one_line(request.description or request.action)
