"""Compares an interrupted run with the current chart of its flow."""

from dataclasses import dataclass
from pathlib import Path

from kimi_tui.flow.model.graph import Flow
from kimi_tui.flow.run.run_state import RunState
from kimi_tui.i18n import tr
from kimi_tui.skill.library import SkillLibrary
from kimi_tui.soul.flows.prompt_flow import PromptFlow


@dataclass(frozen=True, slots=True)
class ChartNow:
    """The current chart; `flow` is None if the run cannot resume with it, and `trouble` then holds the reason."""

    text: str = ""
    flow: Flow | None = None
    trouble: str = ""


def chart_now(run: RunState, skills: SkillLibrary, prompt_flow: PromptFlow | None) -> ChartNow | None:
    """Return the current chart if it differs from the run's chart; else None."""
    if run.source == "ralph":
        return None
    if prompt_flow is not None and prompt_flow.name == run.name:
        current = ChartNow(prompt_flow.text, prompt_flow.flow)
    else:
        skill = skills.get(run.name)
        if skill is None:
            if Path(run.name).suffix:  # a file of --prompt-flow, which this session does not have
                return None
            return ChartNow(trouble=tr("flow {name} no longer exists", name=run.name))
        problem = next((problem for problem in skill.problems if problem.severity == "error"), None)
        location = f" (line {problem.line})" if problem is not None and problem.line is not None else ""
        trouble = f"{problem.text}{location}" if problem is not None else tr("it is no longer a flow")
        current = ChartNow(skill.chart_text or "", skill.flow, "" if skill.flow is not None else trouble)
    if current.flow is not None and not run.chart_changed(current.text):
        return None
    if current.flow is not None and run.node_id not in current.flow.nodes:
        return ChartNow(current.text, None, f"it has no node {run.node_id} any more")
    return current
