"""Selects hunks of an edit. Keys and clicks are guarded as in the approval dialog."""

from collections.abc import Callable, Sequence
from typing import ClassVar

from rich.style import Style
from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical

from kimi_tui.ui.tui.dialogs.approval_body import reveal_change
from kimi_tui.ui.tui.dialogs.approval_header import ApprovalHeader
from kimi_tui.ui.tui.i18n.catalog import _, p_
from kimi_tui.ui.tui.text.diff import DiffText, change_summary
from kimi_tui.ui.tui.text.sanitize import sanitize
from kimi_tui.ui.tui.text.styled_line import Line, cells, cut_start, prefixed
from kimi_tui.ui.tui.themes.palette import Palette
from kimi_tui.ui.tui.widgets.key_bar import BarKey, KeyBar
from kimi_tui.ui.tui.widgets.key_guard import KeyGuard
from kimi_tui.ui.tui.widgets.line_scroll_view import LineScrollView
from kimi_tui.ui.tui.widgets.one_shot_screen import OneShotModal
from kimi_tui.wire.display import DiffBlock
from kimi_tui.wire.requests import ApprovalRequest


def selectable_hunks(request: ApprovalRequest) -> tuple[DiffBlock, ...]:
    """The hunks that can be selected one by one; empty if the edit is all or nothing."""
    count = request.hunks or 0
    first = tuple(block for block in request.display[:count] if isinstance(block, DiffBlock))
    return first if len(first) == count else ()


class HunkListView(LineScrollView, can_focus=False):
    """The hunks, each below a header that shows whether it is selected. A click on the header toggles it."""

    def __init__(self, hunks: Sequence[DiffBlock]) -> None:
        super().__init__()
        self.hunks = tuple(hunks)
        self.taken = [True] * len(self.hunks)
        self.cursor = 0
        self.heads: list[int] = []

    def lines(self, width: int, palette: Palette) -> list[Line]:
        out: list[Line] = []
        self.heads = []
        for number, hunk in enumerate(self.hunks):
            if number:
                out.append(Line())
            self.heads.append(len(out))
            out.extend(self._hunk(number, hunk, width, palette))
        return out

    def _hunk(self, number: int, hunk: DiffBlock, width: int, palette: Palette) -> list[Line]:
        here, taken = number == self.cursor, self.taken[number]
        sign, ink = ("☑", palette.success) if taken else ("☐", palette.error)
        old, new = reveal_change(hunk.old_text, hunk.new_text)
        word = _("accepted") if taken else _("skipped")
        tail = f"  {change_summary(old, new)}  {word}"
        bold = Style(bold=here)
        head = Line(
            (
                ("› " if here else "  ", palette.accent),
                (f"{sign} ", ink + bold),
                (f"{number + 1} ", palette.accent + bold),
                (cut_start(sanitize(hunk.path), max(8, width - 10 - cells(tail))), palette.base + bold),
                (f":{hunk.old_start}", palette.muted),
                (tail, palette.muted),
            )
        )
        bar = ("│ " if taken else "┆ ", palette.accent if here else palette.faint)
        diff = DiffText(hunk.path, old, new, hunk.old_start, hunk.new_start).lines(width - 2, palette)
        return [head, *prefixed(diff, (bar,), (bar,))]

    def go(self, number: int) -> None:
        """Move the cursor to a hunk and scroll its header into view."""
        self.cursor = max(0, min(number, len(self.hunks) - 1))
        self.redraw_in_place()
        if self.heads:
            top, rows = self.heads[self.cursor], self.scrollable_content_region.height
            last = (*self.heads, len(self._strips) + 1)[self.cursor + 1] - 2
            if top < self.scroll_offset.y or last >= self.scroll_offset.y + rows:
                self.scroll_to(0, top, animate=False, immediate=True)

    def take(self, number: int, taken: bool) -> None:
        self.taken[number] = taken
        self.redraw_in_place()

    def hunk_at(self, row: int) -> int | None:
        """The hunk whose header is in this row of the widget."""
        line = row - self.gutter.top + self.scroll_offset.y
        return self.heads.index(line) if line in self.heads else None


