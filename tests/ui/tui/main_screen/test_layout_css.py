import pytest

from kimi_tui.ui.tui.main_screen.layout_css import layout_for_size


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
