"""The available skills by source, and their problems with file and line."""

from collections.abc import Callable, Sequence

from rich.style import Style
from textual import events
from textual.app import ComposeResult
from textual.containers import Horizontal

from kimi_tui.flow.render.chart_style import Role
from kimi_tui.paths import shown
from kimi_tui.regular_file import read_text
from kimi_tui.skill.library import Snapshot
from kimi_tui.skill.skill import Problem, Scope, Skill, SkillKind
from kimi_tui.ui.tui.i18n.catalog import N_, _
from kimi_tui.ui.tui.i18n.translate import translate, translate_lines
from kimi_tui.ui.tui.text.markdown import render
from kimi_tui.ui.tui.text.styled_line import Line, code_runs
from kimi_tui.ui.tui.text.wrap import wrap_runs, wrap_text
from kimi_tui.ui.tui.themes.palette import Palette
from kimi_tui.ui.tui.widgets.filtered_list import FilteredList
from kimi_tui.ui.tui.widgets.key_bar import BarKey
from kimi_tui.ui.tui.widgets.modal_frame import ModalFrame
from kimi_tui.ui.tui.widgets.pick_list import ItemList, ListItem
from kimi_tui.ui.tui.widgets.text_viewer import TextViewer

_SIGNS: dict[str, tuple[str, Role]] = {"error": ("✗", "error"), "warning": ("!", "warning"), "note": ("·", "muted")}

_SCOPES: dict[Scope, str] = {
    Scope.PROJECT: N_("project"),
    Scope.USER: N_("user"),
    Scope.EXTRA: N_("extra"),
    Scope.BUNDLED: N_("bundled"),
}


class Skills(ModalFrame[str]):
    """Lists the skills, updated when their files change. Returns the slash command of the chosen skill."""

    CSS = """
    Skills #halves { height: 1fr; }
    Skills FilteredList { width: 46%; height: 1fr; }
    Skills TextViewer { width: 1fr; border-left: solid $line; padding: 0 1; }
    Skills TextViewer:focus { border-left: solid $primary; }
    Skills.-narrow #halves { layout: vertical; }
    Skills.-narrow FilteredList { width: 100%; height: 1fr; }
    Skills.-narrow TextViewer { height: 35%; border-left: none; border-top: solid $line; padding: 0; }
    Skills.-narrow TextViewer:focus { border-left: none; border-top: solid $primary; }
    """
    title_text = N_("skills")

    def __init__(
        self, snapshot: Callable[[], Snapshot], *, listen: Callable[[Callable[[object], None]], Callable[[], None]]
    ) -> None:
        super().__init__()
        self._snapshot, self._listen = snapshot, listen
        self._unlisten: Callable[[], None] | None = None
        self._skills: dict[str, Skill] = {}
        self._problems: dict[str, Problem] = {}
        self._selected = ""

    def body(self) -> ComposeResult:
        with Horizontal(id="halves"):
            yield FilteredList(_("skill or problem"))
            yield TextViewer(id="about")

    def keys(self) -> Sequence[BarKey]:
        enter = _("copy location") if self._selected in self._problems else _("use")
        return (BarKey("Enter", enter, "take"), BarKey("Tab", _("read"), "app.focus_next"))

    def on_mount(self) -> None:
        super().on_mount()
        self._unlisten = self._listen(self._on_change)
        self._show()
        self.query_one(FilteredList).focus_line()
        self._about(self.query_one(ItemList).key)

    def _on_change(self, _change: object) -> None:
        self.call_if_open(self._show)

    def on_unmount(self) -> None:
        if self._unlisten is not None:
            self._unlisten()

    def on_resize(self, event: events.Resize) -> None:
        self.set_class(event.size.width < 100, "-narrow")

    def _show(self) -> None:
        snapshot = self._snapshot()
        self._skills = {f"skill:{skill.name}": skill for skill in snapshot.skills.values() if not skill.hidden}
        self._problems = {f"problem:{index}": problem for index, problem in enumerate(snapshot.problems)}
        picks: list[ListItem] = []
        if self._problems:
            picks.append(ListItem("", _("problems {count}", count=len(self._problems))))
        for key, problem in self._problems.items():
            sign, role = _SIGNS[problem.severity]
            line = f":{problem.line}" if problem.line else ""
            detail = Line(tuple(code_runs(translate_lines(problem.text), Style()))).text
            picks.append(ListItem(key, f"{shown(problem.path)}{line}", detail=detail, sign=sign, role=role))
        for scope in Scope:
            within = [(key, skill) for key, skill in self._skills.items() if skill.scope is scope]
            if within:
                picks.append(ListItem("", _(_SCOPES[scope])))
            for key, skill in within:
                right, sign, role = _kind_cells(skill)
                picks.append(
                    ListItem(key, skill.name, right=right, detail=translate(skill.description), sign=sign, role=role)
                )
        self.query_one(FilteredList).show(picks)

    def on_item_list_moved(self, event: ItemList.Moved) -> None:
        self._about(event.key)

    def _about(self, key: str) -> None:
        self._selected = key
        self.show_keys()
        reading = self.query_one(TextViewer)
        if skill := self._skills.get(key):
            reading.show(lambda width, palette: _skill_lines(skill, width, palette))
        elif problem := self._problems.get(key):
            reading.show(lambda width, palette: _problem_lines(problem, width, palette))
        else:
            reading.show(lambda _width, _palette: [])

    def on_item_list_chosen(self, event: ItemList.Chosen) -> None:
        if skill := self._skills.get(event.key):
            self.dismiss(f"{'flow' if skill.kind is SkillKind.FLOW else 'skill'}:{skill.name}")
        elif problem := self._problems.get(event.key):
            place = f"{problem.path}{f':{problem.line}' if problem.line else ''}"
            self.app.copy_to_clipboard(place)
            self.set_status(_("location copied"))

    def action_take(self) -> None:
        self.query_one(ItemList).action_choose()


