"""Renders each kind of item to lines of a given width. Pure; everything that changes with time is
in `RenderContext`."""

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import assert_never

from rich.style import Style

from kimi_tui.flow.model.graph import NodeKind
from kimi_tui.flow.render.node_signs import KIND_SIGNS
from kimi_tui.formats import duration
from kimi_tui.ui.tui.i18n.catalog import _, n_
from kimi_tui.ui.tui.state.items import (
    AssistantItem,
    ErrorItem,
    FlowHeaderItem,
    ImageChip,
    Item,
    NoticeItem,
    RetryItem,
    SeparatorItem,
    SeparatorKind,
    SideQuestionItem,
    SubagentItem,
    ThinkItem,
    ToolItem,
    UserItem,
)
from kimi_tui.ui.tui.text.markdown import render
from kimi_tui.ui.tui.text.sanitize import sanitize
from kimi_tui.ui.tui.text.styled_line import Line, Run, cells, cut, prefixed, width_of
from kimi_tui.ui.tui.text.wrap import wrap_runs, wrap_text
from kimi_tui.ui.tui.transcript.render_context import (
    RenderContext,
    click_style,
    elapsed,
    fold_sign,
    heading_rule,
    indented,
    justify,
    spinner,
)
from kimi_tui.ui.tui.transcript.tool_cards import agent_lines, has_lines_below, has_more, tool_lines

MEASURE = 120  # columns of the conversation at most: wider prose is hard to read, and cards and diffs end where it does
USER_SHOWN = 8  # lines of a long message while it is folded
_USER_LINES = 15
_USER_CHARACTERS = 2000
_ATTACHED = re.compile(r"(\[image: [^\]\n]{1,300}+\])")  # as the composer writes it
_BOLD = Style(bold=True)
_THINK_TAIL = 3  # lines of a running thought
_BRIEF_S = 2.0  # a shorter thought has no line of its own
_SEAMS: dict[SeparatorKind, str] = {"compaction": "⇲", "dmail": "↶", "resume": "↻", "rewind": "↶", "interrupted": "■"}
_INLINE = (ToolItem, SubagentItem, ThinkItem, ImageChip)


def render_item(item: Item, width: int, context: RenderContext) -> list[Line]:
    """Return the lines of `item` in `width` columns, or in fewer if these are more than are good to read."""
    lines = _lines(item, min(width, MEASURE), context)
    return lines if width <= MEASURE else [replace(line, fill_to=line.fill_to or MEASURE) for line in lines]


def _lines(item: Item, width: int, context: RenderContext) -> list[Line]:
    match item:
        case UserItem():
            return list(_user(item, width, context))
        case AssistantItem():
            return render(item.text, width, context.palette, charts=context.charts)
        case ThinkItem():
            return list(_think(item, width, context))
        case ToolItem():
            return list(tool_lines(item, width, context))
        case SubagentItem():
            return list(agent_lines(item, width, context))
        case FlowHeaderItem():
            return list(_flow_header(item, width, context))
        case SeparatorItem():
            return list(_seam(item, width, context))
        case RetryItem():
            return list(_retry(item, width, context))
        case ErrorItem():
            return list(_error(item, width, context))
        case NoticeItem():
            return list(_notice(item, width, context))
        case SideQuestionItem():
            return list(_side_question(item, width, context))
        case ImageChip():
            return list(_image(item, width, context))
        case _:
            assert_never(item)


def is_hidden(item: Item) -> bool:
    """Whether the item has no lines until it is expanded: a short thought."""
    return isinstance(item, ThinkItem) and item.done and item.duration_s is not None and item.duration_s < _BRIEF_S


def gap_before(previous: Item | None, item: Item) -> int:
    """Return the blank rows above an item: none between cards of one line, usually one otherwise."""
    if previous is None:
        return 0
    if isinstance(item, ImageChip) and isinstance(previous, UserItem):
        return 0
    if has_lines_below(previous):
        return 1
    return 0 if isinstance(previous, _INLINE) and isinstance(item, _INLINE) else 1


