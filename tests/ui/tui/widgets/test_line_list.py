"""The list that flows, runs and approvals are shown in."""

from textual.app import App, ComposeResult

from kimi_tui.ui.tui.text.styled_line import Line
from kimi_tui.ui.tui.themes.palette import Palette
from kimi_tui.ui.tui.widgets.line_list import LineList


class Numbers(LineList):
    """A heading, then thirty items of two lines each."""

    DEFAULT_CSS = "Numbers { height: 7; }"
    taken: tuple[int, ...] = ()

    @property
    def item_count(self) -> int:
        return 30

    def choose(self) -> None:
        self.taken = (*self.taken, self.cursor)

    def lines(self, width: int, palette: Palette) -> list[Line]:
        texts = [
            "numbers",
            *(f"{'>' if item == self.cursor else ' '}{item}{part}" for item in range(30) for part in "ab"),
        ]
        self.item_of_line = [-1, *(item for item in range(30) for _part in "ab")]
        return [Line(((text, palette.base),)) for text in texts]

    def shown(self) -> list[str]:
        return [self.render_line(y).text.strip() for y in range(self.size.height)]


class Shown(App[None]):
    def compose(self) -> ComposeResult:
        yield Numbers()


async def test_the_whole_item_under_the_cursor_stays_in_sight_and_the_heading_returns_with_the_first() -> None:
    app = Shown()
    async with app.run_test() as pilot:
        numbers = app.query_one(Numbers)
        for key, seen in (
            ("end", "30"),
            ("up", "29"),
            ("home", "1"),
            ("pagedown", "3"),
            ("pagedown", "5"),
            ("up", "4"),
        ):
            await pilot.press(key)
            wanted = [f">{int(seen) - 1}a", f">{int(seen) - 1}b"]
            assert [row for row in numbers.shown() if row.startswith(">")] == wanted, key
            assert (numbers.shown()[0] == "numbers") == (numbers.scroll_offset.y == 0)
        await pilot.press("home")
        assert numbers.shown()[0] == "numbers"


async def test_enter_and_a_click_choose_and_a_heading_is_no_item() -> None:
    app = Shown()
    async with app.run_test() as pilot:
        numbers = app.query_one(Numbers)
        await pilot.press("down", "enter")
        await pilot.click(numbers, offset=(2, 5))
        await pilot.click(numbers, offset=(2, 0))
        assert numbers.taken == (1, 2)
        numbers.at_once = False
        await pilot.click(numbers, offset=(2, 1))
        assert numbers.taken == (1, 2)
        await pilot.click(numbers, offset=(2, 2))
        assert numbers.taken == (1, 2, 0)
