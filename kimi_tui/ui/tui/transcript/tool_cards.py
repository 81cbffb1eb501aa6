"""Cards of tools and subagents: one line when done, the last lines while running, everything when expanded."""

from collections.abc import Iterator, Mapping
from typing import cast

from rich.style import Style

from kimi_tui.formats import duration
from kimi_tui.ui.tui.i18n.catalog import N_, _, n_
from kimi_tui.ui.tui.i18n.labels import tool_label
from kimi_tui.ui.tui.i18n.translate import translate
from kimi_tui.ui.tui.state.items import SubagentItem, ToolItem
from kimi_tui.ui.tui.text.call_summary import one_line, parse_partial_arguments
from kimi_tui.ui.tui.text.diff import DiffText, change_summary
from kimi_tui.ui.tui.text.highlight import highlight
from kimi_tui.ui.tui.text.markdown import render
from kimi_tui.ui.tui.text.sanitize import plain_output, sanitize
from kimi_tui.ui.tui.text.styled_line import Line, Run, cut, cut_start, width_of
from kimi_tui.ui.tui.text.wrap import wrap_runs, wrap_text
from kimi_tui.ui.tui.transcript.render_context import (
    RenderContext,
    click_style,
    elapsed,
    fold_sign,
    indented,
    justify,
    state_glyph,
)
from kimi_tui.wire.display import BriefBlock, DiffBlock, DisplayBlock, ShellBlock, TodoBlock, TodoItem, UnknownBlock

_TAIL = 4  # lines of a running tool
_FAILED_TAIL = 3  # lines of the output of a failed one
_ANSWERED = "AskUserQuestion"  # its card shows the answers, and has no more than them
_MOST = 400  # lines of an expanded card
_STATE_WORDS = {
    "failed": N_("failed"),
    "rejected": N_("rejected"),
    "interrupted": N_("interrupted"),
    "waiting": N_("waiting for you"),
}
_BOLD = Style(bold=True)
_TICKS = {"done": "✓", "in_progress": "◐", "pending": "○"}


def tool_lines(item: ToolItem, width: int, context: RenderContext) -> Iterator[Line]:
    """Return the lines of a tool call."""
    palette = context.palette
    headline = sanitize(" ".join(item.headline.split()))
    sign, ink = state_glyph(item.state, context)
    if item.in_background:
        sign, ink = "◆", palette.secondary
    left: list[Run] = [
        (f"{sign} ", ink + click_style("toggle")),
        (tool_label(item.name), palette.base + _BOLD + click_style("toggle")),
    ]
    right = _right(item, context)
    if len(answers := _answers(item)) > 1:
        headline = n_("{count} answer", "{count} answers", len(answers))
    if headline:
        room = width - width_of(left) - width_of(right) - 3
        is_path = "/" in headline and " " not in headline
        shown = cut_start(headline, room) if is_path else cut(headline, room)
        left.append((f"  {shown}", palette.base + click_style("toggle")))
    yield justify(left, right, width, context)
    yield from _body(item, width, context)


def _right(item: ToolItem, context: RenderContext) -> list[Run]:
    palette = context.palette
    parts: list[Run] = []
    diffs = [block for block in item.blocks if isinstance(block, DiffBlock) and not block.is_summary]
    if diffs and item.state != "rejected":
        old, new = "\n".join(block.old_text for block in diffs), "\n".join(block.new_text for block in diffs)
        added, _blank, removed = change_summary(old, new).partition(" ")
        parts += [(added, palette.success), (" ", palette.base), (removed, palette.error)]
    word = _(_STATE_WORDS.get(item.state, ""))
    is_told = item.state == "waiting" or (item.state == "failed" and bool(item.message.strip()))
    if word and not is_told:  # the dialog says it, or the reason below
        parts.append((f"  {word}" if parts else word, state_glyph(item.state, context)[1]))
    if item.in_background:
        parts.append((_("in the background"), palette.secondary))
    time = elapsed(item.started, context) if item.state == "running" else ""
    if item.duration_s is not None and item.duration_s >= (1 if diffs else 0.1) and not item.in_background:
        time = duration(item.duration_s)
    if time:
        parts.append((f"  {time}" if parts else time, palette.muted))
    if has_more(item):
        parts.append((f" {fold_sign(context)}", palette.muted + click_style("toggle")))
    return parts


