"""What is done with flows from the screen: started, opened, steered, kept, compared. The app routes, this decides."""

import asyncio
import time
from collections.abc import Callable, Coroutine, Sequence
from typing import Protocol, cast

from textual.screen import ModalScreen

from kimi_tui.errors import KimiTuiError
from kimi_tui.flow.export import flow_of_picture, picture_of_chart
from kimi_tui.flow.run_state import RunState
from kimi_tui.ui.tui import wording
from kimi_tui.ui.tui.dialogs.choice import Choice
from kimi_tui.ui.tui.dialogs.edit_prompt import EditPrompt
from kimi_tui.ui.tui.dialogs.node import NodeControls, NodeDetails
from kimi_tui.ui.tui.dialogs.options import Option
from kimi_tui.ui.tui.dialogs.start_flow import StartFlow
from kimi_tui.ui.tui.engine import Engine, FlowSkill
from kimi_tui.ui.tui.flow.exporting import Format, export_chart, export_run
from kimi_tui.ui.tui.flow.looks import Circumstances, faces_of
from kimi_tui.ui.tui.flow.menu import Circumscribed, menu_options
from kimi_tui.ui.tui.flow_fold import FlowRun, branches_of, label_of
from kimi_tui.ui.tui.language import N_, _, n_, p_
from kimi_tui.ui.tui.replay.comparing import faces_of_many, faces_of_two
from kimi_tui.ui.tui.replay.machine import TimeMachine
from kimi_tui.ui.tui.replay.past_runs import PastRun, begin_number, messages_of, picture_of, runs_of
from kimi_tui.ui.tui.screens.runs import Runs
from kimi_tui.ui.tui.stage import Stage
from kimi_tui.ui.tui.steering import edit_and_run, steer
from kimi_tui.ui.tui.transcript.items import FlowHeaderItem
from kimi_tui.wire.parts import UserInput

_FORMATS: tuple[tuple[Format, str, str], ...] = (
    ("mermaid", "m", N_("Mermaid, the way gone as classes")),
    ("svg", "s", N_("SVG, a picture of it")),
    ("json", "j", N_("JSON, every figure")),
    ("md", "t", N_("Markdown, a table of its nodes and decisions")),
)
_COUNTED = 200
"""The runs that are counted together at most, the latest ones."""
_PAST = N_("this is the past; End goes back to now")


class Room(Protocol):
    """What of the app is needed: a place for dialogs, a voice, and somebody to wait."""

    def open_dialog(self, screen: ModalScreen[str | None], done: Callable[[str | None], None]) -> None: ...
    def submit(self, content: UserInput) -> None: ...
    def tell(self, text: str) -> None: ...
    def work_aside(self, work: Coroutine[None, None, None]) -> None: ...