class HunkPicker(OneShotModal[str | None]):
    """Selects hunks of an edit. Returns their indexes, from 0, joined by commas; None if closed."""

    CSS = """
    HunkPicker > Vertical {
        background: $surface; padding: 0 1; border: round $warning;
        border-title-color: $warning; border-title-style: bold; border-subtitle-color: $muted;
    }
    HunkPicker HunkListView { height: 1fr; margin: 1 0 0 0; background: $surface; }
    HunkPicker KeyBar { background: $surface; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "leave", show=False),
        Binding("space", "switch", show=False),
        Binding("y", "mark(True)", show=False),
        Binding("n", "mark(False)", show=False),
        Binding("a", "mark_all", show=False),
        Binding("enter", "done", show=False),
        Binding("down,j,right", "go(1)", show=False),
        Binding("up,k,left", "go(-1)", show=False),
        Binding("pagedown", "scroll(8)", show=False),
        Binding("pageup", "scroll(-8)", show=False),
    ]

    def __init__(self, request: ApprovalRequest, *, node: str, clock: Callable[[], float]) -> None:
        super().__init__()
        self._request, self._node = request, node
        self._guard = KeyGuard(clock)
        self.list = HunkListView(selectable_hunks(request))
        self._bar = KeyBar()

    def compose(self) -> ComposeResult:
        with Vertical() as box:
            box.border_title = _("choose changes")
            head = ApprovalHeader()
            head.request, head.node = self._request, self._node
            yield head
            yield self.list
            yield self._bar

    def on_mount(self) -> None:
        self._show_keys()

    def _show_keys(self) -> None:
        taken, count = sum(self.list.taken), len(self.list.taken)
        done = _("apply {taken} of {count}", taken=taken, count=count) if taken else _("nothing selected")
        self._bar.show(
            (
                BarKey("Enter", done, "done"),
                BarKey("Space", _("toggle"), "switch"),
                BarKey("y n", _("accept / skip, next"), ""),
                BarKey("a", _("all or none"), "mark_all"),
                BarKey("↑ ↓", p_("a hunk", "change"), "go(1)"),
                BarKey("Esc", _("back"), "leave"),
            )
        )

    def action_leave(self) -> None:
        self.dismiss(None)

    def action_go(self, by: int) -> None:
        self.list.go(self.list.cursor + by)

    def action_scroll(self, by: int) -> None:
        self.list.scroll_relative(y=by, animate=False, immediate=True)

    def action_switch(self) -> None:
        if self._guard.accepts():
            self._take(self.list.cursor, not self.list.taken[self.list.cursor])

    def action_mark(self, taken: bool) -> None:
        """Accept or skip this hunk, and go to the next."""
        if self._guard.accepts():
            self._take(self.list.cursor, taken)
            self.list.go(self.list.cursor + 1)

    def action_mark_all(self) -> None:
        if self._guard.accepts():
            wanted = not all(self.list.taken)
            for number in range(len(self.list.hunks)):
                self._take(number, wanted)

    def action_done(self) -> None:
        taken = [number for number, yes in enumerate(self.list.taken) if yes]
        if not self._guard.accepts():
            return
        if taken and self.list.refuse_unseen():  # defence: changes-of-what-was-seen
            return
        if taken:
            self.dismiss(",".join(map(str, taken)))
        else:
            self.app.bell()

    def on_click(self, event: events.Click) -> None:
        number = self.list.hunk_at(event.screen_y - self.list.region.y)
        if number is not None and event.screen_offset in self.list.region:
            event.stop()
            self.list.go(number)
            self.action_switch()

    def _take(self, number: int, taken: bool) -> None:
        self.list.take(number, taken)
        self._show_keys()
