"""A Bash command line taken apart into the simple commands that it would run.

A parser reads it, never Bash itself, and nothing is expanded. `doubts` says what could make it run something else
than what is listed; with no doubt, the list is all of it and every word is what the program would get.
"""

import re
import unicodedata
from dataclasses import dataclass
from functools import cache

import tree_sitter_bash
from tree_sitter import Language, Node, Parser

from kimi_tui.said import said
from kimi_tui.tools.shell_wrappers import Inner, unwrap

MAX_BYTES = 10_000
"""Longer command lines are not parsed: nobody reads them in a dialog, and parsing stays within milliseconds."""

_MAX_DEPTH = 5
_MAX_COMMANDS = 200

_PASSED = frozenset({"program", "list", "pipeline", "subshell", "compound_statement", "negated_command"})
_TOKENS = frozenset({";", "&&", "||", "|", "|&", "&", "(", ")", "{", "}", "!", "\n"})
_RESERVED = frozenset(
    {
        *("if", "then", "else", "elif", "fi", "for", "while", "until", "do", "done", "case", "esac", "select"),
        *("function", "coproc", "in", "{", "}", "[[", "]]", "!"),
    }
)
_TELLING = ("statement", "definition", "assignment", "command")
_LOOKALIKES = frozenset("‘’‚‛“”„‟′″‵ʹʺʻʼʽˈ՚᾽´`｀＇＂；｜＆＄＜＞－–—−") - {"`"}
_BLANKS = frozenset("\u00a0\u115f\u1160\u2800\u3164\uffa0")
_BLANK = re.compile(rb"(?:(?:\\\n)*[ \t\n](?:[ \t\n]|\\\n)*)?")
_PLAIN = bytes(code if " " <= chr(code) <= "~" or chr(code) in "\t\n" else ord("x") for code in range(256))
"""The parser crashes on characters beyond ASCII, which to Bash are like letters: so letters are what it gets."""
_GROUP = re.compile(r"\{\s.*\S", re.DOTALL)
_GLUED = re.compile(rb"[^ \t\n]\\\n")
"""A continued line that may go on within a word, which the parser does not always see."""
_ESCAPED = re.compile(r"\\.", re.DOTALL)
_NOT_IN_WORDS = re.compile(r"[\s;&|<>()'\"`$]")
_PADDING = re.compile(r"[ \t]{40,}|\n[ \t]*\n[ \t\n]*\n")
_UNREAD = re.compile(
    r"it is (?:very long|nested deeply)|it cannot be parsed|it has very many commands|it runs commands from its input|"
    r"it uses `eval`|.* (?:is|are) not known|.* runs other programs|"
    r"`(?:trap|exec|coproc|enable|bind)` changes the shell.*"
)


@dataclass(frozen=True, slots=True)
class SimpleCommand:
    """One program and its arguments; a word is None where it is known only when it runs."""

    words: tuple[str | None, ...]

    @property
    def program(self) -> str | None:
        return self.words[0] if self.words else None


@dataclass(frozen=True, slots=True)
class CommandLine:
    """What a command line would run, in order of reading, and why that may not be all. `files` are redirected to."""

    commands: tuple[SimpleCommand, ...]
    doubts: tuple[str, ...]
    files: tuple[str, ...] = ()

    @property
    def unread(self) -> bool:
        """Whether it may run programs that are not among the commands."""
        return any(_UNREAD.fullmatch(doubt) for doubt in self.doubts)


def take_apart(text: str) -> CommandLine:
    """Never raises, whatever the text."""
    taking = _Taking()
    taking.line(text, 0)
    return CommandLine(tuple(taking.commands), tuple(dict.fromkeys(taking.doubts)), tuple(taking.files))


@cache
def _parser() -> Parser:
    return Parser(Language(tree_sitter_bash.language()))


