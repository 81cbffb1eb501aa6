"""Low-latency screen: repaints the input widget at once.

Textual paints all widgets together every sixtieth of a second. While a reply streams, a key would wait for the next
frame and then for the reply's rows.
"""

from time import monotonic

from textual import events, messages
from textual.screen import Screen
from textual.widget import Widget


class LowLatencyScreen(Screen[None]):
    """Paints `input_widget` alone as soon as it requests a repaint."""

    input_widget: Widget | None = None
    apart_s = 1 / 120
    """Minimum seconds between immediate repaints; faster keys (a macro, an unbracketed paste) wait for the regular
    frame."""

    _echo_due = False
    _echoed_at = 0.0

    def on_update(self, message: messages.Update) -> None:
        self._echo_due = self._echo_due or message.widget is self.input_widget

    def on_idle(self, event: events.Idle) -> None:
        due, self._echo_due = self._echo_due, False
        widget = self.input_widget
        if not due or widget not in self._dirty_widgets or not self.is_current or self.app.is_inline:
            return
        now = monotonic()
        if now - self._echoed_at < self.apart_s or self.app._batch_count:  # pyright: ignore[reportPrivateUsage]
            return
        self._echoed_at = now
        if self._layout_required or self._scroll_required or self._repaint_required:
            self._on_timer_update()
            return
        others = self._dirty_widgets - {widget}
        self._compositor.update_widgets({widget})
        self._compositor_refresh()
        self._dirty_widgets |= others
