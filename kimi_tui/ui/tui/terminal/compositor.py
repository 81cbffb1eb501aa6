"""What the screen asks of its widgets for a frame: the rows that are painted, and nothing beside them.

Textual asks every widget for all of its rows, however little of the screen has changed. The rows come out of a cache,
but each goes through the filters again, which is most of what a frame costs while a reply streams.
"""

from collections.abc import Iterable

from textual._compositor import Compositor
from textual.geometry import Region
from textual.strip import Strip


class CroppingCompositor(Compositor):
    """Makes the same screen as Textual's."""

    def _get_renders(self, crop: Region | None = None) -> Iterable[tuple[Region, Region, list[Strip]]]:
        """Widgets front to back: where each is on the screen, twice, and its strips there."""
        for widget, (region, clip) in self.visible_widgets.items():
            seen = region.intersection(clip)
            if crop is not None and seen:
                top, bottom = max(seen.y, crop.y), min(seen.bottom, crop.bottom)
                beside = seen.right <= crop.x or crop.right <= seen.x
                seen = Region(seen.x, top, seen.width, 0 if beside else max(0, bottom - top))
            if seen:
                yield seen, seen, widget.render_lines(seen.translate(-region.offset))