@dataclass(frozen=True, slots=True)
class _Source:
    """What was parsed, as it was before `_PLAIN`."""

    content: bytes

    def text(self, node: Node) -> str:
        return self.content[node.start_byte : node.end_byte].decode("utf-8", "replace")


class _Taking:
    def __init__(self) -> None:
        self.commands: list[SimpleCommand] = []
        self.doubts: list[str] = []
        self.files: list[str] = []

    def line(self, text: str, depth: int) -> None:
        content = text.encode("utf-8", "surrogatepass") if len(text) <= MAX_BYTES else b""
        if len(text) > MAX_BYTES or len(content) > MAX_BYTES:
            self.doubts.append("it is very long")
            return
        if hidden := hidden_text(text):
            self.doubts.append(hidden)
        if depth > _MAX_DEPTH:
            self.doubts.append("it is nested deeply")
            return
        source = _Source(content)
        root = _parser().parse(content.translate(_PLAIN)).root_node
        if root.has_error or _GLUED.search(content) or _skips(root, source):
            self.doubts.append("it cannot be parsed")
        pending = [root]
        while pending:
            here = pending.pop()
            if len(self.commands) >= _MAX_COMMANDS:
                self.doubts.append("it has very many commands")
                return
            pending.extend(reversed(self._visit(here, source, depth)))

    def _visit(self, node: Node, source: _Source, depth: int) -> list[Node]:
        """Takes what this node says; returns the nodes in it that are still to be visited."""
        children = node.children
        match node.type:
            case "compound_statement" if not _GROUP.match(source.text(node)):
                self.doubts.append("it cannot be parsed")
            case kind if kind in _PASSED or (not node.is_named and kind in _TOKENS):
                pass
            case "command":
                self._command(node, source, depth)
                return [inner for child in children for inner in _nested(child)]
            case "redirected_statement":
                pass
            case "file_redirect":
                self._redirect(node, source)
                return [inner for child in children for inner in _nested(child)]
            case "comment":
                self.doubts.append("it has a comment")
            case "heredoc_redirect" | "herestring_redirect":
                self.doubts.append("it has a here-document")
            case "command_substitution" | "process_substitution":
                self.doubts.append("it has a substitution")
            case "ERROR":
                self.doubts.append("it cannot be parsed")
            case kind if node.is_named and (not self.doubts or kind.endswith(_TELLING)):
                self.doubts.append(f"it has a {kind.replace('_', ' ')}")
            case _:
                pass
        return children

    def _command(self, node: Node, source: _Source, depth: int) -> None:
        words: list[str | None] = []
        end = node.start_byte
        for child in node.children:
            gap = source.content[end : child.start_byte]
            if b"\n" in gap.replace(b"\\\n", b"") or (not gap and end != node.start_byte):
                self.doubts.append("it cannot be parsed")
            end = child.end_byte
            match child.type:
                case "command_name":
                    words.append(self._word(child.children[0] if child.child_count else child, source))
                case "variable_assignment":
                    self.doubts.append("it sets a variable")
                case "file_redirect" | "heredoc_redirect" | "herestring_redirect":
                    pass
                case _:
                    words.append(self._word(child, source))
        if words and words[0] in _RESERVED:
            self.doubts.append("it cannot be parsed")
        self.add(tuple(words), depth)

    def add(self, words: tuple[str | None, ...], depth: int) -> None:
        """A simple command and, where it is a wrapper, those that it would run."""
        found = unwrap(words)
        self.doubts.extend(found.doubts)
        if not found.replaced:
            self.commands.append(SimpleCommand(words))
        for inner in found.inner:
            match inner:
                case str():
                    self.line(inner, depth + 1)
                case Inner():
                    if depth >= _MAX_DEPTH * 4:
                        self.doubts.append("it is nested deeply")
                    else:
                        self.add(inner.words, depth + 1)

    def _redirect(self, node: Node, source: _Source) -> None:
        operator = next((child.type for child in node.children if not child.is_named), "")
        target = node.children[-1]
        name = self._word(target, source)
        if node.child_count > (3 if node.children[0].type == "file_descriptor" else 2):
            self.doubts.append("it cannot be parsed")
        if operator in (">&", "<&", ">&-", "<&-") and (name is None or name.isdigit() or name == "-"):
            if name is None:
                self.doubts.append("it has a redirection")
            return
        if name is not None:
            self.files.append(name)
        if name != "/dev/null" and not (operator == "<" and name is not None):
            self.doubts.append("it has a redirection")

    def _word(self, node: Node, source: _Source) -> str | None:
        """The argument as the program gets it, or None with a doubt."""
        pieces = node.children if node.type == "concatenation" else [node]
        text = ""
        for piece in pieces:
            literal = _literal(piece, source)
            if literal is None:
                self.doubts.append("it has an expansion")
                return None
            text += literal
        raw = source.text(node)
        bare = "".join(_ESCAPED.sub("", source.text(piece)) for piece in pieces if piece.type == "word")
        if ("{" in bare or "}" in bare) and raw not in ("{}", "{", "}"):
            self.doubts.append("it has a brace expansion")
            return None
        if raw[:1] in ("*", "?", "["):
            self.doubts.append("it has a pattern that could match an option")
        return text


