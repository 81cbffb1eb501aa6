from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.style import Style

from kimi_tui.ui.tui.state.items import (
    AssistantItem,
    ErrorItem,
    FlowHeaderItem,
    ImageChip,
    Item,
    NoticeItem,
    RetryItem,
    SeparatorItem,
    SubagentItem,
    SubStep,
    ThinkItem,
    ToolItem,
    UserItem,
)
from kimi_tui.ui.tui.themes.palette import Palette
from kimi_tui.ui.tui.transcript.item_renderer import MEASURE, gap_before, is_foldable, render_item
from kimi_tui.ui.tui.transcript.item_store import ItemStore
from kimi_tui.ui.tui.transcript.render_context import RenderContext
from kimi_tui.ui.tui.transcript.row_builder import RowBuilder
from kimi_tui.wire.display import BriefBlock, DiffBlock, ShellBlock, TodoBlock, TodoItem, UnknownBlock

PALETTE = Palette()
DIFF = DiffBlock(path="src/a.py", old_text="a\nb\n", new_text="a\nc\nd\n")


def text_of(item: Item, width: int = 60, *, is_open: bool = False, now: float = 0.0) -> list[str]:
    return [line.text.rstrip() for line in render_item(item, width, RenderContext(PALETTE, is_open, now))]


def test_a_tool_that_is_done_is_one_line():
    item = ToolItem("Shell", "pytest -x", "ok", duration_s=2.1, output="1 passed")
    assert text_of(item, 40) == ["✓ Shell  pytest -x                2.1s ▸"]


def test_an_edit_tells_how_many_lines_it_changed():
    assert text_of(ToolItem("Edit", "src/a.py", "ok", blocks=(DIFF,)), 40) == [
        "✓ Edit  src/a.py                 +2 −1 ▸"
    ]


def test_an_attached_image_stands_out_in_a_message():
    cyan = Style(color="cyan")
    context = RenderContext(replace(PALETTE, secondary=cyan), False, 0.0)
    [line] = render_item(UserItem("see [image: a.png] here"), 60, context)
    assert [text for text, style in line.runs if style == cyan] == ["[image: a.png]"]


def test_a_running_tool_shows_its_last_lines_and_its_time():
    item = ToolItem("Shell", "make", "running", started=1.0, tail="".join(f"{number}\n" for number in range(9)))
    assert text_of(item, 40, now=8.5) == [
        "◐ Shell  make                         7s",
        "  │ 5",
        "  │ 6",
        "  │ 7",
        "  │ 8",
    ]


def test_a_rejected_call_shows_the_words_of_the_user():
    item = ToolItem("Shell", "make", "rejected", message="for the model", feedback="not *this*\none")
    assert text_of(item, 40)[1:] == ["  └ You: not *this*"]
    assert text_of(item, 40, is_open=True)[1:] == ["  │ You: not *this*", "  │ one"]


def test_a_command_that_goes_on_in_the_background_is_not_shown_as_done():
    item = ToolItem("Shell", "make", "ok", duration_s=2.1, message="Started", in_background=True)
    assert text_of(item, 40) == ["◆ Shell  make        in the background ▸"]


def test_a_failed_command_shows_the_last_three_lines_of_its_output():
    item = ToolItem("Shell", "make", "failed", output="one\ntwo\nthree\nfour\n\n", message="Exit code: 3.")
    assert text_of(item, 40)[1:] == ["  │ two", "  │ three", "  │ four", "  └ Exit code: 3."]
    assert text_of(ToolItem("Shell", "make", "failed", output=" \n", message="Exit code: 3."), 40)[1:] == [
        "  └ Exit code: 3."
    ]
    gaps = ToolItem("Shell", "make", "failed", output="one\ntwo\n\n \nthree\n", message="Exit code: 3.")
    assert text_of(gaps, 40)[1:] == ["  │ one", "  │ two", "  │ three", "  └ Exit code: 3."]
    ruled = ToolItem("Shell", "make", "failed", output="one\n------\nRan 5\nFAILED\n", message="Exit code: 1.")
    assert text_of(ruled, 40)[1:] == ["  │ one", "  │ Ran 5", "  │ FAILED", "  └ Exit code: 1."]
    bare = ToolItem("Shell", "make", "failed", output="^\n", message="Exit code: 1.")
    assert text_of(bare, 40)[1:] == ["  │ ^", "  └ Exit code: 1."]
    rejected = ToolItem("Shell", "make", "rejected", output="one\n", message="You: no")
    assert text_of(rejected, 40)[1:] == ["  └ You: no"]


