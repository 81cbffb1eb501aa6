from kimi_tui.ui.tui.main_screen.todo_pane import TodoPane
from kimi_tui.ui.tui.themes.palette import Palette
from kimi_tui.wire.display import TodoItem

ITEMS = (
    TodoItem(title="Reproduce it", status="done"),
    TodoItem(title="Fix the parser of dates, which reads two digits", status="in_progress"),
)


def rows(*, tall: bool, width: int) -> list[str]:
    pane = TodoPane()
    pane.items = ITEMS
    pane.set_class(tall, "-tall")
    return [line.text.rstrip() for line in pane.lines(width, Palette())]


def test_a_todo_list_that_has_the_column_for_itself_shows_whole_titles() -> None:
    assert rows(tall=True, width=26) == ["✓ Reproduce it", "◐ Fix the parser of dates,", "  which reads two digits"]


def test_below_another_pane_each_todo_has_one_row() -> None:
    assert rows(tall=False, width=26) == ["✓ Reproduce it", "◐ Fix the parser of dates…"]
