"""Renders each kind of item to lines of a given width. Pure; everything that changes with time is
in `RenderContext`."""

from collections.abc import Iterator
from typing import assert_never

from rich.style import Style

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
from kimi_tui.ui.tui.transcript.tool_cards import agent_lines, has_more, tool_lines

MEASURE = 120  # columns; wider prose is hard to read
USER_SHOWN = 8  # lines of a long message while it is folded
_USER_LINES = 15
_USER_CHARACTERS = 2000
_BOLD = Style(bold=True)
_THINK_TAIL = 3  # lines of a running thought
_BRIEF_S = 2.0  # a shorter thought has no line of its own
_SEAMS: dict[SeparatorKind, str] = {"compaction": "⇲", "dmail": "↶", "resume": "↻", "rewind": "↶", "interrupted": "■"}
_INLINE = (ToolItem, SubagentItem, ThinkItem, ImageChip)


def render_item(item: Item, width: int, look: RenderContext) -> list[Line]:
    """The lines of `item` in `width` columns."""
    match item:
        case UserItem():
            return list(_user(item, width, look))
        case AssistantItem():
            return render(item.text, min(width, MEASURE), look.palette, charts=look.charts)
        case ThinkItem():
            return list(_think(item, width, look))
        case ToolItem():
            return list(tool_lines(item, width, look))
        case SubagentItem():
            return list(agent_lines(item, width, look))
        case FlowHeaderItem():
            return list(_flow_header(item, width, look))
        case SeparatorItem():
            return list(_seam(item, width, look))
        case RetryItem():
            return list(_retry(item, width, look))
        case ErrorItem():
            return list(_error(item, width, look))
        case NoticeItem():
            return list(_notice(item, width, look))
        case SideQuestionItem():
            return list(_side_question(item, width, look))
        case ImageChip():
            return list(_image(item, width, look))
        case _:
            assert_never(item)


def is_hidden(item: Item) -> bool:
    """Whether the item has no lines until it is expanded: a short thought."""
    return isinstance(item, ThinkItem) and item.done and item.duration_s is not None and item.duration_s < _BRIEF_S


def gap_before(previous: Item | None, item: Item) -> int:
    """Blank rows above an item: none between cards of one line, usually one otherwise."""
    if previous is None:
        return 0
    if isinstance(item, ImageChip) and isinstance(previous, UserItem):
        return 0
    if isinstance(previous, ToolItem) and previous.state in ("failed", "rejected") and previous.message:
        return 1  # it has lines of its own
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


def _user(item: UserItem, width: int, look: RenderContext) -> Iterator[Line]:
    palette = look.palette
    label = (_("you (while running)") if item.steer else item.by or _("you")) + " "
    ground = palette.user_bg
    head: tuple[Run, ...] = (("▌", palette.accent + ground), (label + " ", palette.accent + _BOLD + ground))
    rest: tuple[Run, ...] = (("▌", palette.accent + ground), (" " * (cells(label) + 1), ground))
    indent = cells(label) + 2
    ink = palette.base + ground
    room = max(1, min(width - 1, MEASURE) - indent)
    shown, more = (item.text, "") if look.is_open or not is_foldable(item) else _beginning(item.text, room)
    rows = [Line(row, join=join, fill=ground) for row, join in wrap_text(shown, ink, room)]
    if more:
        rows.append(Line(((f"{more} {fold_sign(look)}", palette.muted + ground + click_style("toggle")),), fill=ground))
    elif is_foldable(item):
        rows.append(
            Line(((_("fold") + f" {fold_sign(look)}", palette.muted + ground + click_style("toggle")),), fill=ground)
        )
    if item.chips:
        chips = "  ".join(f"▣ {sanitize(chip)}" for chip in item.chips)
        rows.append(Line(((cut(chips, width - indent - 1), palette.secondary + ground),), fill=ground))
    yield from prefixed(rows, head, rest)


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


def _think(item: ThinkItem, width: int, look: RenderContext) -> Iterator[Line]:
    palette = look.palette
    if is_hidden(item) and not look.is_open:
        return
    if item.done:
        took = duration(item.duration_s) if item.duration_s is not None else ""
        more = f" {fold_sign(look)}" if is_foldable(item) else ""
        thought = _("thought for {time}", time=took) if took else _("thought")
        yield Line(((f"✻ {thought}{more}", palette.muted + click_style("toggle")),))
        if look.is_open:
            rows = wrap_text(item.text.strip(), palette.muted, max(10, width - 4))
            yield from indented([Line(row, join=join) for row, join in rows], look, "  │ ")
        return
    seconds = elapsed(item.started, look)
    yield Line(((f"{spinner(look)} ", palette.accent), (_("thinking {time}", time=seconds).rstrip(), palette.muted)))
    tail = item.text[-_THINK_TAIL * 3 * width :].strip()
    if tail and look.thoughts:
        rows = wrap_text(tail, palette.muted + Style(italic=True), max(10, width - 4))[-_THINK_TAIL:]
        yield from indented([Line(row, join=join) for row, join in rows], look, "  │ ")


