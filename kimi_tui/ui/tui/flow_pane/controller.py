"""Flow controller: start, inspect, steer, export and compare runs. The app routes events here."""

from collections.abc import Callable

from kimi_tui.errors import ChartTooLargeError
from kimi_tui.flow.render.run_export import view_of_chart
from kimi_tui.ui.tui.dialogs.choice_dialog import ChoiceDialog
from kimi_tui.ui.tui.dialogs.edit_prompt import EditPrompt
from kimi_tui.ui.tui.dialogs.option_list import Option
from kimi_tui.ui.tui.engine_protocol import Engine, FlowSkill
from kimi_tui.ui.tui.flow_pane.commands import control_run, edit_and_run
from kimi_tui.ui.tui.flow_pane.context_menu import MenuContext, menu_options
from kimi_tui.ui.tui.flow_pane.export_files import Format, export_chart, export_run
from kimi_tui.ui.tui.flow_pane.host_protocol import FlowHost
from kimi_tui.ui.tui.flow_pane.node_details import NodeActions, NodeDetails
from kimi_tui.ui.tui.flow_pane.resume_prompt import open_run, resume_prompt
from kimi_tui.ui.tui.flow_pane.run_styles import LiveContext
from kimi_tui.ui.tui.flow_pane.start_flow import StartFlow
from kimi_tui.ui.tui.i18n import labels
from kimi_tui.ui.tui.i18n.catalog import N_, _
from kimi_tui.ui.tui.i18n.translate import translate, translate_lines
from kimi_tui.ui.tui.replay.run_browser import RunBrowser
from kimi_tui.ui.tui.replay.time_travel import TimeTravel
from kimi_tui.ui.tui.session.presenter import Presenter
from kimi_tui.ui.tui.state.flow_reducer import FlowRunState, branches_of, label_of
from kimi_tui.ui.tui.state.items import FlowHeaderItem

_FORMATS: tuple[tuple[Format, str, str], ...] = (
    ("mermaid", "m", N_("Mermaid, the way gone as classes")),
    ("svg", "s", N_("SVG, a picture of it")),
    ("json", "j", N_("JSON, every figure")),
    ("md", "t", N_("Markdown, a table of its nodes and decisions")),
)
_REPLAY_ACTIONS = N_("this is the past; End goes back to now")


