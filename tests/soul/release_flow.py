"""A flow of two nodes and a decision, as a skill of the work dir."""

from pathlib import Path

import pytest

FLOW = """---
name: release
description: Makes a release.
type: flow
---
```mermaid
flowchart TD
  B([BEGIN]) --> Fix[Fix it] --> Green{Green?}
  Green -->|no| Fix
  Green -->|yes| E([END])
```
"""
BROKEN = FLOW.replace("name: release", "name: broken").replace("|yes|", "|no|")
CHOICES = ("text: fixed", "text: <choice>no</choice>", "text: fixed more", "text: <choice>yes</choice>")
"""What a model says that goes the way back once."""


def write_skill(work_dir: Path, name: str = "release", text: str = FLOW) -> Path:
    """The file."""
    file = work_dir / ".kimi-tui" / "skills" / name / "SKILL.md"
    file.parent.mkdir(parents=True)
    file.write_text(text, "utf-8")
    return file


@pytest.fixture
def skills(tmp_path):
    for name, text in (("release", FLOW), ("broken", BROKEN)):
        write_skill(tmp_path / "work", name, text)
