"""Detects a stream that continues without content: events without text, calls or arguments."""

import time

from kimi_tui.errors import ProviderTimeoutError
from kimi_tui.i18n import tr
from kimi_tui.llm.provider import ReplyCut, ReplyId, ReplyUsage, StreamPart
from kimi_tui.llm.provider_settings import ProviderSettings
from kimi_tui.wire.parts import TextPart, ThinkPart, ToolCallPart

_SILENT_READS = 2


def seconds_to_wait(settings: ProviderSettings) -> float:
    """How long a service may take for its next event, whatever else it sends."""
    return settings.idle_timeout_s * _SILENT_READS


class StallDetector:
    """Measures the time since the last event with content."""

    def __init__(self, settings: ProviderSettings) -> None:
        self._seconds = seconds_to_wait(settings)
        self._since = time.monotonic()

    def check(self, *, has_content: bool) -> None:
        """Call it for each event. Raises ProviderTimeoutError."""
        now = time.monotonic()
        if has_content:
            self._since = now
        elif now - self._since > self._seconds:  # defence: deadline-for-words
            raise ProviderTimeoutError(
                tr("only empty events from the service for {seconds:g} seconds", seconds=self._seconds)
            )


def adds_content(part: StreamPart) -> bool:
    """Whether this part adds content to the reply."""
    match part:
        case TextPart(text=text):
            return bool(text)
        case ThinkPart(think=think, encrypted=encrypted):
            return bool(think or encrypted)
        case ToolCallPart(arguments_part=arguments):
            return bool(arguments)
        case _:
            return not isinstance(part, ReplyId | ReplyUsage | ReplyCut)