@pytest.mark.parametrize("is_open", [False, True])
def test_the_card_of_a_question_shows_the_answers(is_open: bool):
    blocks = (BriefBlock(text="Which database? SQLite\nAnd the cache? None"),)
    item = ToolItem("AskUserQuestion", "Which database?", "ok", blocks=blocks, output='{"answers": {}}')
    assert text_of(item, 50, is_open=is_open) == [
        "✓ Question  Which database?",
        "  │ Which database? SQLite",
        "  │ And the cache? None",
    ]


@pytest.mark.parametrize(
    ("tool", "shown"),
    [
        ("ExitPlanMode", "Plan"),
        ("StrReplaceFile", "Edit"),
        ("SetTodoList", "Todo"),
        ("mcp__g__find", "g: find"),
        ("mcp__g", "mcp__g"),
    ],
)
def test_a_card_names_what_a_tool_does_and_a_tool_of_a_server_with_the_server(tool: str, shown: str):
    assert text_of(ToolItem(tool, "Ship it", "ok"), 50) == [f"✓ {shown}  Ship it"]


def test_cards_and_their_diffs_are_as_wide_as_prose_on_a_wide_screen():
    old, new = "a = 1\n" * 3, "a = 1\nb = 2\n" + "a = 1\n" * 2
    edit = ToolItem("StrReplaceFile", "a.py", "ok", blocks=(DiffBlock(path="a.py", old_text=old, new_text=new),))
    failed = ToolItem("Shell", "make", "failed", output="x " * 150)
    for item in (edit, failed, AssistantItem("word " * 80)):
        assert 100 < max(map(len, text_of(item, 200, is_open=True))) <= MEASURE
    filled = [
        line.fill_to for line in render_item(edit, 200, RenderContext(Palette(), is_open=True)) if line.fill is not None
    ]
    assert set(filled) == {MEASURE}
    assert any(line.count("a = 1") == 2 for line in text_of(edit, 200, is_open=True))


def test_a_question_is_said_once_on_its_card():
    one = ToolItem("AskUserQuestion", "Which database?", "ok", output='{"answers": {"Which database?": "SQLite"}}')
    assert text_of(one, 50) == ["✓ Question  Which database?", "  │ SQLite"]
    two = ToolItem("AskUserQuestion", "Which?", "ok", output='{"answers": {"Which?": "SQLite", "A cache?": "No"}}')
    assert text_of(two, 50) == ["✓ Question  2 answers", "  │ Which?  SQLite", "  │ A cache?  No"]


def test_a_failed_call_without_a_message_shows_the_last_lines_of_its_output():
    item = ToolItem("mcp__x__run", "make", "failed", output="one\ntwo\nthree\nfour\n")
    assert text_of(item, 40)[1:] == ["  │ two", "  │ three", "  │ four"]
    assert gap_before(item, ToolItem("Shell")) == 1
    assert gap_before(SubagentItem("coder", state="failed", result="no"), ToolItem("Shell")) == 1


@pytest.mark.parametrize(
    ("state", "sign", "word"),
    [
        ("failed", "✗", "failed"),
        ("rejected", "⊘", "rejected"),
        ("interrupted", "■", "interrupted"),
        ("waiting", "?", ""),
    ],
)
def test_every_state_has_its_own_sign_and_word(state: str, sign: str, word: str):
    first = text_of(ToolItem("Shell", "make", state))[0]
    assert first.startswith(sign)
    assert word in first


