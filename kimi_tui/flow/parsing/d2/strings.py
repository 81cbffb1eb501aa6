"""D2's strings: keys and values, unquoted, in quotes, and in blocks.

A value is kept in pieces, because its variables are filled in after the whole text is parsed.
"""

import re
from typing import NamedTuple

from kimi_tui.flow.parsing.source_position import SourcePositions
from kimi_tui.i18n import tr


class Variable(NamedTuple):
    """A reference to a variable.

    `${path}` within a value; `offset` is the place of its `$`.
    """

    path: str
    offset: int


class Scalar(NamedTuple):
    """A value: its text with unresolved variables, and whether it was written without quotes."""

    pieces: tuple[str | Variable, ...]
    bare: bool = False
    spread: bool = False

    @property
    def text(self) -> str:
        if len(self.pieces) == 1 and isinstance(self.pieces[0], str):
            return self.pieces[0]
        return "".join(piece if isinstance(piece, str) else f"${{{piece.path}}}" for piece in self.pieces)


class Key(NamedTuple):
    """One part of a path. Reserved words and the `*` of a pattern count only without quotes."""

    text: str
    bare: bool
    pattern: bool
    offset: int


_ESCAPES = {"a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}
_KEY_RUN = re.compile(r"[^\n;#{}\[\]:.<>&\-*\\]+")
_BRACKETED_KEY_RUN = re.compile(r"[^\n;#{}\[\]:.<>&\-*\\)]+")
_VALUE_RUN = re.compile(r"[^\n;#{}\[\]\\$]+")
_DOUBLE_RUN = re.compile(r'[^"\\\n$]+')
_KEY_DOUBLE_RUN = re.compile(r'[^"\\\n]+')
_SINGLE = re.compile(r"'((?:[^'\n\\]|''|\\\n?)*)'")
VARIABLE = re.compile(r"\$\{([^{}\n\"']*)\}")
_BLOCK_START = re.compile(r"\|([^\w\s]*)(\w*)")
_CONTINUED = re.compile(r"\\\n[^\S\n]*")


def read_key(text: str, pos: int, positions: SourcePositions, *, bracketed: bool = False) -> tuple[Key, int] | None:
    """One part of a path and the offset after it; None if no key can start here."""
    if text.startswith("'", pos):
        value, next_pos = read_single(text, pos, positions)
        return Key(value, False, False, pos), next_pos
    if text.startswith('"', pos):
        value, next_pos = read_double(text, pos, positions, variables=False)
        return Key(value.text, False, False, pos), next_pos
    if text.startswith("|", pos):
        value, next_pos = read_block(text, pos, positions)
        return Key(value.text, False, False, pos), next_pos
    return _read_bare_key(text, pos, _BRACKETED_KEY_RUN if bracketed else _KEY_RUN)


def _read_bare_key(text: str, start: int, plain: re.Pattern[str]) -> tuple[Key, int] | None:
    run = plain.match(text, start)
    if run is None:
        parts, pos = [], start
    else:
        parts, pos = [run.group()], run.end()
    size, pattern = len(text), False
    while pos < size:
        run = plain.match(text, pos) if text[pos] not in ".:-<" else None
        if run is not None:
            parts.append(run.group())
            pos = run.end()
            continue
        character = text[pos]
        if character == "\\" and pos + 1 < size:
            piece, pos = _escaped(text, pos)
            parts.append(piece)
        elif character == "*":
            parts.append("*")
            pattern, pos = True, pos + 1
        elif character == "-" and pos + 1 < size and text[pos + 1] not in "->\n\\":
            parts.append(text[pos : pos + 2])
            pos += 2
        else:
            break
    name = "".join(parts)
    bare = name.rstrip()
    return (Key(bare, True, pattern, start), pos) if bare else None


def read_bare_value(text: str, start: int) -> tuple[Scalar, int]:
    pieces: list[str | Variable] = []
    pos, size = start, len(text)
    while pos < size:
        run = _VALUE_RUN.match(text, pos)
        if run is not None:
            pieces.append(run.group())
            pos = run.end()
            continue
        character = text[pos]
        if character == "\\" and pos + 1 < size:
            piece, pos = _escaped(text, pos)
            pieces.append(piece)
        elif character == "$":
            pos = _dollar(text, pos, pieces)
        else:
            break
    while pieces and isinstance(pieces[-1], str):
        last = pieces[-1].rstrip()
        if last:
            pieces[-1] = last
            break
        pieces.pop()
    return Scalar(tuple(pieces), True), pos


def read_double(text: str, start: int, positions: SourcePositions, *, variables: bool = True) -> tuple[Scalar, int]:
    pieces: list[str | Variable] = []
    pos, size = start + 1, len(text)
    plain = _DOUBLE_RUN if variables else _KEY_DOUBLE_RUN
    while pos < size:
        run = plain.match(text, pos)
        if run is not None:
            pieces.append(run.group())
            pos = run.end()
            continue
        character = text[pos]
        if character == '"':
            return Scalar(tuple(pieces)), pos + 1
        if character == "\n" or pos + 1 == size:
            break
        if character == "$":
            pos = _dollar(text, pos, pieces)
        elif text[pos + 1] == "\n":
            pos += 2
        else:
            piece, pos = _escaped(text, pos)
            pieces.append(piece)
    raise positions.error(
        tr('unterminated string; close it on the same line with `"`, or use a block `|md .. |`'), start
    )


def read_single(text: str, start: int, positions: SourcePositions) -> tuple[str, int]:
    match = _SINGLE.match(text, start)
    if match is None:
        raise positions.error(
            tr("unterminated string; close it on the same line with `'`, or use a block `|md .. |`"), start
        )
    return match.group(1).replace("''", "'").replace("\\\n", ""), match.end()


def read_block(text: str, start: int, positions: SourcePositions) -> tuple[Scalar, int]:
    """A block string: `|md .. |`, `||| .. |||`, or any other symbols between the bar and its mirror image."""
    opening = _BLOCK_START.match(text, start)
    signs = "" if opening is None else opening.group(1)
    body_at = start + 1 if opening is None else opening.end()
    if text[body_at : body_at + 1].strip() or (opening is not None and opening.group(2) and body_at == len(text)):
        raise positions.error(tr("missing space after the opening of this block"), start)
    end = text.find(signs + "|", body_at)
    if end < 0:
        raise positions.error(tr("this block is never closed; end it with `{signs}|`", signs=signs), start)
    body = _dedented(text[body_at:end])
    pieces: list[str | Variable] = []
    pos = 0
    for variable in VARIABLE.finditer(body):
        pieces += (body[pos : variable.start()], Variable(variable.group(1).strip(), start))
        pos = variable.end()
    pieces.append(body[pos:])
    return Scalar(tuple(piece for piece in pieces if piece)), end + len(signs) + 1


def _dedented(body: str) -> str:
    """Remove the first line break, the common indent of all further lines, and the spaces at the end."""
    first, newline, tail = body.partition("\n")
    lines = tail.split("\n") if newline else []
    shared = min((_indent(line) for line in lines if line.strip()), default=0)
    lines = [_without_indent(line, shared) if line.strip() else "" for line in lines]
    if lines and not lines[-1].strip():
        lines.pop()
    elif lines:
        lines[-1] = lines[-1].rstrip()
    first = first.strip() if not lines else first.lstrip()
    return "\n".join([first, *lines] if first.strip() else lines)


def _indent(line: str) -> int:
    """The columns before a line's text; a tab counts as two."""
    return sum(_TAB if char == "\t" else 1 for char in line[: len(line) - len(line.lstrip())])


def _without_indent(line: str, columns: int) -> str:
    """The line from the first character that starts after these columns."""
    pos = width = 0
    while width < columns:
        width += _TAB if line[pos] == "\t" else 1
        pos += 1
    return line[pos:]


def _escaped(text: str, pos: int) -> tuple[str, int]:
    if text[pos + 1] == "\n":
        match = _CONTINUED.match(text, pos)
        return "", match.end() if match else pos + 2
    return _ESCAPES.get(text[pos + 1], text[pos + 1]), pos + 2


def _dollar(text: str, pos: int, pieces: list[str | Variable]) -> int:
    variable = VARIABLE.match(text, pos)
    if variable is None:
        pieces.append("$")
        return pos + 1
    pieces.append(Variable(variable.group(1).strip(), pos))
    return variable.end()


_TAB = 2
_KEY_SPECIALS = frozenset("#;\n\\{}[]'\"|:.-<>*&()@")


def written_key(name: str) -> str:
    """The name as written in a path: quoted if D2 itself would quote it, so that paths stay unambiguous."""
    if not name:
        return '""'
    if name == "null":
        return "'null'"
    special = any(
        character in _KEY_SPECIALS and not (character == "-" and pos + 1 < len(name) and name[pos + 1] != "-")
        for pos, character in enumerate(name)
    )
    if not special:
        return name if name == name.strip() else quoted_key(name)
    if '"' in name and "\n" not in name:
        return "'" + name.replace("'", "''") + "'"
    return quoted_key(name)


def quoted_key(name: str) -> str:
    """Any text in double quotes; the caller must also escape a `$` in a value."""
    escaped = name.replace("\\", "\\\\").replace('"', '\\"')
    for letter, character in _ESCAPES.items():
        escaped = escaped.replace(character, "\\" + letter)
    return f'"{escaped}"'
