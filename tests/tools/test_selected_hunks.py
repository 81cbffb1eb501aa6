"""An edit of which the user takes some changes: only those are made, and the model is told which."""

import asyncio

from hypothesis import given
from hypothesis import strategies as st

from kimi_tui.permission.policy import Policy
from kimi_tui.permission.rule import Effect, parse_rule
from kimi_tui.tools.core.progress import ToolProgress
from kimi_tui.tools.file_support.diff import diff_blocks, text_with
from kimi_tui.tools.shell import Shell
from kimi_tui.tools.str_replace_file import StrReplaceFile
from kimi_tui.tools.write_file import WriteFile
from kimi_tui.wire.codec import WireMessage
from kimi_tui.wire.display import BriefBlock, DiffBlock
from kimi_tui.wire.events import ApprovalResponse
from kimi_tui.wire.parts import ToolReturnValue
from tests.tools.harness import ToolHarness

OLD = "".join(f"line {number}\n" for number in range(1, 41))
NEW = OLD.replace("line 2\n", "line two\n").replace("line 20\n", "").replace("line 39\n", "line 39\nand a half\n")


async def write_some(
    harness: ToolHarness, taken: set[int], comment: str | None = None, *, name: str = "a.txt"
) -> ToolReturnValue:
    """WriteFile's result, where the user takes these changes."""
    (harness.dir / name).write_text(OLD)
    harness.answer = None
    harness.before_answer = lambda: harness.approvals.settle(harness.asked[-1].id, "approve", comment, taken=taken)
    return await harness.use(WriteFile(harness.workspace, harness.approvals), path=name, content=NEW)


async def test_only_the_changes_that_were_taken_are_made(harness: ToolHarness) -> None:
    value = await write_some(harness, {0, 2})
    assert (harness.dir / "a.txt").read_text() == NEW.replace("line 19\n", "line 19\nline 20\n")
    assert not value.is_error
    assert value.display[0] == BriefBlock(text="You took 2 of 3 changes")
    assert [block.new_start for block in value.display[1:] if isinstance(block, DiffBlock)] == [1, 37]


async def test_the_model_is_told_which_were_taken_and_the_whole_of_what_was_refused(harness: ToolHarness) -> None:
    value = await write_some(harness, {1})
    assert "of the 3 changes the user took 1" in value.message
    assert "Change 2, from line 17: made." in value.message
    assert "Change 1, from line 1: refused" in value.message
    assert "-line 2\n+line two\n" in value.message
    assert "+and a half" in value.message
    assert "-line 20" not in value.message


async def test_what_was_refused_in_a_file_that_may_not_be_read_is_not_told(harness: ToolHarness) -> None:
    for name, rules in ((".env", ()), ("a.txt", (parse_rule("Read(a.txt)", Effect.DENY),))):
        harness.approvals.policy = Policy(rules)
        value = await write_some(harness, {1}, name=name)
        message = f"Edited `{name}` in part: of the 3 changes the user took 1 and refused the others."
        assert (value.message, value.output) == (message, "")


async def test_taking_all_of_them_is_an_ordinary_yes(harness: ToolHarness) -> None:
    received: list[WireMessage] = []
    harness.wire.listen(received.append)
    value = await write_some(harness, {0, 1, 2})
    assert (harness.dir / "a.txt").read_text() == NEW
    assert value.message.startswith("Wrote `a.txt`")
    assert ApprovalResponse(request_id=harness.asked[0].id, response="approve") in received


async def test_the_wire_says_how_many_there_are_and_which_were_taken(harness: ToolHarness) -> None:
    received: list[WireMessage] = []
    harness.wire.listen(received.append)
    await write_some(harness, {2, 0})
    assert harness.asked[0].hunks == 3
    assert ApprovalResponse(request_id=harness.asked[0].id, response="approve", taken=(0, 2)) in received


async def test_an_edit_with_one_change_is_taken_or_refused_as_a_whole(harness: ToolHarness) -> None:
    (harness.dir / "a.txt").write_text(OLD)
    edit = {"old": "line 2\n", "new": "line two\n"}
    await harness.use(StrReplaceFile(harness.workspace, harness.approvals), path="a.txt", edit=edit)
    assert harness.asked[0].hunks is None