def is_foldable(item: Item) -> bool:
    """Whether the item can be expanded and folded."""
    match item:
        case ToolItem() | SubagentItem():
            return has_more(item)
        case ThinkItem():
            return item.done and bool(item.text.strip())
        case SeparatorItem():
            return bool(item.detail)
        case UserItem():
            return item.text.count("\n") >= _USER_LINES or len(item.text) > _USER_CHARACTERS
        case _:
            return False


def _user(item: UserItem, width: int, context: RenderContext) -> Iterator[Line]:
    palette = context.palette
    label = (_("you (while running)") if item.steer else item.by or _("you")) + " "
    background = palette.user_bg
    head: tuple[Run, ...] = (("▌", palette.accent + background), (label + " ", palette.accent + _BOLD + background))
    rest: tuple[Run, ...] = (("▌", palette.accent + background), (" " * (cells(label) + 1), background))
    indent = cells(label) + 2
    ink = palette.base + background
    room = max(1, width - 1 - indent)
    shown, more = (item.text, "") if context.is_open or not is_foldable(item) else _beginning(item.text, room)
    named = palette.secondary + background
    runs = [(part, named if odd % 2 else ink) for odd, part in enumerate(_ATTACHED.split(shown)) if part]
    rows = [Line(row, join=join, fill=background) for row, join in wrap_runs(runs, room)]
    if more:
        fold = (f"{more} {fold_sign(context)}", palette.muted + background + click_style("toggle"))
        rows.append(Line((fold,), fill=background))
    elif is_foldable(item):
        fold = (_("fold") + f" {fold_sign(context)}", palette.muted + background + click_style("toggle"))
        rows.append(Line((fold,), fill=background))
    if item.chips:
        chips = "  ".join(f"▣ {sanitize(chip)}" for chip in item.chips)
        rows.append(Line(((cut(chips, width - indent - 1), palette.secondary + background),), fill=background))
    yield from prefixed([replace(row, fill_to=width - indent) for row in rows], head, rest)


def _beginning(text: str, room: int) -> tuple[str, str]:
    """The first lines of a long text, and the number of omitted lines."""
    lines = text.split("\n")
    shown = "\n".join(lines[:USER_SHOWN])
    if len(shown) > USER_SHOWN * room:
        shown = shown[: USER_SHOWN * room].rstrip()
    left = len(lines) - 1 - shown.count("\n")
    if left:
        return shown, n_("… {count} more line", "… {count} more lines", left)
    return shown, _("… {count:,} more characters", count=len(text) - len(shown))


def _think(item: ThinkItem, width: int, context: RenderContext) -> Iterator[Line]:
    palette = context.palette
    if is_hidden(item) and not context.is_open:
        return
    if item.done:
        took = duration(item.duration_s) if item.duration_s is not None else ""
        more = f" {fold_sign(context)}" if is_foldable(item) else ""
        thought = _("thought for {time}", time=took) if took else _("thought")
        yield Line(((f"✻ {thought}{more}", palette.muted + click_style("toggle")),))
        if context.is_open:
            rows = wrap_text(item.text.strip(), palette.muted, max(10, width - 4))
            yield from indented([Line(row, join=join) for row, join in rows], context, "  │ ")
        return
    seconds = elapsed(item.started, context)
    yield Line(((f"{spinner(context)} ", palette.accent), (_("thinking {time}", time=seconds).rstrip(), palette.muted)))
    tail = item.text[-_THINK_TAIL * 3 * width :].strip()
    if tail and context.thoughts:
        rows = wrap_text(tail, palette.muted + Style(italic=True), max(10, width - 4))[-_THINK_TAIL:]
        yield from indented([Line(row, join=join) for row, join in rows], context, "  │ ")


