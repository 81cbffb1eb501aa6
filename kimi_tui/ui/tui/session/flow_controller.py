"""Flow controller: start, inspect, steer, export and compare runs. The app routes events here."""

from collections.abc import Callable, Coroutine
from pathlib import Path

from kimi_tui.errors import ChartTooLargeError
from kimi_tui.flow.model.graph import NodeKind
from kimi_tui.flow.render.node_signs import KIND_SIGNS
from kimi_tui.flow.render.run_export import view_of_chart
from kimi_tui.flow.run.resume_request import ResumeRequest
from kimi_tui.flow.run.run_view import RunView
from kimi_tui.ui.tui.dialogs.choice_dialog import ChoiceDialog
from kimi_tui.ui.tui.dialogs.edit_prompt import EditPrompt
from kimi_tui.ui.tui.dialogs.option_list import Option
from kimi_tui.ui.tui.engine_protocol import Engine, FlowSkill
from kimi_tui.ui.tui.flow_pane.budget_prompt import budget_prompt, raise_budget
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
from kimi_tui.ui.tui.session.presenter import Presenter
from kimi_tui.ui.tui.state.flow_reducer import branches_of, current_label, default_at, label_of, question_at
from kimi_tui.ui.tui.state.items import FlowHeaderItem
from kimi_tui.ui.tui.widgets.text_prompt import TextPrompt

_FORMATS: tuple[tuple[Format, str, str], ...] = (
    ("mermaid", "m", N_("Mermaid (path highlighted)")),
    ("svg", "s", N_("SVG (image)")),
    ("json", "j", N_("JSON (all data)")),
    ("md", "t", N_("Markdown (table of nodes and decisions)")),
)
_REPLAY_ACTIONS = N_("replay: press End to return to now")

_NEEDS_BUDGET = frozenset({"toggle", "step", "again"})
"""Actions that start work, which a used up budget does not allow."""

_WITHOUT_TURN = frozenset({"run", "ask", "on"})
"""Settings of nodes that run no model turn and therefore have no prompt."""


