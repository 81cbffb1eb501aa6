"""A long session shows its last turns at once, and loads the others."""

from collections.abc import Iterator
from functools import partial
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from kimi_tui.ui.tui.session.earlier_turns import EarlierTurns
from kimi_tui.ui.tui.state.items import ErrorItem, SeparatorItem, UserItem
from kimi_tui.ui.tui.state.ui_state import UiState
from kimi_tui.wire.codec import WireMessage
from kimi_tui.wire.events import StepBegin, TurnBegin, TurnEnd
from kimi_tui.wire.parts import TextPart
from kimi_tui.wire.recorder import Recorded
from tests.ui.tui.fake_engine import NOW, FakeEngine
from tests.ui.tui.pilot_driver import PilotDriver, Start
from tests.ui.tui.state.test_ui_state import MESSAGES

TURNS = 60
OF_A_TURN = 4


def turn(n: int) -> list[WireMessage]:
    return [TurnBegin(user_input=f"question {n}"), StepBegin(n=1), TextPart(text=f"answer {n}"), TurnEnd()]


RECORD = [(NOW - 1000 + n, message) for n in range(TURNS) for message in turn(n)]


def prompts(driver: PilotDriver) -> list[str]:
    return [item.text for item in driver.app.presenter.state.conversation.items if isinstance(item, UserItem)]


async def all_loaded(driver: PilotDriver) -> None:
    while len(prompts(driver)) < TURNS:
        await driver.pilot.pause()


@settings(deadline=None, max_examples=200)
@given(st.lists(st.sampled_from(MESSAGES), max_size=40), st.data())
def test_what_is_loaded_in_steps_is_what_is_read_at_once(messages: list[WireMessage], data: st.DataObject) -> None:
    timed = [(float(at), message) for at, message in enumerate(messages)]
    cut = data.draw(st.integers(0, len(timed)))
    whole = UiState()
    whole.fold_all(timed)
    earlier = EarlierTurns(Recorded(*message) for message in timed[:cut])
    for at, message in timed[cut:]:
        earlier.add(partial(UiState.fold, message=message, at=at))
    while earlier.step(0.0001):
        pass
    state = earlier.finish()
    assert state.conversation.items == whole.conversation.items
    assert (state.turn, state.status, state.todo, state.chats) == (whole.turn, whole.status, whole.todo, whole.chats)
    assert earlier.messages == timed[:cut]


async def test_the_last_turns_are_shown_before_the_others_are_loaded(start: Start, tmp_path: Path) -> None:
    engine = FakeEngine(tmp_path, record=RECORD, recent=2 * OF_A_TURN)
    async with start(engine=engine) as driver:
        assert prompts(driver) == ["question 58", "question 59"]
        engine.sdk_loaded.set()
        await all_loaded(driver)
        app = driver.app
        assert prompts(driver) == [f"question {n}" for n in range(TURNS)]
        items, sync = app.presenter.state.conversation.items, app.presenter.transcript_sync
        assert [app.main_screen.transcript.item(one) for one in sync.ids] == list(items)
        assert [sync.key_of(one) for one in sync.ids] == list(range(len(items)))
        assert [item for item in items if isinstance(item, SeparatorItem)] == [items[-1]]


async def test_what_happens_while_the_others_load_stays_at_the_end(start: Start, tmp_path: Path) -> None:
    engine = FakeEngine(tmp_path, record=RECORD, recent=OF_A_TURN)
    async with start(engine=engine) as driver:
        app = driver.app
        app.presenter.apply_batch([(NOW, message) for message in (*turn(60)[:2], TextPart(text="new"))])
        app.presenter.load_all()
        app.presenter.apply_batch([(NOW, message) for message in (TextPart(text=" words"), TurnEnd())])
        await driver.pilot.pause()
        assert prompts(driver) == [f"question {n}" for n in range(61)]
        last = app.main_screen.transcript.item(app.presenter.transcript_sync.ids[-1])
        assert last == app.presenter.state.conversation.items[-1]
        assert "new words" in str(last)


async def test_the_visible_rows_stay_in_place_when_the_others_come(start: Start, tmp_path: Path) -> None:
    engine = FakeEngine(tmp_path, record=RECORD, recent=30 * OF_A_TURN)
    async with start(engine=engine) as driver:
        transcript = driver.app.main_screen.transcript
        transcript.action_page_up()
        transcript.action_page_up()
        await driver.pilot.pause()
        before = [transcript.render_line(y).text for y in range(transcript.size.height)]
        assert "answer 3" in "".join(before)
        driver.app.presenter.load_all()
        await driver.pilot.pause()
        assert [transcript.render_line(y).text for y in range(transcript.size.height)] == before
        assert not transcript.follow


async def test_a_search_looks_through_the_turns_that_were_not_loaded_yet(start: Start, tmp_path: Path) -> None:
    async with start(engine=FakeEngine(tmp_path, record=RECORD, recent=OF_A_TURN)) as driver:
        await driver.press("ctrl+f")
        await driver.type("answer 17")
        await driver.pilot.pause()
        assert driver.app.main_screen.transcript.found == (1, 1)


async def test_an_export_holds_the_turns_that_were_not_loaded_yet(start: Start, tmp_path: Path) -> None:
    async with start(engine=FakeEngine(tmp_path, record=RECORD, recent=OF_A_TURN)) as driver:
        assert "answer 17" in driver.app.main_screen.transcript.markdown()


async def test_time_travel_goes_through_the_turns_that_were_not_loaded_yet(start: Start, tmp_path: Path) -> None:
    async with start(engine=FakeEngine(tmp_path, record=RECORD, recent=OF_A_TURN)) as driver:
        travel = driver.app.time_travel
        assert travel.open()
        assert travel.number == len(RECORD)
        travel.go_to(OF_A_TURN)
        past = driver.app.presenter.shown_state.conversation.items
        assert [item.text for item in past if isinstance(item, UserItem)] == ["question 0"]


async def test_turns_that_cannot_be_read_are_named_as_such(start: Start, tmp_path: Path) -> None:
    def broken() -> Iterator[Recorded]:
        yield Recorded(*RECORD[0])
        raise OSError(5, "Input/output error")

    engine = FakeEngine(tmp_path, record=RECORD, recent=OF_A_TURN)
    engine.earlier = broken()
    async with start(engine=engine) as driver:
        driver.app.presenter.load_all()
        items = driver.app.presenter.state.conversation.items
        assert ErrorItem("The earlier turns cannot be read", "Input/output error") == items[-1]
        assert prompts(driver) == ["question 0", "question 59"]


async def test_a_session_that_is_left_while_it_loads_does_not_load_the_next_one(start: Start, tmp_path: Path) -> None:
    begun: list[Recorded] = []

    def endless() -> Iterator[Recorded]:
        while True:
            begun.append(Recorded(*RECORD[0]))
            yield begun[-1]

    engine = FakeEngine(tmp_path, record=RECORD, recent=OF_A_TURN)
    engine.earlier = endless()
    engine.sdk_loaded.set()
    async with start(engine=engine) as driver:
        while not begun:
            await driver.pilot.pause()
        driver.app.presenter.clear()
        driver.app.presenter.attach(FakeEngine(tmp_path, record=RECORD, recent=OF_A_TURN))
        for _ in range(5):
            await driver.pilot.pause(0.02)
        assert prompts(driver) == ["question 59"]
