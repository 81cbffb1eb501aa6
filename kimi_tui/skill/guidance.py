"""Assigns the text beside a chart in a skill file to the chart's nodes.

A section whose heading starts with a node's id (`## B`, `### F: Scout`) belongs to that node, and so does a comment in
the chart (`%% B: text`); the rest is sent once, with the first node.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from kimi_tui.errors import KimiTuiError
from kimi_tui.flow.model.graph import Flow, Guidance, NodeKind
from kimi_tui.i18n import tr
from kimi_tui.skill.chart_block import ChartBlock, headings
from kimi_tui.skill.frontmatter import read_frontmatter

MAX_INTRO, MAX_SECTION = 16_384, 8_192
"""Characters."""
_MAX_HEADING = 500
_MARKS = "*_`[](){}\"' \t"
_AFTER_ID = re.compile(r"[*_`\])}\"']*(?:\s*$|\s*[:.)](?=\s|$)|\s*[：）]|\s+[-–—])")
_COMMENT = re.compile(r"\s*+%%++\s*+([^\s:：{][^:：]*+)[:：](?!:)\s*+(\S.*)")  # defence: comment-without-colon
_BLANK_LINES = re.compile(r"\n\s*\n\s*\n")


class Note(NamedTuple):
    """A note on a line of the file, counted from 1."""

    line: int
    text: str


@dataclass(frozen=True, slots=True)
class GuidanceResult:
    """The guidance; `notes` describe the text for each node, `cut` the text that exceeds the limit."""

    guidance: Guidance = field(default_factory=Guidance)
    notes: tuple[Note, ...] = ()
    cut: tuple[Note, ...] = ()


def guidance_beside(flow: Flow, block: ChartBlock, lines: Sequence[str], *, skip: int) -> GuidanceResult:
    """The guidance in `lines` beside the chart `block`; the first `skip` lines are frontmatter."""
    fence = block.line - 1
    first_line = fence + 1 + block.text.count("\n") + block.closed
    owner: list[str | None] = ["" for _ in lines]
    owner[:skip] = [None] * skip
    owner[fence:first_line] = [None] * (first_line - fence)
    nodes = _turns(flow)
    open_at: dict[int, str] = {}
    heading_at = {heading.line: heading for heading in headings(lines, skip=skip)}
    starts: dict[str, int] = {}
    for index in range(skip, len(lines)):
        heading = heading_at.get(index)
        if heading is not None:
            open_at = {level: node for level, node in open_at.items() if level < heading.level}
            node = _matching_node(heading.text, nodes)
            if node is not None:
                open_at[heading.level] = node
                starts.setdefault(node, index + 1)
        if owner[index] is not None and open_at:
            owner[index] = open_at[max(open_at)]
    parts: dict[str, list[str]] = {}
    first: int | None = None
    for index, (line, node) in enumerate(zip(lines, owner, strict=True)):
        if node is not None:
            parts.setdefault(node, []).append(line)
        if node == "" and first is None and line.strip() and index not in heading_at:
            first = index + 1
    texts = {node: _tidy(text) for node, text in parts.items() if node}
    for node, line, text in _comments(block.text, nodes) if block.source == "mermaid" else ():
        starts.setdefault(node, block.line + line)
        texts[node] = f"{texts[node]}\n\n{text}" if texts.get(node) else text
    return _bounded_guidance(_tidy(parts.get("", [])) if first is not None else "", texts, first or 1, starts)


def guidance_of_chart(flow: Flow, text: str) -> GuidanceResult:
    """The guidance in the comments of a chart in a file of its own."""
    if flow.source != "mermaid":
        return GuidanceResult()
    texts: dict[str, str] = {}
    starts: dict[str, int] = {}
    for node, line, comment in _comments(text, _turns(flow)):
        starts.setdefault(node, line)
        texts[node] = f"{texts[node]}\n\n{comment}" if node in texts else comment
    return _bounded_guidance("", texts, 1, starts)


def lines_of_frontmatter(lines: list[str]) -> int:
    """The number of lines before the Markdown of a file; 0 if they are not valid frontmatter."""
    try:
        return read_frontmatter(lines).lines
    except (KimiTuiError, ValueError):
        return 0


def _bounded_guidance(intro: str, texts: Mapping[str, str], first: int, starts: Mapping[str, int]) -> GuidanceResult:
    notes: list[Note] = []
    truncated: list[Note] = []
    if intro:
        notes.append(Note(first, _of_intro(intro)))
        if len(intro) > MAX_INTRO:
            truncated.append(Note(first, _cut_at(len(intro), MAX_INTRO)))
    for node, text in texts.items():
        notes.append(Note(starts[node], _of_section(node, text)))
        if len(text) > MAX_SECTION:
            truncated.append(Note(starts[node], _cut_at(len(text), MAX_SECTION)))
    sections = {node: _bounded(text, MAX_SECTION) for node, text in texts.items()}
    return GuidanceResult(Guidance(_bounded(intro, MAX_INTRO), sections), tuple(notes), tuple(truncated))


def guidance_lines(guidance: Guidance) -> list[str]:
    """One line for each text: the node that it is sent with and its length."""
    intro = [_of_intro(guidance.intro)] if guidance.intro else []
    return [*intro, *(_of_section(node, text) for node, text in guidance.sections.items())]


def _of_intro(text: str) -> str:
    return tr("sent with the first step: {count} characters", count=len(text))


def _of_section(node: str, text: str) -> str:
    return tr("sent with `{node}`: {count} characters", node=node, count=len(text))


def _cut_at(count: int, limit: int) -> str:
    return tr("this text has {count} characters; the model receives only the first {most}", count=count, most=limit)


def _bounded(text: str, limit: int) -> str:
    return text if len(text) <= limit else text[: limit - 1].rstrip() + "…"


def _turns(flow: Flow) -> frozenset[str]:
    """The nodes that take a turn of the model; only to their prompts can guidance be added."""
    return frozenset(node.id for node in flow.nodes.values() if node.kind in (NodeKind.TASK, NodeKind.DECISION))


def _matching_node(heading: str, nodes: frozenset[str]) -> str | None:
    text = heading.lstrip(_MARKS)
    if len(text) > _MAX_HEADING:  # defence: bound-headings
        return None
    for end in _AFTER_ID.finditer(text):
        if (name := text[: end.start()].rstrip(_MARKS)) in nodes:
            return name
    return None


def _comments(chart: str, nodes: frozenset[str]) -> list[tuple[str, int, str]]:
    """Node, chart line and text of each comment that starts with a node's id."""
    comments: list[tuple[str, int, str]] = []
    for number, line in enumerate(chart.split("\n"), 1):
        match = _COMMENT.fullmatch(line)
        if match is not None and (name := match.group(1).rstrip()) in nodes:
            comments.append((name, number, match.group(2).strip()))
    return comments


def _tidy(lines: Sequence[str]) -> str:
    return _BLANK_LINES.sub("\n\n", "\n".join(line.rstrip() for line in lines)).strip()
