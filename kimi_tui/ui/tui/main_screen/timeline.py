"""A session's time as the scrub bar shows it: long waits are shortened, important events are marked."""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from kimi_tui.ui.tui.i18n import labels
from kimi_tui.ui.tui.i18n.catalog import _
from kimi_tui.ui.tui.state.flow_reducer import label_of
from kimi_tui.ui.tui.state.view_clock import Timed
from kimi_tui.ui.tui.text.call_summary import one_line
from kimi_tui.wire import events, flow_events, parts, requests

MarkKind = Literal["turn", "node", "decision", "pause", "finished", "end", "error"]

LONGEST_WAIT_S = 4.0
"""Maximum length of a wait on the bar."""


@dataclass(frozen=True, slots=True)
class Mark:
    """A mark on the timeline: an event after the first `number` messages."""

    number: int
    kind: MarkKind
    words: str


class Timeline:
    """The marks of a session. Positions are seconds on the bar.

    `stops` are the message counts after which the screen changes.
    """

    def __init__(self, messages: Sequence[Timed] = ()) -> None:
        self.marks: list[Mark] = []
        self.stops: list[int] = [0]
        self._places: list[float] = [0.0]
        self._last: float | None = None
        self._labels: dict[str, str] = {}
        for message in messages:
            self.append(message)

    @property
    def length(self) -> float:
        return self._places[-1]

    def append(self, timed: Timed) -> None:
        at, message = timed
        waited = max(0.0, at - self._last) if self._last is not None else 0.0
        self._last = at
        self._places.append(self._places[-1] + min(waited, LONGEST_WAIT_S))
        number = len(self._places) - 1
        if not isinstance(message, events.StatusUpdate | flow_events.FlowControls | flow_events.FlowSpending):
            self.stops.append(number)
        if (mark := self._mark(message)) is not None:
            self.marks.append(Mark(number, *mark))

    def place_of(self, number: int) -> float:
        return self._places[max(0, min(number, len(self._places) - 1))]

    def number_at(self, place: float) -> int:
        """The number of messages before that position of the bar."""
        return max(0, bisect_right(self._places, place) - 1)

    def next_stop(self, number: int, by: int) -> int:
        return _next(self.stops, number, by, len(self._places) - 1)

    def next_mark(self, number: int, by: int) -> int:
        return _next([0, *(mark.number for mark in self.marks)], number, by, len(self._places) - 1)

    def label_at(self, number: int) -> str:
        """The label of the last mark before the position."""
        place = bisect_right(self.marks, number, key=lambda mark: mark.number) - 1
        return self.marks[place].words if place >= 0 else ""

    def _mark(self, message: object) -> tuple[MarkKind, str] | None:
        match message:
            case events.TurnBegin() if not self._labels:
                return "turn", _("you: {text}", text=one_line(parts.text_of(message.user_input)))
            case flow_events.FlowBegin():
                self._labels = {node.id: label_of(message, node.id) for node in message.nodes}
                if message.resumed_at:
                    return "turn", _("flow {name} continued", name=message.name)
                return "turn", _("flow {name} started", name=message.name)
            case flow_events.FlowNodeBegin() if message.attempt == 1:
                return "node", _("move {number}: {node}", number=message.move, node=self._name(message.node_id))
            case flow_events.FlowDecision():
                node, branch = self._name(message.node_id), one_line(message.choice)
                if message.by == "user":
                    return "decision", _("{node} you chose {branch}", node=node, branch=branch)
                if message.by_default:
                    return "decision", f"{node} " + _("no answer in time: {branch}", branch=branch)
                return "decision", _("{node} chose {branch}", node=node, branch=branch)
            case flow_events.FlowPaused():
                return "pause", _(
                    "{state} at {node}", state=_(labels.PAUSED[message.reason]), node=self._name(message.node_id)
                )
            case flow_events.FlowEnd():
                self._labels = {}
                kinds: dict[flow_events.FlowStatus, MarkKind] = {"finished": "finished", "failed": "error"}
                return kinds.get(message.status, "end"), _("the flow {end}", end=_(labels.ENDED[message.status]))
            case requests.ApprovalRequest():
                return "pause", _("{tool} asks for approval", tool=labels.tool_label(message.sender))
            case events.StepInterrupted():
                return "error", _("interrupted")
            case events.StepRetry():
                return "error", labels.retry_reason(message)
            case _:
                return None

    def _name(self, node_id: str) -> str:
        return self._labels.get(node_id, node_id)


def _next(numbers: list[int], number: int, by: int, last: int) -> int:
    if by < 0:
        place = bisect_left(numbers, number) - 1
        return numbers[place] if place >= 0 else 0
    place = bisect_right(numbers, number)
    return numbers[place] if place < len(numbers) else last
