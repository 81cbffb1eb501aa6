"""A scroll view that pans by wheel, drag and keys, and follows a target until then."""

from textual import events
from textual.geometry import Offset
from textual.scroll_view import ScrollView


class PannableView(ScrollView):
    """A view that the user can pan and zoom.

    `following` is false once the user has moved the view. Ctrl and the wheel zoom.
    """

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self.following = True
        self._held: Offset | None = None
        self._dragged = False

    def zoom_by(self, by: int) -> None:
        """Zoom one step in (1) or out (-1)."""

    def was_dragged(self) -> bool:
        """Return whether the next click ends a drag, and reset the flag."""
        dragged, self._dragged = self._dragged, False
        return dragged

    def action_pan(self, x: int, y: int) -> None:
        self.following = False
        self.scroll_to(self.scroll_x + x, self.scroll_y + y, animate=False, immediate=True)

    def action_page(self, by: int) -> None:
        self.action_pan(0, by * max(1, self.size.height - 2))

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        self._wheel(event, -1)

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        self._wheel(event, 1)

    def _wheel(self, event: events.MouseEvent, by: int) -> None:
        self.following = False
        if event.ctrl:
            event.stop()
            event.prevent_default()
            self.zoom_by(by)

    def on_mouse_down(self, event: events.MouseDown) -> None:
        self._held, self._dragged = event.screen_offset, False

    def on_mouse_move(self, event: events.MouseMove) -> None:
        if self._held is None or not event.button:
            return
        by = self._held - event.screen_offset
        if by != Offset(0, 0):
            if not self._dragged:
                self.capture_mouse()
            self._held, self._dragged, self.following = event.screen_offset, True, False
            self.scroll_to(self.scroll_x + by.x, self.scroll_y + by.y, animate=False, immediate=True)

    def on_mouse_up(self, event: events.MouseUp) -> None:
        self._held = None
        if self._dragged:
            self.release_mouse()
