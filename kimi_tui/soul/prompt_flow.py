"""Flows that are not in a skill: the chart that `--prompt-flow` names, and the chart that a run began with."""

from dataclasses import dataclass
from pathlib import Path

from kimi_tui.errors import FlowError, KimiTuiError, UsageError
from kimi_tui.flow import build_flow, read_d2, read_mermaid
from kimi_tui.flow.graph import ChartSource, Flow
from kimi_tui.flow.ralph import ralph_flow, read_ralph
from kimi_tui.flow.run_state import RunState
from kimi_tui.skill.chart_block import first_chart
from kimi_tui.skill.source import read_source

_SUFFIXES: dict[str, ChartSource] = {".d2": "d2", ".mmd": "mermaid", ".mermaid": "mermaid"}


@dataclass(frozen=True, slots=True)
class PromptFlow:
    """The flow of `/begin`: the file's name, and the chart as text."""

    name: str
    flow: Flow
    text: str


def read_prompt_flow(file: Path) -> PromptFlow:
    """Raises UsageError that names file, line and cause."""
    try:
        text = read_source(file)
    except KimiTuiError as error:
        raise UsageError(f"--prompt-flow {error}") from error
    source = _SUFFIXES.get(file.suffix.lower())
    if source is not None:
        return PromptFlow(file.name, _built(file, text, source), text)
    block = first_chart(text.split("\n"))
    if block is None:
        raise UsageError(f"{file}: there is no mermaid or d2 block in it")
    return PromptFlow(file.name, _built(file, block.text, block.source, block.line), block.text)


def _built(file: Path, text: str, source: ChartSource, lines_before: int = 0) -> Flow:
    try:
        return _flow(text, source)
    except FlowError as error:
        place = "" if error.line is None else f":{lines_before + error.line}:{error.column or 1}"
        raise UsageError(f"{file}{place}: {error.cause}") from error


def flow_of_run(run: RunState) -> Flow:
    """The flow that a run began with, whatever has become of its file since."""
    match run.source:
        case "ralph":
            return ralph_flow(read_ralph(run.text), run.max_moves - 1)[0]
        case "mermaid" | "d2":
            return _flow(run.text, run.source)


def _flow(text: str, source: ChartSource) -> Flow:
    return build_flow(read_d2(text) if source == "d2" else read_mermaid(text))
