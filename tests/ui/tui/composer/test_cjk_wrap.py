"""Chinese in the composer: lines are broken between its characters, and by its punctuation."""

import pytest
from textual.app import App, ComposeResult
from textual.document._document import Document

from kimi_tui.ui.tui.composer.cjk_wrap import CjkTextArea, CjkWrappedDocument
from kimi_tui.ui.tui.text.styled_line import cells

TEXTS = (
    "这是一段很长的中文输入，用来检查输入框（例如“引号”、《书名号》）在没有空格时如何换行。",
    "先看 README.md 再改 src/reader.py，混排 English words 与数字 12345。",
    "plain words only, longer than the width of the area",
    "一\t二",
    "",
    "短",
)


def rows_covered(text: str, width: int) -> list[str]:
    document = CjkWrappedDocument(Document(text))
    document.wrap(width)
    return [row for rows in document.lines for row in rows]


@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize("width", [4, 11, 20, 37])
def test_no_row_begins_with_a_stop_or_ends_with_an_opening_sign(text: str, width: int) -> None:
    rows = rows_covered(text, width)
    assert "".join(rows) == text
    assert all(cells(row.rstrip()) <= width for row in rows if "\t" not in row)
    if width > 4:
        assert not [row for row in rows[1:] if row[:1] in "，。、；：？！）》”" and row]
        assert not [row for row in rows[:-1] if row.rstrip()[-1:] in "（《“" and row.strip()]


def test_a_run_of_chinese_fills_the_row_that_it_begins_in() -> None:
    assert rows_covered("说 修复读取器的编码问题吧", 12) == ["说 修复读取", "器的编码问题", "吧"]


async def test_what_is_typed_deleted_and_loaded_keeps_to_its_rows() -> None:
    class Screen(App[None]):
        CSS = "CjkTextArea { width: 20; height: 10; border: none; padding: 0; }"

        def compose(self) -> ComposeResult:
            yield CjkTextArea("", soft_wrap=True)

    app = Screen()
    async with app.run_test(size=(40, 12)) as pilot:
        area = app.query_one(CjkTextArea)
        area.focus()
        for text in TEXTS:
            area.text = text
            await pilot.pause()
            assert [row for rows in area.wrapped_document.lines for row in rows] == rows_covered(text, area.wrap_width)
        area.text = TEXTS[0]
        area.move_cursor(area.document.end)
        await pilot.press("好", "enter", "，", "up", "up", "backspace", "down", "end")
        fresh = rows_covered(area.text, area.wrap_width)
        assert [row for rows in area.wrapped_document.lines for row in rows] == fresh
        assert area.wrapped_document.height == len(fresh)
        for y in range(len(fresh)):
            assert area.wrapped_document.offset_to_location(area.cursor_screen_offset._replace(x=0, y=y)) is not None
