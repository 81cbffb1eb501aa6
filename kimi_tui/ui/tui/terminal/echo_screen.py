"""A screen that shows what is typed before all else.

Textual paints at beats of a sixtieth of a second, all at once. While a reply streams, a key would wait for the next
beat and then for the reply's rows.
"""

from time import monotonic

from textual import events, messages
from textual.screen import Screen
from textual.widget import Widget


class LowLatencyScreen(Screen[None]):
    """Paints `typed_into` by itself as soon as it asks for it."""

    input_widget: Widget | None = None
    apart_s = 1 / 120
    """Keys that come faster (a macro, a paste without brackets) are painted at the beat."""

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
