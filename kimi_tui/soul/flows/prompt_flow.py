"""Flows outside skills: the chart from `--prompt-flow`, and the stored chart of a run."""

from dataclasses import dataclass, replace
from pathlib import Path

from kimi_tui.errors import FlowError, KimiTuiError, UsageError
from kimi_tui.flow import build_flow, read_chart
from kimi_tui.flow.model.graph import ChartSource, Flow
from kimi_tui.flow.run.ralph import ralph_flow, read_ralph
from kimi_tui.flow.run.run_state import RunState
from kimi_tui.skill.chart_block import first_chart
from kimi_tui.skill.guidance import guidance_beside, guidance_of_chart, lines_of_frontmatter
from kimi_tui.skill.skill_file import read_source

_SUFFIXES: dict[str, ChartSource] = {".d2": "d2", ".mmd": "mermaid", ".mermaid": "mermaid"}


@dataclass(frozen=True, slots=True)
class PromptFlow:
    """The flow of `/begin`: the file's name, and the chart as text."""

    name: str
    flow: Flow
    text: str


def read_prompt_flow(file: Path) -> PromptFlow:
    """Read the chart. Raises UsageError with file, line and cause."""
    try:
        text = read_source(file)
    except KimiTuiError as error:
        raise UsageError(f"--prompt-flow {error}") from error
    source = _SUFFIXES.get(file.suffix.lower())
    if source is not None:
        flow = _built(file, text, source)
        return PromptFlow(file.name, replace(flow, guidance=guidance_of_chart(flow, text).guidance), text)
    lines = text.split("\n")
    block = first_chart(lines)
    if block is None:
        raise UsageError(f"{file}: no mermaid or d2 block found")
    flow = _built(file, block.text, block.source, block.line)
    guidance = guidance_beside(flow, block, lines, skip=lines_of_frontmatter(lines))
    return PromptFlow(file.name, replace(flow, guidance=guidance.guidance), block.text)


def _built(file: Path, text: str, source: ChartSource, lines_before: int = 0) -> Flow:
    try:
        return _flow(text, source)
    except FlowError as error:
        location = "" if error.line is None else f":{lines_before + error.line}:{error.column or 1}"
        raise UsageError(f"{file}{location}: {error.cause}") from error


def flow_of_run(run: RunState) -> Flow:
    """Return the chart that a run started with, even if its file has changed since."""
    match run.source:
        case "ralph":
            return ralph_flow(read_ralph(run.text), run.max_moves - 1)[0]
        case "mermaid" | "d2":
            return replace(_flow(run.text, run.source), guidance=run.guidance)


def _flow(text: str, source: ChartSource) -> Flow:
    return build_flow(read_chart(text, source))
