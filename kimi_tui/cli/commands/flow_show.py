"""`kimi-tui flow list` and `flow show`: lists flows, and draws charts in the terminal."""

import argparse
import shutil
import sys
from pathlib import Path

from kimi_tui.cli.commands.flow_check import CHART_SUFFIXES
from kimi_tui.cli.output import print_json, print_out, printable
from kimi_tui.cli.work_dir import resolve_folder, resolve_work_dir
from kimi_tui.errors import ChartTooLargeError, FlowError, UsageError
from kimi_tui.flow.layout.cell_text import clean_label, truncate
from kimi_tui.flow.model.graph import Flow
from kimi_tui.flow.render.settings_text import settings_lines
from kimi_tui.paths import shown
from kimi_tui.skill.guidance import guidance_lines
from kimi_tui.skill.library import SkillLibrary
from kimi_tui.skill.roots import SkillRoots
from kimi_tui.skill.skill import Skill, SkillKind

_NO_TERMINAL_WIDTH = 100
_LEAST_WIDTH = 8


def run_list(options: argparse.Namespace) -> int:
    """Print the flows by scope, with the reason for those that cannot run."""
    skills = [skill for skill in skill_library(options).skills if skill.declared_kind is SkillKind.FLOW]
    if options.format == "json":
        print_json([_as_json(skill) for skill in skills])
        return 0
    if not skills:
        print_out("No flows found. A flow is a skill with `type: flow` in its frontmatter.")
    width = max((len(skill.name) for skill in skills), default=0)
    columns = shutil.get_terminal_size().columns if sys.stdout.isatty() else None
    for skill in skills:
        line = printable(f"{skill.name:<{width}}  {_line(skill)}")
        print_out(line if columns is None else truncate(line, columns))
    return 0


def run_show(options: argparse.Namespace) -> int:
    """Draw the chart of a flow or a file, or an outline if the drawing is too wide."""
    flow = find_flow(options)
    width = options.width or shutil.get_terminal_size((_NO_TERMINAL_WIDTH, 24)).columns
    if width < _LEAST_WIDTH:
        raise UsageError(f"--width {width}: must be at least {_LEAST_WIDTH} columns")
    drawing, why = (None, "") if options.outline else _drawing(flow, options, width)
    if drawing is None:
        drawing = _outline(flow, width, ascii_only=options.ascii)
    print_out(printable("\n".join([drawing, *settings_lines(flow)])))
    for line in filter(None, (why, *guidance_lines(flow.guidance))):
        sys.stderr.write(f"{printable(line)}\n")
    return 0


def _drawing(flow: Flow, options: argparse.Namespace, width: int) -> tuple[str | None, str]:
    """Return the chart in the first layout that fits; else None, with the reason."""
    from kimi_tui.flow.layout.fitting import fitting_layout
    from kimi_tui.flow.render.text_renderer import render_text

    try:
        laid = fitting_layout(flow, width, direction=options.direction, mode="compact" if options.compact else "full")
        if laid is not None:
            return render_text(laid, ascii=options.ascii), ""
    except ChartTooLargeError as error:
        return None, f"{error}; showing its outline"
    return None, f"the drawing is wider than {width} columns, so this is its outline; allow more with --width N"


def _outline(flow: Flow, width: int, *, ascii_only: bool) -> str:
    """Return an outline with one line per step or branch."""
    from kimi_tui.flow.model.outline import outline
    from kimi_tui.flow.render.node_signs import ASCII_KIND_SIGNS, KIND_SIGNS

    signs = ASCII_KIND_SIGNS if ascii_only else KIND_SIGNS
    branch, onward, back = ("`-", "->", "<-") if ascii_only else ("╰", "→", "↑")
    rows: list[str] = []
    for line in outline(flow):
        pad = "  " * min(line.indent, width // 8)
        if line.node is not None:
            rows.append(truncate(f"{pad}{signs[flow.nodes[line.node].kind]} {line.text}", width))
            continue
        goal = ""
        if line.goes_to is not None:
            title = " ".join(clean_label(flow.nodes[line.goes_to].title).split()) or line.goes_to
            goal = f"{back if line.back else onward} {title}"
        label = f"{line.text}:" if line.text and not goal else line.text
        rows.append(truncate(" ".join(filter(None, (f"{pad}{branch}", label, goal))), width))
    return "\n".join(rows).replace("…", "~") if ascii_only else "\n".join(rows)


def find_flow(options: argparse.Namespace) -> Flow:
    """Find the flow named by `options.name`, of a skill or a file. Raises UsageError."""
    name: str = options.name
    file = Path(name)
    if file.suffix.lower() in CHART_SUFFIXES | {".md"} or "/" in name:
        return _flow_of_file(file if file.is_absolute() else resolve_work_dir(options) / file)
    library = skill_library(options)
    skill = library.get(name)
    if skill is not None and skill.declared_kind is not SkillKind.FLOW:
        raise UsageError(f"{shown(skill.path)}: this skill is not a flow (type: flow)")
    if skill is None:
        flow_names = ", ".join(each.name for each in library.flows())
        raise UsageError(f"no flow named {name!r}. Available: {flow_names or 'none'}")
    if skill.flow is None:
        why = next((str(problem) for problem in skill.problems if problem.severity == "error"), "it has no chart")
        raise UsageError(f"the flow {name!r} cannot run: {why}")
    return skill.flow


def _flow_of_file(file: Path) -> Flow:
    from kimi_tui.soul.flows.prompt_flow import read_prompt_flow

    try:
        return read_prompt_flow(file).flow
    except UsageError as error:
        raise UsageError(str(error).removeprefix("--prompt-flow ")) from error
    except FlowError as error:
        raise UsageError(f"{file}: {error}") from error


def skill_library(options: argparse.Namespace) -> SkillLibrary:
    """Return the skills that a session in this folder would have, as far as they do not depend on a model."""
    from kimi_tui.config.loader import load_config

    loaded = load_config(Path(options.config_file).expanduser() if options.config_file else None, text=options.config)
    folders = tuple(resolve_folder(folder, "--skills-dir") for folder in options.skills_dir)
    return SkillLibrary.load(
        SkillRoots(
            resolve_work_dir(options),
            skills_dirs=folders,
            extra_dirs=tuple(loaded.config.extra_skill_dirs),
            merge_all=loaded.config.merge_all_available_skills,
        )
    )


def _line(skill: Skill) -> str:
    if skill.flow is None:
        return "cannot run: " + next((str(each) for each in skill.problems if each.severity == "error"), "no chart")
    steps = sum(node.kind.value in ("task", "decision") for node in skill.flow.nodes.values())
    return f"{steps} steps, {skill.scope.value}. {skill.description}"


def _as_json(skill: Skill) -> dict[str, object]:
    return {
        "name": skill.name,
        "description": skill.description,
        "scope": skill.scope.value,
        "path": str(skill.path),
        "nodes": None if skill.flow is None else len(skill.flow.nodes),
        "problems": [str(problem) for problem in skill.problems],
    }