class FlowDesk:
    """`clock` is the clock of what is shown."""

    def __init__(self, room: Room, stage: Stage, machine: TimeMachine, *, clock: Callable[[], float]) -> None:
        self._room, self._stage, self._machine, self._clock = room, stage, machine, clock

    @property
    def _engine(self) -> Engine | None:
        return self._stage.engine

    def _skill(self, name: str) -> FlowSkill | None:
        return next((skill for skill in self._stage.home.flow.listing.flows if skill.name == name), None)

    # Begin

    def start(self, name: str) -> None:
        """Show the chart of a listed flow, ask for arguments, and start it; of a broken one, what is wrong."""
        pane = self._stage.home.flow
        skill = self._skill(name)
        if skill is None:
            return
        if skill.flow is None:
            pane.show_chart(skill)
            pane.focus_inside()
            return

        def begin(args: str | None) -> None:
            if args is not None:
                self._room.submit(f"/flow:{name} {args}".strip())

        self._room.open_dialog(StartFlow(skill.name, skill.description, skill.flow), begin)

    def offer_resume(self) -> None:
        """Offer to go on with the run that a crash or a quit cut off, if there is one."""
        find = cast("Callable[[], Sequence[RunState]] | None", getattr(self._engine, "open_runs", None))
        run = self._stage.state.flow.run
        states: Sequence[RunState] = find() if find is not None else ()
        if not states:
            return
        state = states[0]
        place = run.node_label if run is not None and run.begin.run_id == state.run_id else state.node_id
        since = _ago(time.time() - state.updated_at)
        words = _(
            "The run of {flow} was cut off {since}, at “{place}”, after {moves} moves.",
            flow=state.name,
            since=since,
            place=place,
            moves=state.moves,
        )
        skill = next((one for one in self._stage.home.flow.listing.flows if one.name == state.name), None)
        text = getattr(skill, "chart_text", None)
        if text is not None and state.chart_changed(text):
            words += "\n" + _("Its chart has changed since; the run goes on with the one it began with.")

        def act(answer: str | None) -> None:
            if answer == "go":
                self._room.submit(f"/flow-resume {state.run_id}")
            elif answer == "see":
                self._stage.home.go_to("flow")

        options = (
            Option("go", "g", _("Go on from there")),
            Option("see", "s", _("Look at its chart first")),
            Option("later", "l", _("Not now"), _("/flow-resume does it later")),
        )
        self._room.open_dialog(Choice(_("a flow was cut off"), words, options), act)

    # Steer

    def steer(self, action: str, node_id: str) -> None:
        """A key or a button of the flow pane; `node_id` is the node under the cursor."""
        run = self._stage.state.flow.run
        if action == "list":
            self._stage.home.flow.action_list()
        elif self._stage.past is not None:
            self._room.tell(_(_PAST))
        elif action == "choose" and run is not None:
            self._choose(node_id or run.node_id)
        elif action.startswith("choose:") and run is not None:
            self.take_branch(run.node_id, action.partition(":")[2])
        elif action == "edit" and run is not None:
            self._edit(node_id or run.node_id)
        else:
            self._do(action, node_id)

    def take_branch(self, node_id: str, label: str) -> None:
        """Take a branch of a node: now where the run waits there, else when it comes there."""
        run = self._stage.state.flow.run
        if run is None or not run.active:
            return
        if self._stage.past is not None:
            self._room.tell(_(_PAST))
            return
        branch = self._stage.home.branch
        if branch.is_open:
            had_focus = branch.has_focus_within
            branch.close()
            if had_focus:
                self._stage.home.focus_work()
        self._do(f"choose:{label}", node_id)

    def _choose(self, node_id: str) -> None:
        """Ask for a branch of the node under the cursor, else of the one the run is on."""
        run = self._stage.state.flow.run
        if run is None or not run.active:
            self._room.tell(_("no flow is running"))
            return
        for one in (node_id, run.node_id):
            if branches := branches_of(run.begin, one):
                label = label_of(run.begin, one)
                self._stage.home.branch.show(one, label, branches, wanted=True)
                self._stage.home.branch.focus()
                return
        self._room.tell(_("this node has one way out; there is nothing to choose"))

    def _edit(self, node_id: str) -> None:
        """Let the person rewrite a node's prompt, and run the node with it."""
        run, engine = self._stage.state.flow.run, self._engine
        node = next((one for one in run.begin.nodes if one.id == node_id), None) if run is not None else None
        if node is None or engine is None or node.kind in ("begin", "end"):
            self._room.tell(_("this node has no prompt"))
            return
        before = engine.runner.state.prompts.get(node_id) if engine.runner is not None else None

        def use(text: str | None) -> None:
            if text is None:
                return
            wanted = "" if text == node.label.strip() else text
            if (word := edit_and_run(engine, node_id, wanted)) is not None:
                self._room.tell(word)

        self._room.open_dialog(EditPrompt(node_id, before or node.label), use)

    def _do(self, action: str, node_id: str) -> None:
        if self._engine is not None and (word := steer(self._engine, action, node_id)) is not None:
            self._room.tell(word)

    # Look

    def open(self, node_id: str) -> None:
        """Show a node of the run, and do what is chosen there."""
        stage, fold = self._stage, self._stage.shown.flow
        picture, run, pane = fold.picture, fold.run, stage.home.flow
        if picture is None or run is None or pane.picture is not picture:
            if pane.chart.flow is not None:
                other = pane.overlaid or picture_of_chart(pane.chart.flow)
                self._room.open_dialog(NodeDetails(other, node_id, NodeControls(), now=Circumstances()), _nothing)
            return

        def act(action: str | None) -> None:
            if action is not None and action.startswith("turn:"):
                keys = [key for key in fold.turn_keys.get(node_id, ()) if key < len(stage.feed.ids)]
                place = int(action.partition(":")[2])
                if place < len(keys):
                    stage.home.transcript.jump_to(stage.feed.ids[keys[place]])
                    stage.home.go_to("talk")
            elif action is not None:
                self.steer(action, node_id)

        now = stage.home.flow.held_up
        controls = self._controls(run, node_id)
        self._room.open_dialog(NodeDetails(picture, node_id, controls, now=now), act)

    def _controls(self, run: FlowRun, node_id: str) -> NodeControls:
        stage, fold = self._stage, self._stage.shown.flow
        picture, engine = fold.picture, self._engine
        talk = stage.shown.conversation
        turns = [
            item.note
            for key in fold.turn_keys.get(node_id, ())
            if key < len(talk) and isinstance(item := talk[key], FlowHeaderItem)
        ]
        node = next((one for one in run.begin.nodes if one.id == node_id), None)
        prompts = engine.runner.state.prompts if engine is not None and engine.runner is not None else {}
        asks = None
        if picture is not None:
            asks = picture.ask == "always" or (picture.ask != "never" and node_id in picture.ask)
        return NodeControls(
            turns=turns,
            running=run.active and stage.past is None,
            here=run.node_id == node_id,
            at_breakpoint=picture is not None and node_id in picture.breakpoints,
            asks=asks,
            edited=prompts.get(node_id, ""),
            branches=branches_of(run.begin, node_id),
            has_prompt=node is not None and node.kind in ("task", "decision"),
        )

    def menu(self, node_id: str) -> None:
        """All that can be done now, as a list: with the node under the cursor, the run, the view."""
        stage, pane, fold = self._stage, self._stage.home.flow, self._stage.shown.flow
        run = fold.run if pane.showing == "run" else None
        controls = self._controls(run, node_id) if run is not None and stage.past is None else NodeControls()
        name = label_of(run.begin, node_id) if run is not None and node_id else ""
        paused = run is not None and run.paused is not None
        state = Circumscribed(pane.showing, controls, paused=paused, has_map=pane.chart.map is not None)
        title = f"◆ {name}" if name else _("what can be done")

        def act(answer: str | None) -> None:
            if answer is not None:
                pane.act(answer)

        self._room.open_dialog(Choice(title, "", menu_options(state)), act)

    # Keep

    def export(self) -> None:
        """Ask for a format, and write the run or the chart that is shown into a file of the work dir."""
        pane, engine = self._stage.home.flow, self._engine
        if engine is None or (pane.picture is None and pane.chart_of is None):
            return
        formats = _FORMATS if pane.picture is not None else _FORMATS[:2]

        def write(answer: str | None) -> None:
            form: Format | None = next((form for form, *_rest in formats if form == answer), None)
            if form is None:
                return
            try:
                if pane.picture is not None:
                    path = export_run(pane.picture, form, engine.work_dir)
                elif pane.chart_of is not None and pane.chart_of.flow is not None:
                    path = export_chart(pane.chart_of.name, pane.chart_of.flow, form, engine.work_dir)
                else:
                    return
            except OSError as error:
                self._room.tell(_("it could not be written: {cause}", cause=error.strerror or error))
            else:
                self._room.tell(_("written to {file}", file=path.name))

        options = [Option(form, key, _(words)) for form, key, words in formats]
        self._room.open_dialog(Choice(_("export"), _("Into {folder}", folder=engine.work_dir), options), write)

    # Compare

    def runs(self, name: str) -> None:
        """The table of earlier runs of a flow, over all sessions of the work dir."""
        if (engine := self._engine) is not None:
            self._room.work_aside(self._runs(engine, name))

    async def _runs(self, engine: Engine, name: str) -> None:
        runs = await asyncio.to_thread(runs_of, engine.work_dir)
        if not runs:
            self._room.tell(_("no flow was run in this folder yet"))
            return

        def see(answer: str | None) -> None:
            if answer is not None:
                self._room.work_aside(self._see(answer, runs))

        self._room.open_dialog(Runs(runs, name), see)

    async def _see(self, answer: str, runs: list[PastRun]) -> None:
        what, _colon, rest = answer.partition(":")
        try:
            if what == "count":
                await self._count(rest, [run for run in runs if run.name == rest][:_COUNTED])
                return
            chosen = [run for wanted in rest.split(":") for run in runs if run.id == wanted]
            if what == "replay":
                messages = await asyncio.to_thread(messages_of, chosen[0])
                self._machine.open_other(messages, begin_number(messages, chosen[0].id))
                return
            pictures = [await asyncio.to_thread(picture_of, run) for run in chosen]
        except (OSError, KimiTuiError) as error:
            self._room.tell(_("this run cannot be shown: {cause}", cause=error))
            return
        pane, flow = self._stage.home.flow, flow_of_picture(pictures[0])
        if len(pictures) == 1:
            faces = faces_of(pictures[0], flow, Circumstances(chosen[0].state.updated_at))
            title = _("run of {name}", name=pictures[0].name)
            pane.show_overlay(title, flow, faces, (_told(chosen[0]),), picture=pictures[0])
        else:
            legend = (f"A {_told(chosen[0])}", f"B {_told(chosen[1])}", _("= both, ≠ not as often"))
            pane.show_overlay(
                _("two runs of {flow}", flow=pictures[0].name), flow, faces_of_two(flow, *pictures[:2]), legend
            )
        self._stage.home.go_to("flow")

    async def _count(self, name: str, runs: list[PastRun]) -> None:
        pictures = [await asyncio.to_thread(picture_of, run) for run in runs]
        flow = flow_of_picture(pictures[0])
        legend = (
            n_("{count} run", "{count} runs", len(pictures)),
            _("▁ few of them came by, █ all did"),
            _("heavy: half of them and more"),
        )
        self._stage.home.flow.show_overlay(
            _("all runs of {flow}", flow=name), flow, faces_of_many(flow, pictures), legend
        )
        self._stage.home.go_to("flow")


def _nothing(_answer: str | None) -> None:
    """It was only looked at."""


def _told(run: PastRun) -> str:
    when = time.strftime(_("%d %b %H:%M"), time.localtime(run.state.started_at))
    moves = n_("{count} move", "{count} moves", run.state.moves)
    end = _(wording.ENDED[run.state.status]) if run.state.status is not None else p_("run", "open")
    return _("{when}, {moves}, {end}", when=when, moves=moves, end=end)


def _ago(seconds: float) -> str:
    if seconds >= 86_400:
        return n_("{count} day ago", "{count} days ago", int(seconds // 86_400))
    if seconds >= 3_600:
        return n_("{count} hour ago", "{count} hours ago", int(seconds // 3_600))
    if seconds >= 60:
        return n_("{count} minute ago", "{count} minutes ago", int(seconds // 60))
    return _("just now")
