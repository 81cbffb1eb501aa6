"""What waits for a yes, and what a yes covers."""

import asyncio

import pytest

from kimi_tui.interaction.approvals import ApprovalResult, Approvals, ProposedAction, Scope
from kimi_tui.wire.channel import Wire
from kimi_tui.wire.codec import WireMessage
from kimi_tui.wire.display import BriefBlock, DisplayBlock, UnknownBlock
from kimi_tui.wire.events import ApprovalResponse
from kimi_tui.wire.requests import ApprovalRequest

AB = Scope(("a", "b"), "a or b")


@pytest.fixture
def received() -> list[WireMessage]:
    return []


@pytest.fixture
def approvals(received: list[WireMessage]) -> Approvals:
    wire = Wire()
    wire.listen(received.append)
    return Approvals(wire)


def ask(approvals: Approvals, scope: Scope | None = None, *, force_ask: bool = False) -> "asyncio.Task[ApprovalResult]":
    return asyncio.create_task(
        approvals.ask(
            ProposedAction(
                sender="Shell",
                action="run command",
                description="d",
                scope=scope,
                force_ask=force_ask,
            ),
            tool_call_id="c1",
        )
    )


async def request(approvals: Approvals, count: int = 1) -> ApprovalRequest:
    while len(approvals.pending) < count:
        await asyncio.sleep(0)
    return approvals.pending[-1]


async def test_a_request_is_settled_once_by_its_id(approvals: Approvals, received: list[WireMessage]) -> None:
    task = ask(approvals, AB)
    one = await request(approvals)
    assert one.scope == "a or b"
    assert approvals.settle(one.id, "reject", " no, thanks ")
    assert not approvals.settle(one.id, "approve")
    assert await task == ApprovalResult(False, "no, thanks")
    assert received == [one, ApprovalResponse(request_id=one.id, response="reject", feedback="no, thanks")]


@pytest.mark.parametrize("display", [(), (UnknownBlock.model_validate({"type": "later"}),)])
async def test_a_request_with_reasons_shows_what_is_asked_for_too(
    approvals: Approvals, display: tuple[DisplayBlock, ...]
) -> None:
    scope = Scope(("fetch: a.example",), "pages of a.example")
    url = "https://a.example/?q=what+is+sent"
    task = asyncio.create_task(
        approvals.ask(
            ProposedAction(
                sender="FetchURL",
                action="fetch page",
                description=f"Fetch {url}",
                display=display,
                scope=scope,
                reasons=("the address itself can send data",),
            ),
            tool_call_id="c1",
        )
    )
    one = await request(approvals)
    assert one.display[0] == BriefBlock(text=f"Fetch {url}")
    approvals.settle(one.id, "reject")
    await task


async def test_a_yes_for_the_session_covers_what_needs_no_more_keys(approvals: Approvals) -> None:
    first, second = ask(approvals, AB), ask(approvals, Scope(("a",), "a"))
    third = ask(approvals, Scope(("a", "c"), "a or c"))
    await request(approvals, 3)
    approvals.settle(approvals.pending[0].id, "approve_for_session")
    assert await first == await second == ApprovalResult(True)
    assert approvals.granted == {"a", "b"}
    assert await ask(approvals, Scope(("b", "a"), "x")) == ApprovalResult(True)
    assert len(approvals.pending) == 1
    approvals.settle(approvals.pending[0].id, "approve")
    await third
    assert approvals.granted == {"a", "b"}


async def test_a_scope_without_keys_covers_nothing(approvals: Approvals) -> None:
    task = ask(approvals, Scope((), ""))
    await request(approvals)
    approvals.reject_all()
    assert not (await task).approved


async def test_what_is_protected_is_asked_for_every_time(approvals: Approvals) -> None:
    approvals.yolo = True
    assert await ask(approvals) == ApprovalResult(True)
    for _ in range(2):
        task = ask(approvals, AB, force_ask=True)
        one = await request(approvals)
        assert one.scope is None
        approvals.yolo = True
        await asyncio.sleep(0)
        assert not task.done()
        approvals.settle(one.id, "approve_for_session")
        assert (await task).approved
    assert approvals.granted == frozenset()


async def test_turning_yolo_on_settles_what_waits(approvals: Approvals) -> None:
    task = ask(approvals)
    await request(approvals)
    approvals.yolo = True
    assert (await task).approved


async def test_where_nobody_attends_what_is_protected_is_refused() -> None:
    approvals = Approvals(Wire(), yolo=True, attended=False)
    assert (await ask(approvals)).approved
    refused = await ask(approvals, force_ask=True)
    assert not refused.approved
    assert refused.unattended


async def test_an_answer_after_an_interruption_grants_nothing(approvals: Approvals) -> None:
    first, second = ask(approvals, AB), ask(approvals, AB)
    await request(approvals, 2)
    ids = [one.id for one in approvals.pending]
    first.cancel()
    assert not approvals.settle(ids[0], "approve_for_session")
    approvals.withdraw_all()
    assert not approvals.settle(ids[1], "approve_for_session")
    await asyncio.wait((first, second))
    assert first.cancelled()
    assert second.cancelled()
    assert (approvals.granted, approvals.pending) == (frozenset(), ())


async def test_cancelling_the_wait_takes_the_request_back(approvals: Approvals, received: list[WireMessage]) -> None:
    task = ask(approvals)
    one = await request(approvals)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert approvals.pending == ()
    assert received[-1] == ApprovalResponse(request_id=one.id, response="reject")