def _flow_header(item: FlowHeaderItem, width: int, look: RenderContext) -> Iterator[Line]:
    palette = look.palette
    target = click_style(f"node:{item.node_id}")
    sign = {"decision": "◆", "task": "■", "begin": "●", "end": "●"}[item.kind]
    runs: list[Run] = [
        (f"{sign} ", palette.accent + target),
        (cut(sanitize(item.label), max(8, width - 24)), palette.heading + target),
    ]
    if item.visit > 1:
        runs.append((" · " + _("visit {number}", number=item.visit), palette.muted + target))
    if item.note:
        runs.append((f" · {sanitize(item.note)}", palette.muted + target))
    yield heading_rule(runs, min(width, MEASURE), look)


def _seam(item: SeparatorItem, width: int, look: RenderContext) -> Iterator[Line]:
    palette = look.palette
    sign = spinner(look) if item.running else _SEAMS[item.kind]
    more = f" {fold_sign(look)}" if item.detail else ""
    text = cut(f"{sign} {sanitize(item.text)}{more}", max(8, width - 12))
    yield heading_rule(
        [("┄┄┄┄ ", palette.faint), (text, palette.muted + click_style("toggle"))], min(width, MEASURE), look, dash="┄"
    )
    if look.is_open and item.detail:
        yield from indented(render(item.detail, max(10, width - 4), palette), look, "  │ ")


def _retry(item: RetryItem, width: int, look: RenderContext) -> Iterator[Line]:
    palette = look.palette
    attempt = _("attempt {number} of {most}", number=item.attempt, most=item.max_attempts)
    if item.until is not None:
        left = max(0, int(item.until - look.now + 0.999))
        attempt = _("attempt {number} of {most} in {left}s", number=item.attempt, most=item.max_attempts, left=left)
    runs: list[Run] = [
        ("↻ ", palette.warning),
        (sanitize(item.reason), palette.base),
        (f" · {attempt}", palette.muted),
    ]
    yield from (Line(row, join=join) for row, join in wrap_runs(runs, width))


def _error(item: ErrorItem, width: int, look: RenderContext) -> Iterator[Line]:
    palette = look.palette
    title = wrap_text(item.title, palette.error + _BOLD, width - 2)
    rows = [Line(row, join=join) for row, join in title]
    yield from prefixed(rows, (("✗ ", palette.error),), (("  ", palette.base),))
    for text, ink in ((item.cause, palette.base), (item.hint, palette.muted)):
        if text:
            yield from indented([Line(row, join=join) for row, join in wrap_text(text, ink, width - 2)], look)


def _notice(item: NoticeItem, width: int, look: RenderContext) -> Iterator[Line]:
    palette = look.palette
    sign, ink = {"info": ("·", palette.muted), "warning": ("!", palette.warning), "success": ("✓", palette.success)}[
        item.level
    ]
    rows = [Line(row, join=join) for row, join in wrap_text(item.text, palette.muted, width - 2)]
    yield from prefixed(rows, ((f"{sign} ", ink),), (("  ", palette.base),))


def _side_question(item: SideQuestionItem, width: int, look: RenderContext) -> Iterator[Line]:
    palette = look.palette
    sign: Run = (f"{spinner(look)} ", palette.accent) if item.running else ("↪ ", palette.secondary)
    head: tuple[Run, ...] = (sign, (_("aside") + "  ", palette.secondary))
    indent = width_of(head)
    rows = wrap_text(item.question, palette.muted, min(width, MEASURE) - indent)
    yield from prefixed([Line(row, join=join) for row, join in rows], head, ((" " * indent, palette.base),))
    body = render(item.answer, min(width, MEASURE) - 4, palette, charts=look.charts) if item.answer.strip() else []
    if item.error:
        body += [Line(row, join=join) for row, join in wrap_text(item.error, palette.error, width - 4)]
    yield from indented(body, look, "  │ ")


def _image(item: ImageChip, width: int, look: RenderContext) -> Iterator[Line]:
    palette = look.palette
    target = click_style(f"image:{item.name}")
    left: list[Run] = [("▣ ", palette.secondary + target), (sanitize(item.name), palette.base + target)]
    if item.detail:
        left.append((f"  {sanitize(item.detail)}", palette.muted))
    yield justify(left, [], width, look)