def has_more(item: ToolItem | SubagentItem) -> bool:
    """Whether an expanded item would show more."""
    if isinstance(item, SubagentItem):
        return bool(item.result or item.step_count or item.log.messages)
    if item.name == _ANSWERED and item.state == "ok":
        return False
    return item.state not in ("running", "waiting") and bool(item.blocks or item.output.strip() or item.message)


def has_lines_below(item: object) -> bool:
    """Whether a folded card that has ended still has lines below its first."""
    match item:
        case ToolItem(state="ok"):
            return item.name == _ANSWERED and bool(item.blocks)
        case ToolItem(state="failed" | "rejected"):
            return bool(item.message or item.output.strip())
        case SubagentItem(state="failed"):
            return bool(item.result.strip())
        case _:
            return False


def _body(item: ToolItem, width: int, context: RenderContext) -> Iterator[Line]:
    inner = max(10, width - 4)
    if item.state == "running":
        yield from indented(_tail(item.tail, _TAIL, inner, context), context, "  │ ")
        return
    if item.name == _ANSWERED and item.state == "ok":
        yield from indented(_answer_lines(item, inner, context), context, "  │ ")
    elif context.is_open:
        yield from indented(_opened(item, inner, context), context, "  │ ")
    elif item.state in ("failed", "rejected"):
        words = _("You: {words}", words=item.feedback) if item.feedback else translate(item.message.strip())
        reason = sanitize(words.split("\n")[0])
        ink = context.palette.error if item.state == "failed" else context.palette.muted
        if item.state == "failed":
            told = "\n".join(line for line in plain_output(item.output).split("\n") if any(map(str.isalnum, line)))
            yield from indented(_tail(told or item.output, _FAILED_TAIL, inner, context), context, "  │ ")
        if reason:
            yield from indented([Line(((cut(reason, inner), ink),))], context, "  └ ")


def _answers(item: ToolItem) -> Mapping[str, str]:
    """The answers of the user by question; empty if there are none, or the output has another form."""
    found = parse_partial_arguments(item.output) if item.name == _ANSWERED and item.state == "ok" else None
    answers = found.get("answers") if found else None
    if not isinstance(answers, dict):
        return {}
    return {question: str(answer) for question, answer in cast("dict[str, object]", answers).items()}


def _answer_lines(item: ToolItem, width: int, context: RenderContext) -> list[Line]:
    palette = context.palette
    answers = _answers(item)
    if not answers:
        return [line for block in item.blocks for line in block_lines(block, width, context)]
    lines: list[Line] = []
    for question, answer in answers.items():
        asked: list[Run] = [(f"{one_line(question)}  ", palette.muted)] if len(answers) > 1 else []
        lines += [Line(row, join=join) for row, join in wrap_runs([*asked, (answer, palette.base)], width)]
    return lines


def _tail(output: str, count: int, width: int, context: RenderContext) -> list[Line]:
    """The last lines of an output that are not blank, each cut to the width."""
    text = plain_output(output).rstrip("\n")
    lines = [line for line in text.split("\n") if line.strip()][-count:]
    return [Line(((cut(sanitize(line), width), context.palette.muted),)) for line in lines]


def _opened(item: ToolItem, width: int, context: RenderContext) -> Iterator[Line]:
    lines: list[Line] = []
    for block in item.blocks:
        if isinstance(block, BriefBlock) and item.output.strip():
            continue  # a part of the output, or a remark on it
        lines.extend(block_lines(block, width, context))
    if item.feedback:
        lines = _wrapped(_("You: {words}", words=item.feedback), width, context, context.palette.base)
    elif item.message and item.state != "ok":
        lines.extend(_wrapped(translate(item.message), width, context, context.palette.error))
    if item.output.strip() and not any(isinstance(block, DiffBlock) for block in item.blocks):
        lines.extend(_wrapped(plain_output(item.output).rstrip("\n"), width, context, context.palette.muted))
    yield from lines[:_MOST]
    if len(lines) > _MOST:
        more = _("… {count:,} more lines", count=len(lines) - _MOST)
        yield Line(((more, context.palette.muted + click_style("full")),), skip=len(more))


