"""The charts of the bundled flows, as Mermaid itself and as the simple line reader of Kimi CLI read them.

`TRUTH_MODULES=FOLDER python -m tests.flow.bundled_charts` asks Mermaid anew (ground_truth/README.md says how to get the
modules) and writes `ground_truth/bundled.json`: for each flow the hash of its chart, its nodes and its edges.
"""

import hashlib
import json
import re
import subprocess
import tempfile
from pathlib import Path

from kimi_tui import paths
from kimi_tui.skill.roots import skill_files
from kimi_tui.skill.skill import Scope, SkillKind, read_skill
from tests.flow.agreement import HERE, Meaning

TRUTH = HERE / "ground_truth" / "bundled.json"
_READER = HERE / "ground_truth" / "read_truth.mjs"
_ID = r"[A-Za-z][A-Za-z0-9_]*"
_NODE = rf'({_ID})(?:\(\["?([^"]*?)"?\]\)|\["([^"]*)"\]|\{{"([^"]*)"\}})?'
_NODE_LINE = re.compile(rf"{_NODE}\Z")
_EDGE_LINE = re.compile(rf"{_NODE}\s+-->\s*(?:\|([^|]*)\|\s*)?{_NODE}\Z")
_SETTINGS_LINE = re.compile(rf"({_ID})@\{{ (.*) \}}\Z")


def bundled_charts() -> dict[str, str]:
    """The chart of each bundled flow, by name."""
    skills = [read_skill(file, Scope.BUNDLED) for file in skill_files(paths.bundled("skills"))[0]]
    return {one.name: one.chart_text or "" for one in skills if one.declared_kind is SkillKind.FLOW}


def chart_hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def read_by_lines(text: str) -> Meaning:
    """The graph by the rules that every reader shares: a node or one edge a line, settings on a line of their own.

    Raises ValueError for any other line, and for an arrow in a setting.
    """
    labels: dict[str, str] = {}
    edges: list[tuple[str, str, str]] = []

    def node(found: tuple[str | None, ...]) -> str:
        name, *texts = found
        assert name is not None
        label = next((one for one in texts if one is not None), None)
        if label is not None or name not in labels:
            labels[name] = name if label is None else label
        return name

    header, *lines = [line.strip() for line in text.strip().splitlines()]
    if not re.fullmatch(r"(?:flowchart|graph) (?:TD|TB|LR|RL|BT)", header):
        raise ValueError(header)
    for line in lines:
        if not line or line.startswith("%%"):
            continue
        if (settings := _SETTINGS_LINE.match(line)) is not None:
            if re.search(r"-+>|=+>|-\.->", settings[2]):
                raise ValueError(f"an arrow in a setting: {line}")
            labels.setdefault(settings[1], settings[1])
        elif (edge := _EDGE_LINE.match(line)) is not None:
            groups = edge.groups()
            edges.append((node(groups[:4]), node(groups[5:]), groups[4] or ""))
        elif (alone := _NODE_LINE.match(line)) is not None:
            node(alone.groups())
        else:
            raise ValueError(line)
    return Meaning(sorted(labels.items()), sorted(edges))


def main() -> None:
    charts = bundled_charts()
    with tempfile.TemporaryDirectory() as folder:
        source, out = Path(folder, "charts.txt"), Path(folder, "out.json")
        source.write_text("".join(f"=== {name}\n{text.rstrip()}\n" for name, text in charts.items()), "utf-8")
        subprocess.run(["node", str(_READER), "mermaid", str(source), str(out)], check=True)
        read = json.loads(out.read_text("utf-8"))
    kept = [{"name": one["name"], "sha256": chart_hash(charts[one["name"]]), "truth": one["truth"]} for one in read]
    TRUTH.write_text(json.dumps(kept, ensure_ascii=False, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