def _skips(root: Node, source: _Source) -> bool:
    """Whether the parser passed over anything but white space: it takes `\\ ` for some, where Bash has a word,
    a lone line continuation for the end of a word, and a line end before a backslash for a part of one."""
    at = 0
    pending = [root]
    while pending:
        here = pending.pop()
        if here.child_count:
            pending.extend(reversed(here.children))
        else:
            if not _BLANK.fullmatch(source.content, at, max(at, here.start_byte)):
                return True
            if here.type == "word" and re.search(r"\s", _ESCAPED.sub("", source.text(here))):
                return True
            at = max(at, here.end_byte)
    return not _BLANK.fullmatch(source.content, at)


def _nested(node: Node) -> list[Node]:
    """The substitutions and redirections within a word, at any depth, but not within one another."""
    found: list[Node] = []
    pending = [node]
    while pending:
        here = pending.pop()
        if here.type in (
            "command_substitution",
            "process_substitution",
            "file_redirect",
            "heredoc_redirect",
            "herestring_redirect",
            "ERROR",
        ):
            found.append(here)
        else:
            pending.extend(reversed(here.children))
    return found


def _literal(node: Node, source: _Source) -> str | None:
    text = source.text(node)
    match node.type:
        case "word":
            if node.child_count or _NOT_IN_WORDS.search(_ESCAPED.sub("", text)) or text.endswith("\\"):
                return None
            return re.sub(r"\\(\n|.)", lambda found: "" if found[1] == "\n" else found[1], text, flags=re.DOTALL)
        case "number":
            return None if node.child_count else text
        case "raw_string":
            return text[1:-1]
        case "string":
            if any(child.type not in ('"', "string_content") for child in node.children):
                return None
            return re.sub(r'\\([$`"\\]|\n)', lambda found: "" if found[1] == "\n" else found[1], text[1:-1])
        case _:
            return None


def hidden_text(text: str) -> str | None:
    """What in a text a person may not see, or may take for something else; None where it is as it looks."""
    for char in text:
        if char in "\n\t" or " " <= char <= "~":
            continue
        kind = unicodedata.category(char)
        if kind in ("Cc", "Cf", "Co", "Cs", "Cn", "Zl", "Zp", "Zs") or char in _BLANKS or _selects(char):
            return said("it has an invisible character (U+{char:04X})", char=ord(char))
        if char in _LOOKALIKES:
            return said("it has a character that looks like another (U+{char:04X})", char=ord(char))
    return said("it has much blank space in it") if _PADDING.search(text) else None


def _selects(char: str) -> bool:
    return "\ufe00" <= char <= "\ufe0f" or "\U000e0100" <= char <= "\U000e01ef" or char == "\u034f"
