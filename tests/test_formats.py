import pytest

from kimi_tui.formats import byte_count, clock, duration, token_count


@pytest.mark.parametrize(
    ("seconds", "shown"),
    [(-1, "0.0s"), (0, "0.0s"), (2.14, "2.1s"), (9.97, "10s"), (59.7, "1:00"), (72, "1:12"), (7390, "2:03:10")],
)
def test_what_took_a_time_says_it_like_this(seconds: float, shown: str):
    assert duration(seconds) == shown


@pytest.mark.parametrize(("seconds", "shown"), [(-5, "0:00"), (59.9, "0:59"), (61, "1:01"), (3723, "1:02:03")])
def test_a_clock_shows_whole_seconds(seconds: float, shown: str):
    assert clock(seconds) == shown


@pytest.mark.parametrize(
    ("count", "shown"),
    [(0, "0"), (999, "999"), (4_200, "4.2k"), (256_000, "256k"), (999_600, "1.0M"), (1_100_000, "1.1M")],
)
def test_tokens_take_four_characters_at_most(count: int, shown: str):
    assert token_count(count) == shown


@pytest.mark.parametrize(
    ("size", "shown"), [(950, "950 B"), (12_300, "12 KiB"), (16 << 20, "16 MiB"), (3_250_000, "3.1 MiB")]
)
def test_sizes_are_in_binary_units(size: int, shown: str):
    assert byte_count(size) == shown
