"""The data block of a Mermaid node, `A@{ shape: rect, label: "text" }`: the part of YAML that charts use.

Only flat pairs are supported: `key: value` separated by commas or lines, values plain, in single or double quotes, or
in a block of lines (`|` or `>`). As in YAML, `key:value` without a space is a key without a value, and has no effect.
"""

import re
from typing import NamedTuple

from kimi_tui.flow.parsing.source_position import SourcePositions
from kimi_tui.i18n import tr

_BLANK = re.compile(r"(?:[\s,]+|(?<=\s)#(?!\w+;)[^\n]*)*")
_KEY = re.compile(r"""(?:(?:"([^"\n]*)"|'([^'\n]*)')\s*:|([A-Za-z_][\w-]*)\s*:(?=\s|$))\s*""")
_KEY_ALONE = re.compile(r"""[\w-]+(?::[^\s,]*)?(?=\s*(?:[,\n]|$))""")
_AFTER_QUOTE = re.compile(r"[^\S\n]*(?:[,\n]|$)")
_COMMENT = re.compile(r"(?:^|\s)#(?!\w+;).*")
_FLOAT = re.compile(r"[-+]?[0-9]*\.[0-9]+")
_DOUBLE = re.compile(r'"((?:[^"\\]|\\.)*)"', re.DOTALL)
_SINGLE = re.compile(r"'((?:[^']|'')*)'", re.DOTALL)
_PLAIN = re.compile(r"[^,\n]*")
_LINE = re.compile(r"[^\n]*")
_BLOCK = re.compile(r"([|>])[+-]?[^\S\n]*\n((?:[^\S\n]*(?:\n|$)|[^\S\n]+[^\n]*(?:\n|$))+)")
_FOLDED = re.compile(r"\n+")
_BREAK = re.compile(r"\n\s*")
_ESCAPE = re.compile(r"\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|(.))", re.DOTALL)
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "0": "\0", "e": "\x1b", "a": "\a", "b": "\b", "v": "\v", "f": "\f"}
_END = re.compile(r'[^"}]*')


class Pair(NamedTuple):
    """A key at its offset in the chart, and its value; None for a key without one."""

    key: str
    value: str | None
    offset: int


class NodeData(NamedTuple):
    """The pairs, in order, whether they are on several lines, and the offset after the closing brace."""

    pairs: list[Pair]
    multiline: bool
    next_pos: int


def read_node_data(text: str, source: str, start: int, positions: SourcePositions) -> NodeData:
    """Parse from `start`, after `@{`. Errors are raised with their place."""
    end = _end_of_block(text, start, positions)
    body, removed = _joined_strings(source[start:end])
    pairs = [
        Pair(key, value, start + _offset_before(offset, removed))
        for key, value, offset in _pairs(body, start, positions)
    ]
    return NodeData(pairs, "\n" in text[start:end], end + 1)


def _offset_before(offset: int, removed: list[tuple[int, int]]) -> int:
    """The offset in the text before its strings were joined."""
    return offset + sum(count for place, count in removed if place <= offset)


def _end_of_block(text: str, start: int, positions: SourcePositions) -> int:
    pos = start
    while True:
        match = _END.match(text, pos)
        pos = match.end() if match else pos
        if text.startswith("}", pos):
            return pos
        quote = text.find('"', pos + 1) if text.startswith('"', pos) else -1
        if quote < 0:
            raise positions.error(tr("this data block is never closed; end it with `{end}`", end="}"), start - 2)
        pos = quote + 1


def _joined_strings(body: str) -> tuple[str, list[tuple[int, int]]]:
    """Turn line breaks within double quotes into line breaks of the label, as Mermaid does.

    Returns the offsets after each such string, with the number of characters that it lost.
    """
    removed: list[tuple[int, int]] = []
    if "\n" not in body:
        return body, removed
    parts = body.split('"')
    end = 0
    for number, part in enumerate(parts):
        if number % 2 and "\n" in part:
            parts[number] = _BREAK.sub("<br/>", part)
            removed.append((end + len(parts[number]), len(part) - len(parts[number])))
        end += len(parts[number]) + 1
    return '"'.join(parts), removed


