"""The header: folder, model, context usage and activity."""

from dataclasses import dataclass
from typing import Literal

from rich.style import Style

from kimi_tui.formats import clock, token_count
from kimi_tui.ui.tui.i18n.catalog import N_, _, n_, p_
from kimi_tui.ui.tui.i18n.translate import translate
from kimi_tui.ui.tui.text.styled_line import Line, Run, cells, cut, cut_start, width_of
from kimi_tui.ui.tui.themes.palette import Palette
from kimi_tui.ui.tui.widgets.line_widget import LineWidget

NO_MODEL = N_("no model")
"""The model name of an engine without a model."""

_ROOMY = 100
_PLACE = 16
"""Columns for the folder before the full sandbox is left out."""
_LEAST_PLACE = 10
"""Columns for the folder before the context's figures are."""
_LEAST_BRANCH = 12
"""Columns for a long branch before it is left out."""
_BOLD = Style(bold=True)


@dataclass(frozen=True, slots=True)
class HeaderFacts:
    """The header's facts; `elapsed` is the running turn's whole seconds, None without a turn; `background` counts the
    background tasks; `sandbox` is the sandbox tier of commands, None while unknown.
    """

    location: str = ""
    branch: str = ""
    model: str = ""
    model_note: str = ""
    context_usage: float = 0.0
    max_context_tokens: int = 0
    yolo: bool = False
    sandbox: Literal["full", "files", "none"] | None = None
    plan_mode: bool = False
    waiting: int = 0
    asking: int = 0
    background: int = 0
    elapsed: int | None = None
    paused: bool = False
    pausing: bool = False
    ready: bool = False
    failed: bool = False


class Header(LineWidget):
    """The header, one row. It is repainted only when a fact has changed."""

    DEFAULT_CSS = "Header { height: 1; background: $surface; dock: top; }"

    def __init__(self, *, counts: bool = True, id: str | None = None) -> None:  # noqa: A002
        """If `counts` is false, the header shows nothing that changes only with the clock."""
        super().__init__(id=id)
        self._counts = counts
        self._facts = HeaderFacts()

    @property
    def facts(self) -> HeaderFacts:
        return self._facts

    @facts.setter
    def facts(self, facts: HeaderFacts) -> None:
        if facts != self._facts:
            self._facts = facts
            self.redraw()

    async def on_click(self) -> None:
        if self._facts.background:
            await self.app.run_action("open_screen('task')")

    def lines(self, width: int, palette: Palette) -> list[Line]:
        facts = self._facts
        soon = facts.pausing and width >= _ROOMY
        later: list[Run] = [(" · ", palette.faint), (_("pauses after this turn"), palette.warning)] if soon else []
        right = [*self._tasks(palette, width), *self._state(palette), *later, (" ", palette.base)]
        free = width - width_of(right) - 15
        sandbox = facts.sandbox != "full" or free - width_of(self._figures(palette)) >= _PLACE
        for usage in ("long", "short", "none"):
            middle = self._figures(palette, sandbox=sandbox, usage=usage)
            room = free - width_of(middle)
            if room >= _LEAST_PLACE:
                break
        left: list[Run] = [(" ", palette.base), ("kimi-tui", palette.accent + _BOLD), ("  ", palette.base)]
        branch = f" ({facts.branch})" if facts.branch else ""
        if room < 0:
            middle = middle[:1]
            room = free - width_of(middle)
        place = cut_start(facts.location, max(min(8, room), min(40, room - len(branch)), 0))
        left.append((place, palette.base))
        if (left_over := room - cells(place)) >= min(cells(branch), _LEAST_BRANCH):
            left.append((cut(branch, min(24, left_over)), palette.muted))
        if middle:
            left += [("  ", palette.base), *middle]
        rest = max(1, width - width_of(left) - width_of(right))
        return [Line((*left, (" " * rest, palette.base), *right))]

    def _figures(
        self, palette: Palette, *, sandbox: bool = True, usage: Literal["long", "short", "none"] = "long"
    ) -> list[Run]:
        """The model, what holds for its actions, and how full its context is; less of that where room is short."""
        facts = self._facts
        if facts.model in ("", NO_MODEL):
            return []
        runs: list[Run] = [(facts.model, palette.base)]
        if facts.model_note and usage == "long":
            runs.append((f" {translate(facts.model_note)}", palette.warning))
        if facts.yolo:
            runs += [(" · ", palette.faint), ("yolo", palette.warning)]
        if sandbox:
            runs += self._sandbox(palette)
        if facts.plan_mode:
            runs += [(" · ", palette.faint), (p_("mode", "plan"), palette.secondary)]
        if facts.max_context_tokens and usage != "none":  # last, so that nothing moves when its digits change
            share, size = f"{facts.context_usage:.0%}", token_count(facts.max_context_tokens)
            style = palette.warning if facts.context_usage >= 0.75 else palette.muted
            words = _("{share} of {size}", share=share, size=size) if usage == "long" else share
            runs += [(" · ", palette.faint), (words, style)]
        return runs

    def _sandbox(self, palette: Palette) -> list[Run]:
        """The sandbox tier. `lines` leaves out the full one before the folder gets too short."""
        match self._facts.sandbox:
            case None:
                return []
            case "full":
                sign, words, style = "▣", _("sandbox"), palette.muted
            case "files":
                sign, words, style = "◑", _("files only"), palette.warning
            case "none":
                sign, words, style = "□", _("no sandbox"), palette.warning
        return [(" · ", palette.faint), (f"{sign} {words}", style)]

    def _tasks(self, palette: Palette, width: int) -> list[Run]:
        """The background tasks; a click on the header or /task opens their list."""
        count = self._facts.background
        if not count:
            return []
        if width >= _ROOMY:
            words = n_("{count} in the background", "{count} in the background", count)
        else:
            words = n_("{count} task", "{count} tasks", count)
        return [(f"◆ {words}", palette.secondary), (" · ", palette.faint)]

    def _state(self, palette: Palette) -> list[Run]:
        facts = self._facts
        if facts.waiting:
            return [
                ("? ", palette.warning),
                (n_("{count} approval", "{count} approvals", facts.waiting), palette.warning),
            ]
        if facts.asking:
            return [
                ("? ", palette.warning),
                (n_("{count} question", "{count} questions", facts.asking), palette.warning),
            ]
        if facts.elapsed is not None:
            time = clock(facts.elapsed)
            words = _("working {time}", time=time) if self._counts else _("working")
            return [("● ", palette.accent), (words, palette.base)]
        if facts.paused:
            return [("‖ ", palette.warning), (_("flow paused"), palette.warning)]
        if facts.failed:
            return [("✗ ", palette.error), (_("not started"), palette.error)]
        if not facts.ready:
            return [("○ ", palette.muted), (_("starting"), palette.muted)]
        if facts.model == NO_MODEL:
            return [("! ", palette.warning), (_(NO_MODEL) + " · ", palette.base), ("/model", palette.accent)]
        return [("○ ", palette.muted), (_("ready"), palette.muted)]
