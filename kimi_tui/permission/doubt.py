"""Doubts: reasons why a command line may do more than run the commands found in it.

A line with a doubt is never covered by a rule or by an answer for the session. `Severity` lists further effects.
"""

from dataclasses import dataclass
from enum import Enum, StrEnum, auto

from kimi_tui.i18n import tr


class Severity(Enum):
    """The effect of a doubt on a decision, besides that no rule allows the line."""

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


class DoubtKind(StrEnum):
    """The kinds of doubts; `MEANINGS` describes each of them."""

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
class Meaning:
    """The severity and text of a kind. `text` is a message template, with `{subject}` if the doubt has one."""

    severity: Severity
    text: str


MEANINGS: dict[DoubtKind, Meaning] = {
    DoubtKind.TOO_LONG: Meaning(Severity.LIMIT, tr("it is too long to be parsed")),
    DoubtKind.TOO_DEEP: Meaning(Severity.LIMIT, tr("it is nested too deeply")),
    DoubtKind.TOO_MANY_COMMANDS: Meaning(Severity.LIMIT, tr("it contains too many commands")),
    DoubtKind.UNPARSED: Meaning(Severity.UNREAD, tr("it cannot be parsed")),
    DoubtKind.UNKNOWN_PROGRAM: Meaning(Severity.UNREAD, tr("the program is unknown")),
    DoubtKind.UNKNOWN_OPTION: Meaning(Severity.UNREAD, tr("`{subject}` has an unknown option")),
    DoubtKind.UNKNOWN_SCRIPT: Meaning(Severity.UNREAD, tr("`{subject}` runs an unknown program")),
    DoubtKind.UNKNOWN_ARGUMENTS: Meaning(Severity.UNREAD, tr("`{subject}` adds unknown arguments")),
    DoubtKind.INPUT_IS_RUN: Meaning(Severity.UNREAD, tr("it runs commands from its input")),
    DoubtKind.LOGIN_SHELL: Meaning(Severity.UNREAD, tr("a login shell runs its profile")),
    DoubtKind.EVAL: Meaning(Severity.UNREAD, tr("it uses `eval`")),
    DoubtKind.RUNS_OTHERS: Meaning(Severity.UNREAD, tr("`{subject}` runs other programs")),
    DoubtKind.CHANGES_SHELL: Meaning(Severity.UNREAD, tr("`{subject}` changes the shell that runs the rest")),
    DoubtKind.EVALUATES: Meaning(Severity.UNREAD, tr("`{subject}` evaluates its arguments")),
    DoubtKind.RISKY_OPTION: Meaning(Severity.UNREAD, tr("`{subject}` may write a file or run a program")),
    DoubtKind.UNREAD_SYNTAX: Meaning(Severity.UNREAD, tr("it contains unsupported syntax: {subject}")),
    DoubtKind.SYNTAX: Meaning(Severity.ACTS, tr("it contains: {subject}")),
    DoubtKind.SUBSTITUTION: Meaning(Severity.UNKNOWN_WORD, tr("it has a substitution")),
    DoubtKind.RUNS_LISTED: Meaning(Severity.ACTS, tr("`{subject}` runs a program")),
    DoubtKind.OTHER_USER: Meaning(Severity.ACTS, tr("it runs as another user")),
    DoubtKind.OUTSIDE_SANDBOX: Meaning(Severity.ACTS, tr("it runs outside the sandbox")),
    DoubtKind.CHANGES_ENVIRONMENT: Meaning(Severity.ACTS, tr("`env` changes the environment")),
    DoubtKind.SETS_VARIABLE: Meaning(Severity.ACTS, tr("it sets a variable")),
    DoubtKind.CHANGES_FILES: Meaning(Severity.ACTS, tr("`{subject}` changes files")),
    DoubtKind.REDIRECTION: Meaning(Severity.ACTS, tr("it has a redirection")),
    DoubtKind.HERE_DOCUMENT: Meaning(Severity.ACTS, tr("it has a here-document")),
    DoubtKind.EXPANSION: Meaning(Severity.UNKNOWN_WORD, tr("it has an expansion")),
    DoubtKind.BRACES: Meaning(Severity.UNKNOWN_WORD, tr("it has a brace expansion")),
    DoubtKind.PATTERN_AS_OPTION: Meaning(Severity.UNKNOWN_WORD, tr("it has a pattern that could match an option")),
    DoubtKind.LONG: Meaning(Severity.HIDES, tr("it is too long")),
    DoubtKind.COMMENT: Meaning(Severity.HIDES, tr("it has a comment")),
    DoubtKind.INVISIBLE: Meaning(Severity.HIDES, tr("it has an invisible character ({subject})")),
    DoubtKind.LOOKALIKE: Meaning(Severity.HIDES, tr("it contains a look-alike character ({subject})")),
    DoubtKind.BLANK_SPACE: Meaning(Severity.HIDES, tr("it contains a long run of spaces")),
}


@dataclass(frozen=True, slots=True)
class Doubt:
    """One doubt; `subject` is the program, option or construct. The text is for users only."""

    kind: DoubtKind
    subject: str = ""

    def __str__(self) -> str:
        return MEANINGS[self.kind].text.format(subject=self.subject)

    @property
    def severity(self) -> Severity:
        return MEANINGS[self.kind].severity

    @property
    def unread(self) -> bool:
        """Whether the line may run programs that are not among its commands."""
        return self.severity in (Severity.UNREAD, Severity.LIMIT)
