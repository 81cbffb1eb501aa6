"""A command that the user changed before it ran: exactly that runs, rules come first, and the model is told."""

from kimi_tui.permission.policy import Policy
from kimi_tui.permission.rule import Effect, parse_rule
from kimi_tui.tools.core.progress import ToolProgress
from kimi_tui.tools.shell import Shell
from kimi_tui.wire.parts import ToolReturnValue
from tests.tools.harness import ToolHarness


async def use_edited(harness: ToolHarness, command: str, edited: str) -> ToolReturnValue:
    """Shell's result, where the user answers with another command."""
    harness.answer = None
    harness.before_answer = lambda: harness.approvals.settle(harness.asked[-1].id, "approve", edited=edited)
    return await harness.use(Shell(harness.workspace, harness.approvals, ToolProgress()), command=command)


async def test_what_was_edited_runs_and_the_model_is_told(harness: ToolHarness) -> None:
    value = await use_edited(harness, "touch theirs", "touch mine; echo done")
    assert (value.is_error, value.output) == (False, "done\n")
    assert [path.name for path in harness.dir.iterdir()] == ["mine"]
    assert "changed the command" in value.message
    assert "touch mine; echo done" in value.message


async def test_a_rule_that_denies_what_was_edited_comes_first(harness: ToolHarness) -> None:
    harness.approvals.policy = Policy([parse_rule("Shell(touch *)", Effect.DENY)])
    value = await use_edited(harness, "mkdir hi", "touch mine")
    assert value.is_error
    assert "not allowed" in value.message
    assert list(harness.dir.iterdir()) == []


async def test_an_edit_goes_only_with_a_yes_for_once_and_is_not_empty(harness: ToolHarness) -> None:
    taken: list[bool] = []

    def answer() -> None:
        settle, request = harness.approvals.settle, harness.asked[-1]
        taken.append(settle(request.id, "approve_for_session", edited="ls"))
        taken.append(settle(request.id, "reject", edited="ls"))
        taken.append(settle(request.id, "approve", edited="  "))
        taken.append(settle(request.id, "reject"))

    harness.answer, harness.before_answer = None, answer
    value = await harness.use(Shell(harness.workspace, harness.approvals, ToolProgress()), command="touch theirs")
    assert value.is_error
    assert taken == [False, False, False, True]
