"""D-Mail: a message that an agent sends back to an earlier checkpoint of its own conversation."""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass

from kimi_tui.context.context import Context
from kimi_tui.llm.message import Message, user_message
from kimi_tui.wire.parts import JsonObject

_WORDS = {"feedback": "Rejected", "comments": "Approved", "answers": "Answered"}
_MARK = re.compile(r"<system>CHECKPOINT \d+</system>")
_ARRIVAL = (
    "<system>You have received a D-Mail from yourself in the future. It is about what you did after this point, "
    "which has not happened now, except for what was changed on disk. Make use of it, and say nothing of it to the "
    "person.</system>"
)


class DMailError(ValueError):
    """A D-Mail that cannot be sent; the message is for the model."""


@dataclass(frozen=True, slots=True)
class DMail:
    message: str
    checkpoint_id: int


class DenwaRenji:
    """Holds at most one D-Mail until the step is over. Each agent has its own."""

    def __init__(self) -> None:
        self._pending: DMail | None = None
        self._checkpoints: Sequence[int] = ()

    def set_checkpoints(self, ids: Sequence[int]) -> None:
        """Set the checkpoints that a D-Mail can target, in order."""
        self._checkpoints = ids

    def send(self, mail: DMail) -> None:
        """Store the D-Mail until the end of the step. Raises DMailError."""
        if self._pending is not None:
            raise DMailError("Only one D-Mail can be sent in a step.")
        if mail.checkpoint_id not in self._checkpoints:
            ends = " to ".join(str(number) for number in (*self._checkpoints[:1], *self._checkpoints[-1:]))
            raise DMailError(f"There is no checkpoint {mail.checkpoint_id}; they go from {ends}.")
        self._pending = mail

    def take(self) -> DMail | None:
        mail, self._pending = self._pending, None
        return mail


def checkpoint_mark(checkpoint_id: int) -> Message:
    """Return the message that marks a checkpoint for an agent that can send D-Mails."""
    return user_message(f"<system>CHECKPOINT {checkpoint_id}</system>")


def marked_checkpoints(context: Context) -> list[int]:
    """Return the checkpoints that the model sees: not the one before the notes of a compaction."""
    return [
        number
        for number in range(context.checkpoints)
        if context.message_after(number) == checkpoint_mark(number)  # defence: dmail-to-a-marked-checkpoint
    ]


def is_checkpoint_mark(message: Message) -> bool:
    return message.role == "user" and _MARK.fullmatch(message.text) is not None


def outlives_dmail(message: Message) -> bool:
    """Whether a D-Mail that takes this message back puts it in again: what the user said, and notes for the model."""
    is_ours = is_checkpoint_mark(message) or message.text.startswith(_ARRIVAL)
    return message.role == "user" and not is_ours  # defence: user-messages-outlive-dmail


def words_of_user(tool: str, extras: JsonObject) -> Message | None:
    """Return what the user said to a tool call, as a message that outlives the call; None for nothing."""
    words = "\n".join(
        f"{how}: {said if isinstance(said, str) else json.dumps(said, ensure_ascii=False)}"
        for key, how in _WORDS.items()
        if (said := extras.get(key))
    )
    if not words:
        return None
    return user_message(f"<system>The user said this to a call of {tool} that you have taken back.</system>\n\n{words}")


def arrival(mail: DMail) -> Message:
    """Return the message that replaces what the model did after the checkpoint."""
    return user_message(f"{_ARRIVAL}\n\n{mail.message.strip()}")
