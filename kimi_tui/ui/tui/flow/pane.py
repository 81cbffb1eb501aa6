"""The flow pane: the chart of the run, or the flows there are; and the keys that steer."""

from collections.abc import Callable, Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.message import Message

from kimi_tui.flow.picture import FlowPicture
from kimi_tui.ui.tui import wording
from kimi_tui.ui.tui.engine import FlowSkill
from kimi_tui.ui.tui.flow.chart import FlowChart
from kimi_tui.ui.tui.flow.foot import FlowFoot, FootFacts
from kimi_tui.ui.tui.flow.listing import FlowList
from kimi_tui.ui.tui.flow_fold import FlowRun, branches_of
from kimi_tui.ui.tui.headline import one_line
from kimi_tui.ui.tui.text.line import cells
from kimi_tui.ui.tui.text.sanitize import sanitize
from kimi_tui.wire.flow_events import FlowBegin


class FlowPane(Vertical):
    """Shows what the fold says; steering goes out as messages."""

    DEFAULT_CSS = """
    FlowPane { height: 1fr; border-top: solid $line; }
    FlowPane > FlowChart { display: none; height: 1fr; }
    FlowPane.-run > FlowChart { display: block; }
    FlowPane.-run > FlowList { display: none; }
    FlowPane > FlowFoot { display: none; }
    FlowPane.-run > FlowFoot { display: block; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("space", "steer('toggle')", "Pause or go on"),
        Binding("n", "steer('step')", "One step"),
        Binding("b", "steer('breakpoint')", "Breakpoint"),
        Binding("c", "steer('choose')", "Choose a branch"),
        Binding("r", "steer('again')", "Run again"),
        Binding("x", "steer('stop')", "Stop"),
        Binding("l", "list", "Flows"),
    ]

    class Steered(Message):
        """`action`: toggle, step, breakpoint, choose, again, stop. `node_id` is the node under the cursor."""

        def __init__(self, action: str, node_id: str) -> None:
            self.action = action
            self.node_id = node_id
            super().__init__()

    def __init__(
        self,
        *,
        clock: Callable[[], float],
        id: str | None = None,  # noqa: A002
    ) -> None:
        super().__init__(id=id)
        self._clock = clock
        self._run: FlowRun | None = None
        self._picture: FlowPicture | None = None
        self._shown: FlowBegin | None = None
        self._asking = False
        self.listing = FlowList(id="flows")
        self.chart = FlowChart(id="chart")
        self._foot = FlowFoot(id="foot")

    def compose(self) -> ComposeResult:
        yield self.listing
        yield self.chart
        yield self._foot

    @property
    def has_nothing(self) -> bool:
        return self._run is None and not self.listing.flows

    def on_mount(self) -> None:
        self._say()

    def show_flows(self, flows: Sequence[FlowSkill]) -> None:
        self.listing.show(flows)
        self._say()

    def show_run(self, run: FlowRun | None, picture: FlowPicture | None, *, asking: bool = False) -> None:
        """The run as it is now; None where there is none."""
        self._run, self._picture, self._asking = run, picture, asking
        if run is None or picture is None:
            self.remove_class("-run")
        else:
            if run.begin is not self._shown:
                self._shown = run.begin
                self.chart.show_run(run.begin, picture)
                if self.listing.has_focus:
                    self.call_after_refresh(self.chart.focus)
                self.add_class("-run")
            self.chart.update_run(asking=asking)
        self._say()

    def tick(self) -> None:
        """The clock has gone on: figures that count are said anew."""
        if self._run is not None and self._run.active:
            self._say()

    def focus_inside(self) -> None:
        (self.chart if self.has_class("-run") else self.listing).focus()

    def action_list(self) -> None:
        """Between the chart of the last run and the list of flows, once the run has ended."""
        if self._run is not None and not self._run.active:
            self.toggle_class("-run")
            self.focus_inside()
            self._say()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Steering keys act while a run is under way; the list's key once it has ended."""
        active = self._run is not None and self._run.active
        if action == "steer":
            return active
        return self._run is not None and not active if action == "list" else True

    def action_steer(self, action: str) -> None:
        self.post_message(self.Steered(action, self.chart.selected if self.has_class("-run") else ""))

    def on_flow_foot_pressed(self, event: FlowFoot.Pressed) -> None:
        event.stop()
        self.action_steer(event.action)

    def _say(self) -> None:
        run, picture = self._run, self._picture
        if run is None or picture is None or not self.has_class("-run"):
            self.border_title = f" flows {len(self.listing.flows)} "
            return
        now = self._clock()
        moves = f"move {picture.moves}" if run.active else wording.plural(picture.moves, "move")
        most = f"/{run.begin.max_moves:,}" if run.active else ""
        spent = f" · {wording.elapsed(picture.elapsed(now))} "
        name = sanitize(one_line(run.begin.name))
        if cells(name) + len(moves) + len(most) + len(spent) + 14 > self.size.width:
            most = ""
        self.border_title = Content(f" flow: {name} · {moves}{most}{spent}")
        self._foot.show(self._facts(run, picture, now))

    def _facts(self, run: FlowRun, picture: FlowPicture, now: float) -> FootFacts:
        figures: list[str] = []
        node = picture.current
        if node is not None and run.active:
            figures.append(wording.elapsed(node.elapsed(now)))
        if picture.tokens:
            figures.append(f"{wording.tokens(picture.tokens)} tokens")
        place = run.node_label
        if run.status is not None:
            sign, role = ("✓", "success") if run.status == "finished" else ("■", "warning")
            if run.status == "failed":
                sign, role = "✗", "error"
            return FootFacts(sign, wording.ENDED[run.status], role, "", tuple(figures), (("list", "l flows"),))
        if run.pause is not None:
            word = wording.PAUSED[run.pause.reason]
            choices = tuple((f"choose:{label}", label) for label in branches_of(run.begin, run.node_id))
            buttons = choices if run.pause.reason == "choice" else (("toggle", "space goes on"), ("step", "n one step"))
            return FootFacts("‖", word, "warning", place, tuple(figures), buttons)
        if self._asking:
            return FootFacts("?", "waits for your approval", "warning", place, tuple(figures))
        if picture.pausing:
            return FootFacts("▶", "pauses after", "accent", place, tuple(figures))
        return FootFacts("▶", "running", "accent", place, tuple(figures))
