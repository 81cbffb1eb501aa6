"""Compares an interrupted run with the current chart of its flow."""

from dataclasses import dataclass

from kimi_tui.flow.model.graph import Flow
from kimi_tui.flow.run.run_state import RunState
from kimi_tui.i18n import tr
from kimi_tui.skill.library import SkillLibrary
from kimi_tui.soul.flows.prompt_flow import PromptFlow


@dataclass(frozen=True, slots=True)
class ChartNow:
    """`flow` is None if the run cannot resume with the current chart; `trouble` then holds the reason."""

    text: str = ""
    flow: Flow | None = None
    trouble: str = ""


def chart_now(run: RunState, skills: SkillLibrary, prompt_flow: PromptFlow | None) -> ChartNow | None:
    """Return the current chart if it differs from the run's chart; else None."""
    if run.source == "ralph":
        return None
    if prompt_flow is not None and prompt_flow.name == run.name:
        found = ChartNow(prompt_flow.text, prompt_flow.flow)
    else:
        skill = skills.get(run.name)
        if skill is None:
            return ChartNow(trouble=tr("flow {name} no longer exists", name=run.name))
        problem = next((one for one in skill.problems if one.severity == "error"), None)
        place = f" (line {problem.line})" if problem is not None and problem.line is not None else ""
        trouble = f"{problem.text}{place}" if problem is not None else tr("it is no longer a flow")
        found = ChartNow(skill.chart_text or "", skill.flow, "" if skill.flow is not None else trouble)
    if found.flow is not None and not run.chart_changed(found.text):
        return None
    if found.flow is not None and run.node_id not in found.flow.nodes:
        return ChartNow(found.text, None, f"it has no node {run.node_id} any more")
    return found
