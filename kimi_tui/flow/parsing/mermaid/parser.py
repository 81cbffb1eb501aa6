"""Parses Mermaid flowcharts as Mermaid's own parser interprets them.

One pass over the text by offset, without recursion. Statements without a meaning for a flow (styles, classes, links to
pages, titles) are skipped; subgraphs contribute their nodes and edges. `labels` scans labels, `lexemes` has the
lexemes.
"""

import re
from dataclasses import dataclass, field
from typing import NoReturn

from kimi_tui.flow.model.graph import Chart, Direction, Heads
from kimi_tui.flow.model.settings import MERMAID_KEYS, NODE_KEYS
from kimi_tui.flow.parsing.chart_builder import ChartBuilder
from kimi_tui.flow.parsing.mermaid.compat_notes import Span, Spans, lost_semicolons, swallowed_lines
from kimi_tui.flow.parsing.mermaid.header import other_diagram, strip_header
from kimi_tui.flow.parsing.mermaid.label_text import plain
from kimi_tui.flow.parsing.mermaid.labels import LabelScanner
from kimi_tui.flow.parsing.mermaid.lexemes import (
    ANY_HEADER,
    BLANK,
    CLOSED_WORDS,
    DIRECTION,
    DIRECTION_OF_HEADER,
    HEADER,
    ID_OF_STYLE,
    ID_PIECE,
    ID_STOPS,
    KEYWORD,
    LINK,
    LINK_END,
    LINK_START,
    NAMED_LINK,
    OPENER,
    PROPERTY,
    REST_OF_LINE,
    SEPARATORS,
    SPACES,
    SUBGRAPH_NAME,
)
from kimi_tui.flow.parsing.mermaid.node_data import NodeData, read_node_data
from kimi_tui.flow.parsing.source_position import SourcePositions, check_size
from kimi_tui.i18n import UserText, tr

_DIRECTIONS: dict[str, Direction] = {
    "TB": "TB", "TD": "TB", "V": "TB", "BT": "BT", "^": "BT", "LR": "LR", ">": "LR", "RL": "RL", "<": "RL", "BR": "TB",
}  # fmt: skip

_Data = tuple[NodeData, int]
_ARROW = re.compile(r"[-.=]+>")
_LOST_NODE = re.compile(r'[\[({]\s*"|"[^"\n]*+\n')
"""A quoted label of a node, or a quote before the line's end: in the label of an edge, which Mermaid then refuses."""


@dataclass(slots=True)
class _Subgraph:
    """A subgraph during parsing; `id` is empty if Mermaid generates one. `members` keeps their order."""

    id: str
    offset: int
    members: dict[str, None] = field(default_factory=dict[str, None])


def read_mermaid(text: str) -> Chart:
    """Nodes and edges as written. Raises `FlowParseError` with line and column for text that is not a flowchart."""
    return _Reader(check_size(text)).read()


