"""Title and footer texts for a run."""

from dataclasses import replace

from kimi_tui.flow.render.box_drawing import line_sample
from kimi_tui.flow.render.chart_style import LineKind, Role
from kimi_tui.flow.render.node_signs import SIGNS, run_sign
from kimi_tui.flow.run.run_view import RunView
from kimi_tui.flow.run.spending import fullest, share, spent_text
from kimi_tui.formats import clock, token_count
from kimi_tui.ui.tui.flow_pane.footer import Button, FooterFacts
from kimi_tui.ui.tui.flow_pane.run_styles import LiveContext, node_status
from kimi_tui.ui.tui.i18n import labels
from kimi_tui.ui.tui.i18n.catalog import _
from kimi_tui.ui.tui.i18n.translate import translate_lines
from kimi_tui.ui.tui.state.flow_reducer import current_label, move_count, run_times
from kimi_tui.ui.tui.text.call_summary import one_line
from kimi_tui.ui.tui.text.sanitize import sanitize
from kimi_tui.ui.tui.text.styled_line import cells
from kimi_tui.wire.flow_events import FlowStatus


def run_title(run: RunView, now: float, width: int) -> str:
    """The pane's title, such as ` flow: release · move 3/1,000 · 1:12 `; without the move limit in a narrow pane."""
    moves = move_count(run)
    most = f"/{run.max_moves:,}" if run.active else ""
    spent = f" · {run_times(run, now)} "
    flow = _("flow: {name}", name=sanitize(one_line(run.name)))
    if cells(flow) + cells(moves) + len(most) + cells(spent) + 6 > width:
        most = ""
    if cells(flow) + cells(moves) + cells(spent) + 6 > width:
        spent = f" · {clock(run.work_s(now))} "
    return f" {flow} · {moves}{most}{spent}"


def more() -> Button:
    """Return the button of the menu of all actions; it is always the last one."""
    return ("menu", "…")


def footer_facts(run: RunView, now: LiveContext, *, changed: bool = False, past: bool = False) -> FooterFacts:
    """The footer's facts for a run."""
    figures = (_("{count} tokens", count=token_count(run.tokens)),) if run.tokens else ()
    notes = (_("file changed; this run uses the earlier chart"),) if changed else ()
    if run.status is not None:
        return replace(_ended(run, figures), notes=notes, bar=_bar(run, now.now))
    held = run.waits_for_budget(now.now)
    facts = (
        FooterFacts(SIGNS["paused"], _("budget used up"), "warning")
        if held
        else _state(run, now, esc_interrupts=not past)
    )
    buttons = (*(_raise_or_stop() if held else _controls(run, waits=facts.sign == SIGNS["choice"])), more())
    facts = replace(facts, bar=_bar(run, now.now))
    return replace(facts, place=current_label(run), figures=(*facts.figures, *figures), notes=notes, buttons=buttons)


def _raise_or_stop() -> tuple[Button, ...]:
    return (("toggle", "Space " + _("raise")), ("stop", "x " + _("stop")))


def _bar(run: RunView, now: float) -> tuple[float, str] | None:
    """The most used cap of the run's budget; None without a budget."""
    spent, budget = run.spent(now)
    quantity = fullest(spent, budget)
    if quantity is None:
        return None
    used = share(spent, budget, quantity)
    about = "~" if spent.estimated else ""
    return used, f"{about}{min(used, 9.99):.0%} · {translate_lines(spent_text(spent, budget, quantity))}"


def _state(run: RunView, now: LiveContext, *, esc_interrupts: bool) -> FooterFacts:
    """The sign of a run's state, and the word that neither the chart nor the header shows."""
    if run.paused is not None:
        if run.paused.reason == "choice":  # the box and the dialog say it
            return FooterFacts(SIGNS["choice"], role="warning")
        # The conversation says why a turn broke off; the foot keeps its room for the buttons.
        broke_off = run.paused.reason in ("cancelled", "rejected", "failed")
        return FooterFacts(SIGNS["paused"], _(labels.PAUSED["user" if broke_off else run.paused.reason]), "warning")
    standing = node_status(run, run.node_id, now)
    asks = standing in ("approval", "answer")
    if run.pausing:
        figures = (_("Esc interrupts now"),) if esc_interrupts and not asks else ()
        sign, role = (SIGNS["choice"], "warning") if asks else (SIGNS["running"], "accent")
        return FooterFacts(sign, _("pauses after this turn"), role, figures=figures)
    if asks:
        return FooterFacts(SIGNS["choice"], role="warning")
    if standing == "retrying" and now.retry_until is not None:
        return FooterFacts(
            SIGNS["retrying"], _("retrying in {time}", time=clock(now.retry_until - now.now + 0.999)), "warning"
        )
    return FooterFacts(SIGNS["running"], role="accent")


def _controls(run: RunView, *, waits: bool) -> tuple[Button, ...]:
    """The buttons that act on an active run, by importance."""
    resume: Button = ("toggle", "Space " + _("continue"))
    step: Button = ("step", "n " + _("step"))
    stop: Button = ("stop", "x " + _("stop"))
    if run.paused is not None:
        if waits:
            return (("choose", "c " + _("branch")), stop)
        return (resume, stop, step, ("again", "r " + _("rerun")))
    if run.pausing:
        return (resume, stop)
    return (("toggle", "Space " + _("pause")), stop, step, ("breakpoint", "b " + _("breakpoint")))


def line_legend(*, ascii: bool = False) -> str:  # noqa: A002
    """Return the meaning of each kind of line."""
    kinds: tuple[LineKind, ...] = ("heavy", "double", "dashed", "light")
    words = (_("taken"), _("you chose"), _("possible"), _("not taken"))
    samples = (line_sample(kind, ascii=ascii) for kind in kinds)
    return "  ".join(f"{sample} {word}" for sample, word in zip(samples, words, strict=True))


def ended_buttons() -> tuple[Button, ...]:
    """Buttons for a pane without a running flow."""
    return (
        ("start", "s " + _("start")),
        ("list", "l " + _("flows")),
        ("export", "e " + _("export")),
        ("runs", "h " + _("runs")),
        more(),
    )


def _ended(run: RunView, figures: tuple[str, ...]) -> FooterFacts:
    assert run.status is not None
    roles: dict[FlowStatus, Role] = {"finished": "success", "failed": "error"}
    sign, role, word = run_sign(run.status), roles.get(run.status, "warning"), _(labels.ENDED[run.status])
    place = _("at {node}", node=current_label(run)) if run.cut_off else ""
    first: Button = ("resume", "g " + _("resume")) if run.cut_off else ("start", "s " + _("run again"))
    return FooterFacts(sign, word, role, place, figures, buttons=(first, *ended_buttons()[1:]))
