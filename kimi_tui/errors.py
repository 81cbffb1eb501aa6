"""The tree of errors shown to the user; each message has the cause and a fix.

KimiTuiError
├── UsageError              exit 2   the command line is invalid, or names something invalid
│   └── ConfigError         exit 2   a configuration file: file, key, cause
├── FlowError               exit 1   a chart: line, column
│   ├── FlowParseError               does not parse
│   └── FlowValidationError          parses, but is not a valid flow
├── FlowFailedError         exit 1   the model chose no branch at a decision
├── FlowControlError        exit 1   a running flow cannot do this now
├── SkillError              exit 1   a skill file
├── SkillInstallError       exit 1   a shared skill that cannot be fetched or kept
├── AgentSpecError          exit 1   an agent file: file, line, key
├── SessionError            exit 1   a session on disk
│   └── SessionLockedError           another process holds it
├── ModelNotSetError        exit 1   no model is set
├── ModelUnsupportedError   exit 1   the model lacks a capability
├── MaxStepsReachedError    exit 1   the turn reached its step limit
├── RepeatedCallError       exit 1   the model repeated the same tool call
├── BudgetError             exit 1   a flow's budget cannot be kept: a model has no prices
├── BudgetReachedError      exit 1   the budget of a flow run is used up
├── FaultError              exit 1   an internal error; a report has the details
└── ProviderError           exit 1   the model's service; 75 where a retry may help
    ├── ProviderConnectionError  75
    ├── ProviderTimeoutError     75
    ├── EmptyResponseError       75
    └── ProviderStatusError      75 for 408, 409, 429 and the 5xx of a service that is down
        ├── ProviderAuthError    1
        └── ContextOverflowError 1
"""

from os import PathLike

from kimi_tui.i18n import tr

EXIT_OK = 0
EXIT_FAILURE = 1
EXIT_USAGE = 2
EXIT_WAITING = 3
"""A run of a flow waits for the user."""
EXIT_RETRYABLE = 75

RETRYABLE_STATUS = frozenset({408, 409, 429, 500, 502, 503, 504, 529})


class KimiTuiError(Exception):
    """Base of all displayed errors; ``str(error)`` is the whole message for the user."""

    exit_code = EXIT_FAILURE


class UsageError(KimiTuiError):
    """The command line requests something impossible."""

    exit_code = EXIT_USAGE


class ConfigError(UsageError):
    """An invalid configuration; the message has file, key and cause."""

    def __init__(self, cause: str, *, file: PathLike[str] | str | None = None, key: str | None = None) -> None:
        self.cause, self.file, self.key = cause, file, key
        super().__init__(": ".join(str(part) for part in (file, key, cause) if part))


def place_in_text(line: int, column: int | None = None) -> str:
    """Format a position in words; both count from 1."""
    if column is None:
        return tr("line {line}", line=line)
    return tr("line {line}, column {column}", line=line, column=column)


class FlowError(KimiTuiError, ValueError):
    """A chart that cannot be run. `line` and `column` count from 1 within the chart's own text."""

    def __init__(self, cause: str, *, line: int | None = None, column: int | None = None) -> None:
        self.cause, self.line, self.column = cause, line, column
        super().__init__(cause if line is None else f"{place_in_text(line, column)}: {cause}")


class FlowParseError(FlowError):
    """The text is not valid in its chart language."""


class FlowValidationError(FlowError):
    """A chart that parses, but is not a valid flow."""


class ChartTooLargeError(KimiTuiError):
    """A chart that would take too long to draw; its outline can be shown instead."""


class FlowFailedError(KimiTuiError):
    """An unattended run ended at a decision, because no reply of the model chose a branch."""


class FlowControlError(KimiTuiError):
    """A flow run cannot perform the requested action now; the message has the reason. The run is unchanged."""


class SkillError(KimiTuiError):
    """An unusable skill file; the message has the file and, if known, the line."""

    def __init__(self, cause: str, *, file: PathLike[str] | str, line: int | None = None) -> None:
        self.cause, self.file, self.line = cause, file, line
        super().__init__(f"{file}{'' if line is None else f':{line}'}: {cause}")


class SkillInstallError(KimiTuiError):
    """A shared skill that cannot be fetched, is refused, or cannot be put into the user's folder."""


class AgentSpecError(KimiTuiError):
    """An unusable agent file; the message has file, line and key, if known."""

    def __init__(
        self, cause: str, *, file: PathLike[str] | str, line: int | None = None, key: str | None = None
    ) -> None:
        self.cause, self.file, self.line, self.key = cause, file, line, key
        super().__init__(f"{file}{'' if line is None else f':{line}'}: {f'{key}: ' if key else ''}{cause}")


class SessionError(KimiTuiError):
    """A session that cannot be created, found, read or written."""


class SessionLockedError(SessionError):
    """Another running process has locked the session."""


class ModelNotSetError(KimiTuiError):
    """No model is set; the message explains how to set one."""

    exit_code = EXIT_USAGE


class ModelUnsupportedError(KimiTuiError):
    """The model lacks a capability that the request needs."""


class MaxStepsReachedError(KimiTuiError):
    """A turn or a flow reached its limit of steps or moves."""

    def __init__(self, steps: int, what: str = "steps") -> None:
        self.steps = steps
        super().__init__(
            tr("stopped: move limit reached ({count})", count=steps)
            if what == "moves"
            else tr("stopped: step limit reached ({count})", count=steps)
        )


class BudgetError(KimiTuiError):
    """A budget that cannot be kept: it caps the cost, and a model has no prices."""


class BudgetReachedError(KimiTuiError):
    """The budget of a flow run is used up; no request is sent."""


class RepeatedCallError(KimiTuiError):
    """The model repeated one tool call with the same arguments in too many consecutive steps; the turn was
    stopped.
    """

    def __init__(self, tool: str, count: int) -> None:
        super().__init__(
            tr("stopped: the model repeated the same {tool} call in {count} steps", tool=tool, count=count)
        )


class OutputError(KimiTuiError):
    """Standard output cannot be written; `cause` is the system's message."""

    def __init__(self, cause: str) -> None:
        super().__init__(tr("the output cannot be written: {cause}", cause=cause))


class FaultError(KimiTuiError):
    """An internal error; the message has the path of its report."""


class ProviderError(KimiTuiError):
    """The model's service failed; the message has the cause, never a key.

    `retryable`: the same request may succeed later.
    """

    retryable: bool = False
    taken_back: bool = False
    """Whether the rejected message was removed from the conversation, where it would be rejected again."""

    @property
    def exit_code(self) -> int:  # type: ignore[override]
        return EXIT_RETRYABLE if self.retryable else EXIT_FAILURE


class ProviderConnectionError(ProviderError):
    """The service was unreachable, or closed the connection during a response."""

    retryable = True


class ProviderTimeoutError(ProviderError):
    """The service exceeded the timeout."""

    retryable = True


class EmptyResponseError(ProviderError):
    """The response has neither text nor tool calls."""

    retryable = True


class ProviderStatusError(ProviderError):
    """The service returned an HTTP error status. `retry_after` is in seconds."""

    def __init__(self, message: str, *, status_code: int, retry_after: float | None = None) -> None:
        self.status_code, self.retry_after = status_code, retry_after
        self.retryable = status_code in RETRYABLE_STATUS
        super().__init__(message)


class ProviderAuthError(ProviderStatusError):
    """The service rejected the key (401 or 403)."""


class ContextOverflowError(ProviderStatusError):
    """The conversation exceeds the model's context size."""
