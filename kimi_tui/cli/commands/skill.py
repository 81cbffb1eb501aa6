"""`kimi-tui skill`: lists the skills and their problems; adds, updates and removes shared ones."""

import argparse
from typing import TYPE_CHECKING

from kimi_tui.cli.output import print_json, print_out
from kimi_tui.text_safety import escape_unsafe

if TYPE_CHECKING:
    from kimi_tui.skill.library import SkillLibrary
    from kimi_tui.skill.skill import Problem, Skill
    from kimi_tui.wire.parts import JsonObject


def add_options(command: argparse.ArgumentParser) -> None:
    """Add the options of `skill`."""
    actions = command.add_subparsers(dest="skill_command", metavar="COMMAND", required=True)
    listing = actions.add_parser("list", help="list skills by source")
    listing.add_argument(
        "--problems", action="store_true", help="list only problems as FILE:LINE:COLUMN; exit status 1 on errors"
    )
    listing.add_argument("--json", action="store_true", help="as JSON")
    for option, metavar in (("--work-dir", "DIR"), ("--config-file", "FILE")):
        listing.add_argument(option, metavar=metavar, default=argparse.SUPPRESS, help=argparse.SUPPRESS)
    listing.add_argument(
        "--skills-dir", metavar="DIR", action="append", default=argparse.SUPPRESS, help=argparse.SUPPRESS
    )

    add = actions.add_parser("add", help="add a shared skill, after showing what it can run")
    add.add_argument("source", metavar="OWNER/REPO[@REF][/PATH] | URL | DIR")
    add.add_argument("--ref", metavar="REF", help="branch, tag or full commit id (default: the default branch)")
    add.add_argument("--path", metavar="PATH", help="folder of the skill in the repository")
    update = actions.add_parser("update", help="update shared skills, after showing the difference")
    update.add_argument("names", metavar="NAME", nargs="*", help="only these (default: all)")
    update.add_argument("--replace", action="store_true", help="with --yes: also those that you changed; keeps a copy")
    for action in (add, update):
        action.add_argument("-y", "--yes", dest="agreed", action="store_true", help="agree without being asked")
    remove = actions.add_parser("remove", help="remove a shared skill; keeps a copy if you changed it")
    remove.add_argument("names", metavar="NAME", nargs="+")


def run(args: argparse.Namespace) -> int:
    """Run the subcommand; returns the exit status. Raises KimiTuiError."""
    if args.skill_command != "list":
        from kimi_tui.cli.commands.skill_sharing import run_add, run_remove, run_update

        return {"add": run_add, "update": run_update, "remove": run_remove}[args.skill_command](args)
    library = _library(args)
    if args.json:
        print_json(_json(library))
    else:
        print_out((_problems(library) if args.problems else _list(library)).removesuffix("\n"))
    errors = any(problem.severity == "error" for problem in library.problems())
    return 1 if args.problems and errors else 0


def _library(args: argparse.Namespace) -> "SkillLibrary":
    from pathlib import Path

    from kimi_tui.cli.engine_options import resolve_folder, resolve_work_dir
    from kimi_tui.config.loader import load_config
    from kimi_tui.skill.library import SkillLibrary
    from kimi_tui.skill.roots import SkillRoots

    file = Path(args.config_file).expanduser() if args.config_file else None
    settings = load_config(file, text=args.config).config
    return SkillLibrary.load(
        SkillRoots(
            resolve_work_dir(args),
            skills_dirs=tuple(resolve_folder(folder, "--skills-dir") for folder in args.skills_dir),
            extra_dirs=settings.extra_skill_dirs,
            merge_all=settings.merge_all_available_skills,
        )
    )


def _list(library: "SkillLibrary") -> str:
    """Format one line per skill: name, `flow` for flows, and the description cut to the terminal's width."""
    import shutil

    from kimi_tui import paths
    from kimi_tui.skill.skill import Scope

    columns = shutil.get_terminal_size((100, 24)).columns
    width = min(28, max((_cells(skill.name) for skill in library.skills), default=0))
    lines: list[str] = []
    for scope in Scope:
        skills = [skill for skill in library.skills if skill.scope is scope]
        if not skills:
            continue
        lines += ["", str(scope)] if lines else [str(scope)]
        for skill in skills:
            gap = " " * max(0, width - _cells(skill.name))
            lines.append(_truncate(f"  {skill.name}{gap}  {_kind(skill):4}  {skill.description}", columns))
    if not lines:
        folder = paths.shown(paths.home() / "skills")
        return f"No skills found. A skill is a folder with a SKILL.md, for example in {folder}.\n"
    problem_count = sum(problem.severity != "note" for problem in library.problems())
    if problem_count:
        lines += ["", f"{problem_count} problem{'' if problem_count == 1 else 's'}: kimi-tui skill list --problems"]
    return "\n".join(lines) + "\n"


def _kind(skill: "Skill") -> str:
    if skill.kind == "flow":
        return "flow"
    return "flow!" if skill.declared_kind == "flow" else ""


def _truncate(line: str, columns: int) -> str:
    if _cells(line) <= columns:
        return line
    line = line[:columns]
    while line and _cells(line) >= columns:
        line = line[:-1]
    return f"{line}…"


def _cells(text: str) -> int:
    """Return the width in columns: two for a Chinese character."""
    import unicodedata

    return sum(2 if unicodedata.east_asian_width(char) in "WF" else 1 for char in text)


def _problems(library: "SkillLibrary") -> str:
    return "".join(f"{escape_unsafe(str(problem))}\n" for problem in library.problems())


def _json(library: "SkillLibrary") -> object:
    return {
        "skills": [_skill_object(skill) for skill in library.skills],
        "problems": [_problem_object(problem) for problem in library.problems()],
    }


def _skill_object(skill: "Skill") -> "JsonObject":
    return {
        "name": skill.name,
        "description": skill.description,
        "kind": str(skill.kind),
        "declared_kind": str(skill.declared_kind),
        "scope": str(skill.scope),
        "path": str(skill.path),
    }


def _problem_object(problem: "Problem") -> "JsonObject":
    return {
        "path": str(problem.path),
        "line": problem.line,
        "column": problem.column,
        "severity": problem.severity,
        "text": problem.text,
    }
