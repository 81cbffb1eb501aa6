"""The right side: a column, or a drawer over the conversation whose edge is joined to the title lines beside it."""

from collections.abc import Sequence

from rich.segment import Segment
from textual.containers import Vertical
from textual.geometry import Region
from textual.strip import Strip

from kimi_tui.ui.tui.divider import joint


class Side(Vertical):
    """`join` counts rows from the top, as the divider's does."""

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._left: frozenset[int] = frozenset()
        self._right: frozenset[int] = frozenset()

    def join(self, left: Sequence[int], right: Sequence[int]) -> None:
        """The rows in which lines meet the edge from each side."""
        joints = frozenset(left), frozenset(right)
        if joints != (self._left, self._right):
            self._left, self._right = joints
            self.refresh()

    def render_lines(self, crop: Region) -> list[Strip]:
        strips = super().render_lines(crop)
        if crop.x or not self.gutter.left:
            return strips
        return [self._joined(strip, y) for y, strip in enumerate(strips, crop.y)]

    def _joined(self, strip: Strip, y: int) -> Strip:
        left, right = y in self._left, y in self._right
        if not left and not right:
            return strip
        edge = next(iter(strip))
        sign = Segment(joint(left=left, right=right, top=y == 0), edge.style)
        return Strip([sign, *strip.crop(1)], strip.cell_length)
