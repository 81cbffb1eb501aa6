"""Title and footer texts for a run."""

from kimi_tui.flow.run.run_view import RunView
from kimi_tui.formats import clock, token_count
from kimi_tui.ui.tui.flow_pane.footer import Button, FooterFacts
from kimi_tui.ui.tui.flow_pane.run_styles import CLOSED_WORDS, LiveContext, node_status
from kimi_tui.ui.tui.i18n import labels
from kimi_tui.ui.tui.i18n.catalog import _, n_
from kimi_tui.ui.tui.state.flow_reducer import branches_of, current_label, run_times
from kimi_tui.ui.tui.text.call_summary import one_line
from kimi_tui.ui.tui.text.sanitize import sanitize
from kimi_tui.ui.tui.text.styled_line import cells


def run_title(run: RunView, now: float, width: int) -> str:
    """` flow: release · move 3/1,000 · 1:12 `; without the move limit in a narrow pane."""
    moves = _("move {number}", number=run.moves) if run.active else n_("{count} move", "{count} moves", run.moves)
    most = f"/{run.max_moves:,}" if run.active else ""
    spent = f" · {run_times(run, now)} "
    flow = _("flow: {name}", name=sanitize(one_line(run.name)))
    if cells(flow) + cells(moves) + len(most) + cells(spent) + 6 > width:
        most = ""
    if cells(flow) + cells(moves) + cells(spent) + 6 > width:
        spent = f" · {clock(run.work_s(now))} "
    return f" {flow} · {moves}{most}{spent}"


def more() -> Button:
    return ("menu", "… " + _("more"))


def view_buttons(*, with_map: bool) -> tuple[Button, ...]:
    """Buttons that change how the chart is shown."""
    found: list[Button] = [("farther", "−"), ("nearer", _("+ size")), ("outline", "o " + _("outline"))]
    found.append(("turn", "d " + _("turn")))
    if with_map:
        found.append(("map", "m " + _("map")))
    return (*found, ("whole", "F11 " + _("zoom")))


def footer_facts(run: RunView, now: LiveContext, *, changed: bool = False, past: bool = False) -> FooterFacts:
    """The footer's facts for a run."""
    figures: list[str] = []
    node = run.current
    if node is not None and run.active:
        figures.append(clock(node.elapsed(now.now)))
    if run.tokens:
        figures.append(_("{count} tokens", count=token_count(run.tokens)))
    if changed:
        figures.append(_("file changed; this run uses the earlier chart"))
    if run.status is not None:
        return _ended(run, tuple(figures))
    place = current_label(run)
    go_on: Button = ("toggle", "space " + _("continue"))
    step: Button = ("step", "n " + _("step"))
    stop: Button = ("stop", "x " + _("stop"))
    if run.paused is not None:
        word = _(labels.PAUSED[run.paused.reason])
        choices = tuple((f"choose:{label}", label) for label in branches_of(run.begin, run.node_id))
        if run.paused.reason == "choice":
            return FooterFacts("?", word, "warning", place, tuple(figures), choices)
        buttons = (go_on, step, ("again", "r " + _("rerun")), stop)
        return FooterFacts("‖", word, "warning", place, tuple(figures), buttons)
    standing = node_status(run, run.node_id, now)
    buttons = (("toggle", "space " + _("pause")), step, ("breakpoint", "b " + _("breakpoint")), stop)
    if standing in ("approval", "answer"):
        if run.pausing:
            figures[:0] = [_("pauses after this turn")]
            buttons = (go_on, stop)
        return FooterFacts("?", _(CLOSED_WORDS[standing]), "warning", place, tuple(figures), buttons)
    if standing == "retrying" and now.retry_until is not None:
        left = _("retrying in {time}", time=clock(now.retry_until - now.now + 0.999))
        return FooterFacts("↻", left, "warning", place, tuple(figures), buttons)
    if run.pausing:
        figures[:0] = [] if past else [_("Esc interrupts now")]
        return FooterFacts("▶", _("pauses after this turn"), "accent", place, tuple(figures), (go_on, stop))
    return FooterFacts("▶", _("running"), "accent", place, tuple(figures), buttons)


def ended_buttons() -> tuple[Button, ...]:
    """Buttons for a pane without a running flow."""
    return (
        ("start", "s " + _("start")),
        ("list", "l " + _("flows")),
        ("export", "e " + _("export")),
        ("runs", "h " + _("runs")),
    )


def _ended(run: RunView, figures: tuple[str, ...]) -> FooterFacts:
    assert run.status is not None
    sign, role = ("✓", "success") if run.status == "finished" else ("■", "warning")
    if run.status == "failed":
        sign, role = "✗", "error"
    word = _("interrupted") if run.cut_off else _(labels.ENDED[run.status])
    place = _("at {node}", node=current_label(run)) if run.cut_off else ""
    first: Button = ("resume", "g " + _("continue")) if run.cut_off else ("start", "s " + _("rerun"))
    return FooterFacts(sign, word, role, place, figures, (first, *ended_buttons()[1:]))
