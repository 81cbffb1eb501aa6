"""FLOWS.md 1.3: a plain message as a loop."""

from kimi_tui.errors import MaxStepsReachedError
from kimi_tui.flow.model.graph import NodeKind
from kimi_tui.flow.run.ralph import UNBOUNDED, ralph_flow, ralph_text, read_ralph
from kimi_tui.wire.parts import ImageURLPart, MediaURL, TextPart
from tests.flow.runner_harness import RunnerHarness

GO, STOP = "<choice>CONTINUE</choice>", "<choice>STOP</choice>"
PICTURE = ImageURLPart(image_url=MediaURL(url="data:image/png;base64,AA=="))


async def test_the_message_is_done_once_and_then_gone_on_with_until_stop() -> None:
    flow, max_moves = ralph_flow("Tidy up ${ARGS}", 5)
    harness = RunnerHarness(flow, ["ok", GO, GO, STOP], max_moves=max_moves)
    outcome = await harness.run()
    assert (outcome.status, outcome.moves, harness.way) == ("finished", 4, ["R1", "R2", "R2", "R2"])
    first, second = harness.script.prompts[:2]
    assert first == "Tidy up ${ARGS}"
    assert str(second).startswith("Tidy up ${ARGS}\n\n(")
    assert "- CONTINUE\n- STOP" in str(second)


async def test_the_moves_are_one_more_than_the_iterations_and_reaching_them_is_an_error() -> None:
    flow, max_moves = ralph_flow("Tidy up", 2)
    outcome = await RunnerHarness(flow, ["ok", GO], max_moves=max_moves).run()
    assert (outcome.status, outcome.moves) == ("max_moves", 3)
    assert isinstance(outcome.error, MaxStepsReachedError)


def test_below_nothing_there_is_no_bound() -> None:
    assert ralph_flow("x", -1)[1] == UNBOUNDED


async def test_images_come_again_with_every_turn() -> None:
    flow, max_moves = ralph_flow((TextPart(text="Like this:"), PICTURE), 3)
    harness = RunnerHarness(flow, ["ok", STOP], max_moves=max_moves)
    await harness.run()
    assert harness.script.prompts[0] == (TextPart(text="Like this:"), PICTURE)
    assert PICTURE in harness.script.prompts[1]
    assert flow.nodes["R2"].kind is NodeKind.DECISION
    assert flow.nodes["R1"].title == "Like this:"


def test_the_message_survives_in_the_journal_as_text() -> None:
    for message in ("Tidy up", (TextPart(text="Like this:"), PICTURE)):
        assert read_ralph(ralph_text(message)) == message
