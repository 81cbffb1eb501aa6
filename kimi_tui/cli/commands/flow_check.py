"""`kimi-tui flow check`: reports problems in charts with file positions; for users, pre-commit and CI."""

import argparse
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, replace
from pathlib import Path

from kimi_tui.cli.chart_finding import Finding
from kimi_tui.cli.commands.command_syntax import check_commands
from kimi_tui.cli.output import print_json, print_out, printable
from kimi_tui.cli.work_dir import resolve_work_dir
from kimi_tui.errors import FlowError, KimiTuiError, SkillError, UsageError
from kimi_tui.flow import build_flow, read_chart
from kimi_tui.flow.model.graph import ChartSource, Flow
from kimi_tui.flow.model.validation import diagnostics, lint
from kimi_tui.paths import is_folder, path_exists
from kimi_tui.skill.chart_block import ChartBlock, first_chart
from kimi_tui.skill.guidance import GuidanceResult, guidance_beside, guidance_of_chart, lines_of_frontmatter
from kimi_tui.skill.skill import SKILL_FILE, Scope, Skill, SkillKind, parse_skill
from kimi_tui.skill.skill_file import read_source

CHART_SUFFIXES = frozenset({".mmd", ".mermaid", ".d2"})
_NOT_LOOKED_INTO = frozenset({".git", ".hg", ".svn", ".venv", "venv", "node_modules", "__pycache__"})


def run_check(options: argparse.Namespace) -> int:
    """Print the findings; returns 1 if a chart cannot be run."""
    work_dir = resolve_work_dir(options)
    files = [*_files(options.paths, work_dir)]
    findings = [finding for file, named in files for finding in check_file(file, named=named, untrusted=[work_dir])]
    errors = sum(finding.severity == "error" for finding in findings)
    if options.explain and options.format != "text":
        raise UsageError("--explain needs --format text")
    match options.format:
        case "json":
            print_json({"files": len(files), "findings": [asdict(each) for each in findings]})
        case "sarif":
            from kimi_tui.cli.commands.sarif import to_sarif

            print_json(to_sarif(findings))
        case _:
            print_out("\n".join(printable(str(finding)) for finding in findings))
            if options.explain:
                _print_explanations([file for file, _ in files])
            summary = f"{_count(len(files), 'file')}, {_count(errors, 'error')}"
            warnings = sum(finding.severity == "warning" for finding in findings)
            sys.stderr.write(f"{summary}, {_count(warnings, 'warning')}\n")
    return 1 if errors else 0


def _print_explanations(files: Sequence[Path]) -> None:
    from kimi_tui.cli.commands.flow_explain import explain

    for file in files:
        flow = _load_flow(file)
        if flow is not None:
            print_out(printable(str(file)))
            for section in explain(flow):
                print_out(f"  {section.title}")
                print_out("\n".join(f"    {printable(' '.join(line.split()))}" for line in section.lines))


def _load_flow(file: Path) -> Flow | None:
    """The flow of a file; None without one that can run."""
    try:
        text = read_source(file)
        if file.suffix.lower() in CHART_SUFFIXES:
            return build_flow(read_chart(text, "d2" if file.suffix.lower() == ".d2" else "mermaid"))
        skill = parse_skill(text, file, Scope.EXTRA) if text.startswith("---") else None
        if skill is not None and skill.flow is not None:
            return skill.flow
        block = first_chart(text.split("\n"))
        return None if block is None else build_flow(read_chart(block.text, block.source))
    except KimiTuiError:
        return None


def check_file(file: Path, *, named: bool, untrusted: Sequence[Path] | None = None) -> list[Finding]:
    """Check the charts of a file; findings are in file order.

    `named`: the user named the file, so it should contain a chart. `untrusted`: the folders whose Bash must not be
    started; None: commands are not checked.
    """
    try:
        text = read_source(file)
        if file.suffix.lower() in CHART_SUFFIXES:
            source: ChartSource = "d2" if file.suffix.lower() == ".d2" else "mermaid"
            findings = _check_chart(text, source, file)
            findings += _check_commands(text, source, file, untrusted)
            findings += _guidance(text, source, file, lambda flow: guidance_of_chart(flow, text))
        else:
            findings = _check_markdown(text, file, named, untrusted)
    except SkillError as error:
        findings = [Finding(str(file), error.line or 1, 1, "error", error.cause)]
    return sorted(findings, key=lambda finding: (finding.line, finding.column))


