import pytest

from kimi_tui.ui.tui.main_screen.layout_css import clamp_share, layout_for_size, right_column_width


@pytest.mark.parametrize(
    ("columns", "rows", "layout"),
    [
        (140, 42, "wide"),
        (120, 20, "wide"),
        (119, 42, "medium"),
        (80, 20, "medium"),
        (80, 19, "narrow"),
        (79, 40, "narrow"),
    ],
)
def test_the_layout_is_the_one_there_is_room_for(columns: int, rows: int, layout: str) -> None:
    assert layout_for_size(columns, rows) == layout


@pytest.mark.parametrize(("columns", "share", "width"), [(120, None, 44), (400, None, 64), (120, 0.5, 60)])
def test_the_right_column_is_as_wide_as_was_said_or_suits(columns: int, share: float | None, width: int) -> None:
    assert right_column_width(columns, share) == width


@pytest.mark.parametrize("columns", [120, 300])
def test_both_columns_keep_room_to_read_in(columns: int) -> None:
    for share in (0.0, 0.01, 0.99, 1.0):
        assert 24 <= right_column_width(columns, share) <= columns - 40
        assert 24 <= round(clamp_share(share, columns) * columns) <= columns - 40
