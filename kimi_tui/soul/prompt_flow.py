"""`--prompt-flow FILE`: a chart of its own, or the one in a Markdown file."""

from pathlib import Path

from kimi_tui.errors import FlowError, UsageError
from kimi_tui.flow import build_flow, read_d2, read_mermaid
from kimi_tui.flow.graph import Flow
from kimi_tui.skill.skill import find_chart

MAX_BYTES = 1 << 20


def read_prompt_flow(file: Path) -> tuple[str, Flow, str]:
    """The file's name, its flow and the text of the chart. Raises UsageError that names file, line and cause."""
    try:
        if file.stat().st_size > MAX_BYTES or not file.is_file():
            raise UsageError(f"{file}: this is not a file of at most 1 MiB")
        text = file.read_text("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"--prompt-flow {file}: {getattr(error, 'strerror', None) or error}") from error
    line = 1
    match file.suffix.lower():
        case ".d2":
            language = "d2"
        case ".mmd" | ".mermaid":
            language = "mermaid"
        case _:
            chart = find_chart(text)
            if chart is None:
                raise UsageError(f"{file}: there is no mermaid or d2 block in it")
            language, text, line = chart.language, chart.text, chart.line
    try:
        flow = build_flow(read_d2(text) if language == "d2" else read_mermaid(text))
    except FlowError as error:
        at = line if error.line is None else line + error.line - 1
        raise UsageError(f"{file}:{at}:{error.column or 1}: {error.cause}") from error
    return file.name, flow, text
