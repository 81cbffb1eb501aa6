"""How long a change of state takes on the flow pane's chart, and what an idle chart repaints.

Run it with the program's Python: `python tests/bench/flow_pane.py`. Times are of the process's own CPU.
"""

import asyncio
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from textual.app import App, ComposeResult
from textual.geometry import Region

from kimi_tui.flow.run.run_view import RunView
from kimi_tui.ui.tui.flow_pane.chart_view import FlowChart
from kimi_tui.ui.tui.flow_pane.run_styles import LiveContext, chart_style, recorded_chart
from kimi_tui.wire.flow_events import FlowBegin, FlowNodeBegin, FlowNodeEnd
from tests.ui.tui.flow_pane.flow_scenarios import begin_of, wide_chart


class Bench(App[None]):
    """One chart; `painted` counts the cells that are asked to be repainted."""

    def __init__(self, begin: FlowBegin) -> None:
        super().__init__()
        self.begin = begin
        self.chart = FlowChart()
        self.painted = 0

    def compose(self) -> ComposeResult:
        yield self.chart

    def on_mount(self) -> None:
        refresh = self.chart.refresh

        def counting(*regions: Region, **options: bool) -> object:
            self.painted += sum(region.area for region in regions) or self.chart.size.area
            return refresh(*regions, **options)

        self.chart.refresh = counting  # type: ignore[method-assign]


async def measure(count: int) -> tuple[int, list[float], float, int, int]:
    begin = begin_of(wide_chart(count))
    app = Bench(begin)
    async with app.run_test(size=(140, 42)) as pilot:
        picture, flow = RunView.from_begin(begin), recorded_chart(begin)
        nodes = [node.id for node in begin.nodes if node.kind not in ("begin", "end")]
        app.chart.show_flow(flow, chart_style(picture, flow, LiveContext()), current=picture.node_id)
        await app.workers.wait_for_complete([one for one in app.workers if one.group == "layout"])
        await pilot.pause()
        times: list[float] = []
        cells = 0
        for move, node_id in enumerate(nodes[:40], 1):
            for message in (
                FlowNodeBegin(run_id="run", node_id=node_id, move=move),
                FlowNodeEnd(run_id="run", node_id=node_id, move=move, status="done", duration_s=1.0),
            ):
                picture.apply(message, float(move))
                app.painted = 0
                began = time.process_time()
                app.chart.set_style(chart_style(picture, flow, LiveContext(float(move))), current=picture.node_id)
                await pilot.pause(0)
                times.append((time.process_time() - began) * 1000)
                cells = max(cells, app.painted if isinstance(message, FlowNodeEnd) else 0)
        picture.apply(FlowNodeBegin(run_id="run", node_id=nodes[3], move=50), 50.0)
        app.chart.set_style(chart_style(picture, flow, LiveContext(50.0)), current=picture.node_id)
        await pilot.pause()
        ticks: list[float] = []
        for second in range(20):
            began = time.process_time()
            app.chart.set_style(chart_style(picture, flow, LiveContext(51.0 + second)), current=picture.node_id)
            await pilot.pause(0)
            ticks.append((time.process_time() - began) * 1000)
        app.painted = 0
        for _ in range(5):
            app.chart.set_style(chart_style(picture, flow, LiveContext(70.0)), current=picture.node_id)
            await pilot.pause()
        return len(begin.nodes), times, sorted(ticks)[len(ticks) // 2], cells, app.painted


def main() -> None:
    print("nodes  change p50 ms  p95 ms  tick p50 ms  cells of a change  idle cells")
    for count in (12, 40, 100, 200):
        nodes, times, tick, cells, idle = asyncio.run(measure(count))
        times.sort()
        p50, p95 = times[len(times) // 2], times[int(len(times) * 0.95)]
        print(f"{nodes:>5}  {p50:>13.1f}  {p95:>6.1f}  {tick:>11.1f}  {cells:>17}  {idle:>10}")


if __name__ == "__main__":
    main()
