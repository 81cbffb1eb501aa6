"""A subagent's conversation, updated live."""

from collections.abc import Callable, Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content

from kimi_tui.ui.tui.i18n.catalog import N_, _, n_, p_
from kimi_tui.ui.tui.state.items import SubagentItem, ToolState
from kimi_tui.ui.tui.state.ui_state import UiState
from kimi_tui.ui.tui.text.call_summary import one_line
from kimi_tui.ui.tui.text.sanitize import sanitize
from kimi_tui.ui.tui.transcript.transcript_sync import TranscriptSync
from kimi_tui.ui.tui.transcript.view import Transcript
from kimi_tui.ui.tui.widgets.key_bar import BarKey
from kimi_tui.ui.tui.widgets.modal_frame import ModalFrame

_STATES: dict[ToolState, str] = {
    "waiting": N_("waiting for your answer (Esc to answer)"),
    "running": N_("running"),
    "ok": N_("done"),
    "failed": N_("failed"),
    "rejected": N_("rejected"),
    "interrupted": N_("interrupted"),
}


def subagent_items(state: UiState) -> list[SubagentItem]:
    """The subagents of a conversation, in start order."""
    return [item for item in state.conversation.items if isinstance(item, SubagentItem)]


class SubagentScreen(ModalFrame[None]):
    """Shows one subagent. `subagents` returns the current state of all; `stop` interrupts one by its id."""

    CSS = "SubagentScreen Transcript { height: 1fr; }"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("left", "other(-1)", "The one before", show=False, priority=True),
        Binding("right", "other(1)", "The next one", show=False, priority=True),
        Binding("ctrl+o", "expand", "Expand or collapse all cards", show=False, priority=True),
        Binding("ctrl+x", "stop", "Stop it", show=False, priority=True),
    ]

    def __init__(
        self,
        subagents: Callable[[], Sequence[SubagentItem]],
        index: int,
        *,
        clock: Callable[[], float],
        motion: bool,
        thoughts: bool = True,
        stop: Callable[[str], object] | None = None,
    ) -> None:
        super().__init__()
        self._subagents, self._index = subagents, index
        self._clock, self._motion, self._stop = clock, motion, stop
        self._transcript = Transcript(clock=clock, motion=motion)
        self._transcript.thoughts = thoughts
        self._feed = TranscriptSync(self._transcript)
        self.state = UiState(asker=p_("who asks", "agent"))
        self._taken = 0
        self._over = False

    def body(self) -> ComposeResult:
        yield self._transcript

    def keys(self) -> Sequence[BarKey]:
        item = self.item
        at_work = item is not None and item.state in ("running", "waiting")
        return (
            *((BarKey("Ctrl+X", _("stop"), "stop"),) if at_work and self._stop is not None else ()),
            *((BarKey("← →", _("the others"), "other(1)"),) if len(self._subagents()) > 1 else ()),
            BarKey("j k", _("card")),
            BarKey("Enter", _("open")),
            BarKey("Ctrl+O", _("open all"), "expand"),
        )

    def on_mount(self) -> None:
        super().on_mount()
        self._transcript.focus()
        self._begin()

    @property
    def item(self) -> SubagentItem | None:
        """The displayed subagent; None if a retried step removed it."""
        subagents = self._subagents()
        return subagents[self._index] if self._index < len(subagents) else None

    def follow(self) -> None:
        """Show new messages."""
        if (item := self.item) is None:
            return
        for at, message in item.log.messages[self._taken :]:
            self._feed.apply(self.state.fold(message, at))
        self._taken = len(item.log.messages)
        if item.state not in ("running", "waiting") and not self._over:
            self._over = True
            self._feed.apply(self.state.settle(item.log.messages[-1][0] if self._taken else self._clock()))
        self._update_title(item)

    def tail(self, call_id: str, text: str) -> None:
        """Append output of a running tool."""
        self._feed.apply(self.state.tools.append_output(call_id, text))

    def action_other(self, step: int) -> None:
        if (count := len(self._subagents())) > 1:
            self._index = (self._index + step) % count
            self._begin()

    def action_expand(self) -> None:
        self._transcript.toggle_all()

    def action_stop(self) -> None:
        item = self.item
        if self._stop is not None and item is not None and item.agent_id:
            self._stop(item.agent_id)

    def on_transcript_item_clicked(self, event: Transcript.ItemClicked) -> None:
        event.stop()
        item = self._transcript.item(event.item_id)
        if event.action != "agent" or not isinstance(item, SubagentItem):
            return
        index = next((at for at, one in enumerate(subagent_items(self.state)) if one.log is item.log), None)
        if index is not None:
            within = SubagentScreen(
                lambda: subagent_items(self.state), index, clock=self._clock, motion=self._motion, stop=self._stop
            )
            self.app.push_screen(within)

    def _begin(self) -> None:
        self.state, self._taken, self._over = UiState(asker=p_("who asks", "agent")), 0, False
        self._feed.start(())
        self.follow()

    def _update_title(self, item: SubagentItem) -> None:
        title = [_("agent {name}", name=item.name), one_line(item.task)]
        if (count := len(self._subagents())) > 1:
            title.append(_("{number} of {count}", number=self._index + 1, count=count))
        self.query_one("#frame").border_title = Content(sanitize(" · ".join(filter(None, title))))
        calls = n_("{count} call", "{count} calls", item.step_count) if item.step_count else ""
        self.set_status(" · ".join(filter(None, (_(_STATES[item.state]), calls))))
        self.show_keys()
