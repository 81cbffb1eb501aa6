"""The only link between the Wire and Textual: merges Wire messages into at most one Textual message per frame.

Invariant: the order of Wire messages is kept, and none is lost while the target exists.
"""

from collections import deque
from collections.abc import Callable
from typing import Protocol

from textual.message import Message

from kimi_tui.ui.tui.state.view_clock import Timed
from kimi_tui.ui.tui.terminal.frame_rate import FRAME
from kimi_tui.wire.channel import Wire
from kimi_tui.wire.codec import WireMessage
from kimi_tui.wire.events import ApprovalResponse, Notification, StepInterrupted, StepRetry, TurnBegin, TurnEnd
from kimi_tui.wire.flow_events import FlowEnd, FlowPaused
from kimi_tui.wire.merge import Merger
from kimi_tui.wire.requests import ApprovalRequest, QuestionRequest

BATCH = 400
"""Maximum messages applied per frame, after merging; the rest waits for the next frame."""

_URGENT = (
    ApprovalRequest,
    QuestionRequest,
    ApprovalResponse,
    Notification,
    TurnBegin,
    TurnEnd,
    StepInterrupted,
    StepRetry,
    FlowPaused,
    FlowEnd,
)


class WireBatch(Message, bubble=False):
    """The messages since the last frame, with text pieces merged."""

    def __init__(self, messages: tuple[Timed, ...]) -> None:
        self.messages = messages
        super().__init__()


class Loop(Protocol):
    """The part of an event loop that the bridge needs."""

    def call_later(self, delay: float, callback: Callable[[], None]) -> "Handle": ...
    def time(self) -> float: ...


class Handle(Protocol):
    def cancel(self) -> None: ...


class WireBridge:
    """Listens to a Wire and posts batches to `post`."""

    def __init__(
        self,
        wire: Wire,
        *,
        post: Callable[[Message], object],
        loop: Loop,
        clock: Callable[[], float],
        frame: float = FRAME,
    ) -> None:
        self._post = post
        self._loop = loop
        self._clock = clock
        self._frame = frame
        self._queue: deque[Timed] = deque()
        self._timer: Handle | None = None
        self._last = -1.0
        self._unlisten = wire.listen(self._on_message)

    def close(self) -> None:
        """Stop listening and post the queued messages."""
        self._unlisten()
        while self._queue:
            self.flush()
        self._unschedule()

    def _on_message(self, message: WireMessage) -> None:
        self._queue.append((self._clock(), message))
        if isinstance(message, _URGENT):
            self._schedule(0.0)
        elif self._timer is None:
            self._schedule(max(0.0, self._last + self._frame - self._loop.time()))

    def _schedule(self, delay: float) -> None:
        self._unschedule()
        self._timer = self._loop.call_later(delay, self.flush)

    def _unschedule(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def flush(self) -> None:
        """Post queued messages, at most one batch."""
        self._unschedule()
        self._last = self._loop.time()
        merger = Merger[WireMessage]()
        batch: list[Timed] = []
        began: float | None = None
        while self._queue and len(batch) < BATCH:
            at, message = self._queue.popleft()
            whole = merger.add(message)
            batch.extend((at if one is message or began is None else began, one) for one in whole)
            if whole and whole[-1] is message:
                began = None
            elif whole or began is None:
                began = at
        batch.extend((began or 0.0, one) for one in merger.flush())
        if batch:
            self._post(WireBatch(tuple(batch)))
        if self._queue:
            self._schedule(self._frame)