def _flow_header(item: FlowHeaderItem, width: int, context: RenderContext) -> Iterator[Line]:
    palette = context.palette
    target = click_style(f"node:{item.node_id}")
    sign = KIND_SIGNS[NodeKind(item.kind)]
    runs: list[Run] = [
        (f"{sign} ", palette.accent + target),
        (cut(sanitize(item.label), max(8, width - 24)), palette.heading + target),
    ]
    if item.visit > 1:
        runs.append((" · " + _("visit {number}", number=item.visit), palette.muted + target))
    if item.note:
        runs.append((f" · {sanitize(item.note)}", palette.muted + target))
    yield heading_rule(runs, width, context)


def _seam(item: SeparatorItem, width: int, context: RenderContext) -> Iterator[Line]:
    palette = context.palette
    sign = spinner(context) if item.running else _SEAMS[item.kind]
    more = f" {fold_sign(context)}" if item.detail else ""
    text = cut(f"{sign} {sanitize(item.text)}{more}", max(8, width - 12))
    yield heading_rule(
        [("┄┄┄┄ ", palette.faint), (text, palette.muted + click_style("toggle"))],
        width,
        context,
        dash="┄",
    )
    if context.is_open and item.detail:
        yield from indented(render(item.detail, max(10, width - 4), palette), context, "  │ ")


def _retry(item: RetryItem, width: int, context: RenderContext) -> Iterator[Line]:
    palette = context.palette
    attempt = _("attempt {number} of {most}", number=item.attempt, most=item.max_attempts)
    if item.until is not None:
        left = max(0, int(item.until - context.now + 0.999))
        attempt = _("attempt {number} of {most} in {left} s", number=item.attempt, most=item.max_attempts, left=left)
    runs: list[Run] = [
        ("↻ ", palette.warning),
        (sanitize(item.reason), palette.base),
        (f" · {attempt}", palette.muted),
    ]
    yield from (Line(row, join=join) for row, join in wrap_runs(runs, width))


def _error(item: ErrorItem, width: int, context: RenderContext) -> Iterator[Line]:
    palette = context.palette
    title = wrap_text(item.title, palette.error + _BOLD, width - 2)
    rows = [Line(row, join=join) for row, join in title]
    yield from prefixed(rows, (("✗ ", palette.error),), (("  ", palette.base),))
    for text, ink in ((item.cause, palette.base), (item.hint, palette.muted)):
        if text:
            yield from indented([Line(row, join=join) for row, join in wrap_text(text, ink, width - 2)], context)


def _notice(item: NoticeItem, width: int, context: RenderContext) -> Iterator[Line]:
    palette = context.palette
    sign, ink = {"info": ("·", palette.muted), "warning": ("!", palette.warning), "success": ("✓", palette.success)}[
        item.level
    ]
    rows = [Line(row, join=join) for row, join in wrap_text(item.text, palette.muted, width - 2)]
    yield from prefixed(rows, ((f"{sign} ", ink),), (("  ", palette.base),))


def _side_question(item: SideQuestionItem, width: int, context: RenderContext) -> Iterator[Line]:
    palette = context.palette
    sign: Run = (f"{spinner(context)} ", palette.accent) if item.running else ("↪ ", palette.secondary)
    head: tuple[Run, ...] = (sign, (_("side question") + "  ", palette.secondary))
    indent = width_of(head)
    rows = wrap_text(item.question, palette.muted, width - indent)
    yield from prefixed([Line(row, join=join) for row, join in rows], head, ((" " * indent, palette.base),))
    body = render(item.answer, width - 4, palette, charts=context.charts) if item.answer.strip() else []
    if item.error:
        body += [Line(row, join=join) for row, join in wrap_text(item.error, palette.error, width - 4)]
    yield from indented(body, context, "  │ ")


def _image(item: ImageChip, width: int, context: RenderContext) -> Iterator[Line]:
    palette = context.palette
    target = click_style(f"image:{item.name}")
    left: list[Run] = [("▣ ", palette.secondary + target), (sanitize(item.name), palette.base + target)]
    if item.detail:
        left.append((f"  {sanitize(item.detail)}", palette.muted))
    yield justify(left, [], width, context)
