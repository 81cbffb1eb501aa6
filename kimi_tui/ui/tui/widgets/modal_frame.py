"""Base of full-screen modals: a frame with a title, a body, and a line of keys; Esc closes."""

from collections.abc import Sequence
from typing import ClassVar, TypeVar

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content

from kimi_tui.i18n import UserText
from kimi_tui.ui.tui.i18n.catalog import N_, _
from kimi_tui.ui.tui.text.sanitize import sanitize
from kimi_tui.ui.tui.text.styled_line import cells
from kimi_tui.ui.tui.widgets.key_bar import BarKey, KeyBar
from kimi_tui.ui.tui.widgets.list_detail import ListDetail
from kimi_tui.ui.tui.widgets.one_shot_screen import LOW, OneShotModal

ResultType = TypeVar("ResultType")
_FEW = 3


class ModalFrame(OneShotModal[ResultType | None]):
    """A modal that fills the terminal, or after `fit_rows` a card as high as its content. Returns None if closed.

    Modal, so that the keys of the conversation behind it do not act.
    """

    DEFAULT_CSS = """
    ModalFrame { background: $background; }
    ModalFrame > #frame {
        width: 100%; height: 100%; padding: 0 1; background: $surface;
        border: round $primary; border-title-color: $primary; border-title-style: bold; border-subtitle-color: $muted;
    }
    ModalFrame Transcript {
        background: $surface; scrollbar-background: $surface;
        scrollbar-background-hover: $surface; scrollbar-background-active: $surface;
    }
    ModalFrame > #frame > KeyBar { margin-top: 1; }
    ModalFrame.-fit { align: center middle; background: $background 85%; }
    ModalFrame.-fit > #frame { height: auto; max-height: 100%; }
    ModalFrame.-fit > #frame > LineScrollView { height: auto; }
    ModalFrame.-few > #frame { width: 108; max-width: 100%; }
    ModalFrame.-bare > #frame { width: 84; max-width: 100%; }
    ModalFrame.-fit.-alone { align: center bottom; background: $background 60%; }
    ModalFrame.-fit.-alone > #frame { width: 100%; }
    ModalFrame.-bare ListDetail > ItemList { width: 100%; padding: 1 1 0 1; max-height: 100%; }
    ModalFrame.-bare ListDetail > .-detail { display: none; }
    ModalFrame Input { border: none; height: 1; padding: 0 1; background: $panel; }
    ModalFrame Input:focus { border: none; }
    ModalFrame Input:focus-within { border: none; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "leave", "Back", show=False),
        Binding("ctrl+c", "leave", "Back", show=False),
        Binding("ctrl+q", "app.leave", "Quit", show=False, priority=True),
    ]
    title_text: ClassVar[str] = ""
    leave_word: ClassVar[str] = N_("back")
    head_rows: ClassVar[int] = 0
    """Rows of the body above the part that `fit_rows` fits."""

    def body(self) -> ComposeResult:
        raise NotImplementedError

    def keys(self) -> Sequence[BarKey]:
        """The keys of the last line; Esc is added to them."""
        return ()

    def compose(self) -> ComposeResult:
        with Vertical(id="frame") as frame:
            frame.border_title = _(self.title_text)
            yield from self.body()
            yield KeyBar(id="keys")

    def on_mount(self) -> None:
        self.show_keys()

    def on_screen_suspend(self) -> None:
        """Leave the terminal to the card that is opened on top of this one."""
        self.query("#frame").set(visible=False)

    def on_screen_resume(self) -> None:
        self.query("#frame").set(visible=True)

    def on_resize(self, event: events.Resize) -> None:
        self.set_class(event.size.height < LOW, "-low")
        if self.has_class("-fit"):
            self._share_rows()

    def show_keys(self) -> None:
        """Update after a change of the keys."""
        self.query_one("#keys", KeyBar).show((*self.keys(), BarKey("Esc", _(self.leave_word), "leave")))

    def fit_rows(self, rows: int, *, bare: bool = False) -> None:
        """Be a card as high as its content, narrower with a few rows; with `bare`, without the detail of an item."""
        self.add_class("-fit")
        self.set_class(rows <= _FEW, "-few")
        self.set_class(bare, "-bare")
        self._share_rows()

    def _share_rows(self) -> None:
        free = max(2, self.app.size.height - 4 - self.head_rows)
        for detail in self.query(ListDetail):
            detail.share_rows(free)
        for viewer in self.query("#frame > LineScrollView"):
            viewer.styles.max_height = free

    def set_status(self, text: UserText) -> None:
        """Show a status in the frame's lower edge; a long one is shown in full as a notification."""
        frame = self.query_one("#frame")
        text = sanitize(text)
        if self.is_mounted and cells(text) > frame.size.width - 4 > 0:
            self.notify(text, severity="warning", timeout=8, markup=False)
            text = ""
        frame.border_subtitle = Content(text)

    def action_leave(self) -> None:
        self.dismiss(None)