class FlowController:
    """`clock` is the clock of the displayed moment."""

    def __init__(self, room: FlowHost, stage: Presenter, machine: TimeTravel, *, clock: Callable[[], float]) -> None:
        self._room, self._stage, self._clock = room, stage, clock
        self._shelf = RunBrowser(room, stage, machine)

    @property
    def _engine(self) -> Engine | None:
        return self._stage.engine

    def _skill(self, name: str) -> FlowSkill | None:
        return next((skill for skill in self._stage.home.flow.listing.flows if skill.name == name), None)

    # Start

    def start(self, name: str) -> None:
        """Show a flow's chart, ask for arguments, and start it; for an invalid chart, show its errors."""
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
                self._stage.last_steered_at = float("-inf")
                self._room.submit(f"/flow:{name} {args}".strip())

        self._room.open_dialog(StartFlow(skill.name, translate(skill.description), skill.flow), begin)

    def offer_resume(self, *, by_itself: bool = False) -> None:
        """Offer to resume an interrupted run, if there is one.

        `by_itself`: the prompt opened without a user action, so typing goes to the message.
        """
        run, found = self._stage.state.flow.run, open_run(self._engine)
        if found is None:
            return
        known = run is not None and run.begin.run_id == found.run_id
        offer = resume_prompt(self._engine, found, run.node_label if run is not None and known else found.node_id)

        def act(answer: str | None) -> None:
            if answer in ("go", "new"):
                self._room.submit(f"/flow-resume {offer.run_id}" + (" new" if answer == "new" else ""))
            elif answer == "see":
                self._stage.home.go_to("flow")

        typed = self._stage.home.write if by_itself else None
        self._room.open_dialog(ChoiceDialog(_("a flow was cut off"), offer.text, offer.options, typed=typed), act)

    # Steer

    def steer(self, action: str, node_id: str) -> None:
        """Handle a key or a button of the flow pane; `node_id` is the node under the cursor."""
        run = self._stage.state.flow.run
        if action == "list":
            self._stage.home.flow.action_list()
        elif self._stage.past is not None:
            self._room.tell(_(_REPLAY_ACTIONS))
        elif action == "choose" and run is not None:
            self._choose(node_id or run.node_id)
        elif action.startswith("choose:") and run is not None:
            self.take_branch(run.node_id, action.partition(":")[2])
        elif action == "edit" and run is not None:
            self._edit(node_id or run.node_id)
        else:
            self._run_action(action, node_id)

    def take_branch(self, node_id: str, label: str) -> None:
        """Take a branch of a node: now if the run waits there, else when it gets there."""
        run = self._stage.state.flow.run
        if run is None or not run.active:
            return
        if self._stage.past is not None:
            self._room.tell(_(_REPLAY_ACTIONS))
            return
        branch = self._stage.home.branch
        if branch.is_open:
            had_focus = branch.has_focus_within
            branch.close()
            if had_focus:
                self._stage.home.restore_focus()
        self._run_action(f"choose:{label}", node_id)

    def _choose(self, node_id: str) -> None:
        """Ask for a branch of the node under the cursor, or else of the current node."""
        run = self._stage.state.flow.run
        if run is None or not run.active:
            self._room.tell(_("no flow is running"))
            return
        for one in (node_id, run.node_id):
            if branches := branches_of(run.begin, one):
                asks = self._stage.home.open_dialog_widget
                if asks is not None and asks is not self._stage.home.branch:
                    self._stage.home.focus_dialog(asks)  # the open dialog comes first
                    return
                label = label_of(run.begin, one)
                self._stage.home.branch.show(one, label, branches, wanted=True)
                self._stage.home.seat_dialogs()
                self._stage.home.focus_dialog(self._stage.home.branch)
                return
        self._room.tell(_("this node has one way out; there is nothing to choose"))

    def _edit(self, node_id: str) -> None:
        """Let the user edit a node's prompt, and rerun the node with it."""
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

        self._room.open_dialog(EditPrompt(labels.node_title(node.label), before or node.label), use)

    def _run_action(self, action: str, node_id: str) -> None:
        if self._engine is not None and (word := control_run(self._engine, action, node_id)) is not None:
            self._room.tell(word)

    # View

    def open(self, node_id: str) -> None:
        """Show a node's details, and execute the action chosen there."""
        stage, fold = self._stage, self._stage.shown_ids.flow
        picture, run, pane = fold.picture, fold.run, stage.home.flow
        if picture is None or run is None or pane.picture is not picture:
            if pane.chart.flow is not None:
                other = pane.overlay_is_shown or view_of_chart(pane.chart.flow)
                actions = NodeActions(section=pane.chart.flow.guidance.sections.get(node_id, ""))
                self._room.open_dialog(NodeDetails(other, node_id, actions, now=LiveContext()), _nothing)
            return

        def act(action: str | None) -> None:
            if action is not None and action.startswith("turn:"):
                keys = [key for key in fold.turn_keys.get(node_id, ()) if key < len(stage.transcript_sync.ids)]
                place = int(action.partition(":")[2])
                if place < len(keys):
                    stage.home.transcript.jump_to(stage.transcript_sync.ids[keys[place]])
                    stage.home.go_to("talk")
            elif action is not None:
                self.steer(action, node_id)

        now = stage.home.flow.held_up
        controls = self._controls(run, node_id)
        self._room.open_dialog(NodeDetails(picture, node_id, controls, now=now), act)

    def _controls(self, run: FlowRunState, node_id: str) -> NodeActions:
        stage, fold = self._stage, self._stage.shown_ids.flow
        picture, engine = fold.picture, self._engine
        talk = stage.shown_ids.conversation
        turns = [
            item.note
            for key in fold.turn_keys.get(node_id, ())
            if key < len(talk) and isinstance(item := talk[key], FlowHeaderItem)
        ]
        node = next((one for one in run.begin.nodes if one.id == node_id), None)
        state = engine.runner.state if engine is not None and engine.runner is not None else None
        asks = None
        if picture is not None:
            asks = picture.ask == "always" or (picture.ask != "never" and node_id in picture.ask)
        return NodeActions(
            turns=turns,
            running=run.active and stage.past is None,
            here=run.node_id == node_id,
            at_breakpoint=picture is not None and node_id in picture.breakpoints,
            asks=asks,
            edited=state.prompts.get(node_id, "") if state is not None else "",
            section=state.guidance.sections.get(node_id, "") if state is not None else "",
            branches=branches_of(run.begin, node_id),
            has_prompt=node is not None and node.kind in ("task", "decision"),
        )

    def menu(self, node_id: str) -> None:
        """Show all actions available now for the node under the cursor, the run and the view."""
        stage, pane, fold = self._stage, self._stage.home.flow, self._stage.shown_ids.flow
        run = fold.run if pane.showing == "run" else None
        controls = self._controls(run, node_id) if run is not None and stage.past is None else NodeActions()
        name = label_of(run.begin, node_id) if run is not None and node_id else ""
        paused = run is not None and run.paused is not None
        state = MenuContext(pane.showing, controls, paused=paused, has_map=pane.chart.map is not None)
        title = f"◆ {name}" if name else _("what can be done")

        def act(answer: str | None) -> None:
            if answer is not None:
                pane.act(answer)

        self._room.open_dialog(ChoiceDialog(title, "", menu_options(state)), act)

    # Export

    def export(self) -> None:
        """Ask for a format, and write the displayed run or chart into a file of the work dir."""
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
            except ChartTooLargeError as error:
                self._room.tell(translate_lines(str(error)))
            else:
                self._room.tell(_("written to {file}", file=path.name))

        options = [Option(form, key, _(words)) for form, key, words in formats]
        self._room.open_dialog(
            ChoiceDialog(_("export"), _("Into {folder}", folder=engine.work_dir), options, begun=True), write
        )

    # Compare

    def runs(self, name: str) -> None:
        """Show the table of a flow's earlier runs, over all sessions of the work dir."""
        if (engine := self._engine) is not None:
            self._room.run_in_background(self._shelf.open(engine.work_dir, name))


def _nothing(_answer: str | None) -> None:
    """Do nothing: the dialog was only viewed."""
