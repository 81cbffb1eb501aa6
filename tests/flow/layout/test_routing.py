"""Routes of lines between two layers."""

from kimi_tui.flow.layout.routing import Channel, route


def _tracks(channel: Channel) -> list[set[int]]:
    return [{track for _breadth, track in path} for path in channel.paths]


def test_a_line_that_forks_is_not_touched_by_one_that_joins_its_other_way() -> None:
    straight, fork, join = _tracks(route([(2, 2), (2, 0), (4, 2)]))
    assert straight == set()
    assert max(fork) < min(join)  # it turns away before the other one comes


def test_lines_that_leave_by_one_pin_share_a_track() -> None:
    first, second = _tracks(route([(2, 0), (2, 4)]))
    assert first == second


def test_lines_that_enter_by_one_pin_share_a_track() -> None:
    first, second = _tracks(route([(0, 2), (4, 2)]))
    assert first == second