def _kind_cells(skill: Skill) -> tuple[str, str, Role]:
    """The skill's kind, its glyph and the glyph's role."""
    if skill.kind is SkillKind.FLOW:
        return _("flow"), "◆", "accent"
    return (_("broken flow"), "✗", "error") if skill.declared_kind is SkillKind.FLOW else ("", "○", "muted")


def _skill_lines(skill: Skill, width: int, palette: Palette) -> list[Line]:
    head = [Line(((skill.name, palette.heading),)), Line(((shown(skill.path), palette.muted),)), Line()]
    about = [Line(row) for row, _ in wrap_text(translate(skill.description), palette.base, width)]
    body = skill.text
    if body.startswith("---"):
        body = body.partition("\n---")[2].partition("\n")[2]
    return [*head, *about, Line(), *render(body, width, palette)]


def _problem_lines(problem: Problem, width: int, palette: Palette) -> list[Line]:
    ink = palette.error if problem.severity == "error" else palette.warning
    lines = [Line(((_(problem.severity), ink + Style(bold=True)),)), Line()]
    lines += [Line(row) for row, _ in wrap_runs(code_runs(translate_lines(problem.text), palette.base), width)]
    place = shown(problem.path)
    if problem.line:
        place = _("{file}, line {line}", file=place, line=problem.line)
    if problem.column:
        place = _("{place}, column {column}", place=place, column=problem.column)
    lines += [Line(), *(Line(row) for row, _ in wrap_text(place, palette.muted, width)), Line()]
    if problem.line:
        lines += _around(problem, width, palette)
    return lines


def _around(problem: Problem, width: int, palette: Palette) -> list[Line]:
    """The lines of the file around the problem."""
    try:
        text = read_text(problem.path, errors="replace").split("\n")
    except OSError:
        return []
    at = problem.line or 1
    out: list[Line] = []
    for number in range(max(1, at - 3), min(len(text), at + 3) + 1):
        here = number == at
        mark = "›" if here else " "
        style = palette.base if here else palette.muted
        out.append(Line(((f"{mark}{number:>4} ", palette.error if here else palette.muted), (text[number - 1], style))))
    return out
