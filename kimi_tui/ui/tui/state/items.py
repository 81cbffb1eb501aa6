"""The items of a conversation: frozen values, one class per kind; `item_renderer` draws them.

Times are in seconds; `started` is a reading of the view's clock, so that a running item can show elapsed time.
"""

from dataclasses import dataclass, field
from typing import Literal

from kimi_tui.i18n import UserText
from kimi_tui.wire.codec import WireMessage
from kimi_tui.wire.display import DisplayBlock

ToolState = Literal["waiting", "running", "ok", "failed", "rejected", "interrupted"]
SeparatorKind = Literal["compaction", "dmail", "resume", "rewind", "interrupted"]
NoticeLevel = Literal["info", "warning", "success"]


@dataclass(frozen=True, slots=True)
class UserItem:
    """A message of the user, or of the agent `by` that started a subagent.

    `steer`: it steered a running turn; `chips` name images and files.
    """

    text: str
    chips: tuple[str, ...] = ()
    steer: bool = False
    by: str = ""


@dataclass(frozen=True, slots=True)
class AssistantItem:
    """Model text in Markdown; `stream` adds more until `done`."""

    text: str = ""
    done: bool = False


@dataclass(frozen=True, slots=True)
class ThinkItem:
    """Reasoning: its last lines while it runs, one line when done."""

    text: str = ""
    done: bool = False
    started: float | None = None
    duration_s: float | None = None


@dataclass(frozen=True, slots=True)
class ToolItem:
    """A tool call. `headline` is the argument that identifies it (a command, a path); `tail` is its output while it
    runs; `output` and `message` are the result, `feedback` the user's comment on a rejection; `waiting`: it needs an
    approval; `in_background`: it continues as a background task.
    """

    name: str
    headline: str = ""
    state: ToolState = "running"
    started: float | None = None
    duration_s: float | None = None
    tail: str = ""
    blocks: tuple[DisplayBlock, ...] = ()
    output: str = ""
    message: str = ""
    call_id: str = ""
    feedback: str = ""
    in_background: bool = False


@dataclass(frozen=True, slots=True)
class SubStep:
    """One step of a subagent, as one line."""

    text: str
    state: ToolState = "running"


class SubagentLog:
    """All messages of a subagent so far, with times; its screen builds a state from them. Mutable:
    it grows in place."""

    def __init__(self) -> None:
        self.messages: list[tuple[float, WireMessage]] = []

    def __eq__(self, other: object) -> bool:
        return self is other or (isinstance(other, SubagentLog) and self.messages == other.messages)


@dataclass(frozen=True, slots=True)
class SubagentItem:
    """A running or finished subagent: the last `steps` of `step_count`; `result` is its answer (Markdown)."""

    name: str
    task: str = ""
    state: ToolState = "running"
    steps: tuple[SubStep, ...] = ()
    step_count: int = 0
    started: float | None = None
    duration_s: float | None = None
    result: str = ""
    call_id: str = ""
    agent_id: str = ""
    log: SubagentLog = field(default_factory=SubagentLog, hash=False)


@dataclass(frozen=True, slots=True)
class FlowHeaderItem:
    """The header of a flow node's turn; a click opens the node. `note` is a choice or an end ("chose yes")."""

    node_id: str
    label: str
    visit: int = 1
    kind: Literal["begin", "end", "task", "decision"] = "task"
    flow: str = ""
    note: str = ""


@dataclass(frozen=True, slots=True)
class SeparatorItem:
    """A separator at a cut or compacted part of the context. `detail` is shown when the item is expanded."""

    kind: SeparatorKind
    text: UserText
    detail: UserText = ""
    running: bool = False


@dataclass(frozen=True, slots=True)
class RetryItem:
    """A recoverable failure and the wait before attempt `attempt`; `until` is on the view's clock."""

    reason: UserText
    attempt: int
    max_attempts: int
    until: float | None = None


@dataclass(frozen=True, slots=True)
class ErrorItem:
    """An error: `title` in one line, the cause, and a remedy for the user."""

    title: UserText
    cause: UserText = ""
    hint: UserText = ""


@dataclass(frozen=True, slots=True)
class NoticeItem:
    """A one-line notice of kimi-tui itself."""

    text: UserText
    level: NoticeLevel = "info"


@dataclass(frozen=True, slots=True)
class SideQuestionItem:
    """A side question (`/btw`) and its answer (Markdown), or the reason why there is none."""

    question: str
    answer: str = ""
    error: str = ""
    running: bool = False


@dataclass(frozen=True, slots=True)
class ImageChip:
    """An image in the conversation, by name; `detail` is its size or type."""

    name: str
    detail: str = ""


Item = (
    UserItem
    | AssistantItem
    | ThinkItem
    | ToolItem
    | SubagentItem
    | FlowHeaderItem
    | SeparatorItem
    | RetryItem
    | ErrorItem
    | NoticeItem
    | SideQuestionItem
    | ImageChip
)


def is_running(item: Item) -> bool:
    """Whether the item's rendering changes with time (a spinner, a counter)."""
    match item:
        case ToolItem() | SubagentItem():
            return item.state == "running"
        case ThinkItem():
            return not item.done
        case SeparatorItem() | SideQuestionItem():
            return item.running
        case RetryItem():
            return item.until is not None
        case _:
            return False
