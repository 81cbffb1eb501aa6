"""Formats findings as SARIF 2.1.0, which code hosts show beside the lines."""

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

from kimi_tui import __version__

if TYPE_CHECKING:
    from kimi_tui.cli.chart_finding import Finding
    from kimi_tui.wire.parts import JsonObject

_SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
_RULES = {
    "error": "This chart cannot run as a flow.",
    "warning": "This chart may not behave as it looks.",
    "note": "This text is sent to the model with a step of the chart.",
}


def to_sarif(findings: Iterable["Finding"]) -> "JsonObject":
    """Format the findings as one log with one run."""
    return {
        "$schema": _SCHEMA,
        "version": "2.1.0",
        "runs": [
            {
                "tool": {
                    "driver": {
                        "name": "kimi-tui",
                        "version": __version__,
                        "rules": [
                            {"id": f"flow-{level}", "shortDescription": {"text": text}}
                            for level, text in _RULES.items()
                        ],
                    }
                },
                "columnKind": "unicodeCodePoints",
                "results": [_result(finding) for finding in findings],
            }
        ],
    }


def _result(finding: "Finding") -> "JsonObject":
    path = Path(finding.file)
    uri = path.as_uri() if path.is_absolute() else quote(path.as_posix())
    return {
        "ruleId": f"flow-{finding.severity}",
        "level": finding.severity,
        "message": {"text": finding.text},
        "locations": [
            {
                "physicalLocation": {
                    "artifactLocation": {"uri": uri},
                    "region": {"startLine": finding.line, "startColumn": finding.column},
                }
            }
        ],
    }