def test_a_failure_is_told_once_by_its_reason_or_else_by_a_word():
    with_reason = text_of(ToolItem("Shell", "make", "failed", message="Command failed with exit code: 2."))
    assert "failed" not in with_reason[0]
    assert with_reason[1:] == ["  └ Command failed with exit code: 2."]
    assert "failed" in text_of(ToolItem("Shell", "make", "failed"))[0]


def test_a_failure_says_why_without_being_opened():
    item = ToolItem("Shell", "make", "failed", message="exit code 2\nmore", output="log")
    assert text_of(item)[1:] == ["  │ log", "  └ exit code 2"]


def test_a_long_headline_keeps_the_end_of_a_path_and_the_start_of_a_command():
    path = text_of(ToolItem("ReadFile", "/a/very/long/path/to/some/file.py", "ok"), 30)[0]
    assert path.endswith("file.py")
    command = text_of(ToolItem("Shell", "pytest -x tests/one tests/two tests/three", "ok"), 30)[0]
    assert "pytest -x" in command


def test_an_open_card_shows_its_blocks_and_its_output():
    blocks = (
        ShellBlock(command="make a\nmake b"),
        BriefBlock(text="in short"),
        TodoBlock(items=(TodoItem(title="one", status="done"), TodoItem(title="two"))),
        UnknownBlock(type="hologram"),
    )
    item = ToolItem("Shell", "make", "ok", blocks=blocks, output="\x1b[31mout\x1b[0m")
    assert text_of(item, is_open=True)[1:] == [
        "  │ $ make a",
        "  │   make b",
        "  │ ✓ one",
        "  │ ○ two",
        "  │ [hologram]",
        "  │ out",
    ]


def test_an_open_edit_shows_the_diff():
    lines = text_of(ToolItem("Edit", "src/a.py", "ok", blocks=(DIFF,)), is_open=True)
    assert "  │   2 - b" in lines
    assert "  │   3 + d" in lines


def test_a_thought_is_its_last_lines_then_one_line():
    running = ThinkItem("\n".join(f"idea {number}" for number in range(9)), started=0.0)
    assert text_of(running, now=3.0) == ["◐ thinking 3s", "  │ idea 6", "  │ idea 7", "  │ idea 8"]
    (line,) = render_item(running, 60, RenderContext(PALETTE, now=3.0, thoughts=False))
    assert line.text.rstrip() == "◐ thinking 3s"
    done = ThinkItem("idea", done=True, duration_s=3.2)
    assert text_of(done) == ["✻ thought for 3.2s ▸"]
    assert text_of(done, is_open=True) == ["✻ thought for 3.2s ▾", "  │ idea"]


def test_a_flow_header_names_the_node_and_the_visit():
    item = FlowHeaderItem("green", "Green?", 2, "decision", note="chose no")
    (line,) = render_item(item, 60, RenderContext(PALETTE))
    assert line.text.startswith("◇ Green? · visit 2 · chose no ─")
    assert {style.meta.get("act") for _, style in line.runs[:3]} == {"node:green"}


def test_a_subagent_is_a_card_with_its_last_steps():
    steps = tuple(SubStep(f"Grep {number}", "ok") for number in range(6))
    item = SubagentItem("explorer", "look around", "running", steps, 6, started=0.0)
    assert text_of(item, now=5.0)[0].split() == ["◐", "agent", "explorer", "look", "around", "6", "steps", "5s", "→"]
    assert text_of(item)[1:] == ["  │ ✓ Grep 2", "  │ ✓ Grep 3", "  │ ✓ Grep 4", "  │ ✓ Grep 5"]


def test_a_retry_counts_down():
    assert text_of(RetryItem("connection lost", 2, 5, until=10.0), now=7.2) == [
        "↻ connection lost · attempt 2 of 5 in 3 s"
    ]


def test_an_error_has_its_cause_and_what_to_do():
    lines = text_of(ErrorItem("No answer", "429 too many requests", "Wait a minute."))
    assert lines == ["✗ No answer", "  429 too many requests", "  Wait a minute."]