def block_lines(block: DisplayBlock, width: int, context: RenderContext) -> list[Line]:
    """Return the lines of a display block, at its full height."""
    palette = context.palette
    match block:
        case DiffBlock():
            title = Line(((cut_start(sanitize(block.path), width), palette.muted),))
            if block.is_summary:
                return [title]
            diff = DiffText(block.path, block.old_text, block.new_text, block.old_start, block.new_start)
            return [title, *diff.lines(width, palette)]
        case ShellBlock():
            rows: list[Line] = []
            for number, runs in enumerate(highlight(plain_output(block.command), block.language, palette)):
                head: Run = ("  " if number or block.language == "json" else "$ ", palette.faint)
                rows.extend(
                    Line(((head if not part else ("  ", palette.faint)), *row), skip=2, join=join)
                    for part, (row, join) in enumerate(wrap_runs(runs, width - 2))
                )
            return rows
        case BriefBlock():
            return _wrapped(translate(block.text), width, context, palette.base)
        case TodoBlock():
            return [line for entry in block.items for line in todo_line(entry, width, context)]
        case UnknownBlock():
            return _wrapped(f"[{block.type}]", width, context, palette.muted)


def todo_line(entry: TodoItem, width: int, context: RenderContext) -> list[Line]:
    """Return the line of a todo list entry."""
    palette = context.palette
    inks = {"done": palette.success, "in_progress": palette.accent, "pending": palette.muted}
    text = palette.muted if entry.status == "done" else palette.base
    rows = wrap_text(entry.title, text, width - 2)
    sign: Run = (f"{_TICKS[entry.status]} ", inks[entry.status])
    return [
        Line(((("  ", text) if index else sign), *row), skip=2, join=join) for index, (row, join) in enumerate(rows)
    ]


def _wrapped(text: str, width: int, context: RenderContext, style: Style) -> list[Line]:
    return [Line(row, join=join) for row, join in wrap_text(text, style, width)]


def agent_lines(item: SubagentItem, width: int, context: RenderContext) -> Iterator[Line]:
    """Return the lines of a subagent: its name, task and last steps."""
    palette = context.palette
    sign, ink = state_glyph(item.state, context)
    left: list[Run] = [
        (f"{sign} ", ink + click_style("agent")),
        (_("agent") + " ", palette.muted + click_style("agent")),
        (item.name, palette.base + _BOLD + click_style("agent")),
        (f"  {sanitize(' '.join(item.task.split()))}", palette.base + click_style("agent")),
    ]
    right: list[Run] = []
    if item.step_count:
        right.append((n_("{count} step", "{count} steps", item.step_count), palette.muted))
    if word := _(_STATE_WORDS.get(item.state, "")):
        right.append((f"  {word}" if right else word, ink))
    time = elapsed(item.started, context) if item.state == "running" else ""
    if item.duration_s is not None:
        time = duration(item.duration_s)
    if time:
        right.append((f"  {time}" if right else time, palette.muted))
    if has_more(item):
        right.append((" →", palette.muted + click_style("agent")))
    yield justify(left, right, width, context)
    edge = "  └ " if item.state == "failed" and not context.is_open else "  │ "
    yield from indented(_agent_body(item, max(10, width - 4), context), context, edge)


def _agent_body(item: SubagentItem, width: int, context: RenderContext) -> Iterator[Line]:
    palette = context.palette
    if item.state not in ("running", "waiting") and not context.is_open:
        if item.state == "failed" and item.result:
            reason = sanitize(item.result.strip().split("\n")[0])
            yield Line(((cut(reason, width), palette.error + click_style("agent")),))
        return
    for step in item.steps if context.is_open else item.steps[-_TAIL:]:
        sign, ink = state_glyph(step.state, context)
        yield Line(
            ((f"{sign} ", ink), (cut(sanitize(step.text), width - 2), palette.muted + click_style("agent"))), skip=2
        )
    if context.is_open and item.result:
        yield from render(item.result, width, palette)
