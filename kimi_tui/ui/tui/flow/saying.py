"""A run in words: the pane's title, and the facts below the chart."""

from kimi_tui.flow.picture import FlowPicture
from kimi_tui.ui.tui import wording
from kimi_tui.ui.tui.flow.foot import FootFacts
from kimi_tui.ui.tui.flow.looks import WORDS, Circumstances, standing_of
from kimi_tui.ui.tui.flow_fold import FlowRun, branches_of
from kimi_tui.ui.tui.headline import one_line
from kimi_tui.ui.tui.text.line import cells
from kimi_tui.ui.tui.text.sanitize import sanitize


def title_of(run: FlowRun, picture: FlowPicture, now: float, width: int) -> str:
    """` flow: release · move 3/1,000 · 1:12 `, without the most moves where it is narrow."""
    moves = f"move {picture.moves}" if run.active else wording.plural(picture.moves, "move")
    most = f"/{run.begin.max_moves:,}" if run.active else ""
    spent = f" · {wording.elapsed(picture.elapsed(now))} "
    name = sanitize(one_line(run.begin.name))
    if cells(name) + len(moves) + len(most) + len(spent) + 14 > width:
        most = ""
    return f" flow: {name} · {moves}{most}{spent}"


def facts_of(run: FlowRun, picture: FlowPicture, now: Circumstances, *, changed: bool = False) -> FootFacts:
    """What the foot says of a run."""
    figures: list[str] = []
    node = picture.current
    if node is not None and run.active:
        figures.append(wording.elapsed(node.elapsed(now.now)))
    if picture.tokens:
        figures.append(f"{wording.tokens(picture.tokens)} tokens")
    if changed:
        figures.append("the file has changed; this run keeps its chart")
    if run.status is not None:
        return _ended(run, tuple(figures))
    place = run.node_label
    if run.pause is not None:
        word = wording.PAUSED[run.pause.reason]
        choices = tuple((f"choose:{label}", label) for label in branches_of(run.begin, run.node_id))
        if run.pause.reason == "choice":
            return FootFacts("?", word, "warning", place, tuple(figures), choices)
        buttons = [("toggle", "space goes on"), ("step", "n one step"), ("again", "r again"), ("stop", "x stop")]
        return FootFacts("‖", word, "warning", place, tuple(figures), tuple(buttons))
    standing = standing_of(picture, picture.node_id, now)
    buttons = (("toggle", "space pause"), ("step", "n step"), ("breakpoint", "b breakpoint"), ("stop", "x stop"))
    if standing in ("approval", "answer"):
        return FootFacts("?", WORDS[standing], "warning", place, tuple(figures))
    if standing == "retrying" and now.retry_until is not None:
        left = wording.elapsed(now.retry_until - now.now + 0.999)
        return FootFacts("↻", f"retrying in {left}", "warning", place, tuple(figures), buttons)
    if picture.pausing:
        return FootFacts("▶", "pauses after", "accent", place, tuple(figures), (("toggle", "space goes on"),))
    return FootFacts("▶", "running", "accent", place, tuple(figures), buttons)


def _ended(run: FlowRun, figures: tuple[str, ...]) -> FootFacts:
    assert run.status is not None
    sign, role = ("✓", "success") if run.status == "finished" else ("■", "warning")
    if run.status == "failed":
        sign, role = "✗", "error"
    word = "cut off" if run.cut_off else wording.ENDED[run.status]
    place = f"at {run.node_label}" if run.cut_off else ""
    buttons = (("list", "l flows"), ("export", "e export"), ("runs", "h runs"))
    return FootFacts(sign, word, role, place, figures, buttons)
