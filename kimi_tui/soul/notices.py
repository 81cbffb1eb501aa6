"""Notifications outside of any step: errors, warnings, news."""

import time
from typing import Literal
from uuid import uuid4

from kimi_tui.context.dmail import DMail
from kimi_tui.errors import (
    FlowControlError,
    KimiTuiError,
    MaxStepsReachedError,
    ProviderError,
    RepeatedCallError,
    UsageError,
)
from kimi_tui.i18n import UserText, tr
from kimi_tui.wire.events import Notification

Severity = Literal["info", "success", "warning", "error"]


def notice(
    title: UserText, body: UserText = "", *, severity: Severity = "info", kind: str = "notice", source: str = "soul"
) -> Notification:
    return Notification(
        id=uuid4().hex,
        category="system",
        type=kind,
        source_kind="system",
        source_id=source,
        title=title,
        body=body,
        severity=severity,
        created_at=time.time(),
    )


def error_notice(error: KimiTuiError) -> Notification:
    """Report the error that ended a turn, with its cause."""
    match error:
        case ProviderError():
            title = tr("The model request failed")
        case UsageError() | FlowControlError():
            title = tr("Not possible")
        case MaxStepsReachedError() | RepeatedCallError():
            title = tr("The turn was stopped")
        case _:
            title = tr("The turn ended with an error")
    body = str(error)
    if isinstance(error, ProviderError) and error.taken_back:
        body = " ".join((body.rstrip(".") + ".", tr("The message was removed; the model will not see it again.")))
    return notice(title, body, severity="error", kind=type(error).__name__)


def cut_notice() -> Notification:
    """Report that the service cut the model's answer short and it cannot be continued."""
    return notice(
        tr("The answer was cut off"),
        tr("The answer reached its length limit; ask the model to continue"),
        severity="warning",
        kind="cut",
    )


def dmail_notice(mail: DMail) -> Notification:
    """Mark a D-Mail in the transcript; the payload holds the target checkpoint."""
    title = tr("D-Mail sent to checkpoint {number}", number=mail.checkpoint_id)
    return notice(title, mail.message, kind="dmail").model_copy(
        update={"payload": {"checkpoint_id": mail.checkpoint_id}}
    )