async def test_a_choice_that_makes_no_sense_settles_nothing(harness: ToolHarness) -> None:
    settled: list[bool] = []

    def answer() -> None:
        one = harness.asked[-1].id
        for taken in (set[int](), {3}, {0, -1}):
            settled.append(harness.approvals.settle(one, "approve", taken=taken))
        settled.append(harness.approvals.settle(one, "reject", taken={0}))
        settled.append(harness.approvals.settle(one, "approve_for_session", taken={0}))
        harness.approvals.settle(one, "reject")

    (harness.dir / "a.txt").write_text(OLD)
    harness.answer, harness.before_answer = None, answer
    assert (await harness.use(WriteFile(harness.workspace, harness.approvals), path="a.txt", content=NEW)).is_error
    assert settled == [False] * 5
    assert (harness.dir / "a.txt").read_text() == OLD


async def test_line_ends_and_the_mark_are_kept_where_some_is_taken(harness: ToolHarness) -> None:
    (harness.dir / "a.txt").write_bytes(b"\xef\xbb\xbf" + OLD.replace("\n", "\r\n").encode())
    harness.answer = None
    harness.before_answer = lambda: harness.approvals.settle(harness.asked[-1].id, "approve", taken={0})
    edits = [{"old": "line 2\n", "new": "line two\n"}, {"old": "line 30\n", "new": ""}]
    await harness.use(StrReplaceFile(harness.workspace, harness.approvals), path="a.txt", edit=edits)
    expected = OLD.replace("line 2\n", "line two\n").replace("\n", "\r\n").encode()
    assert (harness.dir / "a.txt").read_bytes() == b"\xef\xbb\xbf" + expected


async def test_a_comment_with_a_yes_reaches_the_model_beside_the_result(harness: ToolHarness) -> None:
    harness.feedback = "mind the tests"
    value = await harness.use(Shell(harness.workspace, harness.approvals, ToolProgress()), command="mkdir -v hi")
    assert not value.is_error
    assert value.message.endswith("The user approved this and says: mind the tests")
    assert value.display[-1] == BriefBlock(text="You: mind the tests")


async def test_a_comment_goes_with_some_of_the_changes_too(harness: ToolHarness) -> None:
    value = await write_some(harness, {0}, "the rest later")
    assert value.message.endswith("The user approved this and says: the rest later")


async def test_calls_that_are_answered_side_by_side_keep_their_comments_apart(harness: ToolHarness) -> None:
    harness.answer = None
    shell = Shell(harness.workspace, harness.approvals, ToolProgress())
    calls = [asyncio.create_task(harness.use(shell, command=f"mkdir {name}")) for name in ("one", "two")]
    while len(harness.asked) < 2:
        await asyncio.sleep(0)
    harness.approvals.settle(harness.asked[0].id, "approve", "first")
    harness.approvals.settle(harness.asked[1].id, "approve", "second")
    first, second = [(await call).message for call in calls]
    assert ("first" in first, "second" in first, "second" in second) == (True, False, True)


LINES = st.lists(st.sampled_from(["a\n", "b\n", "c\n", "d\r\n", "e\x0c"]), max_size=40)


@given(LINES, LINES, st.sampled_from(["", "end"]), st.data())
def test_any_choice_of_changes_is_the_old_text_with_those_and_no_others(
    before: list[str], after: list[str], end: str, data: st.DataObject
) -> None:
    old, new = "".join(before) + end, "".join(after)
    count = len(diff_blocks("f", old, new))
    assert text_with(old, new, frozenset()) == old
    if old.splitlines() == new.splitlines():
        return
    assert text_with(old, new, frozenset(range(count))).splitlines() == new.splitlines()
    taken = data.draw(st.sets(st.integers(0, count - 1)))
    mixed = text_with(old, new, taken)
    rest = text_with(mixed, new, frozenset(range(len(diff_blocks("f", mixed, new)))))
    assert rest.splitlines() == new.splitlines()
