"""A list, and beside or below it what belongs to the item under its cursor."""

from textual.containers import Horizontal
from textual.widget import Widget

from kimi_tui.ui.tui.widgets.one_shot_screen import NARROW
from kimi_tui.ui.tui.widgets.pick_list import ItemList


class ListDetail(Horizontal):
    """A list with details: an `ItemList` and another widget. As high as its content, up to the rows of `share_rows`."""

    DEFAULT_CSS = """
    ListDetail { height: auto; }
    ListDetail > ItemList { width: 42%; height: auto; }
    ListDetail > .-detail { width: 1fr; height: auto; border-left: solid $line; padding: 0 1; }
    ListDetail > .-detail:focus-within { border-left: solid $primary; }
    ListDetail.-stacked { layout: vertical; }
    ListDetail.-stacked > ItemList { width: 100%; }
    ListDetail.-stacked > .-detail { width: 100%; border-left: none; border-top: solid $line; padding: 0; }
    ListDetail.-stacked > .-detail:focus-within { border-top: solid $primary; }
    """

    def __init__(self, picks: ItemList, detail: Widget, *, stacked: bool = False, id: str | None = None) -> None:  # noqa: A002
        """With `stacked`, the detail is below the list in a wide terminal too."""
        detail.add_class("-detail")
        super().__init__(picks, detail, id=id)
        self._picks, self._detail, self._always_stacked = picks, detail, stacked
        self._room = (0, 0)

    def share_rows(self, rows: int) -> None:
        """Share these rows of the terminal: a list that is stacked gets as many as it needs, up to two fifths."""
        columns = self.app.size.width
        stacked = self._always_stacked or columns < NARROW
        self.set_class(stacked, "-stacked")
        wanted, picks, detail = self._picks.row_count, self._picks.styles, self._detail.styles
        if stacked:
            of_list = max(3, min(wanted, rows * 2 // 5)) if self._detail.display else rows
            picks.max_height, detail.max_height, detail.min_height = of_list, max(2, rows - min(wanted, of_list)), None
        else:
            picks.max_height = detail.max_height = rows
            detail.min_height = min(max(1, wanted), rows)
        if self._room != (columns, rows):
            self._room = columns, rows
            self.styles.min_height = None

    def keep_height(self) -> None:
        """Keep the height while another item is shown, so that the frame around only grows."""
        if self.size.height and self._room[1]:
            self.styles.min_height = min(self.size.height, self._room[1])
