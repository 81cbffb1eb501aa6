"""Notes on every place where Mermaid itself interprets a chart differently.

Mermaid draws for a web page and drops or changes some text; we keep it, because the user wrote it for a model.
"""

import html.entities
import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator

from kimi_tui.flow.parsing.mermaid.label_text import LINE_BREAK
from kimi_tui.i18n import tr

# Tags that a page displays, and that Mermaid passes on unchanged if they are paired and have no attributes.
# fmt: off
_INLINE = frozenset({
    "b", "i", "em", "strong", "code", "kbd", "small", "sub", "sup", "u", "s", "del", "ins", "mark", "span",
    "big", "tt", "samp", "var", "q", "cite", "abbr", "strike", "font",
})
# fmt: on
_BLOCKS = frozenset({"div", "p", "ul", "ol", "li", "center", "blockquote"})
_TAG = re.compile(r"<(?:(/?)([A-Za-z][^\s/>]*)([^>]*)>?|[!?/][^>]*>?)")
_ENTITY_OPENING = re.compile(r"&(?:#[0-9]+(?![0-9;])|#[xX][0-9a-fA-F]+(?![0-9a-fA-F;])|([A-Za-z][A-Za-z0-9]*)(;?))")
_UNCLOSED_ENTITIES = frozenset(name for name in html.entities.html5 if not name.endswith(";"))
_STYLES = ("style", "classDef")
_COLOUR = re.compile(r":[^\s:#]*#")
_LONGEST_SHOWN = 24
_DIRECTION = re.compile(r"direction\s+(?:TB|BT|RL|LR|TD)")

Span = tuple[int, int]


def odd_markup(label: str) -> str | None:
    """The markup that a page, and so Mermaid, would display differently; the label is as written."""
    if "<" not in label:
        return None
    markup = _odd_tag(label)
    if markup is None:
        markup = _odd_entity(label)
    if markup is None:
        return None
    markup_text = " ".join(markup.split())
    markup_text = markup_text if len(markup_text) <= _LONGEST_SHOWN else markup_text[: _LONGEST_SHOWN - 1] + "…"
    return tr(
        "Mermaid treats `{markup}` as HTML and drops or changes it; kimi-tui keeps it. Write `{entity}` for "
        "`{sign}` to get the same result in both.",
        markup=markup_text,
        entity="#amp;" if markup[0] == "&" else "#lt;",
        sign=markup[0],
    )


def _odd_tag(label: str) -> str | None:
    open_tags: list[tuple[str, str]] = []
    for tag in _TAG.finditer(label):
        tag_text, name = tag.group(), tag.group(2)
        if LINE_BREAK.fullmatch(tag_text) or tag_text == "<hr>":
            continue
        if name is None or tag.group(3) or tag_text[-1] != ">" or name not in _INLINE | _BLOCKS:
            return tag_text
        if tag.group(1):
            if not open_tags or open_tags[-1][0] != name:
                return tag_text
            open_tags.pop()
        else:
            around = [tag_name for tag_name, _ in open_tags[-8:]]
            if len(open_tags) == 8 or (name in _BLOCKS and "p" in around) or around[-1:] == ["li"] == [name]:
                return tag_text
            open_tags.append((name, tag_text))
    return open_tags[-1][1] if open_tags else None


def _odd_entity(label: str) -> str | None:
    """An entity without its `;`, which a page still decodes if the label has a `<`."""
    for entity in _ENTITY_OPENING.finditer(label):
        name = entity.group(1)
        if name is None:
            return entity.group()
        if not entity.group(2) and any(name[:size] in _UNCLOSED_ENTITIES for size in range(2, min(len(name), 6) + 1)):
            return entity.group()
    return None


def lost_semicolons(text: str, labels: "Spans") -> Iterator[int]:
    """The places of `;` that Mermaid drops: the last of a line with a style and a `:..#`, if it separates anything."""
    pos = _style_from(text, 0)
    while pos >= 0:
        stop = text.find("\n", pos)
        stop = len(text) if stop < 0 else stop
        last = text.rfind(";", pos, stop)
        if last >= 0 and _COLOUR.search(text, pos, last) and (text[last + 1 : stop].strip() or labels.contains(last)):
            yield last
        elif last >= 0 and all(text.find(keyword, pos, stop) >= 0 for keyword in _STYLES):
            semicolon = text.rfind(";", pos, last)
            if semicolon >= 0 and _COLOUR.search(text, pos, semicolon):
                yield semicolon
        pos = _style_from(text, stop)


def _style_from(text: str, start: int) -> int:
    return min((index for keyword in _STYLES if (index := text.find(keyword, start)) >= 0), default=-1)


def swallowed_lines(text: str) -> Iterator[tuple[int, int, str]]:
    """Find each `direction LR` within a line: its offset, the start of the line, and its text."""
    for match in _DIRECTION.finditer(text):
        yield match.start(), text.rfind("\n", 0, match.start()) + 1, " ".join(match.group().split())


class Spans:
    """Ranges of a text that do not overlap."""

    def __init__(self, spans: Iterable[Span]) -> None:
        self._spans = sorted(spans)

    def contains(self, offset: int) -> bool:
        index = bisect_right(self._spans, (offset, len(self._spans) and self._spans[-1][1])) - 1
        return index >= 0 and self._spans[index][0] <= offset < self._spans[index][1]
