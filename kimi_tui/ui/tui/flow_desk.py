"""What is done with flows from the screen: started, opened, steered. The app routes, this decides."""

from collections.abc import Callable
from typing import Protocol

from textual.screen import ModalScreen

from kimi_tui.ui.tui.dialogs.node import NodeAction, NodeDetails
from kimi_tui.ui.tui.dialogs.start_flow import StartFlow
from kimi_tui.ui.tui.engine import Engine
from kimi_tui.ui.tui.flow_fold import branches_of
from kimi_tui.ui.tui.stage import Stage
from kimi_tui.ui.tui.steering import steer


class Room(Protocol):
    """What of the app is needed: a place for dialogs, and a voice."""

    def open_flow_start(self, screen: ModalScreen[str | None], done: Callable[[str | None], None]) -> None: ...
    def open_node(self, screen: ModalScreen[NodeAction | None], done: Callable[[NodeAction | None], None]) -> None: ...
    def submit(self, text: str) -> None: ...
    def tell(self, text: str) -> None: ...


class FlowDesk:
    """`clock` is the clock of the messages."""

    def __init__(self, room: Room, stage: Stage, *, clock: Callable[[], float]) -> None:
        self._room, self._stage, self._clock = room, stage, clock

    @property
    def _engine(self) -> Engine | None:
        return self._stage.engine

    def start(self, name: str) -> None:
        """Show the chart of a listed flow, ask for arguments, and start it."""
        skill = next((skill for skill in self._stage.home.flow.listing.flows if skill.name == name), None)
        if skill is None or skill.flow is None:
            return

        def begin(args: str | None) -> None:
            if args is not None:
                self._room.submit(f"/flow:{name} {args}".strip())

        self._room.open_flow_start(StartFlow(skill.name, skill.description, skill.flow), begin)

    def steer(self, action: str, node_id: str) -> None:
        """A key or a button of the flow pane; `node_id` is the node under the cursor."""
        run = self._stage.state.flow.run
        if action == "list":
            self._stage.home.flow.action_list()
        elif action == "choose" and run is not None:
            self._choose(node_id or run.node_id)
        elif action.startswith("choose:") and run is not None:
            self.take_branch(run.node_id, action.partition(":")[2])
        else:
            self._do(action, node_id)

    def take_branch(self, node_id: str, label: str) -> None:
        """Take a branch of a node: now where the run waits there, else when it comes there."""
        run = self._stage.state.flow.run
        if run is None or not run.active:
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
            self._room.tell("no flow is running")
            return
        for one in (node_id, run.node_id):
            if branches := branches_of(run.begin, one):
                label = next((node.label for node in run.begin.nodes if node.id == one), one)
                self._stage.home.branch.show(one, label, branches, wanted=True)
                self._stage.home.branch.focus()
                return
        self._room.tell("this node has one way out; there is nothing to choose")

    def _do(self, action: str, node_id: str) -> None:
        if self._engine is not None and (word := steer(self._engine, action, node_id)) is not None:
            self._room.tell(word)

    def open(self, node_id: str) -> None:
        """Show a node of the run, and do what is chosen there."""
        stage, fold = self._stage, self._stage.state.flow
        picture, run = fold.picture, fold.run
        if picture is None or run is None:
            return

        def act(action: NodeAction | None) -> None:
            if action == "turn":
                if keys := [key for key in fold.turn_keys.get(node_id, ()) if key < len(stage.feed.ids)]:
                    stage.home.transcript.jump_to(stage.feed.ids[keys[-1]])
                    stage.home.go_to("talk")
            elif action is not None:
                self._do(action, node_id)

        details = NodeDetails(
            picture,
            node_id,
            now=self._clock(),
            turns=len(fold.turn_keys.get(node_id, ())),
            running=run.active,
            at_breakpoint=node_id in picture.breakpoints,
        )
        self._room.open_node(details, act)
