"""Requests only the repainted rows from the widgets of a frame, and tells every new widget its size.

Textual requests all rows of every widget, however small the change. The rows are cached, but each passes the filters
again, which is most of a frame's cost while a reply streams.

Textual finds new widgets by comparing a layout with its map of all widgets. Reading a widget's region can renew that
map between two layouts; a widget mounted before that is then in both, and never gets the event with its size.
"""

from collections.abc import Iterable

from textual._compositor import Compositor, CompositorMap, ReflowResult
from textual.geometry import Region, Size
from textual.strip import Strip
from textual.widget import Widget


class CroppingCompositor(Compositor):
    """Produces the same screen as Textual's compositor."""

    def __init__(self) -> None:
        super().__init__()
        self._last_layout: CompositorMap = {}

    def reflow(self, parent: Widget, size: Size) -> ReflowResult:
        """Lay out all widgets. The result says what differs from the previous layout."""
        self._full_map = self._last_layout
        result = super().reflow(parent, size)
        self._last_layout = self._full_map
        return result

    def _get_renders(self, crop: Region | None = None) -> Iterable[tuple[Region, Region, list[Strip]]]:
        """Widgets front to back: each with its visible region, twice, and its strips there."""
        for widget, (region, clip) in self.visible_widgets.items():
            seen = region.intersection(clip)
            if crop is not None and seen:
                top, bottom = max(seen.y, crop.y), min(seen.bottom, crop.bottom)
                beside = seen.right <= crop.x or crop.right <= seen.x
                seen = Region(seen.x, top, seen.width, 0 if beside else max(0, bottom - top))
            if seen:
                yield seen, seen, widget.render_lines(seen.translate(-region.offset))