class FlowController:
    """Controls the flows of a session.

    `browse_runs` shows the past runs of the flow in a work dir; `clock` is the clock of the displayed moment.
    """

    def __init__(
        self,
        host: FlowHost,
        presenter: Presenter,
        browse_runs: Callable[[Path, str], Coroutine[None, None, None]],
        *,
        clock: Callable[[], float],
    ) -> None:
        self._host, self._presenter, self._clock = host, presenter, clock
        self._browse_runs = browse_runs
        self._main_screen, self._pane = presenter.main_screen, presenter.main_screen.flow_pane
        presenter.on_budget_reached = lambda: self.offer_budget(by_itself=True)

    @property
    def _engine(self) -> Engine | None:
        return self._presenter.engine

    def _skill(self, name: str) -> FlowSkill | None:
        return next((skill for skill in self._pane.listing.flows if skill.name == name), None)

    # Start

    def start(self, name: str) -> None:
        """Show a flow's chart, ask for arguments, and start it; for an invalid chart, show its errors."""
        pane, skill = self._pane, self._skill(name)
        if skill is None:
            return
        if skill.flow is None:
            pane.show_chart(skill)
            pane.focus_inside()
            return

        def begin(args: str | None) -> None:
            if args is not None:
                self._presenter.last_steered_at = float("-inf")
                self._host.submit(f"/flow:{name} {args}".strip())

        self._host.open_dialog(StartFlow(skill.name, translate(skill.description), skill.flow), begin)

    def offer_resume(self, *, by_itself: bool = False) -> None:
        """Offer to resume an interrupted run, if there is one.

        `by_itself`: the prompt opened without a user action, so typing goes to the message.
        """
        run, unfinished = self._presenter.state.flow.run, open_run(self._engine)
        if unfinished is None:
            return
        known = run is not None and run.run_id == unfinished.run_id
        prompt = resume_prompt(
            self._engine, unfinished, current_label(run) if run is not None and known else unfinished.node_id
        )

        def act(answer: str | None) -> None:
            if answer in ("go", "new"):
                self._host.submit(str(ResumeRequest(prompt.run_id, new_chart=answer == "new")))
            elif answer == "see":
                self._main_screen.go_to("flow")

        typed = self._main_screen.write if by_itself else None
        self._host.open_dialog(ChoiceDialog(_("a flow was interrupted"), prompt.text, prompt.options, typed=typed), act)

    # Steer

    def steer(self, action: str, node_id: str) -> None:
        """Handle a key or a button of the flow pane; `node_id` is the node under the cursor."""
        run = self._presenter.state.flow.run
        if action == "list":
            self._pane.action_list()
        elif self._presenter.past is not None:
            self._host.show_toast(_(_REPLAY_ACTIONS))
        elif action == "choose" and run is not None:
            self._choose(node_id or run.node_id)
        elif action.startswith("choose:") and run is not None:
            self.take_branch(run.node_id, action.partition(":")[2])
        elif action == "edit" and run is not None:
            self._edit(node_id or run.node_id)
        elif action in _NEEDS_BUDGET and run is not None and run.waits_for_budget(self._clock()):
            self.offer_budget()
        else:
            self._run_action(action, node_id)

    def ask_again(self) -> bool:
        """Show the question that the run waits for; False if it waits for none."""
        run = self._presenter.state.flow.run
        if run is None or not run.active or self._presenter.past is not None:
            return False
        if run.waits_for_budget(self._clock()):
            self.offer_budget()
        elif run.paused is not None and run.paused.reason == "choice":
            self._choose(run.node_id)
        else:
            return False
        return True

    def offer_budget(self, *, by_itself: bool = False) -> None:
        """Ask whether to raise the budget of the run that has used it up, or to stop the run.

        `by_itself`: the question opened without a user action, so typing goes to the message.
        """
        run = self._presenter.state.flow.run
        if run is None or self._engine is None:
            return
        prompt = budget_prompt(run, self._clock())

        def act(answer: str | None) -> None:
            if answer == "raise":
                self._raise(str(prompt.proposed))
            elif answer == "other":
                about = _("Write caps like `2 usd, 500k tokens, 1h`; caps that you leave out do not change.")
                self._host.open_dialog(
                    TextPrompt(_("raise the budget"), about=about, value=str(prompt.proposed)), self._raise
                )
            elif answer == "stop":
                self._run_action("stop", "")

        typed = self._main_screen.write if by_itself else None
        self._host.open_dialog(ChoiceDialog(_("budget used up"), prompt.text, prompt.options, typed=typed), act)

    def _raise(self, text: str | None) -> None:
        if text and self._engine is not None and (message := raise_budget(self._engine, text)) is not None:
            self._host.show_toast(message)

    def take_branch(self, node_id: str, label: str) -> None:
        """Take a branch of a node: at once if the run waits there, else when the run reaches it."""
        run = self._presenter.state.flow.run
        if run is None or not run.active:
            return
        if self._presenter.past is not None:
            self._host.show_toast(_(_REPLAY_ACTIONS))
            return
        self._main_screen.dialogs.close_branches()
        self._run_action(f"choose:{label}", node_id)

    def _choose(self, node_id: str) -> None:
        """Ask for a branch of the node under the cursor, or else of the current node."""
        run = self._presenter.state.flow.run
        if run is None or not run.active:
            self._host.show_toast(_("no flow is running"))
            return
        for candidate in (node_id, run.node_id):
            if branches := branches_of(run.begin, candidate):
                label, question = question_at(run, candidate)
                self._main_screen.dialogs.ask_for_branch(
                    candidate, label, branches, question, default_at(run, candidate)
                )
                return
        self._host.show_toast(_("this node has one outgoing edge; there is nothing to choose"))

    def _edit(self, node_id: str) -> None:
        """Let the user edit a node's prompt, and rerun the node with it."""
        run, engine = self._presenter.state.flow.run, self._engine
        node = (
            next((candidate for candidate in run.begin.nodes if candidate.id == node_id), None)
            if run is not None
            else None
        )
        if node is None or engine is None or node.kind in ("begin", "end"):
            self._host.show_toast(_("this node has no prompt"))
            return
        before = engine.runner.state.prompts.get(node_id) if engine.runner is not None else None

        def use(text: str | None) -> None:
            if text is None:
                return
            prompt = "" if text == node.label.strip() else text
            if (message := edit_and_run(engine, node_id, prompt)) is not None:
                self._host.show_toast(message)

        self._host.open_dialog(
            EditPrompt(f"{KIND_SIGNS[NodeKind(node.kind)]} {labels.node_title(node.label)}", before or node.label), use
        )

    def _run_action(self, action: str, node_id: str) -> None:
        if self._engine is not None and (message := control_run(self._engine, action, node_id)) is not None:
            self._host.show_toast(message)

    # View

    def open(self, node_id: str) -> None:
        """Show a node's details, and execute the action chosen there."""
        presenter, flow = self._presenter, self._presenter.shown_state.flow
        run, pane = flow.run, self._pane
        if run is None or pane.shown_run is not run:
            if pane.chart.flow is not None:
                other = pane.overlay_is_shown or view_of_chart(pane.chart.flow)
                actions = NodeActions(section=pane.chart.flow.guidance.sections.get(node_id, ""))
                self._host.open_dialog(NodeDetails(other, node_id, actions, now=LiveContext()), _nothing)
            return

        def act(action: str | None) -> None:
            if action is not None and action.startswith("turn:"):
                keys = [key for key in flow.turn_keys.get(node_id, ()) if key < len(presenter.transcript_sync.ids)]
                index = int(action.partition(":")[2])
                if index < len(keys):
                    self._main_screen.transcript.jump_to(presenter.transcript_sync.ids[keys[index]])
                    self._main_screen.go_to("conversation")
            elif action is not None:
                self.steer(action, node_id)

        def live() -> tuple[RunView, LiveContext] | None:
            shown = self._pane.shown_run
            return (shown, self._pane.held_up) if shown is not None and shown.run_id == run.run_id else None

        now = self._pane.held_up
        controls = self._controls(run, node_id)
        self._host.open_dialog(NodeDetails(run, node_id, controls, now=now, live=live), act)

    def _controls(self, run: RunView, node_id: str) -> NodeActions:
        presenter, flow = self._presenter, self._presenter.shown_state.flow
        engine = self._engine
        conversation = presenter.shown_state.conversation
        turns = [
            item.note
            for key in flow.turn_keys.get(node_id, ())
            if key < len(conversation) and isinstance(item := conversation[key], FlowHeaderItem)
        ]
        node = next((candidate for candidate in run.begin.nodes if candidate.id == node_id), None)
        state = engine.runner.state if engine is not None and engine.runner is not None else None
        return NodeActions(
            turns=turns,
            running=run.active and presenter.past is None,
            here=run.node_id == node_id,
            at_breakpoint=node_id in run.breakpoints,
            asks=run.ask == "always" or (run.ask != "never" and node_id in run.ask),
            edited=state.prompts.get(node_id, "") if state is not None else "",
            section=state.guidance.sections.get(node_id, "") if state is not None else "",
            branches=branches_of(run.begin, node_id),
            has_prompt=node is not None
            and node.kind in ("task", "decision")
            and not _WITHOUT_TURN & (node.settings or {}).keys(),
        )

    def menu(self, node_id: str) -> None:
        """Show all actions available now for the node under the cursor, the run and the view."""
        presenter, pane, flow = self._presenter, self._pane, self._presenter.shown_state.flow
        run = flow.run if pane.showing == "run" else None
        controls = self._controls(run, node_id) if run is not None and presenter.past is None else NodeActions()
        node = next((node for node in run.begin.nodes if node.id == node_id), None) if run is not None else None
        paused = run is not None and run.paused is not None
        state = MenuContext(pane.showing, controls, paused=paused, has_map=pane.chart.map is not None)
        title = _("Actions")
        if run is not None and node is not None:
            title = f"{KIND_SIGNS[NodeKind(node.kind)]} {label_of(run.begin, node_id)}"

        def act(answer: str | None) -> None:
            if answer is not None:
                pane.act(answer)

        self._host.open_dialog(ChoiceDialog(title, "", menu_options(state)), act)

    # Export

    def export(self) -> None:
        """Ask for a format, and write the displayed run or chart into a file of the work dir."""
        pane, engine = self._pane, self._engine
        if engine is None or (pane.shown_run is None and pane.shown_skill is None):
            return
        formats = _FORMATS if pane.shown_run is not None else _FORMATS[:2]

        def write(answer: str | None) -> None:
            chosen_format: Format | None = next(
                (chosen_format for chosen_format, *_rest in formats if chosen_format == answer), None
            )
            if chosen_format is None:
                return
            try:
                if pane.shown_run is not None:
                    path = export_run(pane.shown_run, chosen_format, engine.work_dir, secrets=engine.secrets)
                elif pane.shown_skill is not None and pane.shown_skill.flow is not None:
                    path = export_chart(pane.shown_skill.name, pane.shown_skill.flow, chosen_format, engine.work_dir)
                else:
                    return
            except OSError as error:
                self._host.show_toast(_("could not be written: {cause}", cause=error.strerror or error))
            except ChartTooLargeError as error:
                self._host.show_toast(translate_lines(str(error)))
            else:
                self._host.show_toast(_("written to {file}", file=path.name))

        options = [Option(chosen_format, key, _(words)) for chosen_format, key, words in formats]
        self._host.open_dialog(
            ChoiceDialog(_("export"), _("Save to {folder}", folder=engine.work_dir), options, selected=True), write
        )

    # Compare

    def runs(self, name: str) -> None:
        """Show the table of a flow's earlier runs, over all sessions of the work dir."""
        if (engine := self._engine) is not None:
            self._host.run_in_background(self._browse_runs(engine.work_dir, name))


def _nothing(_answer: str | None) -> None:
    """Do nothing: the dialog was only viewed."""
