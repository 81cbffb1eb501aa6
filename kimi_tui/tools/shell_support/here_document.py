"""Checks whether Bash reads a here-document as the parser does, which ends one at any word that begins like its
delimiter.
"""

import re
from dataclasses import dataclass

from tree_sitter import Node

from kimi_tui.tools.shell_support.bash_words import Source

_DELIMITER = re.compile(r"""(\w+)|(?:'(?=\w+')|"(?=\w+")|\\(?=\w+\Z))(\w+)['"]?""", re.ASCII)
_REST_OF_LINE = re.compile(rb"""(?:[ \t;&|)>](?:[\w \t./,:=@%+&|;)>-]|'[^'\n]*'|"[^"\\$`\n]*")*)?""")
"""What may follow the operator: words, joints and redirections that the parser reads as Bash does."""


@dataclass(frozen=True, slots=True)
class Delimiter:
    """The line that ends a here-document. `expands`: Bash expands the text, as the delimiter has no quotes."""

    name: bytes
    expands: bool


def read_delimiter(start: Node | None, source: Source) -> Delimiter | None:
    """Read the `heredoc_start` of a here-document; None unless it is a single name, plain or in quotes."""
    match = _DELIMITER.fullmatch(source.text(start)) if start is not None else None
    return Delimiter((match[1] or match[2]).encode(), match[1] is not None) if match else None


def is_read_as_in_bash(document: Node, delimiter: Delimiter, source: Source) -> bool:
    """Whether it is the only here-document, and ends at the first line that equals the delimiter.

    A `#` outside of it is refused: the parser takes it for a comment where Bash does not.
    """
    parts = {child.type: child for child in document.children}
    start, end = parts.get("heredoc_start"), parts.get("heredoc_end")
    if start is None or end is None:
        return False
    rest, _, lines = source.content[start.end_byte : end.end_byte].partition(b"\n")
    after = source.content[end.end_byte :]
    outside = b"%b %b %b" % (source.content[: start.start_byte], rest, after)
    if not _REST_OF_LINE.fullmatch(rest) or outside.count(b"<<") != 1 or b"#" in outside:
        return False
    *body, last = (line.lstrip(b"\t") if "<<-" in parts else line for line in lines.split(b"\n"))
    return last == delimiter.name and delimiter.name not in body and after[:1] in (b"", b"\n")
