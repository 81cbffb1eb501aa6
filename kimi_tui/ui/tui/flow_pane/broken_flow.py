"""Flows with an invalid chart: the error and its position."""

from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

from kimi_tui.flow.model.graph import Flow
from kimi_tui.regular_file import read_text
from kimi_tui.skill.library import SkillLibrary
from kimi_tui.skill.skill import Problem, Skill, SkillKind, default_name
from kimi_tui.ui.tui.i18n.catalog import _


@dataclass(frozen=True, slots=True)
class BrokenFlow:
    """A flow that cannot run; `line` and `column` count from 1, `source` is the file's text."""

    name: str
    description: str
    path: Path
    cause: str
    line: int | None = None
    column: int | None = None
    source: str = ""
    flow: Flow | None = None
    others: tuple[Problem, ...] = ()

    @property
    def place(self) -> str:
        """The position of the error, such as `SKILL.md:12:5`."""
        numbers = "".join(f":{number}" for number in (self.line, self.column) if number is not None)
        return f"{self.path.name}{numbers}"


def find_broken_flows(skills: object, known: Collection[str] = ()) -> list[BrokenFlow]:
    """Find skills declared as flows without a valid chart, and unreadable skills with `known` names."""
    if not isinstance(skills, SkillLibrary):
        return []
    found = [_broken(skill) for skill in skills.skills if skill.declared_kind is SkillKind.FLOW and _is_broken(skill)]
    paths = {skill.path for skill in skills.snapshot.skills.values()}
    for problem in skills.problems():
        name = default_name(problem.path)
        if problem.severity == "error" and problem.path not in paths and name in known:
            source = _source(problem.path)
            found.append(BrokenFlow(name, "", problem.path, problem.text, problem.line, problem.column, source))
    return found


def _source(path: Path) -> str:
    try:
        return read_text(path, errors="replace")
    except OSError:
        return ""


def flow_warnings(skill: object) -> tuple[Problem, ...]:
    """The `flow check` warnings of a valid flow."""
    if not isinstance(skill, Skill):
        return ()
    return tuple(problem for problem in skill.problems if problem.severity == "warning")


def _is_broken(skill: Skill) -> bool:
    return skill.kind is not SkillKind.FLOW


def _broken(skill: Skill) -> BrokenFlow:
    problem = next((one for one in skill.problems if one.severity == "error"), None)
    cause = problem.text if problem is not None else _("it contains no mermaid or d2 chart")
    line, column = (problem.line, problem.column) if problem is not None else (None, None)
    others = tuple(one for one in skill.problems if one.severity == "error" and one is not problem)
    return BrokenFlow(skill.name, skill.description, skill.path, cause, line, column, skill.text, others=others)
