"""Shows tokens and cost of the whole session and of the current run."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from rich.style import Style
from textual.app import ComposeResult

from kimi_tui.formats import token_count
from kimi_tui.ui.tui.i18n.catalog import N_, _, n_, p_
from kimi_tui.ui.tui.i18n.translate import translate
from kimi_tui.ui.tui.text.styled_line import Line, Run, cells, cut
from kimi_tui.ui.tui.text.wrap import wrap_text
from kimi_tui.ui.tui.themes.palette import Palette
from kimi_tui.ui.tui.widgets.modal_card import ModalCard
from kimi_tui.ui.tui.widgets.text_viewer import TextViewer
from kimi_tui.wire.parts import TokenUsage

_BAR = 40


@dataclass(frozen=True, slots=True)
class UsageRow:
    """Usage of one period."""

    title: str
    steps: int
    usage: TokenUsage
    cost: float | None = None


@dataclass(frozen=True, slots=True)
class UsageFacts:
    """The data of the screen. `priced`: every model has prices."""

    model: str
    note: str
    tokens: int
    most: int
    messages: int
    spent: tuple[UsageRow, ...]
    priced: bool = False


class Usage(ModalCard[None]):
    """Shows tokens and cost; read-only."""

    CSS = "Usage TextViewer { height: auto; max-height: 80vh; margin-bottom: 1; }"
    title_text = N_("usage")

    def __init__(self, facts: UsageFacts) -> None:
        super().__init__()
        self._facts = facts

    def body(self) -> ComposeResult:
        yield TextViewer()

    def on_mount(self) -> None:
        super().on_mount()
        reading = self.query_one(TextViewer)
        reading.show(lambda width, palette: usage_lines(self._facts, width, palette))
        reading.focus()


def usage_lines(facts: UsageFacts, width: int, palette: Palette) -> list[Line]:
    """The model, a bar for the context, and a table of figures."""
    head: list[Run] = [(_(facts.model or "no model"), palette.base + Style(bold=True))]
    if facts.note:
        head.append((f"  {translate(facts.note)}", palette.warning))
    share = min(1.0, facts.tokens / facts.most) if facts.most else 0.0
    size = max(10, min(_BAR, width - 36))
    full = round(share * size)
    ink = palette.warning if share >= 0.75 else palette.accent
    bar: list[Run] = [
        ("━" * full, ink),
        ("─" * (size - full), palette.faint),
        ("  " + _("{share} of {size} tokens", share=f"{share:.0%}", size=token_count(facts.most)), palette.base),
        ("  " + n_("{count} message", "{count} messages", facts.messages), palette.muted),
    ]
    lines = [Line(tuple(head)), Line(), Line(((_("context"), palette.muted),)), Line(tuple(bar)), Line()]
    rows = _rows(facts.spent, _("cached"), "{:,}".format)
    if _room_for(rows) > width:
        rows = _rows(facts.spent, p_("usage", "cached"), token_count)
    wide = [max(cells(row[column]) for row in rows) for column in range(6)]
    wide[0] = max(8, min(wide[0], width - sum(wide[1:]) - 2 * 5))
    for number, row in enumerate(rows):
        title = cut(row[0], wide[0])
        runs: list[Run] = [(title + " " * (wide[0] - cells(title)), palette.base)]
        for column in range(1, 6):
            pad = " " * (2 + wide[column] - cells(row[column]))
            runs.append((pad + row[column], palette.base if number else palette.muted))
        lines.append(Line(tuple(runs)))
    if not facts.priced:
        words = _("set input_price and output_price (per 1M tokens) on the model to see cost")
        lines += [Line(), *(Line(row) for row, _ends in wrap_text(words, palette.muted, width))]
    return lines


def _rows(spent: Sequence[UsageRow], cached: str, figure: Callable[[int], str]) -> list[Sequence[str]]:
    """The rows of the table; the first one is the heading."""
    head = ("", p_("usage", "steps"), _("tokens in"), cached, p_("usage", "out"), _("cost"))
    return [
        head,
        *(
            (
                one.title,
                f"{one.steps:,}",
                figure(one.usage.input),
                figure(one.usage.input_cache_read),
                figure(one.usage.output),
                "–" if one.cost is None else f"{one.cost:.4f}",
            )
            for one in spent
        ),
    ]


def _room_for(rows: Sequence[Sequence[str]]) -> int:
    return sum(max(cells(row[column]) for row in rows) for column in range(6)) + 2 * 5
