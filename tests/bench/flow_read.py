"""How fast charts are read and made into flows: `python tests/bench/flow_read.py`.

Prints the median and the slowest of the public corpus (where it is), warm, and of one chart of 5,000 nodes in each
language. The corpus holds what is usual; the big charts hold what is large.
"""

import statistics
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parents[2])]

from kimi_tui.errors import FlowError  # noqa: E402
from kimi_tui.flow import build_flow, read_chart  # noqa: E402
from kimi_tui.flow.model.validation import lint  # noqa: E402
from tests.flow import agreement  # noqa: E402

ROUNDS = 5
NODES = 5000


def check(text: str, source: str) -> None:
    """What `flow check` does with a chart."""
    with suppress(FlowError):
        chart = read_chart(text, "d2" if source == "d2" else "mermaid")
        lint(chart)
        build_flow(chart)


def milliseconds(run: Callable[[], None]) -> float:
    """The best of a few runs, after one that warms up."""
    run()
    best = float("inf")
    for _ in range(ROUNDS):
        start = time.perf_counter()
        run()
        best = min(best, time.perf_counter() - start)
    return best * 1000


def big_mermaid() -> str:
    lines = ["flowchart TD", "  n0([BEGIN]) --> n1"]
    for number in range(1, NODES - 1):
        lines.append(f'  n{number}["Step {number}: do <b>this</b> &amp; that"] -->|next| n{number + 1}')
        if number % 3 == 0:
            lines.append(f"  n{number} -- again --> n{number - 2}")
    return "\n".join([*lines, f"  n{NODES - 1}([END])"])


def big_d2() -> str:
    lines = ["n0: BEGIN", "n0 -> n1"]
    for number in range(1, NODES - 1):
        lines.append(f'n{number}: "Step {number}: do this" {{shape: diamond}}')
        lines.append(f"n{number} -> n{number + 1}: next")
        if number % 3 == 0:
            lines.append(f"n{number} -> n{number - 2}: again")
    return "\n".join([*lines, f"n{NODES - 1}: END"])


def figures() -> dict[str, float]:
    """Milliseconds by what was measured."""
    found: dict[str, float] = {}
    charts = agreement.corpus().get("charts", [])
    for kind in ("mermaid", "d2"):
        texts = [chart["text"] for chart in charts if chart["kind"] == kind]
        times = [milliseconds(lambda text=text, kind=kind: check(text, kind)) for text in texts]
        if times:
            found[f"flow check, median of {len(times)} {kind} charts"] = statistics.median(times)
            found[f"flow check, slowest of {len(times)} {kind} charts"] = max(times)
    for kind, text in (("mermaid", big_mermaid()), ("d2", big_d2())):
        found[f"flow check, {NODES} nodes of {kind}"] = milliseconds(lambda text=text, kind=kind: check(text, kind))
    return found


if __name__ == "__main__":
    for name, figure in figures().items():
        print(f"{name:45} {figure:9.3f} ms")
