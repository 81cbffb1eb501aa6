"""Follows a flow: one turn a node, a branch at each decision, until the end or a person says stop."""

import time
from collections.abc import Callable, Iterable
from typing import Literal

from kimi_tui.flow.graph import Flow
from kimi_tui.flow.journal import Journal
from kimi_tui.flow.run_state import Pause, RunState
from kimi_tui.flow.turn import FlowOutcome, TurnResult, TurnTaker
from kimi_tui.wire.codec import WireMessage

__all__ = ["FlowOutcome", "FlowRunner", "TurnResult", "TurnTaker"]

Ask = Literal["never", "always"] | frozenset[str]


class FlowRunner:
    """One run of a flow.

    `interactive` says that somebody is there to steer: then the run pauses where a person can mend it, else it ends.
    `text` is the chart as written, kept in the journal so that a later resume needs nothing else.
    The control methods may be called at any time from the loop that runs it; each raises FlowControlError,
    with the reason for the person, where it makes no sense.
    """

    def __init__(
        self,
        flow: Flow,
        *,
        name: str,
        taker: TurnTaker,
        send: Callable[[WireMessage], None],
        interactive: bool,
        journal: Journal | None = None,
        text: str = "",
        args: str = "",
        max_moves: int = 1000,
        max_choice_retries: int = 5,
        breakpoints: Iterable[str] = (),
        clock: Callable[[], float] = time.monotonic,
        run_id: str | None = None,
        resume: RunState | None = None,
    ) -> None:
        raise NotImplementedError

    async def run(self) -> FlowOutcome:
        """Follow the flow to its end. FlowBegin and FlowEnd are sent whatever happens; raises CancelledError only."""
        raise NotImplementedError

    @property
    def run_id(self) -> str:
        raise NotImplementedError

    @property
    def state(self) -> RunState:
        """Where the run is, as the journal has it; not to be changed."""
        raise NotImplementedError

    @property
    def node_id(self) -> str:
        raise NotImplementedError

    @property
    def paused(self) -> Pause | None:
        raise NotImplementedError

    @property
    def branches(self) -> tuple[str, ...]:
        """The labels a person can choose from at the node the run is on; none where it is no decision."""
        raise NotImplementedError

    def pause(self) -> None:
        """Pause when the turn that is under way is over."""
        raise NotImplementedError

    def go_on(self) -> None:
        """End the pause: enter the node, run it again where it failed, or take the choice that the model named."""
        raise NotImplementedError

    def step(self) -> None:
        """Run one node, then pause."""
        raise NotImplementedError

    def toggle_breakpoint(self, node_id: str) -> bool:
        """Whether there is a breakpoint on the node now."""
        raise NotImplementedError

    def choose(self, label: str, *, node_id: str | None = None) -> None:
        """Take a branch: of the decision the run is on, or of another in advance (its model is then not asked)."""
        raise NotImplementedError

    def ask_at_decisions(self, ask: Ask) -> None:
        """When the person confirms what the model chose."""
        raise NotImplementedError

    def run_again(self, node_id: str | None = None) -> None:
        raise NotImplementedError

    def edit_prompt(self, node_id: str, text: str | None) -> None:
        """Use this text in place of the label from the node's next turn on; None: the label again."""
        raise NotImplementedError

    def jump(self, node_id: str) -> None:
        raise NotImplementedError

    def skip(self) -> None:
        """Leave the node by its only way out, without a turn, or without what is left of it."""
        raise NotImplementedError

    def stop(self, reason: str | None = None) -> None:
        """End the run: at once where it is paused, else when the turn under way is over (which the caller may cancel)."""
        raise NotImplementedError
