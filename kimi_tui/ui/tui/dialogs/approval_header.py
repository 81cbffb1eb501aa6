"""The first line of an approval."""

from kimi_tui.ui.tui.dialogs.approval_labels import requester_label
from kimi_tui.ui.tui.i18n.catalog import _
from kimi_tui.ui.tui.i18n.labels import action_label
from kimi_tui.ui.tui.text.call_summary import one_line
from kimi_tui.ui.tui.text.styled_line import Line, Run
from kimi_tui.ui.tui.themes.palette import Palette
from kimi_tui.ui.tui.widgets.line_widget import LineWidget
from kimi_tui.wire.requests import ApprovalRequest


class ApprovalHeader(LineWidget):
    """The requester, the request, and the flow node."""

    request: ApprovalRequest | None = None
    node = ""

    def lines(self, width: int, palette: Palette) -> list[Line]:
        request = self.request
        if request is None:
            return []
        runs: list[Run] = [
            (requester_label(request), palette.accent),
            (" " + _("asks to {action}", action=action_label(one_line(request.action))), palette.base),
        ]
        if self.node:
            runs += [(" · ", palette.faint), (self.node, palette.secondary)]
        return [Line(tuple(runs))]
