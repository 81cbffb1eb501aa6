from collections.abc import Callable
from itertools import count, pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from kimi_tui.ui.tui.state.items import AssistantItem, NoticeItem, ToolItem, UserItem
from kimi_tui.ui.tui.themes.palette import Palette
from kimi_tui.ui.tui.transcript.item_store import ItemStore
from kimi_tui.ui.tui.transcript.scroll_window import ScrollWindow

PROSE = "Some words that fill a line or two of a narrow window, and then a few more of them. " * 3


def conversation(
    turns: int, width: int = 40, height: int = 12, clock: Callable[[], float] = lambda: 0.0
) -> ScrollWindow:
    store = ItemStore(clock)
    store.set_width(width, Palette())
    items = [item for turn in range(turns) for item in (UserItem(f"question {turn}"), AssistantItem(PROSE, done=True))]
    store.replace_all(items)
    window = ScrollWindow(store)
    window.resize(width, height)
    return window


def shown(window: ScrollWindow) -> list[str]:
    """The rows of the window, as text."""
    rows: list[str] = []
    index, skip = window.store.heights.find(window.top)
    while len(rows) < window.height and index < len(window.store):
        drawn = window.store.drawn(index)
        texts = [""] * drawn.gap + [line.text for line in drawn.lines]
        rows.extend(texts[skip:])
        skip = 0
        index += 1
    return rows[: window.height]


def test_a_window_that_follows_ends_with_the_last_row():
    window = conversation(20)
    assert window.top == window.end
    assert shown(window)[-1] == window.store.drawn(39).lines[-1].text


def test_only_what_is_seen_is_drawn():
    draws = count(1)
    conversation(5000, clock=lambda: float(next(draws)))
    assert next(draws) <= 20


@settings(max_examples=60, deadline=None)
@given(st.lists(st.integers(-15, 15), min_size=1, max_size=12))
def test_every_scroll_moves_what_is_shown_by_that_many_rows(steps: list[int]):
    window = conversation(30)
    window.move_to(window.top - 60)
    for step in steps:
        before, top = shown(window), window.top
        window.move_to(top + step)
        after = shown(window)
        if window.top == 0 or window.follow:
            continue
        if 0 <= step < window.height:
            assert after[: window.height - step] == before[step:]
        elif -window.height < step < 0:
            assert after[-step:] == before[:step]


def test_who_has_scrolled_up_stays_where_they_are():
    window = conversation(20)
    window.move_to(window.top - 30)
    before = shown(window)
    window.store.append(UserItem("more"))
    window.settle()
    assert shown(window) == before
    assert not window.follow


def test_at_the_end_the_window_follows_again():
    window = conversation(20)
    window.move_to(window.top - 5)
    assert not window.follow
    window.move_to(window.top + 50)
    assert window.follow
    assert window.top == window.end


@settings(max_examples=40, deadline=None)
@given(st.integers(20, 90), st.integers(4, 30), st.integers(0, 150))
def test_another_width_keeps_the_item_at_the_top(width: int, height: int, top: int):
    window = conversation(30)
    window.move_to(top)
    was, _ = window.store.heights.find(window.top)
    followed = window.follow
    window.resize(width, height)
    now, _ = window.store.heights.find(window.top)
    assert window.follow == followed
    if not followed and window.top < window.end:
        assert now == was


def test_while_text_streams_the_window_moves_in_steps():
    window = conversation(20)
    store = window.store
    store.append(AssistantItem())
    tops: list[int] = []
    for number in range(60):
        store.stream(len(store) - 1, f"line {number}\n\n")
        window.settle()
        assert store.heights.total <= window.top + window.height
        tops.append(window.top)
    moves = sum(before != after for before, after in pairwise(tops))
    assert moves <= 2 * 60 // window.trailing_rows + 1


def test_a_card_that_is_opened_grows_downwards():
    window = conversation(20)
    store = window.store
    tool = store.append(ToolItem("Shell", "make", "ok", output="\n".join(map(str, range(30)))))
    store.append(NoticeItem("after"))
    window.settle()
    store.set_open(tool, True)
    window.show_item(store.index_of(tool) or 0, above=3)
    assert shown(window)[4].startswith("✓ Shell")
    assert shown(window)[5].endswith("0")


def test_text_that_goes_away_leaves_no_hole():
    window = conversation(3)
    window.store.truncate(2)
    window.settle()
    assert shown(window)[0].startswith("▌you")