def test_cards_stand_close_and_turns_apart():
    tool, said = ToolItem("Shell"), AssistantItem("x", done=True)
    assert gap_before(None, said) == 0
    assert gap_before(tool, tool) == 0
    assert gap_before(said, tool) == 1
    assert gap_before(tool, said) == 1


def test_a_short_thought_has_no_line_and_no_gap_until_it_is_expanded():
    thought = ThinkItem("well", done=True, duration_s=1.9)
    assert text_of(thought) == []
    assert text_of(thought, is_open=True) == ["✻ thought for 1.9s ▾", "  │ well"]
    store = ItemStore(lambda: 0.0)
    for item in (UserItem("hi"), thought, AssistantItem("x", done=True)):
        store.append(item)
    assert [store.drawn(index).height for index in range(3)] == [1, 0, 2]
    store.set_open(store.id_at(1), True)
    assert [store.drawn(index).height for index in range(3)] == [1, 3, 2]


def test_what_has_nothing_inside_does_not_fold():
    assert not is_foldable(ToolItem("Shell", state="ok"))
    assert is_foldable(ToolItem("Shell", state="ok", output="x"))


EVIL = "\x1b]52;c;aGk=\x07\x9b31m\u202e\u200b\ud800中文字符 \U000e0041 very long " + "w" * 70
ITEMS: list[Item] = [
    UserItem(EVIL, chips=(EVIL,)),
    AssistantItem(
        f"# {EVIL}\n\n- {EVIL}\n\n```{EVIL}\n{EVIL}\n```\n\n[{EVIL}](http://a/{EVIL})\n\n|{EVIL}|\n|--|\n|{EVIL}|",
        done=True,
    ),
    ThinkItem(EVIL),
    ThinkItem(EVIL, done=True),
    ToolItem(EVIL, EVIL, "running", tail=EVIL),
    ToolItem(
        EVIL,
        EVIL,
        "failed",
        message=EVIL,
        output=EVIL,
        blocks=(DiffBlock(path=EVIL, old_text=EVIL, new_text="x" + EVIL),),
    ),
    ToolItem(
        "x",
        EVIL,
        "ok",
        blocks=(ShellBlock(command=EVIL), BriefBlock(text=EVIL), TodoBlock(items=(TodoItem(title=EVIL),))),
    ),
    SubagentItem(EVIL, EVIL, steps=(SubStep(EVIL),), result=EVIL),
    SubagentItem(EVIL, EVIL, "ok", steps=(SubStep(EVIL),), result=EVIL),
    FlowHeaderItem(EVIL, EVIL, note=EVIL),
    SeparatorItem("compaction", EVIL, detail=EVIL),
    RetryItem(EVIL, 1, 2),
    ErrorItem(EVIL, EVIL, EVIL),
    NoticeItem(EVIL),
    ImageChip(EVIL, EVIL),
]


@settings(deadline=None)
@given(st.sampled_from(ITEMS), st.integers(20, 160), st.booleans())
def test_no_item_breaks_the_grid_or_reaches_the_terminal(item: Item, width: int, is_open: bool):
    maker = RowBuilder(width + 4, PALETTE)
    for line in render_item(item, width, RenderContext(PALETTE, is_open)):
        strip = maker.row(line).strip
        assert sum(segment.cell_length for segment in strip) == width + 4
        assert not any(ord(char) < 32 or 0x7F <= ord(char) < 0xA0 or char in "\u202e\u200b" for char in strip.text)
        assert strip.text.isascii() or strip.text.encode("utf-8")


def test_in_a_wide_terminal_messages_code_and_rules_end_at_one_column():
    rows = [
        RowBuilder(200, PALETTE).row(line)
        for item in (UserItem("hello"), AssistantItem("```python\nx = 1\n```\n\n---"))
        for line in render_item(item, 196, RenderContext(PALETTE))
        if line.runs
    ]
    assert len(rows) == 4
    assert len({row.ink for row in rows}) == 1
