"""Risks: reasons why a command line may do more than run the commands found in it.

A line with a risk is never covered by a rule or by an answer for the session. `Severity` lists further effects.
"""

from dataclasses import dataclass
from enum import Enum, StrEnum, auto

from kimi_tui.i18n import tr


class Severity(Enum):
    """The effect of a risk on a decision, besides that no rule allows the line."""

    UNREAD = auto()
    """It may run programs that are not listed, so a rule that asks or denies might apply."""
    LIMIT = auto()
    """It was not read to its end, so the user is always asked; this implies UNREAD."""
    HIDES = auto()
    """Part of its text may be invisible or misleading."""
    UNKNOWN_WORD = auto()
    """A word is known only at run time; the program that receives it is listed."""
    ACTS = auto()
    """It does more than run programs: it writes a file, sets a variable, or runs as another user."""


class RiskKind(StrEnum):
    """The kinds of risks; `DESCRIPTIONS` describes each of them."""

    TOO_LONG = auto()
    TOO_DEEP = auto()
    TOO_MANY_COMMANDS = auto()
    UNPARSED = auto()
    UNKNOWN_PROGRAM = auto()
    UNKNOWN_OPTION = auto()
    UNKNOWN_SCRIPT = auto()
    UNKNOWN_ARGUMENTS = auto()
    INPUT_IS_RUN = auto()
    LOGIN_SHELL = auto()
    EVAL = auto()
    RUNS_OTHERS = auto()
    CHANGES_SHELL = auto()
    EVALUATES = auto()
    RISKY_OPTION = auto()
    UNREAD_SYNTAX = auto()
    SYNTAX = auto()
    SUBSTITUTION = auto()
    RUNS_LISTED = auto()
    OTHER_USER = auto()
    OUTSIDE_SANDBOX = auto()
    CHANGES_ENVIRONMENT = auto()
    SETS_VARIABLE = auto()
    CHANGES_FILES = auto()
    REDIRECTION = auto()
    HERE_DOCUMENT = auto()
    EXPANSION = auto()
    BRACES = auto()
    PATTERN_AS_OPTION = auto()
    LONG = auto()
    COMMENT = auto()
    INVISIBLE = auto()
    LOOKALIKE = auto()
    BLANK_SPACE = auto()


@dataclass(frozen=True, slots=True)
class RiskDescription:
    """The severity and text of a kind. `text` is a message template, with `{subject}` if the risk has one."""

    severity: Severity
    text: str


DESCRIPTIONS: dict[RiskKind, RiskDescription] = {
    RiskKind.TOO_LONG: RiskDescription(Severity.LIMIT, tr("it is too long to be parsed")),
    RiskKind.TOO_DEEP: RiskDescription(Severity.LIMIT, tr("it is nested too deeply")),
    RiskKind.TOO_MANY_COMMANDS: RiskDescription(Severity.LIMIT, tr("it contains too many commands")),
    RiskKind.UNPARSED: RiskDescription(Severity.UNREAD, tr("it cannot be parsed")),
    RiskKind.UNKNOWN_PROGRAM: RiskDescription(Severity.UNREAD, tr("the program is unknown")),
    RiskKind.UNKNOWN_OPTION: RiskDescription(Severity.UNREAD, tr("`{subject}` has an unknown option")),
    RiskKind.UNKNOWN_SCRIPT: RiskDescription(Severity.UNREAD, tr("`{subject}` runs an unknown program")),
    RiskKind.UNKNOWN_ARGUMENTS: RiskDescription(Severity.UNREAD, tr("`{subject}` adds unknown arguments")),
    RiskKind.INPUT_IS_RUN: RiskDescription(Severity.UNREAD, tr("it runs commands from its input")),
    RiskKind.LOGIN_SHELL: RiskDescription(Severity.UNREAD, tr("a login shell runs its profile")),
    RiskKind.EVAL: RiskDescription(Severity.UNREAD, tr("it uses `eval`")),
    RiskKind.RUNS_OTHERS: RiskDescription(Severity.UNREAD, tr("`{subject}` runs other programs")),
    RiskKind.CHANGES_SHELL: RiskDescription(Severity.UNREAD, tr("`{subject}` changes the shell that runs the rest")),
    RiskKind.EVALUATES: RiskDescription(Severity.UNREAD, tr("`{subject}` evaluates its arguments")),
    RiskKind.RISKY_OPTION: RiskDescription(Severity.UNREAD, tr("`{subject}` may write a file or run a program")),
    RiskKind.UNREAD_SYNTAX: RiskDescription(Severity.UNREAD, tr("it contains unsupported syntax: {subject}")),
    RiskKind.SYNTAX: RiskDescription(Severity.ACTS, tr("it contains: {subject}")),
    RiskKind.SUBSTITUTION: RiskDescription(Severity.UNKNOWN_WORD, tr("it has a substitution")),
    RiskKind.RUNS_LISTED: RiskDescription(Severity.ACTS, tr("`{subject}` runs a program")),
    RiskKind.OTHER_USER: RiskDescription(Severity.ACTS, tr("it runs as another user")),
    RiskKind.OUTSIDE_SANDBOX: RiskDescription(Severity.ACTS, tr("it runs outside the sandbox")),
    RiskKind.CHANGES_ENVIRONMENT: RiskDescription(Severity.ACTS, tr("`env` changes the environment")),
    RiskKind.SETS_VARIABLE: RiskDescription(Severity.ACTS, tr("it sets a variable")),
    RiskKind.CHANGES_FILES: RiskDescription(Severity.ACTS, tr("`{subject}` changes files")),
    RiskKind.REDIRECTION: RiskDescription(Severity.ACTS, tr("it has a redirection")),
    RiskKind.HERE_DOCUMENT: RiskDescription(Severity.ACTS, tr("it has a here-document")),
    RiskKind.EXPANSION: RiskDescription(Severity.UNKNOWN_WORD, tr("it has an expansion")),
    RiskKind.BRACES: RiskDescription(Severity.UNKNOWN_WORD, tr("it has a brace expansion")),
    RiskKind.PATTERN_AS_OPTION: RiskDescription(
        Severity.UNKNOWN_WORD, tr("it has a pattern that could match an option")
    ),
    RiskKind.LONG: RiskDescription(Severity.HIDES, tr("it is too long")),
    RiskKind.COMMENT: RiskDescription(Severity.HIDES, tr("it has a comment")),
    RiskKind.INVISIBLE: RiskDescription(Severity.HIDES, tr("it has an invisible character ({subject})")),
    RiskKind.LOOKALIKE: RiskDescription(Severity.HIDES, tr("it contains a look-alike character ({subject})")),
    RiskKind.BLANK_SPACE: RiskDescription(Severity.HIDES, tr("it contains a long run of spaces")),
}


@dataclass(frozen=True, slots=True)
class CommandRisk:
    """One risk; `subject` is the program, option or construct. The text is for users only."""

    kind: RiskKind
    subject: str = ""

    def __str__(self) -> str:
        return DESCRIPTIONS[self.kind].text.format(subject=self.subject)

    @property
    def severity(self) -> Severity:
        return DESCRIPTIONS[self.kind].severity

    @property
    def unread(self) -> bool:
        """Whether the line may run programs that are not among its commands."""
        return self.severity in (Severity.UNREAD, Severity.LIMIT)
