"""Rewind: restores the conversation, the files changed by our tools, or both, to their state before a turn."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from rich.style import Style
from textual.app import ComposeResult

from kimi_tui.ui.tui.i18n.catalog import N_, _, n_
from kimi_tui.ui.tui.i18n.relative_time import ago
from kimi_tui.ui.tui.text.styled_line import Line, cut_start
from kimi_tui.ui.tui.text.wrap import wrap_text
from kimi_tui.ui.tui.themes.palette import Palette
from kimi_tui.ui.tui.widgets.key_bar import BarKey
from kimi_tui.ui.tui.widgets.list_detail import ListDetail
from kimi_tui.ui.tui.widgets.modal_frame import ModalFrame
from kimi_tui.ui.tui.widgets.pick_list import ItemList, ListItem
from kimi_tui.ui.tui.widgets.text_viewer import TextViewer


class RewindPointView(Protocol):
    """A turn; structurally the same as `kimi_tui.soul.rewind.RewindPoint`."""

    @property
    def index(self) -> int: ...
    @property
    def text(self) -> str: ...
    @property
    def at(self) -> float: ...
    @property
    def files(self) -> tuple[Path, ...]: ...
    @property
    def conversation(self) -> bool: ...


@dataclass(frozen=True, slots=True)
class RewindChoice:
    """The target turn, and what to restore."""

    index: int
    conversation: bool
    files: bool


class Rewind(ModalFrame[RewindChoice]):
    """Lists the turns. Returns the chosen turn, and what to restore."""

    title_text = N_("rewind to before…")

    def __init__(self, points: Sequence[RewindPointView], *, work_dir: Path, now: Callable[[], float]) -> None:
        super().__init__()
        self._points = {str(point.index): point for point in points}
        self._work_dir, self._now = work_dir, now

    def body(self) -> ComposeResult:
        points = ItemList(at_once=False, empty=_("there is no turn to rewind to yet"), id="points")
        yield ListDetail(points, TextViewer(id="about"))

    @property
    def letter_answers(self) -> Mapping[str, str]:
        point = self._selected
        both = point is not None and point.conversation and bool(point.files)
        return {"t": "go(True, False)", "f": "go(False, True)"} if both else {}

    def keys(self) -> Sequence[BarKey]:
        point = self._selected
        if point is None:
            return ()
        if point.conversation and point.files:
            return (
                BarKey("Enter", _("conversation and files"), "all"),
                BarKey("t", _("the conversation only"), "go(True, False)"),
                BarKey("f", _("the files only"), "go(False, True)"),
            )
        if not (point.conversation or point.files):
            return ()
        return (BarKey("Enter", _("rewind") if point.conversation else _("files restored"), "all"),)

    def on_mount(self) -> None:
        super().on_mount()
        now = self._now()
        picks = self.query_one(ItemList)
        picks.show(
            [
                ListItem(
                    key,
                    point.text or _("(no words)"),
                    right=ago(point.at, now),
                    detail=n_("{count} file changed", "{count} files changed", len(point.files)) if point.files else "",
                    sign="↶",
                    role="accent" if point.conversation else "muted",
                )
                for key, point in reversed(self._points.items())
            ]
        )
        self.fit_rows(len(self._points), bare=not self._points)
        picks.focus()
        self._about()

    @property
    def _selected(self) -> RewindPointView | None:
        return self._points.get(self.query_one(ItemList).key)

    def on_item_list_moved(self, event: ItemList.Moved) -> None:
        self._about()

    def _about(self) -> None:
        point = self._selected
        self.query_one(ListDetail).keep_height()
        self.query_one(TextViewer).show(
            lambda width, palette: _lines(point, self._work_dir, width, palette) if point is not None else []
        )
        self.show_keys()

    def on_item_list_chosen(self, event: ItemList.Chosen) -> None:
        self.action_all()

    def action_all(self) -> None:
        if (point := self._selected) is not None:
            self.action_go(point.conversation, bool(point.files))

    def action_go(self, conversation: bool, files: bool) -> None:
        point = self._selected
        possible = point is not None and (point.conversation or not conversation) and (bool(point.files) or not files)
        if point is None or not possible or not (conversation or files):
            return
        self.dismiss(RewindChoice(point.index, conversation, files))


def _lines(point: RewindPointView, work_dir: Path, width: int, palette: Palette) -> list[Line]:
    lines = [Line(row) for row, _ in wrap_text(point.text, palette.base + Style(bold=True), width)]
    lines.append(Line())
    if point.conversation:
        words = _("Removes this turn and all later ones. The session's record keeps them.")
    else:
        words = _("The conversation was compacted or cleared since then; it cannot be rewound to this turn.")
    lines += [Line(row) for row, _ in wrap_text(words, palette.muted, width)]
    if point.files:
        lines.append(Line())
        lines.append(Line(((_("files that are restored"), palette.muted),)))
        for file in point.files:
            name = str(file.relative_to(work_dir)) if file.is_relative_to(work_dir) else str(file)
            lines.append(Line((("  ", palette.base), (cut_start(name, width - 2), palette.base))))
        lines.append(Line())
        note = _(
            "Changes made by shell commands cannot be reverted. If something else also changed a file, a copy is kept."
        )
        lines += [Line(row) for row, _ in wrap_text(note, palette.muted, width)]
    return lines
