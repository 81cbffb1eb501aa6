from pathlib import Path

import pytest

from kimi_tui.ui.tui.main_screen.column_width import ColumnWidth, right_column_width
from kimi_tui.ui.tui.main_screen.column_width_store import ColumnWidthStore


@pytest.mark.parametrize(("columns", "share", "width"), [(120, None, 44), (400, None, 64), (120, 0.5, 60)])
def test_the_right_column_is_as_wide_as_was_said_or_suits(columns: int, share: float | None, width: int) -> None:
    assert right_column_width(columns, share) == width


@pytest.mark.parametrize("columns", [120, 300])
def test_both_columns_keep_room_to_read_in(columns: int, tmp_path: Path) -> None:
    column = ColumnWidth(ColumnWidthStore(tmp_path / "columns.json", "xterm"))
    for share in (0.0, 0.01, 0.99, 1.0):
        assert 24 <= right_column_width(columns, share) <= columns - 40
        column.set(round(share * columns), columns)
        assert 24 <= column.of(columns) <= columns - 40