class _Reader:
    def __init__(self, text: str) -> None:
        self.source = text
        self.positions = SourcePositions(text)
        self.text, self.bare_comments = strip_header(text)
        self.pos = 0
        self.out = ChartBuilder(self.positions)
        self.labels = LabelScanner(self.text, text, self.positions, note=self.out.note)
        self.edge_ids: set[str] = set()
        self.edges_between: dict[tuple[str, str], int] | None = {} if "L_" in text else None
        self.passed_over: list[Span] = []
        self.node_data: _Data | None = None
        self.subgraph_ids: set[str] = set()
        self.open_subgraphs: list[_Subgraph] = []
        self.grouped: set[str] = set()
        self.closed_subgraphs = 0
        self.padded_names: list[tuple[str, int]] = []

    def read(self) -> Chart:
        self._header()
        self._skip(SEPARATORS)
        while self.pos < len(self.text):
            self._statement()
            self._skip(SEPARATORS)
        if self.open_subgraphs:
            self._fail(
                tr("this subgraph is never closed; write `end` on a line of its own"), self.open_subgraphs[-1].offset
            )
        self._note_lines_that_mermaid_reads_otherwise()
        return self.out.chart("mermaid")

    def _note_lines_that_mermaid_reads_otherwise(self) -> None:
        for name, offset in self.padded_names:
            if name in self.out.nodes:
                self.out.note(
                    tr("extra spaces around its name make this subgraph different from the node `{name}`", name=name),
                    offset,
                )
        labels, passed = Spans(self.labels.over_lines), Spans(self.passed_over)
        for offset in lost_semicolons(self.text, labels):
            self.out.note(
                tr("Mermaid loses this `;` because a style with `#` precedes it; start a new line here"), offset
            )
        for offset in self.bare_comments:
            if not labels.contains(offset) and not passed.contains(offset):
                self.out.note(
                    tr("Mermaid treats a bare `%%` as a node; kimi-tui treats it as a comment. Add a word after it."),
                    offset,
                )
        for offset, line, snippet in swallowed_lines(self.text):
            if not passed.contains(offset) and not (labels.contains(offset) and labels.contains(line)):
                self.out.note(
                    tr(
                        "Mermaid ignores this line because it contains `{words}`; kimi-tui does not. Rephrase it.",
                        words=snippet,
                    ),
                    offset,
                )

    def _header(self) -> None:
        self._skip(BLANK)
        header = HEADER.match(self.text, self.pos)
        if header is None:
            if cause := other_diagram(self.text, self.pos):
                self._fail(cause)
            if shouted := ANY_HEADER.match(self.text, self.pos):
                keyword = shouted.group()
                self._fail(
                    tr("Mermaid accepts `{word}` only in lower case: `{small}`", word=keyword, small=keyword.lower())
                )
            return
        self.pos = header.end()
        direction = DIRECTION_OF_HEADER.match(self.text, self.pos)
        if direction is not None:
            self.out.direction = _DIRECTIONS[direction.group(1).upper()]
            self.pos = direction.end()
        self._skip(SPACES)
        at_end = self.pos == len(self.text) or self.text[self.pos] in "\n;"
        if not at_end and (direction is None or self.pos == direction.end()):
            self._fail(tr("`flowchart` must be followed by a direction (TB, TD, BT, LR or RL) and the end of the line"))

    def _statement(self) -> None:
        keyword, start = KEYWORD.match(self.text, self.pos), self.pos
        if keyword is None and self.text.startswith("%%", start):
            self._skip(REST_OF_LINE)
            self.out.note(tr("Mermaid accepts comments only on their own line; move this one"), start)
        elif keyword is None:
            self._nodes_and_links()
        else:
            self._keyword(keyword)
            if not self.text[self.text.rfind("\n", 0, start) + 1 : start].strip():
                self.passed_over.append((start, self.pos))

    def _keyword(self, keyword: re.Match[str]) -> None:
        match keyword.group():
            case "subgraph":
                self._subgraph()
            case "end":
                if not self.open_subgraphs:
                    self._fail(tr("`end` closes a subgraph, but none is open; name a node `END` or `finish` instead"))
                self._close_subgraph(self.open_subgraphs.pop())
                self.pos = keyword.end()
            case "direction":
                if stated := DIRECTION.match(self.text, self.pos):
                    self.pos = stated.end()
                else:
                    self._nodes_and_links()
            case "accTitle":
                self._skip(REST_OF_LINE)
            case "accDescr":
                self._description(keyword.end())
            case "style":
                self._style()
            case _:
                self._skip_statement()

    def _subgraph(self) -> None:
        """Open a subgraph. Its title is ignored; its nodes and edges are parsed like all others."""
        named, start = SUBGRAPH_NAME.match(self.text, self.pos), self.pos
        if named is not None and self.text.startswith("[", named.end()):
            self.pos = self.labels.node("[", named.end() + 1).next_pos
            self._skip_statement()
            name = named.group(1).strip().strip('"')
        else:
            self._skip_statement()
            name = self.text[start + len("subgraph") + 1 : self.pos]
            if name.split() == [name.strip()] != [name]:
                self.padded_names.append((name.strip().strip('"'), start))
        self.open_subgraphs.append(_Subgraph(name.removeprefix('"`').removesuffix('`"').strip('"'), start))

    def _close_subgraph(self, subgraph: _Subgraph) -> None:
        """Close a subgraph: a node in two subgraphs belongs to the one that is closed first, as in Mermaid."""
        self.subgraph_ids.add(subgraph.id)
        group_id = subgraph.id if subgraph.id.split() == [subgraph.id] else f"subGraph{self.closed_subgraphs}"
        self.closed_subgraphs += 1
        members = [member for member in subgraph.members if member not in self.grouped and member != group_id]
        self.grouped.update(members)
        self.out.group(group_id, members, offset=subgraph.offset)
        if self.open_subgraphs:
            self.open_subgraphs[-1].members[group_id] = None

    def _description(self, pos: int) -> None:
        brace = BLANK.match(self.text, pos)
        cursor = brace.end() if brace else pos
        if not self.text.startswith("{", cursor):
            self._skip(REST_OF_LINE)
            return
        end = self.text.find("}", cursor)
        if end < 0:
            self._fail(tr("this description is never closed; end it with `{end}`", end="}"), cursor)
        self.pos = end + 1

    def _style(self) -> None:
        named = ID_OF_STYLE.match(self.text, self.pos)
        if named is not None and named.group(1) not in self.edge_ids:
            self.out.mention(named.group(1), named.start(1))
        self._skip_statement()

    def _skip_statement(self) -> None:
        """Skip to the end of the line or the next `;`, whichever is first outside of double quotes."""
        text, cursor = self.text, self.pos
        while cursor < len(text) and text[cursor] not in "\n;":
            if text[cursor] == '"':
                close = text.find('"', cursor + 1)
                if close < 0:
                    self._fail(tr('this quoted text is never closed; end it with `"`'), cursor)
                cursor = close
            cursor += 1
        self.pos = cursor

    def _nodes_and_links(self) -> None:
        group = self._group()
        while True:
            self._skip(SPACES)
            started = self.pos
            edge_id = self._edge_id()
            link = self._link()
            if link is None:
                break
            label, heads, pos = link
            self._check_target(pos)
            following = self._group()
            for node_id in (*group, *following) if self.edge_ids else ():
                if node_id in self.edge_ids and node_id not in self.out.nodes:
                    self._fail(
                        tr("`{name}` is already the name of an edge; rename the node", name=node_id),
                        pos,
                    )
            for src in group:
                for dst in following:
                    self.out.edge(src, dst, label, offset=pos, heads=heads)
            self._name_edges(edge_id, group, following)
            group = following
        self.pos = started
        if self.pos < len(self.text) and self.text[self.pos] not in "\n;" and not self.text.startswith("%%", self.pos):
            self._unexpected()
        if self.text.startswith("%%", self.pos):
            self._skip(REST_OF_LINE)

    def _check_target(self, link: int) -> None:
        """Check a link at the end of its line: the next line must start with a node, else the error is at the link."""
        keyword = KEYWORD.match(self.text, self.pos) if "\n" in self.text[link : self.pos] else None
        if self.pos == len(self.text) or (keyword is not None and keyword.group() in CLOSED_WORDS):
            self._fail(tr("this edge has no target; write its node on the same line"), link)

    def _name_edges(self, edge_id: str | None, group: list[str], following: list[str]) -> None:
        """Name edges: the given name is for the edge of the last source and first target; other names are generated."""
        named = (len(group) - 1, 0) if edge_id and edge_id not in self.edge_ids else None
        if edge_id:
            self.edge_ids.add(edge_id)
        if self.edges_between is None:
            return
        for row, src in enumerate(group):
            for column, dst in enumerate(following):
                count = self.edges_between.get((src, dst), 0)
                self.edges_between[src, dst] = count + 1
                if (row, column) != named:
                    self.edge_ids.add(f"L_{src}_{dst}_{count + 1 if count else 0}")

    def _unexpected(self) -> NoReturn:
        snippet = self.text[self.pos : self.pos + 16].split("\n", 1)[0]
        self._fail(tr("expected a link such as `-->`, or the end of the line, but found `{found}`", found=snippet))

    def _edge_id(self) -> str | None:
        """An edge's own name, `e1@` before its link; does not advance if there is none."""
        start = self.pos
        name = self._id()
        if (
            name is not None
            and self.text.startswith("@", self.pos)
            and (LINK_START.match(self.text, self.pos + 1) or LINK.match(self.text, self.pos + 1))
        ):
            if self.text[max(0, start - 80) : start].rstrip("])}")[-1:] not in (" ", "\t", "\n", '"'):
                self._fail(tr("missing space before the name of this edge"), start)
            self.pos += 1
            return name
        self.pos = start
        return None

    def _link(self) -> tuple[str | None, Heads, int] | None:
        """A link with its label, if one starts here or on the next line; advances to the node after it."""
        blank = BLANK.match(self.text, self.pos)
        start = blank.end() if blank else self.pos
        match = LINK.match(self.text, start)
        if match is not None:
            self.pos = match.end()
            self._skip(BLANK)
            label = None
            if self.text.startswith("|", self.pos):
                label, self.pos, _ = self.labels.edge(self.pos + 1)
                self._skip(BLANK)
            return label or None, _heads(match.group()), start
        opening = LINK_START.match(self.text, start)
        return None if opening is None else self._link_with_text(opening)

    def _link_with_text(self, opening: re.Match[str]) -> tuple[str | None, Heads, int]:
        end_pattern = LINK_END[opening.group()[-1]]
        if NAMED_LINK.match(self.text, opening.start()):
            self._fail(tr("Mermaid reads this as the name of an edge; put a space before the label"), opening.end())
        self.pos = opening.end()
        self._skip(BLANK)
        label, quoted = None, ""
        if self.text.startswith('"', self.pos):
            start, end, next_pos = self.labels.body(self.pos, REST_OF_LINE)
            if end_pattern.match(self.text, next_pos):
                label, self.pos = self.labels.label_text(start, end), next_pos
            else:
                quoted, self.pos = self.source[start:end], end + 1
        closing = end_pattern.search(self.text, self.pos)
        # defence: node-in-an-edge-label
        if closing is None or (label is None and _LOST_NODE.search(self.text, opening.end(), closing.start())):
            self._fail(
                tr(
                    "the edge starting with `{link}` has no end; write `A --> B` or `A -- label --> B`",
                    link=opening.group(),
                ),
                opening.start(),
            )
        if label is None:
            end = closing.start() + (closing.start() == self.pos and closing.group()[0] in "xo")
            label = self.labels.clean_text(quoted + self.source[self.pos : end], self.pos)
            self.labels.over_lines.append((self.pos, end))
        self.pos = closing.end()
        self._skip(BLANK)
        return label or None, _heads(closing.group(), opening.group()), opening.start()

    def _group(self) -> list[str]:
        """Nodes joined by `&`."""
        ids = [self._node()]
        data = self.node_data
        while True:
            start = self.pos
            self._skip(SPACES)
            if not self.text.startswith("&", self.pos):
                self.pos = start
                self._take_data(ids[-1], data)
                return ids
            self.pos += 1
            self._skip(BLANK)
            ids.append(self._node())
            self._take_data(ids[-2], data)
            data = self.node_data

    def _node(self) -> str:
        start, self.node_data = self.pos, None
        node_id = self._id()
        if node_id is None:
            self._no_node(start)
        opener = OPENER.match(self.text, self.pos)
        if opener is None:
            if node_id not in self.edge_ids:
                self.out.mention(node_id, start)
        else:
            self._label(node_id, start, opener)
        if self.open_subgraphs and node_id not in self.edge_ids:
            self.open_subgraphs[-1].members[node_id] = None
        self._class()
        if self.text.startswith("@{", self.pos):
            data = read_node_data(self.text, self.source, self.pos + 2, self.positions)
            self.pos = data.next_pos
            self.node_data = (data, start)
            self._class()
        return node_id

    def _label(self, node_id: str, start: int, opener: re.Match[str]) -> None:
        brackets, pos = opener.group(), opener.end()
        if brackets == "[|":
            named = PROPERTY.match(self.text, pos)
            brackets, pos = ("[|", named.end()) if named else ("[", opener.start() + 1)
        label, self.pos, shape = self.labels.node(brackets, pos)
        if node_id in self.edge_ids:
            return
        self.out.mention(node_id, start)
        self.out.note_other_label(node_id, label, start)
        self.out.label(node_id, label, start)
        self.out.shape(node_id, shape)

    def _class(self) -> None:
        if self.text.startswith(":::", self.pos):
            self.pos += 3
            if self._id() is None:
                self._fail(tr("missing class name after `:::`"))

    def _take_data(self, node_id: str, data: _Data | None) -> None:
        """Apply a node's data block; as in Mermaid, only after the next node of a `&` is parsed."""
        if data is None or node_id in self.edge_ids:
            return
        block, start = data
        pairs = {key: value for key, value, _ in block.pairs if value is not None}
        self._settings(node_id, block)
        if node_id in self.subgraph_ids:
            return
        label = pairs.get("label", "")
        if label:
            self.out.label(node_id, plain(label, on_page=False), start)
        elif ("icon" in pairs or "img" in pairs) and self.out.has_id_as_label(node_id):
            self.out.label(node_id, "", start)
        if pairs.get("shape"):
            self.out.shape(node_id, pairs["shape"].rstrip(","))

    def _settings(self, node_id: str, data: NodeData) -> None:
        """Keep the keys that are not Mermaid's own, and note where Kimi CLI parses their block differently."""
        own = [pair for pair in data.pairs if pair.key not in MERMAID_KEYS]
        for key, value, offset in own:
            if data.multiline and key in NODE_KEYS and "<br/>" in (value or ""):
                raise self.positions.error(tr("write the value of `{key}` on one line", key=key), offset)
            self.out.setting(node_id, key, value, offset)
            if value is not None and key in NODE_KEYS and _ARROW.search(value):
                self.out.note(tr("Kimi CLI refuses a chart with an arrow such as `->` in a setting"), offset)
        if own and data.multiline:
            self.out.note(tr("Kimi CLI reads the settings of a node on one line only"), own[0].offset)

    def _id(self) -> str | None:
        text, start, cursor = self.text, self.pos, self.pos
        while not ID_STOPS.match(text, cursor):
            piece = ID_PIECE.match(text, cursor)
            if piece is None:
                break
            cursor = piece.end()
        self.pos = cursor
        found = text[start:cursor] if cursor > start else None
        if found in CLOSED_WORDS and found != "":
            self._fail(
                tr("`{name}` is a Mermaid keyword and cannot name a node; write it in capitals", name=found),
                start,
            )
        return found

    def _no_node(self, start: int) -> NoReturn:
        snippet = self.text[start : start + 16].split("\n", 1)[0]
        if snippet.strip():
            self._fail(tr("expected a node here, such as `A` or `A[label]`, but found `{found}`", found=snippet), start)
        self._fail(tr("expected a node here, such as `A` or `A[label]`, but there is none"), start)

    def _skip(self, pattern: re.Pattern[str]) -> None:
        match = pattern.match(self.text, self.pos)
        if match is not None:
            self.pos = match.end()

    def _fail(self, cause: UserText, offset: int | None = None) -> NoReturn:
        raise self.positions.error(cause, self.pos if offset is None else offset)


def _heads(end: str, start: str = "") -> Heads:
    if end[0] == "~":
        return "hidden"
    if end[-1] not in "xo>":
        return "none"
    return "both" if (start or end)[0] == {">": "<"}.get(end[-1], end[-1]) else "forward"
