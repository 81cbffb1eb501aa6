"""A problem in a chart, as `kimi-tui flow check` reports it."""

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Finding:
    """A problem in a chart, with its position in the file; lines and columns count from 1."""

    file: str
    line: int
    column: int
    severity: Literal["error", "warning", "note"]
    text: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}: {self.severity}: {self.text}"
