"""Compares our drawings with Graphviz `dot`: crossings, what our checker finds, and time.

    python tests/bench/layout_vs_dot.py CHARTS.json [--random N] [--all]

`CHARTS.json` is the corpus: `{"charts": [{"id", "truth": {"nodes", "edges"}}]}`. Of dot both what it counts
(`dot -v`, at the end of its crossing reduction) and what can be seen (curves that meet, from `-Tplain`) is taken, and
we are held against the smaller one. Ours are counted on the cells of the finished drawing, a pair of edges at a time.
"""

import argparse
import json
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from itertools import combinations, pairwise
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT)]

from kimi_tui.flow.layout.layout import layout  # noqa: E402
from kimi_tui.flow.model.graph import Flow  # noqa: E402
from tests.flow.layout_check import crossings, violations  # noqa: E402
from tests.flow.random_flows import any_flow, likely_flow, make_flow  # noqa: E402

Place = tuple[float, float]


def corpus(path: Path) -> Iterator[tuple[str, Flow]]:
    for chart in json.loads(path.read_text(encoding="utf-8"))["charts"]:
        truth = chart.get("truth") or {}
        if truth.get("nodes"):
            labels = {n["id"]: re.sub(r"<br\s*/?>", "\n", n.get("label") or n["id"]) for n in truth["nodes"]}
            yield chart["id"], make_flow(labels, ((e["src"], e["dst"], e["label"]) for e in truth["edges"]))


def randoms(count: int) -> Iterator[tuple[str, Flow]]:
    for seed in range(count):
        size = 6 + seed * 7 % 35
        yield f"likely/{size}/{seed}", likely_flow(size, seed)
        yield f"any/{4 + seed % 9}/{seed}", any_flow(4 + seed % 9, 4 + seed % 9 + seed % 5, seed)


def dot_crossings(flow: Flow, rankdir: str) -> tuple[int, int]:
    """What dot counts, and what is seen in its drawing."""
    number = {node: f"n{index}" for index, node in enumerate(flow.nodes)}
    text = [f"digraph {{ rankdir={rankdir}; node [shape=box];"]
    text += [f"{number[node.id]} [label={json.dumps(node.title, ensure_ascii=False)}];" for node in flow.nodes.values()]
    for edge in flow.edges:
        label = f" [label={json.dumps(edge.label, ensure_ascii=False)}]" if edge.label else ""
        text.append(f"{number[edge.src]} -> {number[edge.dst]}{label};")
    done = subprocess.run(
        ["dot", "-v", "-Tplain"], input="\n".join([*text, "}"]), capture_output=True, text=True, check=True, timeout=60
    )
    counted = sum(int(found) for found in re.findall(r"mincross .*?: (\d+) crossings", done.stderr))
    return counted, _seen(done.stdout)


def _seen(plain: str) -> int:
    boxes: dict[str, tuple[float, float, float, float]] = {}
    curves: list[tuple[str, str, list[Place]]] = []
    for line in plain.replace("\\\n", "").splitlines():
        words = line.split(" ")
        if words[0] == "node":
            x, y, width, height = map(float, words[2:6])
            boxes[words[1]] = (x - width / 2, y - height / 2, x + width / 2, y + height / 2)
        elif words[0] == "edge":
            count = int(words[3])
            values = [float(word) for word in words[4 : 4 + 2 * count]]
            points = list(zip(values[::2], values[1::2], strict=True))
            curves.append((words[1], words[2], _sampled(points)))
    total = 0
    for (a, b, one), (c, d, two) in combinations(curves, 2):
        near = [boxes[node] for node in {a, b} & {c, d}]
        spots: list[Place] = []
        for p, q in pairwise(one):
            for r, s in pairwise(two):
                spot = _meeting(p, q, r, s)
                if spot is None or any(_within(spot, box) for box in near):
                    continue
                if all(abs(spot[0] - x) + abs(spot[1] - y) > 0.05 for x, y in spots):
                    spots.append(spot)
        total += len(spots)
    return total


