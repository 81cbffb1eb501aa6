"""Requests that the service rejects whenever they are sent: too long, or with content that it refuses."""

from collections.abc import Sequence

from kimi_tui.context.context import Context
from kimi_tui.context.dmail import is_checkpoint_mark
from kimi_tui.errors import ContextOverflowError, ProviderAuthError, ProviderError
from kimi_tui.i18n import tr
from kimi_tui.llm.message import Message


def rejects_content(error: ProviderError) -> bool:
    """Whether the service rejects this request because of its content, so that a retry fails too."""
    return not error.retryable and not isinstance(error, ProviderAuthError | ContextOverflowError)


def remove_rejected_message(
    context: Context, requests: Sequence[Message], history_before: Sequence[Message], checkpoint: int
) -> list[str] | None:
    """Remove a rejected message: otherwise each later request would contain it and be rejected too.

    `requests` is the turn's user input, `history_before` the history at its start; `checkpoint` marks that start.
    Returns the removed notes for the model; None if nothing was removed, because the model has answered or the
    conversation was compacted since.
    """
    history = context.history
    if [*map(id, history[: len(history_before)])] != [*map(id, history_before)] or context.checkpoints <= checkpoint:
        return None
    new_messages = history[len(history_before) :]
    if any(message.role != "user" for message in new_messages):
        return None
    notes = [
        message.text
        for message in new_messages
        if not is_checkpoint_mark(message) and not any(message is request for request in requests)
    ]
    context.revert_to(checkpoint)  # defence: forget-rejected-message
    return notes


def too_long(error: ContextOverflowError) -> ContextOverflowError:
    """Return the error with the commands that help."""
    way_out = tr(
        "the conversation is too long for this model: undo the last turn (/undo), switch to a larger model "
        "(/model), or start over (/clear)"
    )
    return ContextOverflowError(f"{error} ({way_out})", status_code=error.status_code)
