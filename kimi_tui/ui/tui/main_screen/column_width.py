"""The width of the right column: the user's share of the screen, or else a default."""

from kimi_tui.ui.tui.main_screen.column_width_store import ColumnWidthStore

_MIN_RIGHT, _MIN_LEFT = 24, 40


def right_column_width(columns: int, share: float | None) -> int:
    """The right column's width: the user's choice, or else a default; both leave the conversation readable."""
    width = round(share * columns) if share is not None else max(40, min(64, columns * 37 // 100))
    return max(_MIN_RIGHT, min(width, columns - _MIN_LEFT))


class ColumnWidth:
    """The width of the right column, in cells; `columns` is the width of the terminal.

    `share` is None while the default applies.
    """

    def __init__(self, store: ColumnWidthStore) -> None:
        self._store = store
        self.share: float | None = None

    def load(self) -> None:
        self.share = self._store.load()

    def save(self) -> None:
        self._store.save(self.share)

    def of(self, columns: int) -> int:
        return right_column_width(columns, self.share)

    def set(self, width: int, columns: int) -> None:
        """Set the width, bounded so that both columns stay readable."""
        self.share = max(_MIN_RIGHT / columns, min(width / columns, 1 - _MIN_LEFT / columns))
