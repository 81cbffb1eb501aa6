"""Hand-written parser for the plain part of Bash's grammar: literal words, lists, pipelines, groups and redirections.

It is a second opinion on a command line. The main parser's grammar is far wider and sometimes differs from Bash, so
both must agree before a line counts as read. Anything else (an expansion, a comment, a keyword, an assignment, a
here-document, an unusual descriptor) is rejected here, which keeps this small enough to verify against Bash by eye.
"""

import re
from dataclasses import dataclass, field

from kimi_tui.tools.shell_support.globs import plain_braces

_BLANK = re.compile(r"(?:[ \t](?:[ \t]|\\\n)*)?")
_WORD = re.compile(
    r"""(?:[\w./:,@%+=^*?\[\]~!{}-]
        |[^\x00-\x7f](?!\\)                        # some encodings take a backslash for a part of the letter
        |(?<=[^\s;&|<>()])\#                       # no comment within a word
        |'[^']*'
        |"(?:[^"\\$`\x80-\U0010ffff]|\\.|[^\x00-\x7f](?!\\))*"
        |\\[^\n]
        )+""",
    re.ASCII | re.VERBOSE | re.DOTALL,
)
_PIECE = re.compile(r"""'([^']*)'|"((?:[^"\\]|\\.)*)"|\\(.)|([^'"\\]+)""", re.DOTALL)
_ESCAPED_IN_QUOTES = re.compile(r'\\([$`"\\]|\n)')
_OPERATOR = re.compile(r"&&|\|\||;|\|&|\||&(?!>)|\n")
_REDIRECTION = re.compile(r"(\d?)(>>|>\||>&|<&|<>|>|<)|(&>>|&>)", re.ASCII)
_OPENING = re.compile(r"\((?!\()")
_ENDS_WORD = re.compile(r"[ \t\n;&|)]|\Z")
_ASSIGNMENT = re.compile(r"[^\W\d]\w*(?:\+?=|\[)")
_KEYWORDS = frozenset(
    {
        *("if", "then", "else", "elif", "fi", "for", "while", "until", "do", "done", "case", "esac", "select"),
        *("function", "coproc", "in", "[[", "]]", "{", "}", "!", "time"),
    }
)


@dataclass(slots=True)
class PlainLine:
    """A parsed plain line.

    `commands` and `redirections` (operator without its descriptor, target) in source order.
    """

    commands: list[tuple[str, ...]] = field(default_factory=list[tuple[str, ...]])
    redirections: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])


def read_plain(text: str, *, braces: bool = True) -> PlainLine | None:
    """Parse the line; None if it is incomplete or has anything that is not plain. `braces`: plain ones are expanded."""
    try:
        return _Reader(text, braces=braces).read()
    except _NotPlainError:
        return None


class _NotPlainError(Exception):
    pass


class _Reader:
    def __init__(self, text: str, *, braces: bool) -> None:
        self._text = text
        self._braces = braces
        self._pos = 0
        self._line = PlainLine()
        self._groups: list[str] = []
        self._words: list[str] = []
        self._first = True
        """A command may start here, so keywords are recognised."""
        self._needs_command = False
        """A command must follow."""
        self._closed = False
        """A group has just ended: no words may follow."""

    def read(self) -> PlainLine:
        while True:
            self._skip()
            if self._pos == len(self._text):
                break
            if match := self._take(_OPERATOR):
                self._operator(match[0])
            elif _REDIRECTION.match(self._text, self._pos):
                self._redirection()
            elif self._text[self._pos] in "()":
                self._bracket()
            else:
                self._word()
        if self._groups or self._needs_command:
            raise _NotPlainError
        self._end()
        return self._line

    def _skip(self) -> None:
        self._take(_BLANK)

    def _take(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        match = pattern.match(self._text, self._pos)
        if match:
            self._pos = match.end()
        return match

    def _end(self) -> None:
        if self._words:
            self._line.commands.append(tuple(self._words))
            self._words = []

    def _operator(self, operator: str) -> None:
        if operator == "\n":
            if not self._first:
                self._end()
                self._first, self._closed = True, False
            return
        if self._first or self._text[self._pos : self._pos + 1] in (";", "&") or self._needs_command:
            raise _NotPlainError
        self._end()
        self._first, self._closed = True, False
        self._needs_command = operator in ("&&", "||", "|", "|&")

    def _bracket(self) -> None:
        if self._take(_OPENING):
            if not self._first:
                raise _NotPlainError
            self._groups.append("(")
            self._needs_command = True
        elif self._text[self._pos] == ")":
            self._pos += 1
            self._close("(")
        else:
            raise _NotPlainError

    def _close(self, opening: str) -> None:
        if not self._groups or self._groups.pop() != opening or self._needs_command:
            raise _NotPlainError
        self._end()
        self._first, self._closed = False, True

    def _word(self) -> None:
        raw, word = self._next_word()
        if self._closed:
            raise _NotPlainError
        if not self._first:
            if _begins(self._words) and not _follows_time(self._words, raw):
                raise _NotPlainError
            self._words.extend((self._braces and plain_braces(raw)) or (word,))
        elif raw == "!":
            self._needs_command = True
        elif raw == "{":
            self._groups.append("{")
            self._needs_command = True
        elif raw == "}":
            self._close("{")
        elif (raw in _KEYWORDS and raw != "time") or _ASSIGNMENT.match(raw):
            raise _NotPlainError
        else:
            self._words = [word]
            self._first = self._needs_command = False

    def _next_word(self) -> tuple[str, str]:
        match = self._take(_WORD)
        if not match:
            raise _NotPlainError
        raw = match[0]
        if not _ENDS_WORD.match(self._text, self._pos):
            descriptor = re.fullmatch(r"\d+|.*[{}].*", raw, re.ASCII | re.DOTALL)
            if descriptor or self._text[self._pos] not in "<>":
                raise _NotPlainError
        return raw, "".join(_unquoted(piece) for piece in _PIECE.finditer(raw))

    def _redirection(self) -> None:
        match = self._take(_REDIRECTION)
        if match is None or self._first:
            raise _NotPlainError
        operator: str = match[2] or match[3]
        if operator in ("<", ">") and self._text[self._pos : self._pos + 1] in ("<", ">", "(", "&"):
            raise _NotPlainError
        self._skip()
        raw, target = self._next_word()
        if operator in (">&", "<&"):
            if not re.fullmatch(r"\d|-", raw, re.ASCII):
                raise _NotPlainError
            if raw == "-" and not _ENDS_WORD.match(self._text, self._pos):
                raise _NotPlainError
        self._line.redirections.append((operator, target))


def _begins(words: list[str]) -> bool:
    """Whether the words so far are only Bash's `time`, so that the next word may be a keyword."""
    return words[:1] == ["time"] and all(word in ("-p", "--") for word in words[1:])


def _follows_time(words: list[str], raw: str) -> bool:
    """Whether Bash treats this word after `time` as an ordinary word."""
    if raw.startswith("-"):
        return (words, raw) in ((["time"], "-p"), (["time"], "--"), (["time", "-p"], "--"))
    return raw not in _KEYWORDS and not _ASSIGNMENT.match(raw) and raw[:1] not in ("'", '"', "\\")


def _unquoted(piece: re.Match[str]) -> str:
    if piece[2] is not None:
        return _ESCAPED_IN_QUOTES.sub(lambda match: "" if match[1] == "\n" else match[1], piece[2])
    return piece[1] or piece[3] or piece[4] or ""