def _within(spot: Place, box: tuple[float, float, float, float]) -> bool:
    margin = 0.15
    return box[0] - margin < spot[0] < box[2] + margin and box[1] - margin < spot[1] < box[3] + margin


def _sampled(points: list[Place], steps: int = 10) -> list[Place]:
    found = [points[0]]
    for at in range(0, len(points) - 3, 3):
        a, b, c, d = points[at : at + 4]
        for step in range(1, steps + 1):
            t = step / steps
            k, m, n, o = (1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t * t * (1 - t), t**3
            found.append((k * a[0] + m * b[0] + n * c[0] + o * d[0], k * a[1] + m * b[1] + n * c[1] + o * d[1]))
    return found


def _meeting(p: Place, q: Place, r: Place, s: Place) -> Place | None:
    if max(p[0], q[0]) < min(r[0], s[0]) or max(r[0], s[0]) < min(p[0], q[0]):
        return None
    across = (q[0] - p[0]) * (s[1] - r[1]) - (q[1] - p[1]) * (s[0] - r[0])
    if abs(across) < 1e-12:
        return None
    t = ((r[0] - p[0]) * (s[1] - r[1]) - (r[1] - p[1]) * (s[0] - r[0])) / across
    u = ((r[0] - p[0]) * (q[1] - p[1]) - (r[1] - p[1]) * (q[0] - p[0])) / across
    return (p[0] + t * (q[0] - p[0]), p[1] + t * (q[1] - p[1])) if 0 <= t < 1 and 0 <= u < 1 else None


class Table:
    """One group of charts in one direction."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.ours: list[int] = []
        self.dots: list[int] = []
        self.faults = 0
        self.slowest = 0.0

    def row(self) -> str:
        more = [ours - dots for ours, dots in zip(self.ours, self.dots, strict=True)]
        fine = sum(value <= 0 for value in more) / max(1, len(more))
        return (
            f"{self.name:<14} {len(more):>6} {sum(self.ours):>9} {sum(self.dots):>9} {fine:>8.1%} "
            f"{max(more, default=0):>+9} {self.faults:>7} {self.slowest * 1000:>10.1f}"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("charts", type=Path, nargs="?")
    parser.add_argument("--random", type=int, default=60)
    parser.add_argument("--all", action="store_true", help="name every chart with crossings, not only the worse ones")
    options = parser.parse_args()
    groups: list[tuple[str, Iterator[tuple[str, Flow]]]] = [("random", randoms(options.random))]
    if options.charts:
        groups.insert(0, ("corpus", corpus(options.charts)))
    tables: list[Table] = []
    for group, flows in groups:
        both = Table(f"{group} TB"), Table(f"{group} LR")
        tables += both
        for name, flow in flows:
            for table, direction in zip(both, ("TB", "LR"), strict=True):
                begin = time.perf_counter()
                drawn = layout(flow, direction=direction)
                table.slowest = max(table.slowest, time.perf_counter() - begin)
                counted, seen = dot_crossings(flow, direction)
                ours, dots = crossings(drawn), min(counted, seen)
                table.ours.append(ours)
                table.dots.append(dots)
                table.faults += bool(violations(drawn, flow))
                if ours > dots or (options.all and ours + dots):
                    print(f"  {name} {direction}: ours {ours}, dot counts {counted}, shows {seen}")
    heads = ("charts", "crossings", "of dot", "no more", "worst", "faulty", "slowest ms")
    widths = (6, 9, 9, 8, 9, 7, 10)
    print(f"\n{'':<14} " + " ".join(f"{head:>{width}}" for head, width in zip(heads, widths, strict=True)))
    for table in tables:
        print(table.row())
    for size in (20, 200):
        times: list[float] = []
        for seed in range(5):
            flow = likely_flow(size, seed)
            begin = time.perf_counter()
            layout(flow)
            times.append(time.perf_counter() - begin)
        print(f"{size} nodes: median {sorted(times)[2] * 1000:.1f} ms, slowest {max(times) * 1000:.1f} ms")


if __name__ == "__main__":
    main()
