"""The parts of a Bash word: as the program receives them, and in the source form that `globs` expands."""

import re
from dataclasses import dataclass

from tree_sitter import Node

from kimi_tui.tools.shell_support.globs import UNKNOWN, quoted

ESCAPED = re.compile(r"\\.", re.DOTALL)
"""A character behind a backslash."""
_NOT_IN_WORDS = re.compile(r"[\s;&|<>()'\"`$]")
_ANSI_C = re.compile(
    r"\\(?:([0-7]{1,3})|(x[0-9a-fA-F]{1,2}|u[0-9a-fA-F]{1,4}|U[0-9a-fA-F]{1,8})|c(.)|(.))", re.ASCII | re.DOTALL
)


@dataclass(frozen=True, slots=True)
class Source:
    """The bytes of a command line that was parsed."""

    content: bytes

    def text(self, node: Node) -> str:
        return self.content[node.start_byte : node.end_byte].decode("utf-8", "replace")


def literal(node: Node, source: Source) -> str | None:
    """Return the text of a part of a word; None if it is known only at run time."""
    text = source.text(node)
    match node.type:
        case "word":
            if node.child_count or _NOT_IN_WORDS.search(ESCAPED.sub("", text)) or text.endswith("\\"):
                return None
            # defence: backslashes-in-words
            return re.sub(r"\\(\n|.)", lambda match: "" if match[1] == "\n" else match[1], text, flags=re.DOTALL)
        case "number" | "test_operator":
            return None if node.child_count else text
        case "raw_string":
            return text[1:-1]
        case "string":
            if any(child.type not in ('"', "string_content") for child in node.children):
                return None
            return re.sub(r'\\([$`"\\]|\n)', lambda match: "" if match[1] == "\n" else match[1], text[1:-1])
        case _:
            return None


def spelled_form(node: Node, source: Source, *, first: bool) -> str:
    """Return part of a word in the form of `CommandLine.spelled`."""
    text = source.text(node)
    match node.type:
        case "word" | "number" | "test_operator" | "brace_expression":
            return text.replace("\\\n", "")
        case "raw_string":
            return quoted(text[1:-1])
        case "ansi_c_string":
            return quoted(_ANSI_C.sub(_ansi_c, text[2:-1]))  # defence: ansi-c-quotes
        case "simple_expansion" | "expansion" if first and text in ("$HOME", "${HOME}"):
            return "~"
        case "simple_expansion" | "expansion" if first and text in ("$PWD", "${PWD}"):
            return "."
        case "string" if node.children:
            inner = [child for child in node.children if child.is_named and child.type != "string_content"]
            pos, end, parts = node.start_byte + 1, node.end_byte - 1, list[str]()
            for child in inner:
                parts.append(_in_quotes(source.content[pos : child.start_byte]))
                parts.append(spelled_form(child, source, first=first and child.start_byte == node.start_byte + 1))
                pos = child.end_byte
            return "".join((*parts, _in_quotes(source.content[pos:end])))
        case _:
            return UNKNOWN


def _ansi_c(escape: re.Match[str]) -> str:
    """Decode a backslash escape within `$'...'` as Bash does."""
    octal, code, control, other = escape.groups()
    if octal or code:
        number = int(octal, 8) & 0xFF if octal else int(code[1:], 16)
        return chr(number) if 0 < number <= 0x10FFFF else UNKNOWN
    if control:
        return chr(ord(control) & 0x1F) or UNKNOWN
    return {"n": "\n", "t": "\t", "r": "\r", "a": "\a", "b": "\b", "v": "\v", "f": "\f", "e": "\x1b", "E": "\x1b"}.get(
        other, other if other in "\\'\"?" else f"\\{other}"
    )


def _in_quotes(content: bytes) -> str:
    text = content.decode("utf-8", "replace")
    return quoted(re.sub(r'\\([$`"\\]|\n)', lambda match: "" if match[1] == "\n" else match[1], text))