def _pairs(body: str, start: int, positions: SourcePositions) -> list[Pair]:
    pairs: list[Pair] = []
    by_line = "\n" in body
    pos = _blank(body, 0)
    while pos < len(body):
        key = _KEY.match(body, pos)
        if key is None and (bare_key := _KEY_ALONE.match(body, pos)):
            pairs.append(Pair(bare_key.group().split(":", 1)[0], None, pos))
            pos = _blank(body, bare_key.end())
            continue
        if key is None:
            raise positions.error(
                tr('a data block contains pairs like `label: "text"`, separated by commas'), start + min(pos, len(body))
            )
        name = next(group for group in key.groups() if group is not None)
        block = _BLOCK.match(body, key.end()) if body.startswith(("|", ">"), key.end()) else None
        indent = key.start() - body.rfind("\n", 0, key.start()) - 1 if by_line else -1
        if block is not None:
            value, pos = _block(block, indent, body)
        elif indent >= 0 and "\n" in key.group() and key.end() - body.rfind("\n", 0, key.end()) - 1 <= indent:
            value, pos = "", key.end()
        else:
            value, pos = _value(body, key.end(), indent)
        if value is None:
            raise positions.error(tr("unsupported value; write one quoted text"), start + key.end())
        pairs.append(Pair(name, value, key.start()))
        pos = _blank(body, pos)
    return pairs


def _value(body: str, pos: int, indent: int) -> tuple[str | None, int]:
    """A value in quotes or plain. `indent` is that of its key if pairs are on lines of their own, else -1."""
    if body.startswith('"', pos):
        match = _DOUBLE.match(body, pos)
        text = None if match is None else _ESCAPE.sub(_unescaped, match.group(1))
    elif body.startswith("'", pos):
        match = _SINGLE.match(body, pos)
        text = None if match is None else _folded(match.group(1).replace("''", "'"))
    else:
        match = (_PLAIN if indent < 0 else _LINE).match(body, pos)
        next_pos = match.end() if match else pos
        text = _COMMENT.sub("", body[pos:next_pos].strip())
        if text and indent >= 0:
            next_pos = _end_of_continuation(body, next_pos, indent)
        first = text
        text = _folded("\n".join([first, *body[pos:next_pos].split("\n")[1:]])).strip()
        return (_scalar_value(first) and text) if text != first else _scalar_value(first), next_pos
    if match is None or not _AFTER_QUOTE.match(body, match.end()):
        return None, pos
    return text, match.end()


def _end_of_continuation(body: str, next_pos: int, indent: int) -> int:
    """The end of a plain text that continues in the lines below, indented further than its key."""
    end = next_pos
    while next_pos < len(body):
        stop = body.find("\n", next_pos + 1)
        line = body[next_pos + 1 : len(body) if stop < 0 else stop]
        if line.strip() and (len(line) - len(line.lstrip()) <= indent or line.lstrip().startswith("#")):
            break
        next_pos += len(line) + 1
        end = next_pos if line.strip() else end
    return end


def _folded(text: str) -> str:
    """Join lines by spaces, and by a line break if a blank line is between them."""
    if "\n" not in text:
        return text
    first, *lines = text.split("\n")
    text = "\n".join([first.rstrip(), *(line.strip() for line in lines[:-1]), lines[-1].lstrip()])
    return _FOLDED.sub(lambda breaks: "\n" * (len(breaks.group()) - 1) or " ", text)


def _block(block: re.Match[str], indent: int, body: str) -> tuple[str | None, int]:
    """The lines below `|` or `>`, indented further than the key. Folded ones of uneven indent are not supported."""
    lines: list[str] = []
    next_pos = block.start(2)
    for line in block.group(2).split("\n"):
        if line.strip() and len(line) - len(line.lstrip()) <= indent:
            break
        lines.append(line)
        next_pos += len(line) + 1
    indents = [len(line) - len(line.lstrip()) for line in lines if line.strip()]
    if not indents or indents[0] > min(indents) or "\t" in block.group(2):
        return None, next_pos
    text = "\n".join(line[indents[0] :] for line in lines).rstrip()
    if block.group(1) == ">":
        if max(indents) > min(indents):
            return None, next_pos
        text = _folded(text)
    return text, min(next_pos, len(body))


def _scalar_value(plain: str) -> str | None:
    """A plain value in JavaScript's notation; lists, maps and multi-line texts are not supported."""
    if plain in ("null", "~", "Null", "NULL"):
        return ""
    if plain[:1] in ("[", "{", "|", ">", "&", "*"):
        return None
    return f"{float(plain):.15g}" if _FLOAT.fullmatch(plain) else plain


def _unescaped(match: re.Match[str]) -> str:
    code = match.group(1) or match.group(2) or match.group(3)
    if code is None:
        return _ESCAPES.get(match.group(4), match.group(4))
    number = int(code, 16)
    return chr(number) if number < 0x110000 else "\ufffd"


def _blank(body: str, pos: int) -> int:
    match = _BLANK.match(body, pos)
    return match.end() if match else pos
