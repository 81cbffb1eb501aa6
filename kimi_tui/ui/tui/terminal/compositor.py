"""Requests only the repainted rows from the widgets of a frame.

Textual requests all rows of every widget, however small the change. The rows are cached, but each passes the filters
again, which is most of a frame's cost while a reply streams.
"""

from collections.abc import Iterable

from textual._compositor import Compositor
from textual.geometry import Region
from textual.strip import Strip


class CroppingCompositor(Compositor):
    """Produces the same screen as Textual's compositor."""

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
