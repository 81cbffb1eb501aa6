"""The one place that knows all: from a plan to an engine that is ready to be talked to."""

import asyncio
from dataclasses import dataclass, replace
from pathlib import Path

from kimi_tui import jsonl, paths
from kimi_tui.approval import Approvals
from kimi_tui.config import ChosenModel, Config, LoopControl, choose_model
from kimi_tui.context.compaction import Threshold
from kimi_tui.context.context import Context
from kimi_tui.errors import ModelNotSetError
from kimi_tui.llm.provider import Provider
from kimi_tui.session.session import Session
from kimi_tui.skill.library import SkillLibrary
from kimi_tui.skill.roots import SkillRoots
from kimi_tui.soul.agent_spec import agent_file, read_agent_spec
from kimi_tui.soul.crew import Office
from kimi_tui.soul.engine import Engine
from kimi_tui.soul.models import Models
from kimi_tui.soul.prompt_flow import read_prompt_flow
from kimi_tui.soul.provider_settings import model_info, provider_settings
from kimi_tui.soul.soul import Limits, Soul
from kimi_tui.soul.system_prompt import default_values
from kimi_tui.soul.workshop import Workshop
from kimi_tui.tools.child_env import ChildEnv
from kimi_tui.tools.file_history import FileHistory, NoHistory
from kimi_tui.tools.progress import ToolProgress
from kimi_tui.tools.set_todo_list import TodoList
from kimi_tui.tools.workspace import Workspace
from kimi_tui.wire.channel import Wire
from kimi_tui.wire.recorder import Recorder


@dataclass(frozen=True, slots=True)
class Plan:
    """What an engine is made of. `approve_all`: nobody is there to ask."""

    work_dir: Path
    config: Config
    model: str | None = None
    agent_file: Path | None = None
    session_id: str | None = None
    interactive: bool = True
    yolo: bool = False
    approve_all: bool = False
    add_dirs: tuple[Path, ...] = ()
    skills_dirs: tuple[Path, ...] = ()
    prompt_flow: Path | None = None
    thinking: bool = False
    demo: bool = False
    warnings: tuple[str, ...] = ()


async def assemble(plan: Plan) -> Engine:
    """An engine on a session of its own, or on the one that the plan names.

    Raises the KimiTuiError of whatever is wrong; without a face to say it later, a missing model too.
    """
    chosen, missing = _choose(plan)
    prompt_flow = read_prompt_flow(plan.prompt_flow) if plan.prompt_flow else None
    session = Session.create(plan.work_dir, plan.session_id)
    try:
        engine = await _assemble(plan, session, chosen, missing)
    except BaseException:
        session.close()
        raise
    engine.prompt_flow = prompt_flow
    if plan.interactive:
        engine.start()
    for warning in (*plan.warnings, *([session.notice] if session.notice else [])):
        engine.tell(warning, severity="warning")
    return engine


def _choose(plan: Plan) -> tuple[ChosenModel | None, str]:
    try:
        return choose_model(plan.config, plan.model), ""
    except ModelNotSetError as error:
        if not plan.interactive:
            raise
        return None, str(error)


async def _assemble(plan: Plan, session: Session, chosen: ChosenModel | None, missing: str) -> Engine:
    wire = Wire()
    state = session.state
    recorder = Recorder(jsonl.JsonlWriter(session.dir / "wire.jsonl"))
    wire.listen(recorder, merged=True)
    approvals = Approvals(
        wire,
        yolo=plan.yolo or plan.approve_all or state.approval.yolo,
        granted=state.approval.auto_approve_actions,
        attended=not plan.approve_all,
    )
    skills, (context, mended) = await asyncio.gather(
        asyncio.to_thread(_load_skills, plan),
        asyncio.to_thread(Context.load, jsonl.JsonlWriter(session.dir / "context.jsonl")),
    )
    workspace = Workspace(plan.work_dir, (*plan.add_dirs, *map(Path, state.additional_dirs)), protected=(paths.home(),))
    secrets = (provider.api_key.get_secret_value() for provider in plan.config.providers.values())
    todos = TodoList(tuple(state.todos))
    progress = ToolProgress()
    services: dict[type, object] = {
        Workspace: workspace,
        Approvals: approvals,
        TodoList: todos,
        ToolProgress: progress,
        ChildEnv: ChildEnv(secrets=secrets),
        FileHistory: NoHistory(),
        SkillLibrary: skills,
    }
    info = model_info(chosen)

    def use(provider: Provider) -> None:
        soul.provider = provider

    limits = _limits(plan.config.loop_control)
    office = Office(session.dir / "subagents", wire.send, lambda: (soul.provider, soul.model), limits)
    values = await asyncio.to_thread(default_values, plan.work_dir, skills=skills.listing())
    workshop = Workshop(services, values, office)
    spec = await asyncio.to_thread(read_agent_spec, plan.agent_file or agent_file("default"))
    agent = workshop.make(spec, system_prompt=context.system_prompt)
    if context.system_prompt is None:
        context.set_system_prompt(agent.system_prompt)
    settings = provider_settings(chosen, thinking=plan.thinking or None, cache_key=session.id) if chosen else None
    models = Models(settings, info, missing=missing, on_ready=use)
    soul = Soul(
        agent,
        model=info,
        context=context,
        send=wire.send,
        limits=limits,
    )
    engine = Engine(
        soul=soul,
        wire=wire,
        approvals=approvals,
        session=session,
        skills=skills,
        models=models,
        progress=progress,
        config=plan.config,
        interactive=plan.interactive,
    )

    def tell_skills(change: object) -> None:
        """The next turn's prompt lists the skills there are then."""
        fresh = replace(workshop, values={**workshop.values, "KIMI_SKILLS": skills.listing()})
        agent.system_prompt = fresh.prompt(spec)
        context.set_system_prompt(agent.system_prompt)

    skills.listen(tell_skills)

    def save() -> None:
        if not plan.approve_all:
            state.approval.yolo = approvals.yolo
        state.approval.auto_approve_actions = sorted(approvals.granted)
        state.todos = list(todos.items)
        session.save_state()

    approvals.on_change = save
    todos.on_change = save
    if mended:
        engine.tell(
            "This session was mended after a crash",
            f"{mended.bad_lines} unreadable lines, {mended.results_added} unfinished tool calls",
            severity="warning",
        )
    return engine


def _load_skills(plan: Plan) -> SkillLibrary:
    config = plan.config
    return SkillLibrary.load(
        SkillRoots(
            plan.work_dir,
            extra_dirs=config.extra_skill_dirs,
            skills_dirs=plan.skills_dirs,
            merge_all=config.merge_all_available_skills,
        )
    )


def _limits(control: LoopControl) -> Limits:
    threshold = Threshold(control.compaction_trigger_ratio, control.reserved_context_size)
    return Limits(control.max_steps_per_turn, control.max_retries_per_step, threshold)
