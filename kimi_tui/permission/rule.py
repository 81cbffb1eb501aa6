"""One permission rule: `Tool` or `Tool(pattern)`, with `*` allowed in the tool, and its origin.

An allow rule matches only what it certainly covers; a rule that asks or denies matches what it might cover. For a known
program, an allow rule covers a word that makes it run another program, write elsewhere or read other settings only if
its pattern contains exactly that word.
"""

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from fnmatch import fnmatchcase
from functools import lru_cache
from itertools import repeat
from pathlib import Path

from kimi_tui.i18n import tr
from kimi_tui.permission.argument_pattern import matches_arguments
from kimi_tui.permission.file_pattern import matches_file, with_links_followed
from kimi_tui.permission.option_spelling import may_mean
from kimi_tui.permission.page_pattern import keeps_host, matches_page
from kimi_tui.permission.programs.classifier import allows_anything, may_run_another, unnamed_danger
from kimi_tui.permission.subject import (
    ArgumentsSubject,
    CommandSubject,
    FileSubject,
    PageSubject,
    Pattern,
    Subject,
    Words,
)
from kimi_tui.permission.taken_back import takes_back

EDITS = frozenset({"WriteFile", "StrReplaceFile"})
READS = frozenset({"ReadFile", "ReadMediaFile", "Grep", "Glob"})
_GROUPS = {"Edit": EDITS, "Read": READS}
TOOLS = frozenset(
    {
        *("AskUserQuestion", "CreateSubagent", "EnterPlanMode", "ExitPlanMode", "FetchURL", "ListMcpResources"),
        *("Network", "ReadMcpResource", "SearchWeb", "SendDMail", "SetTodoList", "Shell", "SubmitResult", "Task"),
        *("TaskList", "TaskOutput", "TaskStop", "Think", *EDITS, *READS, *_GROUPS),
    }
)
"""The tools of kimi-tui that a rule can name. An agent may have more, and so may MCP servers."""
_ELSEWHERE = {
    **{name.lower(): name for name in TOOLS},
    **dict.fromkeys(("bash", "run_shell_command", "run_terminal_cmd"), "Shell"),
    **dict.fromkeys(("write", "multiedit", "notebookedit", "edit_file"), "Edit"),
    "webfetch": "FetchURL",
    "websearch": "SearchWeb",
    "agent": "Task",
    "ls": "Glob",
    "todowrite": "SetTodoList",
}
"""Lower-case names of tools, here and in other programs, and what a rule calls them here."""
_MAX_OPTIONS = 40
_MAX_WITHIN = 200
_MAX_LETTERS = 8
_WILD = re.compile(r"[*?\[]")
_PARTS = re.compile(r"[/\\:=,]")


class Effect(StrEnum):
    ALLOW = "allow"
    ASK = "ask"
    DENY = "deny"


