"""The pane of pending approvals, one row each; each can be opened."""

from collections.abc import Sequence

from textual.message import Message

from kimi_tui.ui.tui.dialogs.approval_labels import approval_title, requester_label
from kimi_tui.ui.tui.i18n.catalog import _
from kimi_tui.ui.tui.text.styled_line import Line, cut
from kimi_tui.ui.tui.themes.palette import Palette
from kimi_tui.ui.tui.widgets.hints_changed import Hint
from kimi_tui.ui.tui.widgets.line_list import LineList
from kimi_tui.wire.requests import ApprovalRequest


class ApprovalsPane(LineList):
    """The list of approvals; hidden while nothing is pending."""

    DEFAULT_CSS = """
    ApprovalsPane { max-height: 30%; border-top: solid $line; padding: 0 1; display: none; }
    ApprovalsPane.-filled { display: block; }
    """

    class Opened(Message):
        def __init__(self, request_id: str) -> None:
            self.request_id = request_id
            super().__init__()

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self.requests: tuple[ApprovalRequest, ...] = ()

    @property
    def item_count(self) -> int:
        return len(self.requests)

    def hints(self) -> tuple[Hint, ...]:
        """The keys that act while the pane has the focus."""
        return (("↑ ↓", _("choose")), ("Enter", _("answer")))

    def show(self, requests: Sequence[ApprovalRequest]) -> None:
        self.requests = tuple(requests)
        self.border_title = " " + _("approvals {count}", count=len(requests)) + " "
        self.set_class(bool(requests), "-filled")
        self.show_items()

    def lines(self, width: int, palette: Palette) -> list[Line]:
        out: list[Line] = []
        self.item_of_line = [*range(len(self.requests))]
        for index, request in enumerate(self.requests):
            here = self.has_focus and index == self.cursor
            name = palette.accent if here else palette.base
            who = requester_label(request)
            text = cut(f"{who}  {approval_title(request)}", width - 4)
            out.append(Line(((("› " if here else "? "), palette.warning), (text, name))))
        return out

    def choose(self) -> None:
        self.post_message(self.Opened(self.requests[self.cursor].id))
