"""Converts the history to a service's format incrementally: each step converts only the new messages."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from kimi_tui.llm.message import Message
from kimi_tui.llm.provider import Capability
from kimi_tui.surrogates import has_surrogates, without_surrogates
from kimi_tui.wire.parts import ContentPart, JsonObject, TextPart


class ConvertedMessage(NamedTuple):
    """The converted form of one message: `items`, and `after`, which goes after the current run of tool results."""

    items: Sequence[JsonObject]
    after: Sequence[JsonObject] = ()


class HistoryConverter:
    """Converts histories that mostly grow at their end.

    Invariant: it keeps the last history, so messages must not change.
    """

    def __init__(self, convert: Callable[[Message], ConvertedMessage]) -> None:
        self._convert = convert
        self._known: list[Message] = []
        self._converted: list[ConvertedMessage] = []

    def convert(self, history: Sequence[Message]) -> list[JsonObject]:
        """Convert all of `history`; later calls share the objects, so do not change them."""
        unchanged = 0
        for earlier, message in zip(self._known, history, strict=False):
            if earlier is not message:
                break
            unchanged += 1
        new = list(history[unchanged:])
        converted = _sendable([self._convert(message) for message in new])  # defence: sendable-history
        self._known[unchanged:], self._converted[unchanged:] = new, converted
        items: list[JsonObject] = []
        deferred: list[JsonObject] = []
        for message, entry in zip(self._known, self._converted, strict=True):
            if deferred and message.role != "tool":
                items += deferred
                deferred = []
            items += entry.items
            deferred += entry.after
        return items + deferred


def _sendable(converted: list[ConvertedMessage]) -> list[ConvertedMessage]:
    """The messages with lone surrogates replaced: files and clients of other versions may have some."""
    if not has_surrogates(converted):
        return converted
    return [ConvertedMessage(without_surrogates(items), without_surrogates(after)) for items, after in converted]


def replace_unsupported_media(message: Message, capabilities: frozenset[Capability]) -> Message:
    """Return the message for a model with these capabilities: a text replaces each image or video that it does not
    accept.
    """
    if not any(_is_unseen(part, capabilities) for part in message.content):
        return message
    visible = tuple(_in_place(part) if _is_unseen(part, capabilities) else part for part in message.content)
    return message.model_copy(update={"content": visible})


def _is_unseen(part: ContentPart, capabilities: frozenset[Capability]) -> bool:
    return (part.type == "image_url" and "image_in" not in capabilities) or (
        part.type == "video_url" and "video_in" not in capabilities
    )


def _in_place(part: ContentPart) -> ContentPart:
    kind = "a picture" if part.type == "image_url" else "a film"
    return TextPart(text=f"<system>Here is {kind}, which this model does not take.</system>")


def call_ids(history: Sequence[Message]) -> set[str]:
    """The ids of all tool calls in `history`."""
    return {call.id for message in history for call in message.tool_calls or ()}


def merged_turns(messages: list[JsonObject], key: str) -> list[JsonObject]:
    """Merge a turn's messages if `key` holds a list: some services require parallel calls' results in one message."""
    merged: list[JsonObject] = []
    for message in messages:
        if merged and merged[-1]["role"] == message["role"]:
            previous, added = merged[-1][key], message[key]
            assert isinstance(previous, list)
            assert isinstance(added, list)
            merged[-1] = {"role": message["role"], key: [*previous, *added]}
        else:
            merged.append(message)
    return merged
