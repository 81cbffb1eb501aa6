"""Opens earlier runs from the table: one, two compared, counts of all, or a replay."""

import asyncio
import time
from collections.abc import Sequence
from pathlib import Path

from kimi_tui.errors import KimiTuiError
from kimi_tui.flow.model.diff import FlowDifference, compare_flows, merge_flows
from kimi_tui.flow.model.graph import Flow
from kimi_tui.flow.render.run_export import flow_of_view
from kimi_tui.flow.run.run_view import RunView
from kimi_tui.ui.tui.flow_pane.host_protocol import FlowHost
from kimi_tui.ui.tui.flow_pane.resume_prompt import node_names
from kimi_tui.ui.tui.flow_pane.run_styles import LiveContext, chart_style
from kimi_tui.ui.tui.i18n import labels
from kimi_tui.ui.tui.i18n.catalog import _, n_, p_
from kimi_tui.ui.tui.replay.run_comparison import frequency_style, two_run_style
from kimi_tui.ui.tui.replay.run_index import (
    PastRun,
    begin_number,
    load_chart,
    load_messages,
    load_run_view,
    stored_runs,
)
from kimi_tui.ui.tui.replay.run_table import Runs
from kimi_tui.ui.tui.replay.time_travel import TimeTravel
from kimi_tui.ui.tui.session.presenter import Presenter

_COUNTED = 200
"""Maximum runs counted together, the latest ones."""


class RunBrowser:
    """Shows the choice made in the table."""

    def __init__(self, host: FlowHost, presenter: Presenter, time_travel: TimeTravel) -> None:
        self._host, self._presenter, self._time_travel = host, presenter, time_travel

    async def open(self, work_dir: Path, name: str) -> None:
        """The table of a folder's runs, those of the flow `name` first."""
        runs = await asyncio.to_thread(stored_runs, work_dir)
        if not runs:
            self._host.show_toast(_("no flow has been run in this folder yet"))
            return

        def show_choice(answer: str | None) -> None:
            if answer is not None:
                self._host.run_in_background(self._see(answer, runs))

        self._host.open_dialog(Runs(runs, name), show_choice)

    async def _see(self, answer: str, runs: Sequence[PastRun]) -> None:
        what, _colon, rest = answer.partition(":")
        chosen = [run for run_id in rest.split(":") for run in runs if run.id == run_id]
        try:
            match what:
                case "count":
                    await self._count(rest, [run for run in runs if run.name == rest][:_COUNTED])
                case "replay":
                    messages = await asyncio.to_thread(load_messages, chosen[0])
                    self._time_travel.open_other(messages, begin_number(messages, chosen[0].id))
                    return
                case "compare":
                    await self._compare(chosen[0], chosen[1])
                case _:
                    await self._show(chosen[0])
        except (OSError, KimiTuiError) as error:
            self._host.show_toast(_("this run cannot be shown: {cause}", cause=error))
        else:
            self._presenter.main_screen.go_to("flow")

    async def _show(self, run: PastRun) -> None:
        picture = await asyncio.to_thread(load_run_view, run)
        flow = flow_of_view(picture)
        style = chart_style(picture, flow, LiveContext(run.state.updated_at))
        title = _("run of {name}", name=picture.name)
        self._presenter.main_screen.flow_pane.show_overlay(title, flow, style, (_run_label(run),), picture=picture)

    async def _compare(self, one: PastRun, other: PastRun) -> None:
        first, second = [await asyncio.to_thread(load_run_view, run) for run in (one, other)]
        flow = merge_flows(flow_of_view(first), flow_of_view(second))
        charts = await asyncio.to_thread(load_chart, one), await asyncio.to_thread(load_chart, other)
        difference = compare_flows(*charts)
        legend = (
            f"A {_run_label(one)}",
            f"B {_run_label(other)}",
            _("= same, ≠ different count"),
            *_differing(difference, *charts),
        )
        title = _("two runs of {flow}", flow=first.name)
        self._presenter.main_screen.flow_pane.show_overlay(
            title, flow, two_run_style(flow, first, second, difference), legend
        )

    async def _count(self, name: str, runs: list[PastRun]) -> None:
        pictures: list[RunView] = [await asyncio.to_thread(load_run_view, run) for run in runs]
        flow = flow_of_view(pictures[0])
        legend = (
            n_("{count} run", "{count} runs", len(pictures)),
            _("▁ few runs, █ all runs"),
            _("thick line: half of the runs or more"),
        )
        title = _("all runs of {flow}", flow=name)
        self._presenter.main_screen.flow_pane.show_overlay(title, flow, frequency_style(flow, pictures), legend)


def _differing(difference: FlowDifference, first: Flow, second: Flow) -> list[str]:
    """How the charts of two runs differ, if they do."""
    lines: list[str] = []
    if difference.only_first:
        lines.append(_("only in A's chart: {nodes}", nodes=node_names(difference.only_first, first)))
    if difference.only_second:
        lines.append(_("only in B's chart: {nodes}", nodes=node_names(difference.only_second, second)))
    if difference.reworded:
        lines.append(_("reworded in B: {nodes}", nodes=node_names(difference.reworded, first)))
    if not lines and difference:
        lines.append(_("the charts differ in their edges"))
    return lines


def _run_label(run: PastRun) -> str:
    when = time.strftime(_("%d %b %H:%M"), time.localtime(run.state.started_at))
    moves = n_("{count} move", "{count} moves", run.state.moves)
    end = _(labels.ENDED[run.state.status]) if run.state.status is not None else p_("run", "open")
    return _("{when}, {moves}, {end}", when=when, moves=moves, end=end)
