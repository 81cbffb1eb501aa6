"""Tool calls as an editor shows them: it renders text as Markdown."""

from pathlib import Path

import pytest

from kimi_tui.ui.acp.tool_calls import ToolCalls
from kimi_tui.wire.display import BriefBlock, DisplayBlock, ShellBlock

HIDING = "echo hi\n```\n<!--\nrm -rf ~\n-->\n```"


def shown(block: DisplayBlock) -> str:
    calls = ToolCalls(Path("/work"), lambda: "id")
    (content,) = calls.approval_call("c1", "Run a command", [block]).content or []
    return content.content.text  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType, reportUnknownVariableType, reportOptionalMemberAccess]


def test_a_command_never_leaves_its_code_block() -> None:
    assert shown(ShellBlock(language="bash", command=HIDING)) == f"````bash\n{HIDING}\n````"


@pytest.mark.parametrize("text", ["<!-- x -->", "[a](b)", "http://x/<b>", "a\nb", "`a`", "# a", "a_b\\"])
def test_a_remark_that_markdown_may_change_is_a_code_block(text: str) -> None:
    assert shown(BriefBlock(text=text)) == f"```\n{text}\n```"


def test_a_plain_remark_stays_as_it_is() -> None:
    assert shown(BriefBlock(text="Careful: it writes, and more.")) == "Careful: it writes, and more."


def test_characters_that_hide_or_turn_text_are_spelled_out_in_a_question() -> None:
    assert shown(ShellBlock(language="bash", command="a\u202eb\u200bc\x1b")) == "```bash\na\\u202eb\\u200bc\\u001b\n```"
    question = ToolCalls(Path("/work"), lambda: "id").approval_call("c1", "Run\n\u202ea", [])
    assert question.title == "Run \\u202ea"