class Match(StrEnum):
    """Whether a rule matches one simple command."""

    NO = "no"
    MAYBE = "perhaps"
    YES = "yes"


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule. `origin` tells the user where the rule is written.

    `place` is a pattern for files with its links followed. A rule that asks or denies is also about the files there.
    """

    effect: Effect
    tool: str
    pattern: str | None
    origin: str = ""
    place: str = ""

    def __str__(self) -> str:
        return self.tool if self.pattern is None else f"{self.tool}({self.pattern})"

    def is_about(self, tool: str) -> bool:
        """Whether the rule applies to this tool. `Edit` and `Read` stand for all tools that edit or read files."""
        return tool in _GROUPS.get(self.tool, ()) or fnmatchcase(tool, self.tool)

    @property
    def mistake(self) -> str:
        """Return the reason why the rule probably never matches, for the user; "" if there is none."""
        if self.tool not in TOOLS and not self.tool.startswith("mcp__") and not _WILD.search(self.tool):
            if meant := _ELSEWHERE.get(self.tool.lower()):
                return tr("no tool is named {tool}; write {meant}", tool=self.tool, meant=meant)
            return tr("{tool} is not a tool of kimi-tui", tool=self.tool)
        if self.tool == "Shell" and self.pattern is not None and self.pattern.endswith(":*"):
            return tr("write `{pattern}`", pattern=f"{self.pattern[:-2]} *")
        if self.tool in ("FetchURL", "Network") and self.pattern is not None and self.pattern.startswith("domain:"):
            return tr("write `{pattern}`", pattern=self.pattern.removeprefix("domain:"))
        if self.tool == "FetchURL" and self.pattern is not None and _lacks_scheme(self.pattern, self.effect):
            return tr("write `{pattern}`", pattern=f"https://{self.pattern.lstrip('/')}")
        return ""

    @property
    def lets_anything_run(self) -> bool:
        """Whether the rule allows commands that run any program."""
        if self.effect is not Effect.ALLOW or not self.is_about("Shell"):
            return False
        return self.pattern is None or allows_anything(shlex.split(self.pattern))

    def matches(self, subject: Subject) -> Match:
        """Whether the rule matches this call of a tool that it applies to."""
        if self.pattern is None:
            return Match.YES
        match subject:
            case CommandSubject():
                return self._matches_line(subject)
            case FileSubject():
                strict = self.effect is not Effect.ALLOW
                patterns = (self.pattern, self.place) if strict and self.place else (self.pattern,)
                return _yes(any(matches_file(one, subject.real, subject.folder, strict=strict) for one in patterns))
            case PageSubject():
                strict = self.effect is not Effect.ALLOW
                return _yes(matches_page(self.pattern, subject.url, subject.host, strict=strict))
            case ArgumentsSubject():
                strict = self.effect is not Effect.ALLOW
                return _yes(matches_arguments(self.pattern, subject.arguments, strict=strict))

    def matches_command(self, words: Words, *, exactly: bool = False) -> Match:
        """Whether the rule matches this simple command, possibly one of several in a line.

        `exactly`: an allow rule covers it only if its pattern has the same words.
        """
        if self.pattern is None:
            return Match.YES
        pattern = shlex.split(self.pattern)
        if self.effect is Effect.ALLOW:
            if exactly and tuple(pattern) != words:  # defence: secrets-word-for-word
                return Match.NO
            # defence: wildcard-within-its-folder
            if not all(map(_stays_within, pattern, words, repeat(words[0]))):
                return Match.NO
            if takes_back(pattern, words):  # defence: named-options-hold
                return Match.NO
            # defence: rule-names-danger
            return _yes(_match_words(pattern, words) is Match.YES and unnamed_danger(pattern, words) is None)
        # defence: deny-other-forms
        match = max((_match_expanded(pattern, form) for form in _forms(words)), key=list(Match).index)
        # defence: options-in-any-order
        if match is Match.NO and any(may_mean(pattern, form) for form in _forms(words)):
            return Match.MAYBE
        if match is Match.NO and may_run_another(words):
            hidden = len(words) > _MAX_WITHIN or any(_names(pattern, inner) for inner in _within(words))
            return Match.MAYBE if hidden else match  # defence: denied-behind-program
        return match

    def _matches_line(self, subject: CommandSubject) -> Match:
        matches = [
            self.matches_command(words, exactly=index in subject.secrets)
            for index, words in enumerate(subject.commands)
        ]
        if self.effect is Effect.ALLOW:
            certain = bool(matches) and not subject.risks and not subject.elsewhere  # defence: allow-without-doubt
            return _yes(certain and all(match is Match.YES for match in matches))
        matches += [self.matches_command(words) for words in subject.wrappers]  # defence: rules-for-wrappers
        if subject.unread:  # defence: denied-program-may-hide
            matches.append(Match.MAYBE)
        return max(matches, key=list(Match).index, default=Match.NO)


def parse_rule(text: str, effect: Effect, origin: str = "", work_dir: Path | None = None) -> Rule:
    """Parse `Tool` or `Tool(pattern)`, where a pattern for files starts in `work_dir`. Raises ValueError with the
    cause.
    """
    tool, bracket, rest = text.strip().partition("(")
    tool = tool.strip()
    if not tool or any(char.isspace() for char in tool):
        raise ValueError(tr("{text!r} is not a rule: write Tool or Tool(pattern)", text=text))
    if not bracket:
        return Rule(effect, tool, None, origin)
    if not rest.endswith(")"):
        raise ValueError(tr("{text!r} does not end with a bracket", text=text))
    pattern = rest[:-1].strip()
    if not pattern:
        raise ValueError(
            tr("{text!r} has an empty pattern; omit the brackets to match every call of the tool", text=text)
        )
    try:
        shlex.split(pattern)
    except ValueError as error:
        raise ValueError(f"{text!r}: {error}") from None
    # defence: rules-behind-links
    place = with_links_followed(pattern, work_dir) if work_dir is not None else ""
    return Rule(effect, tool, pattern, origin, place)


def _lacks_scheme(pattern: str, effect: Effect) -> bool:
    """Whether a pattern with a path can match no address, which begins with its scheme."""
    return "/" in pattern and "://" not in pattern and (effect is Effect.ALLOW or not _WILD.match(pattern))


def _yes(matches: bool) -> Match:
    return Match.YES if matches else Match.NO


def _match_words(pattern: list[str], words: Words) -> Match:
    """Match word by word; a last `*` matches any number of further words, including none."""
    open_end = bool(pattern) and pattern[-1] == "*"
    if open_end:
        pattern = pattern[:-1]
    if len(words) < len(pattern) or (len(words) > len(pattern) and not open_end):
        return Match.NO
    sure = True
    for expected, word in zip(pattern, words, strict=False):
        if word is None:
            sure = False
        elif not fnmatchcase(word, expected):
            return Match.NO
    return Match.YES if sure else Match.MAYBE


def _stays_within(expected: str, word: str | None, program: str | None) -> bool:
    """Whether the wildcards in a word of an allow rule match no way out of the folder before them, no option, no other
    host, and for Git no colon, which another branch may follow: `build/*` does not cover `build/../src`, `*.py` neither
    `-cimport x.py` nor `/tmp/x.py`, `https://*.example.org/*` not `https://other/.example.org/`, and `feature/*` not
    `feature/x:main`.
    """
    wild = _WILD.search(expected)
    if word is None or wild is None or expected in ("*", word):
        return True
    if wild.start() == 0 and word.startswith(("-", "/", "~")):  # defence: wildcard-is-no-option
        return False
    if not keeps_host(expected, word):
        return False
    rest = word[expected.rfind("/", 0, wild.start()) + 1 :]
    if program == "git" and ":" in rest and ":" not in expected:
        return False
    return ".." not in _PARTS.split(rest)


def _match_expanded(pattern: list[str], words: Words) -> Match:
    """Match a word that depends on files as any words with the same prefix."""
    index = next((index for index, word in enumerate(words) if isinstance(word, Pattern)), None)
    if index is None:
        return _match_words(pattern, words)
    if index < len(pattern):
        fixed_start, expected = (_WILD.split(text, maxsplit=1)[0] for text in (str(words[index]), pattern[index]))
        if not fixed_start.startswith(expected) and not expected.startswith(fixed_start):
            return Match.NO
    prefix_match = (
        _match_words([*pattern[:index], "*"], words[:index]) if index < len(pattern) else _match_words(pattern, words)
    )
    return Match.NO if prefix_match is Match.NO else Match.MAYBE


def _names(pattern: list[str], words: Words) -> bool:
    matches = any(_match_expanded(pattern, form) is not Match.NO for form in _forms(words))
    return matches or may_mean(pattern, words)


def _within(words: Words) -> Iterator[Words]:
    """Yield what a program may run as a command: its last words, also from the value of a short option on, or a word
    that is a command line or an alias.
    """
    for index, word in enumerate(words[1:], 1):
        yield words[index:]
        if word is not None and word.startswith("-"):  # defence: program-in-an-option
            yield from ((word[start:], *words[index + 1 :]) for start in range(2, min(len(word), _MAX_LETTERS)))
        for text in {word, word.partition("=")[2]} if word else ():
            line = _as_line(text)
            yield (words[0], *line)  # defence: alias-of-the-program
            yield from (line[start:] for start in range(len(line)))


@lru_cache(2048)
def _as_line(text: str) -> tuple[str, ...]:
    try:
        return tuple(shlex.split(text.lstrip("!")))[:_MAX_WITHIN]
    except ValueError:
        return ()


def _forms(words: Words) -> list[Words]:
    """Return equivalent spellings, so that a rule cannot be bypassed: a path to the program, options first."""
    if not words:
        return [words]
    program = words[0]
    by_base_name: Words = (program.rpartition("/")[2] if program else program, *words[1:])
    forms = [by_base_name]
    first = by_base_name[1] if len(by_base_name) > 1 else None
    if first is not None and first.startswith("-"):
        forms += (
            (by_base_name[0], *by_base_name[1 + count :]) for count in range(1, min(_MAX_OPTIONS, len(by_base_name)))
        )
        if len(by_base_name) > _MAX_OPTIONS:  # what is behind so many options may be anything
            forms.append((by_base_name[0], Pattern("*", "*")))  # defence: many-options
    return forms
