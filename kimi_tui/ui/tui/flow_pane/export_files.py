"""Writes the pane's run or chart to a file."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Literal

from kimi_tui.flow.model.graph import Flow
from kimi_tui.flow.render.run_export import flow_of_view, to_json, to_markdown, to_mermaid, without_secrets
from kimi_tui.flow.render.source_writer import to_mermaid as chart_to_mermaid
from kimi_tui.flow.render.svg import to_svg
from kimi_tui.flow.run.run_view import RunView
from kimi_tui.session.redact import Redactor
from kimi_tui.ui.tui.i18n.catalog import _

Format = Literal["mermaid", "svg", "json", "md"]
SUFFIXES: dict[Format, str] = {"mermaid": ".mmd", "svg": ".svg", "json": ".json", "md": ".md"}


def export_run(picture: RunView, form: Format, folder: Path, *, secrets: Iterable[str]) -> Path:
    """Write the run to a new file in `folder`, without `secrets` and what looks like a key. Raises OSError."""
    redactor = Redactor(secrets)  # defence: secret-in-run
    picture = without_secrets(picture, redactor.text)
    match form:
        case "mermaid":
            text = redactor.text(to_mermaid(picture))
        case "svg":
            text = redactor.text(to_svg(flow_of_view(picture), picture))
        case "json":
            text = json.dumps(redactor.value(to_json(picture)), indent=2, ensure_ascii=False) + "\n"
        case "md":
            text = redactor.text(to_markdown(picture))
    return _write(text, folder, f"{picture.name}-{picture.run_id[:8]}", SUFFIXES[form])


def export_chart(name: str, flow: Flow, form: Format, folder: Path) -> Path:
    """Write the chart of a flow that is not running, as Mermaid or SVG."""
    text = to_svg(flow) if form == "svg" else chart_to_mermaid(flow)
    return _write(text, folder, name, SUFFIXES["svg" if form == "svg" else "mermaid"])


def _write(text: str, folder: Path, name: str, suffix: str) -> Path:
    """Write a new file; never overwrites an existing one."""
    plain = "".join(char if char.isalnum() or char in "-_." else "-" for char in name).strip(".-")[:60] or "flow"
    for number in range(1, 1000):
        path = folder / f"flow-{plain}{f'-{number}' if number > 1 else ''}{suffix}"
        try:
            with path.open("x", encoding="utf-8") as file:  # defence: new-export-file
                file.write(text)
        except FileExistsError:
            continue
        return path
    raise FileExistsError(_("{folder}: too many exports of {name}", folder=folder, name=plain))