def _check_chart(text: str, source: ChartSource, file: Path) -> list[Finding]:
    try:
        chart = read_chart(text, source)
    except FlowError as error:
        return [Finding(str(file), error.line or 1, error.column or 1, "error", error.cause)]
    return [
        *(Finding(str(file), flaw.line or 1, flaw.column or 1, "error", flaw.cause) for flaw in diagnostics(chart)),
        *(Finding(str(file), note.line, note.column, "warning", note.text) for note in lint(chart)),
    ]


def _check_commands(text: str, source: ChartSource, file: Path, untrusted: Sequence[Path] | None) -> list[Finding]:
    if untrusted is None:
        return []
    try:
        chart = read_chart(text, source)
    except FlowError:
        return []
    return [
        Finding(str(file), each.line, each.column, each.severity, each.text)
        for each in check_commands(chart, untrusted)
    ]


def _guidance(text: str, source: ChartSource, file: Path, read: Callable[[Flow], GuidanceResult]) -> list[Finding]:
    """Report which text belongs to which node, if the chart can run; `read` extracts the text from the file."""
    try:
        guidance = read(build_flow(read_chart(text, source)))
    except FlowError:
        return []
    return [
        *(Finding(str(file), note.line, 1, "note", note.text) for note in guidance.notes),
        *(Finding(str(file), note.line, 1, "warning", note.text) for note in guidance.cut),
    ]


def _check_markdown(text: str, file: Path, named: bool, untrusted: Sequence[Path] | None) -> list[Finding]:
    """Check a flow skill by its own rules; of other Markdown files, if named, the first chart."""
    skill: Skill | None = None
    if text.startswith("---") or file.name == SKILL_FILE:
        skill = parse_skill(text, file, Scope.EXTRA)
    if skill is not None and skill.declared_kind is SkillKind.FLOW:
        chart_line = skill.chart_line or 0
        problems = [
            problem
            for problem in skill.problems
            if problem.severity == "error"
            or problem.of_flow
            or (problem.severity == "warning" and (problem.line or 0) >= chart_line > 0)
        ]
        lines = text.split("\n")
        block = first_chart(lines, skip=lines_of_frontmatter(lines))
        commands = [] if block is None else _check_commands(block.text, block.source, file, untrusted)
        return [
            *(_in_file(finding, block) for finding in commands if block is not None),
            *(Finding(str(file), note.line, 1, "note", note.text) for note in skill.guidance_notes),
            *(
                Finding(str(file), problem.line or 1, problem.column or 1, problem.severity, problem.text)
                for problem in problems
            ),
        ]
    mistyped = [
        Finding(str(file), problem.line or 1, problem.column or 1, problem.severity, problem.text)
        for problem in (skill.problems if skill is not None else ())
        if problem.of_flow
    ]
    if not named:
        return mistyped
    block = first_chart(text.split("\n"))
    if block is None:
        if skill is not None and file.name == SKILL_FILE:
            return mistyped
        return [Finding(str(file), 1, 1, "error", "no mermaid or d2 block found")]
    findings = _check_chart(block.text, block.source, file)
    findings += _check_commands(block.text, block.source, file, untrusted)
    lines = text.split("\n")
    placed = _guidance(
        block.text,
        block.source,
        file,
        lambda flow: guidance_beside(flow, block, lines, skip=lines_of_frontmatter(lines)),
    )
    return [*mistyped, *placed, *(_in_file(finding, block) for finding in findings)]


def _in_file(finding: Finding, block: ChartBlock) -> Finding:
    """The finding in a chart, at its place in the file."""
    line, column = block.place(finding.line, finding.column)
    return replace(finding, line=line, column=column or 1)


def _files(names: list[str], work_dir: Path) -> Iterator[tuple[Path, bool]]:
    """Yield the files to check, and whether the user named each. Without names: the skills of the default folders."""
    if not names:
        from kimi_tui.skill.roots import SkillRoots, skill_files

        for root in SkillRoots(work_dir).existing():
            yield from ((file, False) for file in skill_files(root.path)[0])
        return
    for name in names:
        path = Path(name) if Path(name).is_absolute() or work_dir == Path.cwd() else work_dir / name
        if is_folder(path):
            yield from ((file, False) for file in sorted(_walk(path)))
        elif path_exists(path):
            yield path, True
        else:
            raise UsageError(f"{name}: no such file or folder")


def _walk(folder: Path) -> Iterator[Path]:
    for root, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if name not in _NOT_LOOKED_INTO]
        yield from (Path(root, name) for name in names if Path(name).suffix.lower() in CHART_SUFFIXES | {".md"})


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"
