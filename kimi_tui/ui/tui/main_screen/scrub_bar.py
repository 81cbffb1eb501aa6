"""The scrub bar: the position in the session's time. Arrows, a click or a drag move it; Space plays."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

from rich.style import Style
from textual import events
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.timer import Timer

from kimi_tui.flow.model.graph import NodeKind
from kimi_tui.flow.render.node_signs import KIND_SIGNS, SIGNS
from kimi_tui.formats import clock
from kimi_tui.ui.tui.i18n.catalog import _
from kimi_tui.ui.tui.main_screen.timeline import MarkKind, Timeline
from kimi_tui.ui.tui.text.styled_line import Line, Run, cells, cut
from kimi_tui.ui.tui.themes.palette import Palette
from kimi_tui.ui.tui.widgets.hints_changed import Hint
from kimi_tui.ui.tui.widgets.line_widget import LineWidget

_SIGNS: dict[MarkKind, str] = {
    "node": "╵",
    "turn": "╻",
    "decision": KIND_SIGNS[NodeKind.DECISION],
    "pause": SIGNS["paused"],
    "error": SIGNS["failed"],
    "end": SIGNS["stopped"],
    "finished": SIGNS["done"],
}
"""By rank: the last of several marks in one cell is shown."""
_RANK: tuple[MarkKind, ...] = tuple(_SIGNS)


_BEAT_S = 1 / 15


def _nothing() -> None:
    """Default: playback is off."""


@dataclass(frozen=True, slots=True)
class ScrubPosition:
    """The position after `number` messages of the timeline. `recorded`: a recording, without a present to return to."""

    number: int = 0
    playing: bool = False
    speed: float = 1.0
    recorded: bool = False


class ScrubBar(LineWidget, can_focus=True):
    """The bar, two rows; hidden while the present is shown."""

    DEFAULT_CSS = """
    ScrubBar { display: none; height: 2; background: $surface; padding: 0 1; }
    ScrubBar.-open { display: block; }
    ScrubBar:focus { background: $panel; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("left", "stop(-1)", "Previous event", show=False),
        Binding("right", "stop(1)", "Next event", show=False),
        Binding("up,shift+left,ctrl+left", "mark(-1)", "Node before", show=False),
        Binding("down,shift+right,ctrl+right", "mark(1)", "Next node", show=False),
        Binding("home", "edge(-1)", "Beginning", show=False),
        Binding("end", "edge(1)", "Now, or the end", show=False),
        Binding("space", "play", "Play or pause", show=False),
        Binding("plus,equals_sign", "speed(2)", "Faster", show=False),
        Binding("minus", "speed(0.5)", "Slower", show=False),
        Binding("escape", "leave", "Back to now", show=False),
    ]

    class Moved(Message):
        """Posted to move to the position after `number` messages; None: to the present."""

        def __init__(self, number: int | None) -> None:
            self.number = number
            super().__init__()

    class Played(Message):
        """Posted to play or pause; `speed` changes the speed unless None."""

        def __init__(self, speed: float | None = None) -> None:
            self.speed = speed
            super().__init__()

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self.timeline = Timeline()
        self.position = ScrubPosition()
        self.beat: Callable[[], None] = _nothing
        self._bar = (0, 1)
        self._dragging = False
        self._timer: Timer | None = None

    @property
    def is_open(self) -> bool:
        return self.has_class("-open")

    def open(self, timeline: Timeline, position: ScrubPosition) -> None:
        self.timeline = timeline
        self.add_class("-open")
        self.put(position)
        self.focus()
        self.call_after_refresh(self.focus)  # a closing dialog restores the earlier focus

    def close(self) -> None:
        self.remove_class("-open")

    def on_mount(self) -> None:
        self._timer = self.set_interval(_BEAT_S, lambda: self.beat(), pause=not self.position.playing)

    def put(self, position: ScrubPosition) -> None:
        self.position = position
        if self._timer is not None:
            (self._timer.resume if position.playing else self._timer.pause)()
        self.redraw()

    def lines(self, width: int, palette: Palette) -> list[Line]:
        timeline, position = self.timeline, self.position
        done, length = timeline.place_of(position.number), timeline.length
        sign = SIGNS["running"] if position.playing else SIGNS["paused"]
        before, after = f"{sign} {clock(done)} ", f" {clock(length)}"
        speed = f" ×{position.speed:g}" if position.speed != 1 else ""
        room = max(4, width - cells(before) - cells(after) - cells(speed))
        self._bar = (cells(before), room)
        runs: list[Run] = [(before, palette.accent), *self._groove(room, palette), (after, palette.muted)]
        runs.append((speed, palette.warning))
        head = (_("recording") if position.recorded else _("past")) + " "
        left = cut(timeline.label_at(position.number), max(8, width - cells(head)))
        below: list[Run] = [(head, palette.warning + Style(bold=True)), (left, palette.base)]
        return [Line(tuple(runs)), Line(tuple(below))]

    def _groove(self, room: int, palette: Palette) -> list[Run]:
        """The bar: a heavy line for the past, the marks, and a knob at the position."""
        timeline, length = self.timeline, max(self.timeline.length, 0.001)
        here = min(room - 1, int(timeline.place_of(self.position.number) / length * (room - 1)))
        marks: dict[int, MarkKind] = {}
        for mark in timeline.marks:
            x = min(room - 1, int(timeline.place_of(mark.number) / length * (room - 1)))
            if x not in marks or _RANK.index(mark.kind) > _RANK.index(marks[x]):
                marks[x] = mark.kind
        runs: list[Run] = []
        for x in range(room):
            style = palette.accent if x <= here else palette.faint
            if x == here:
                runs.append(("●", palette.accent + Style(bold=True)))
            elif x in marks:
                kind = marks[x]
                ink = palette.error if kind == "error" else palette.warning if kind == "pause" else style
                runs.append((_SIGNS[kind], ink))
            else:
                runs.append(("━" if x <= here else "─", style))
        return runs

    # Keys

    def hints(self) -> tuple[Hint, ...]:
        """The keys that act while the bar has the focus."""
        leave = _("quit") if self.position.recorded else _("back to now")
        return (("← →", _("event")), ("↑ ↓", _("node")), ("Space", _("play")), ("+ −", _("speed")),
                ("Home", _("begin")), ("Esc", leave))  # fmt: skip

    def action_stop(self, by: int) -> None:
        self.post_message(self.Moved(self.timeline.next_stop(self.position.number, by)))

    def action_mark(self, by: int) -> None:
        self.post_message(self.Moved(self.timeline.next_mark(self.position.number, by)))

    def action_edge(self, by: int) -> None:
        if by < 0:
            self.post_message(self.Moved(0))
        else:
            self.post_message(self.Moved(self.timeline.stops[-1] if self.position.recorded else None))

    def action_play(self) -> None:
        self.post_message(self.Played())

    def action_speed(self, by: float) -> None:
        self.post_message(self.Played(max(0.25, min(64.0, self.position.speed * by))))

    def action_leave(self) -> None:
        self.post_message(self.Moved(None))

    # The mouse

    def on_mouse_down(self, event: events.MouseDown) -> None:
        if event.y == 0:
            self._dragging = True
            self.capture_mouse()
            self._go(event.x)
        elif event.y == 1:
            self.action_play()

    def on_mouse_move(self, event: events.MouseMove) -> None:
        if self._dragging:
            self._go(event.x)

    def on_mouse_up(self, event: events.MouseUp) -> None:
        if self._dragging:
            self._dragging = False
            self.release_mouse()

    def _go(self, x: int) -> None:
        start, room = self._bar
        share = max(0.0, min(1.0, (x - self.gutter.left - start) / max(1, room - 1)))
        self.post_message(self.Moved(self.timeline.number_at(share * self.timeline.length)))
