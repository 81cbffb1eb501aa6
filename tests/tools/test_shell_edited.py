"""A command that the user changed before it ran: exactly that runs, rules come first, and the model is told."""

from kimi_tui.permission.policy import Policy
from kimi_tui.permission.rule import Effect, parse_rule
from kimi_tui.tools.core.progress import ToolProgress
from kimi_tui.tools.shell import Shell
from kimi_tui.wire.parts import ToolReturnValue
from tests.tools.kit import Desk


async def use_edited(desk: Desk, command: str, edited: str) -> ToolReturnValue:
    """Shell's result, where the user answers with another command."""
    desk.answer = None
    desk.before_answer = lambda: desk.approvals.settle(desk.asked[-1].id, "approve", edited=edited)
    return await desk.use(Shell(desk.workspace, desk.approvals, ToolProgress()), command=command)


async def test_what_was_edited_runs_and_the_model_is_told(desk: Desk) -> None:
    value = await use_edited(desk, "touch theirs", "touch mine; echo done")
    assert (value.is_error, value.output) == (False, "done\n")
    assert [path.name for path in desk.dir.iterdir()] == ["mine"]
    assert "changed the command" in value.message
    assert "touch mine; echo done" in value.message


async def test_a_rule_that_denies_what_was_edited_comes_first(desk: Desk) -> None:
    desk.approvals.policy = Policy([parse_rule("Shell(touch *)", Effect.DENY)])
    value = await use_edited(desk, "mkdir hi", "touch mine")
    assert value.is_error
    assert "not allowed" in value.message
    assert list(desk.dir.iterdir()) == []


async def test_an_edit_goes_only_with_a_yes_for_once_and_is_not_empty(desk: Desk) -> None:
    taken: list[bool] = []

    def answer() -> None:
        settle, request = desk.approvals.settle, desk.asked[-1]
        taken.append(settle(request.id, "approve_for_session", edited="ls"))
        taken.append(settle(request.id, "reject", edited="ls"))
        taken.append(settle(request.id, "approve", edited="  "))
        taken.append(settle(request.id, "reject"))

    desk.answer, desk.before_answer = None, answer
    value = await desk.use(Shell(desk.workspace, desk.approvals, ToolProgress()), command="touch theirs")
    assert value.is_error
    assert taken == [False, False, False, True]
