"""The flow pane: the chart of the run, a chart to start, or the list of flows; and the keys that control the run."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import ClassVar, Literal

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.message import Message

from kimi_tui.flow.model.graph import Flow, NodeKind
from kimi_tui.flow.render.chart_style import ChartStyle
from kimi_tui.flow.render.node_signs import KIND_SIGNS, SIGNS
from kimi_tui.flow.run.node_prompts import shown_flow
from kimi_tui.flow.run.run_view import RunView
from kimi_tui.ui.tui.engine_protocol import FlowSkill
from kimi_tui.ui.tui.flow_pane.broken_flow import BrokenFlow, flow_warnings
from kimi_tui.ui.tui.flow_pane.chart_view import FlowChart
from kimi_tui.ui.tui.flow_pane.diagnostics_view import DiagnosticsView
from kimi_tui.ui.tui.flow_pane.disabled_keys import Showing, Shown, why_not
from kimi_tui.ui.tui.flow_pane.flow_list import FlowList
from kimi_tui.ui.tui.flow_pane.footer import FlowFooter, FooterFacts
from kimi_tui.ui.tui.flow_pane.footer_text import ended_buttons, footer_facts, line_legend, more, run_title
from kimi_tui.ui.tui.flow_pane.run_styles import LiveContext, chart_style, recorded_chart
from kimi_tui.ui.tui.i18n.catalog import _, n_
from kimi_tui.ui.tui.text.call_summary import one_line
from kimi_tui.ui.tui.text.sanitize import sanitize
from kimi_tui.ui.tui.widgets.hints_changed import Hint, HintsChanged
from kimi_tui.wire.flow_events import FlowBegin

Request = Literal["export", "runs", "start", "live", "menu", "whole", "resume", "time"]
_ROOMY = 18
"""Minimum height of the pane, in rows, for a row of buttons below the list."""


class FlowPane(Vertical):
    """Shows the flow state; posts run control as messages."""

    DEFAULT_CSS = """
    FlowPane { height: 1fr; border-top: solid $line; }
    FlowPane > FlowChart { display: none; height: 1fr; }
    FlowPane.-chart > FlowChart { display: block; }
    FlowPane.-chart > FlowList { display: none; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("space", "steer('toggle')", "Pause or continue"),
        Binding("n", "steer('step')", "One step"),
        Binding("b", "steer('breakpoint')", "Breakpoint"),
        Binding("c", "steer('choose')", "Choose a branch"),
        Binding("r", "steer('again')", "Run again"),
        Binding("j", "steer('jump')", "Continue from here"),
        Binding("p", "steer('edit')", "Edit the prompt and run"),
        Binding("a", "steer('ask')", "Ask me at this decision"),
        Binding("A", "steer('ask_always')", "Ask me at each decision"),
        Binding("x", "steer('stop')", "Stop"),
        Binding("e", "export", "Export"),
        Binding("s", "start", "Start it"),
        Binding("v", "view", "Show its chart here"),
        Binding("h", "runs", "Earlier runs"),
        Binding("l", "list", "Flows"),
        Binding("g", "resume", "Resume the interrupted run"),
        Binding("full_stop", "menu", "All that can be done here"),
        Binding("question_mark", "legend", "What the lines mean"),
    ]

    class ControlRequested(Message):
        """A run control command; `node_id` is the node under the cursor.

        `action`: toggle, step, breakpoint, choose, choose:LABEL, again, jump, edit, ask, ask_always, stop.
        """

        def __init__(self, action: str, node_id: str) -> None:
            self.action = action
            self.node_id = node_id
            super().__init__()

    class Requested(Message):
        """A request to the controller; `start` and `runs` refer to the flow `name`."""

        def __init__(self, what: Request, name: str = "") -> None:
            self.what: Request = what
            self.flow_name = name
            super().__init__()

    def __init__(
        self,
        *,
        clock: Callable[[], float],
        id: str | None = None,  # noqa: A002
    ) -> None:
        super().__init__(id=id)
        self._clock = clock
        self._run: RunView | None = None
        self._shown: FlowBegin | None = None
        self.held_up = LiveContext()
        self._good: dict[str, Flow] = {}
        self._changed_on_disk = False
        self._overlay = ("", ChartStyle(), ())
        self._overlaid: RunView | None = None
        self.past = self.recorded = self._with_legend = False
        self.showing: Showing = "list"
        self.shown_skill: FlowSkill | None = None
        self.listing = FlowList(id="flows")
        self.trouble = DiagnosticsView(id="trouble")
        self.chart = FlowChart(id="chart")
        self._footer = FlowFooter(id="foot")

    def compose(self) -> ComposeResult:
        yield self.listing
        yield self.trouble
        yield self.chart
        yield self._footer

    @property
    def has_nothing(self) -> bool:
        return self._run is None and not self.listing.flows

    @property
    def shows_chart_on_request(self) -> bool:
        """Whether the shown chart is not the run's, but that of a flow or of an earlier run."""
        return self.showing in ("chart", "overlay")

    @property
    def shown_run(self) -> RunView | None:
        """The displayed run, if there is one."""
        return self._run if self.showing == "run" else None

    @property
    def overlay_is_shown(self) -> RunView | None:
        """The displayed earlier run, if there is one."""
        return self._overlaid if self.showing == "overlay" else None

    def hints(self) -> tuple[Hint, ...]:
        """The keys of the list or the chart; the footer of the pane shows those of the run."""
        if self.showing == "list":
            enter = _("start") if self._startable else _("show the error")
            return (("↑ ↓", _("choose")), ("Enter", enter)) if self.listing.flows else ()
        if self.showing == "chart" and self.shown_skill is not None and self.shown_skill.flow is None:
            return (("↑ ↓", _("scroll")), ("l", _("flows")))
        return (("↑ ↓ ← →", _("nodes")), ("Enter", _("node")), ("z", _("size")), ("o", _("outline")), (".", _("more")))

    def on_mount(self) -> None:
        self._update_footer()

    def on_resize(self) -> None:
        self._update_footer()

    # List of flows

    def show_flows(self, flows: Sequence[FlowSkill]) -> None:
        """Update the list of flows, including invalid ones; a flow saved since the last update is shown at once,
        unless a run is active."""
        before = {skill.name: skill for skill in self.listing.flows}
        changed = [skill for skill in flows if before and skill != before.get(skill.name)]
        self._good.update((skill.name, skill.flow) for skill in flows if skill.flow is not None)
        self.listing.show(flows)
        run = self._run
        if run is not None and run.active:
            self._changed_on_disk |= any(skill.name == run.name for skill in changed)
        elif changed:
            self.show_chart(changed[0])
        elif (
            self.showing == "chart" and self.shown_skill is not None and self.shown_skill.name not in self._names(flows)
        ):
            self._show("list")
        self._update_footer()

    @staticmethod
    def _names(flows: Sequence[FlowSkill]) -> set[str]:
        return {skill.name for skill in flows}

    @property
    def known(self) -> frozenset[str]:
        """The names of all flows listed so far."""
        return frozenset(self._good)

    def show_chart(self, skill: FlowSkill) -> None:
        """Show a flow's chart; if it is invalid, show its errors and its last valid chart, dimmed."""
        self.shown_skill = skill
        flow = skill.flow or self._good.get(skill.name)
        broken = skill if isinstance(skill, BrokenFlow) else None
        if broken is not None and flow is not None:
            broken = replace(broken, flow=flow)
        self.trouble.show(broken, flow_warnings(skill))
        self._show("chart")
        self._shown = None
        self.chart.dim(broken is not None)
        self.chart.show_flow(shown_flow(flow, None) if flow is not None else None)
        self._update_footer()

    # A run

    def show_run(
        self,
        run: RunView | None,
        *,
        asking: bool = False,
        answering: bool = False,
        retry_until: float | None = None,
    ) -> None:
        """Show the current run; None if there is none."""
        new = run is not None and (self._run is None or run.run_id != self._run.run_id)
        self._run = run
        self.held_up = LiveContext(self._clock(), asking, answering, retry_until)
        if run is None:
            if self.showing == "run":
                self._show("list")
        elif self.showing == "run" or new or run.active:
            self._put_run(run)
        self._update_footer()

    def _put_run(self, run: RunView) -> None:
        if run.begin is not self._shown or self.showing != "run":
            self._shown, self._changed_on_disk = run.begin, False
            had_focus = self.listing.has_focus
            self._show("run")
            flow = recorded_chart(run.begin)
            self.chart.show_flow(flow, self._run_style(run, flow), current=run.node_id)
            if had_focus:
                self.call_after_refresh(self._keep_focus)
        elif self.chart.flow is not None:
            self.chart.set_style(self._run_style(run, self.chart.flow), current=run.node_id)

    def _keep_focus(self) -> None:
        """Move the focus from the hidden list to the chart, unless it has moved elsewhere."""
        if self.screen.focused in (None, self.listing):
            self.chart.focus()

    def _run_style(self, run: RunView, flow: Flow) -> ChartStyle:
        return chart_style(run, flow, self.held_up, ascii=self.chart.ascii_only)

    def show_overlay(
        self, title: str, flow: Flow, style: ChartStyle, legend: Sequence[str], *, picture: RunView | None = None
    ) -> None:
        """Show a chart with an overlay: a comparison, or branch counts.

        `picture` is the run view of a single earlier run, if the overlay shows one.
        """
        self._overlay, self._overlaid = (title, style, tuple(legend)), picture
        self._show("overlay")
        self._shown = None
        self.chart.show_flow(flow, style)
        self._update_footer()

    def tick(self) -> None:
        """Update the texts that show elapsed time."""
        run = self._run
        if run is None or not run.active or not self.is_attached:  # defence: tick-after-the-end
            return
        held = self.held_up
        self.held_up = LiveContext(self._clock(), held.approval, held.answer, held.retry_until)
        if self.showing == "run" and self.chart.flow is not None:
            self.chart.set_style(self._run_style(run, self.chart.flow), current=run.node_id)
        self._update_footer()

    def _show(self, showing: Showing) -> None:
        self.showing = showing
        self.set_class(showing != "list", "-chart")
        if showing != "chart":
            self.trouble.show()
            self.chart.dim(False)

    def focus_inside(self) -> None:
        self.screen.set_focus(self.listing if self.showing == "list" else self.chart)

    # Keys

    def action_list(self) -> None:
        """Toggle between a chart and the list of flows; from the list back to the last run."""
        if self.showing in ("list", "overlay") and self._run is not None:
            self._put_run(self._run)
        elif self._run is None or not self._run.active or self.showing != "run":
            self._show("list")
        self.focus_inside()
        self._update_footer()

    def action_view(self) -> None:
        """Show the chart of the flow under the cursor of the list."""
        if self.listing.flows:
            self.show_chart(self.listing.flows[self.listing.cursor])
            self.focus_inside()

    def action_start(self) -> None:
        """Start the displayed flow, or rerun the ended one."""
        if name := self._startable:
            self.post_message(self.Requested("start", name))

    @property
    def _startable(self) -> str:
        """The name of the displayed flow if it can be started; for an ended run, its skill must still exist."""
        run, skill = self._run, self.shown_skill
        if self.showing == "list" and self.listing.flows:
            here = self.listing.flows[self.listing.cursor]
            return here.name if here.flow is not None else ""
        if self.showing == "chart" and skill is not None and skill.flow is not None:
            return skill.name
        if self.showing == "run" and run is not None and not run.active and not self.past:
            return run.name if run.name in self._names(self.listing.flows) else ""
        return ""

    def action_resume(self) -> None:
        self.post_message(self.Requested("resume"))

    def action_menu(self) -> None:
        self.post_message(self.Requested("menu", self.chart.selected if self.showing == "run" else ""))

    def action_legend(self) -> None:
        """Show or hide the legend of the lines; a zoomed chart has it unless it is hidden."""
        self._with_legend = not self._with_legend
        self._update_footer()

    def action_export(self) -> None:
        self.post_message(self.Requested("export"))

    def action_runs(self) -> None:
        name = self._run.name if self._run is not None and self.showing == "run" else ""
        if self.showing == "chart" and self.shown_skill is not None:
            name = self.shown_skill.name
        elif self.showing == "list" and self.listing.flows:
            name = self.listing.flows[self.listing.cursor].name
        self.post_message(self.Requested("runs", name))

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Enable run control only during a run, and the list's keys only if the list has rows."""
        active = self._run is not None and self._run.active and self.showing == "run" and not self.past
        match action:
            case "steer":
                return active
            case "list":
                return not active and (self.showing != "list" or self._run is not None)
            case "export":
                return self.showing in ("run", "chart")
            case "start":
                return bool(self._startable)
            case "resume":
                return self.showing == "run" and self._run is not None and self._run.cut_off and not self.past
            case "menu":
                return self.showing != "list"
            case "legend":
                return self.showing == "run"
            case "view":
                return self.showing == "list"
            case _:
                return True

    def why_not(self, key: str) -> str:
        """Return the reason why a key of the pane or its chart is disabled; "" for any other key."""
        active = self._run is not None and self._run.active
        shown = Shown(self.showing, active, self.past, can_start=bool(self._startable))
        for bindings, of_chart in ((self.BINDINGS, False), (self.chart.BINDINGS, True)):
            for binding in bindings:
                if isinstance(binding, Binding) and key in binding.key.split(","):
                    return why_not("chart" if of_chart else binding.action.partition("(")[0], shown)
        return ""

    def action_steer(self, action: str) -> None:
        self.post_message(self.ControlRequested(action, self.chart.selected if self.showing == "run" else ""))

    def on_flow_list_moved(self, event: FlowList.Moved) -> None:
        event.stop()
        self._update_footer()
        self.post_message(HintsChanged())

    def on_flow_chart_menu_requested(self) -> None:
        self.action_menu()

    def on_flow_footer_pressed(self, event: FlowFooter.Pressed) -> None:
        event.stop()
        self.act(event.action)

    def act(self, action: str) -> None:
        """Run the action of a key of the pane or its chart."""
        match action:
            case "list" | "start" | "view" | "export" | "runs" | "menu" | "legend":
                getattr(self, f"action_{action}")()
            case "live" | "whole" | "resume" | "time":
                self.post_message(self.Requested(action))
            case "nearer" | "farther":
                self.chart.zoom_by(1 if action == "nearer" else -1)
            case "outline" | "turn" | "map" | "home" | "open":
                getattr(self.chart, f"action_{action}")()
            case _:
                self.action_steer(action)

    # Title and footer

    def _update_footer(self) -> None:
        run = self._run
        match self.showing:
            case "list":
                broken = sum(isinstance(skill, BrokenFlow) for skill in self.listing.flows)
                title = _("flows {count}", count=len(self.listing.flows) - broken)
                if broken:
                    title += " · ✗ " + n_("{count} cannot run", "{count} cannot run", broken)
                self.border_title = f" {title} "
                self._footer.show(self._list_facts())
            case "chart" if self.shown_skill is not None:
                name = sanitize(one_line(self.shown_skill.name))
                self.border_title = Content(" " + _("flow: {name}", name=name) + " ")
                self._footer.show(self._chart_facts(self.shown_skill))
            case "overlay":
                title, _style, legend = self._overlay
                self.border_title = Content(f" {sanitize(title)} ")
                word = legend[0] if legend else ""
                buttons = (("list", "l " + _("back")), ("runs", "h " + _("runs")), more())
                self._footer.show(FooterFacts("≡", word, "accent", notes=legend[1:], buttons=buttons))
            case _ if run is not None:
                self.border_title = Content(run_title(run, self._clock(), self.size.width))
                facts = footer_facts(run, self.held_up, changed=self._changed_on_disk, past=self.past)
                if self._with_legend != self.screen.has_class("-zoom-flow") and self.chart.view != "outline":
                    facts = replace(facts, notes=(*facts.notes, line_legend(ascii=self.chart.ascii_only)))
                now = () if self.recorded else (("live", _("back to now")), more())
                self._footer.show(replace(facts, buttons=now) if self.past else facts)
            case _:
                pass

    def _list_facts(self) -> FooterFacts:
        if not self.listing.flows or self.size.height < _ROOMY:
            return FooterFacts()
        last = (("list", "l " + _("last run")),) if self._run is not None else ()
        return FooterFacts(buttons=(("view", "v " + _("chart")), ("runs", "h " + _("runs")), *last))

    def _chart_facts(self, skill: FlowSkill) -> FooterFacts:
        if skill.flow is None:
            return FooterFacts(SIGNS["failed"], _("cannot run"), "error", buttons=(("list", "l " + _("flows")), more()))
        figures = (n_("{count} node", "{count} nodes", len(skill.flow.nodes) - 2),)
        return FooterFacts(KIND_SIGNS[NodeKind.BEGIN], _("ready"), "accent", figures=figures, buttons=ended_buttons())
