"""A dialog takes a key only after its user's terminal has drawn it, which a slow connection delays."""

from collections.abc import Callable, Iterator

import pytest

from kimi_tui.ui.tui.terminal.drawn_reports import PATIENCE_S, DrawnReports, use_reports
from tests.ui.tui import wire_scenarios
from tests.ui.tui.pilot_driver import Start


class Terminal:
    """A terminal that answers when it is told to."""

    def __init__(self) -> None:
        self.now = 0.0
        self.requests = 0
        self.reports = DrawnReports(self._write, self._after_drawing, clock=lambda: self.now)
        self.reports.start()

    def _write(self, _request: str) -> None:
        self.requests += 1

    def _after_drawing(self, callback: Callable[[], None]) -> None:
        callback()

    def answer(self) -> None:
        while self.requests:
            self.requests -= 1
            self.reports.take()


@pytest.fixture
def terminal() -> Iterator[Terminal]:
    """The reports of this terminal are used."""
    one = Terminal()
    use_reports(one.reports)
    yield one
    use_reports(None)


async def test_a_key_before_the_terminal_has_drawn_the_dialog_answers_nothing(start: Start, terminal: Terminal) -> None:
    terminal.answer()
    async with start() as driver:
        await driver.say(*wire_scenarios.approval())
        driver.clock.now += 2
        await driver.press("y")
        assert driver.verdicts == []
        terminal.answer()
        await driver.press("y")
        assert driver.verdicts == []  # just drawn: the key can be one for what was there before
        terminal.answer()
        driver.clock.now += 1
        await driver.press("y")
        assert driver.verdicts == [("approve", None)]


async def test_a_terminal_that_never_answers_a_request_is_not_waited_for(start: Start, terminal: Terminal) -> None:
    async with start() as driver:
        await driver.say(*wire_scenarios.approval())
        driver.clock.now += 1
        await driver.press("y")
        assert driver.verdicts == [("approve", None)]


async def test_a_dialog_takes_keys_although_the_terminal_has_stopped_answering(
    start: Start, terminal: Terminal
) -> None:
    terminal.answer()
    async with start() as driver:
        await driver.say(*wire_scenarios.approval())
        driver.clock.now += PATIENCE_S + 1
        await driver.press("y")
        assert driver.verdicts == [("approve", None)]


def test_late_answers_are_not_taken_for_those_to_later_requests(terminal: Terminal) -> None:
    drawn: list[str] = []
    terminal.answer()
    assert terminal.reports.call_when_drawn(lambda: drawn.append("first"))
    terminal.now += PATIENCE_S + 1
    assert not terminal.reports.call_when_drawn(lambda: drawn.append("second"))
    terminal.answer()
    assert terminal.reports.call_when_drawn(lambda: drawn.append("third"))
    assert drawn == []
    terminal.answer()
    assert drawn == ["third"]


async def test_keys_that_are_pressed_again_and_again_do_not_put_the_report_off(
    start: Start, terminal: Terminal
) -> None:
    terminal.answer()
    async with start() as driver:
        await driver.say(*wire_scenarios.approval())
        for _ in range(4):
            driver.clock.now += 1
            await driver.press("y")
        assert terminal.requests == 1
        terminal.answer()
        driver.clock.now += 1
        await driver.press("y")
        assert driver.verdicts == [("approve", None)]


def test_one_request_at_a_time_is_without_an_answer(terminal: Terminal) -> None:
    drawn: list[str] = []
    terminal.answer()
    for name in ("first", "second"):
        assert terminal.reports.call_when_drawn(lambda name=name: drawn.append(name))
    assert terminal.requests == 1
    terminal.requests -= 1
    terminal.reports.take()
    assert (drawn, terminal.requests) == (["first"], 1)
    terminal.answer()
    assert drawn == ["first", "second"]


def test_after_a_lost_answer_the_terminal_is_asked_again_and_each_answer_is_that_to_the_last_request(
    terminal: Terminal,
) -> None:
    drawn: list[str] = []
    terminal.answer()
    assert terminal.reports.call_when_drawn(lambda: drawn.append("lost"))
    terminal.requests = 0
    terminal.now += PATIENCE_S + 1
    assert not terminal.reports.call_when_drawn(lambda: drawn.append("unasked"))
    assert terminal.requests == 0
    terminal.now += 60
    assert not terminal.reports.call_when_drawn(lambda: drawn.append("unasked"))
    assert terminal.requests == 1
    terminal.answer()
    assert terminal.reports.call_when_drawn(lambda: drawn.append("drawn"))
    assert drawn == []
    terminal.answer()
    assert drawn == ["drawn"]


async def test_after_another_program_had_the_terminal_its_answers_are_not_waited_for(
    start: Start, terminal: Terminal
) -> None:
    terminal.answer()
    async with start() as driver:
        await driver.say(*wire_scenarios.approval())
        terminal.requests = 0  # the editor has read the answer
        driver.app.app_resume_signal.publish(driver.app)
        await driver.pilot.pause()
        terminal.answer()
        driver.clock.now += 1
        await driver.press("y")
        assert driver.verdicts == [("approve", None)]
