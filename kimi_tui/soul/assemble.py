"""Composition root: builds an engine from an `EngineConfig`."""

import asyncio
import contextlib
import logging
import os
import threading
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from kimi_tui import jsonl, paths
from kimi_tui.config.budget import Budget
from kimi_tui.config.model_selection import ChosenModel, choose_model
from kimi_tui.config.schema import Config, LoopControl
from kimi_tui.context.compaction import CompactionThreshold
from kimi_tui.context.context import Context, RepairReport
from kimi_tui.errors import AgentSpecError, ModelNotSetError
from kimi_tui.i18n import tr, tr_n
from kimi_tui.interaction.approvals import WhenAsked
from kimi_tui.llm.message import Message
from kimi_tui.llm.metering import current_meter, metered
from kimi_tui.llm.provider import ModelInfo, Provider
from kimi_tui.llm.reply import request_reply
from kimi_tui.mcp.config import Setup
from kimi_tui.mcp.connection import ConnectionContext
from kimi_tui.mcp.failure_notices import FailureNotices
from kimi_tui.mcp.sampling import Ask
from kimi_tui.mcp.servers import McpServers
from kimi_tui.mcp.servers import McpSession as McpSession
from kimi_tui.permission.settings import PermissionSettings
from kimi_tui.permission.trust import TrustState, changed_commands, changed_servers
from kimi_tui.session.importer import copy_kimi_cli_session, is_kimi_cli_session
from kimi_tui.session.session import Session, may_be_id, sessions_dir
from kimi_tui.skill.library import SkillLibrary
from kimi_tui.skill.roots import SkillRoots
from kimi_tui.soul.agent import Agent
from kimi_tui.soul.agent_spec import AgentSpec, agent_file, read_agent_spec
from kimi_tui.soul.background_notices import BackgroundNotices
from kimi_tui.soul.commands.dispatch import run_command
from kimi_tui.soul.commands.registry import COMMANDS
from kimi_tui.soul.disk_monitor import DiskMonitor
from kimi_tui.soul.engine import Engine
from kimi_tui.soul.flows.prompt_flow import PromptFlow, read_prompt_flow
from kimi_tui.soul.hooks.dispatcher import HookDispatcher
from kimi_tui.soul.model_switcher import ModelSwitcher
from kimi_tui.soul.notices import notice
from kimi_tui.soul.services import Services, make_services
from kimi_tui.soul.session_replay import damage_notice
from kimi_tui.soul.soul import Limits, Soul
from kimi_tui.soul.subagents.agent_factory import AgentFactory
from kimi_tui.soul.subagents.labor_market import LaborMarket
from kimi_tui.soul.subagents.pool import SubagentContext
from kimi_tui.soul.subagents.running import RunningSubagents
from kimi_tui.soul.system_prompt import AGENTS_MD_BYTES, InstructionFile, default_values, dirs_info, instruction_files
from kimi_tui.tools.file_support.workspace import Workspace
from kimi_tui.wire.channel import Wire
from kimi_tui.wire.events import Notification, StatusUpdate
from kimi_tui.wire.recorder import Recorder

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class EngineConfig:
    """The parameters of `build_engine`. `auto_approve`: approve calls without a user; `steered`: a program controls
    flows.

    `demo`: the model is the scripted demo. `featured`: a flow listed first, even if it is hidden. `standing`: the trust
    decision on the folder; the project's configuration stays disabled until it is trusted. `starts`: the engine starts
    loading and connecting at once; otherwise the UI calls `Engine.start`. `budget` caps each flow run. `plan_mode` is
    for a new session, `plan_requested` for any. `when_asked`, if not "approve", precedes yolo.
    """

    work_dir: Path
    config: Config
    model: str | None = None
    agent_file: Path | None = None
    session_id: str | None = None
    interactive: bool = True
    autostart: bool = True
    steerable: bool = False
    yolo: bool = False
    plan_mode: bool = False
    plan_requested: bool = False
    auto_approve: bool = False
    when_asked: WhenAsked | None = None
    add_dirs: tuple[Path, ...] = ()
    skills_dirs: tuple[Path, ...] = ()
    prompt_flow: Path | None = None
    thinking: bool = False
    mcp: Setup = field(default_factory=Setup)
    permissions: PermissionSettings = field(default_factory=PermissionSettings)
    demo: bool = False
    featured_flow: str | None = None
    trust: TrustState = field(default_factory=TrustState)
    warnings: tuple[str, ...] = ()
    budget: Budget = field(default_factory=Budget)


async def build_engine(plan: EngineConfig) -> Engine:
    """Build an engine on a new session, or on the session that the plan names.

    Raises KimiTuiError for an invalid plan. Headless, a missing model is an error too, since no UI can report it later.
    """
    spec = await asyncio.to_thread(read_agent_spec, plan.agent_file or agent_file("default"))
    plan = replace(plan, model=plan.model or _spec_model(spec, plan.config))
    chosen, missing = _choose(plan)
    prompt_flow = read_prompt_flow(plan.prompt_flow) if plan.prompt_flow else None
    session_id, copied = await asyncio.to_thread(_session_to_open, plan)
    session = Session.create(plan.work_dir, session_id)
    try:
        engine = await _assemble(plan, session, spec, chosen, missing, prompt_flow)
    except BaseException:
        session.close()
        raise
    if plan.interactive and plan.autostart:
        engine.start()
    for warning in filter(None, (*plan.warnings, copied, session.notice, session.state_notice, session.lock_notice)):
        engine.notify(warning, severity="warning")
    engine.finish_build()
    return engine


def _session_to_open(plan: EngineConfig) -> tuple[str | None, str]:
    """Return the session to open, and a note on it. A Kimi CLI session is copied: its prompt names other tools."""
    if plan.session_id is None or not may_be_id(plan.session_id):
        return plan.session_id, ""
    if not is_kimi_cli_session(folder := sessions_dir(plan.work_dir) / plan.session_id):
        return plan.session_id, ""
    copied = tr("This is a copy of Kimi CLI's session {session}; the original is not changed", session=plan.session_id)
    return copy_kimi_cli_session(folder, plan.work_dir), copied


def _spec_model(spec: AgentSpec, config: Config) -> str | None:
    """Return the model that an agent's file names. Raises AgentSpecError for a model that is not configured."""
    if spec.model is not None and spec.model not in config.models:
        known_models = ", ".join(sorted(config.models)) or tr("none")
        cause = tr("no model named {name!r}. Configured: {known}", name=spec.model, known=known_models)
        raise AgentSpecError(cause, file=spec.file, key="model")
    return spec.model


def _choose(plan: EngineConfig) -> tuple[ChosenModel | None, str]:
    try:
        return choose_model(plan.config, plan.model), ""
    except ModelNotSetError as error:
        if not plan.interactive:
            raise
        return None, str(error)


async def _assemble(
    plan: EngineConfig,
    session: Session,
    spec: AgentSpec,
    chosen: ChosenModel | None,
    missing: str,
    prompt_flow: PromptFlow | None,
) -> Engine:
    wire = Wire()
    disk_monitor = DiskMonitor(
        asyncio.get_running_loop(), lambda title, body, is_bad: wire.send(_disk_notice(title, body, is_bad))
    )
    wire_file, context_file = session.dir / "wire.jsonl", session.dir / "context.jsonl"
    resumed = wire_file.exists()
    journal = session.dir / "flow.jsonl"
    torn = [file for file in (wire_file, journal) if jsonl.save_torn_tail(file)]  # defence: keep-torn-records
    recorder = Recorder(jsonl.JsonlWriter(wire_file, on_trouble=disk_monitor.watch(wire_file)))
    wire.listen(recorder, merged=True)
    writer = jsonl.JsonlWriter(context_file, on_trouble=disk_monitor.watch(context_file))
    abandoned = threading.Event()
    try:
        skills, (context, mended) = await asyncio.gather(
            asyncio.to_thread(_load_skills, plan),
            asyncio.to_thread(Context.load, writer, abandoned=abandoned),
        )
    except BaseException:
        abandoned.set()  # the end of the program waits for its threads
        raise
    services = make_services(
        session,
        wire,
        skills,
        plan.config,
        workspace=Workspace(plan.work_dir, (*plan.add_dirs, *map(Path, session.state.additional_dirs))),
        yolo=(plan.yolo or session.state.approval.yolo or plan.auto_approve)
        and plan.when_asked in (None, "approve"),  # defence: when-asked-before-yolo
        plan_mode=plan.plan_requested or (plan.plan_mode and not resumed),
        attended=not plan.auto_approve,
        headless=not plan.interactive,
        permissions=plan.permissions,
    )
    hooks = HookDispatcher(
        plan.config.hooks, wire.send, work_dir=plan.work_dir, session_id=session.id, env=services.env
    )
    models = ModelSwitcher(
        plan.config,
        chosen,
        thinking=plan.thinking,
        cache_key=session.id,
        missing=missing,
        on_ready=lambda provider: setattr(soul, "provider", provider),
    )
    services.media.capabilities = models.info.capabilities
    limits = _limits(plan.config.loop_control)
    running_subagents = RunningSubagents()

    async def find_model(name: str | None) -> tuple[Provider | None, ModelInfo]:
        return (soul.provider, soul.model) if name in (None, soul.model.key) else await models.other(name)

    subagent_context = SubagentContext(
        session.dir / "subagents", find_model, wire.drain, limits, hooks, running_subagents
    )
    values = await asyncio.to_thread(
        default_values,
        plan.work_dir,
        skills=skills.listing(),
        additional_dirs=services.workspace.additional_dirs,
    )

    async def ask_model(system_prompt: str, messages: Sequence[Message]) -> tuple[str, str]:
        if soul.provider is None:
            raise ModelNotSetError(missing)
        current_meter.set(engine.flows.meter)  # a server's request runs in a task of its own
        provider = metered(soul.provider, soul.model.key)
        reply = await request_reply(provider, system_prompt, (), messages, on_part=lambda _: None)
        return soul.model.model, reply.message.text

    mcp = McpServers(plan.mcp, _mcp_session(plan, services, wire, ask_model))
    factory = AgentFactory(services, values, subagent_context, mcp.attach)
    market = factory.market(spec)
    agent = factory.make(spec, wire.send, system_prompt=_previous_prompt(context, services), market=market)
    _restore_subagents(agent, market, session)
    mcp.attach(agent.toolset)
    if context.system_prompt != agent.system_prompt:
        context.set_system_prompt(agent.system_prompt)
    soul = Soul(
        agent,
        model=models.info,
        context=context,
        send=wire.send,
        drain=wire.drain,
        limits=limits,
        hooks=hooks,
    )
    engine = Engine(
        soul=soul,
        wire=wire,
        recorder=recorder,
        session=session,
        services=services,
        models=models,
        hooks=hooks,
        running_subagents=running_subagents,
        mcp=mcp,
        config=plan.config,
        prompt_flow=prompt_flow,
        commands=[command.info for command in COMMANDS],
        run_command=run_command,
        interactive=plan.interactive or plan.steerable,
        headless=not plan.interactive,
        changed_commands=lambda: changed_commands(plan.work_dir, plan.trust, plan.config.extra_skill_dirs),
        budget=plan.budget,
        when_asked=plan.when_asked,
        approves=plan.auto_approve,
    )
    if os.environ.get("KIMI_TUI_OTEL") == "1":
        from kimi_tui.soul.tracing import start_tracing

        engine.on_close = start_tracing(engine).close
    _log_skills(skills)
    _renew_prompt_on_change(agent, spec, context, factory, skills)
    services.background.on_end = BackgroundNotices(wire.send, soul.add_system_note)
    for file in torn:
        wire.send(damage_notice(1, file))
    if mended:
        engine.notify(
            tr("This session was repaired after a crash"), _repair_message(mended, context_file), severity="warning"
        )
    await _report_cut_instructions(engine, plan.work_dir)
    if services.plan_mode.on:
        wire.send(StatusUpdate(plan_mode=True))
    await hooks.ask("SessionStart", "resume" if resumed else "startup", source="resume" if resumed else "startup")
    return engine


def _previous_prompt(context: Context, services: Services) -> str | None:
    """Return the session's previous system prompt; None without one, or if it lacks a folder added since."""
    prompt = context.system_prompt
    if prompt is None or not all(f"`{folder}`" in prompt for folder in services.workspace.additional_dirs):
        return None
    return prompt


def _restore_subagents(agent: Agent, market: LaborMarket, session: Session) -> None:
    """Restore the subagents created in this session, and keep new ones."""
    for name, prompt in session.state.subagents.items():
        with contextlib.suppress(ValueError):  # the agent's file now defines one of that name
            agent.subagents.register(name, prompt)
    market.on_hire = session.add_subagent


def _renew_prompt_on_change(
    agent: Agent, spec: AgentSpec, context: Context, factory: AgentFactory, skills: SkillLibrary
) -> None:
    """Rebuild the system prompt for the next turn whenever the skills or the added folders change."""
    workspace = factory.services.workspace

    def renew(change: object = None) -> None:
        _log_skills(skills)
        now = {"KIMI_SKILLS": skills.listing(), "KIMI_ADDITIONAL_DIRS_INFO": dirs_info(workspace.additional_dirs)}
        agent.system_prompt = replace(factory, values={**factory.values, **now}).prompt(spec)
        context.set_system_prompt(agent.system_prompt)

    skills.listen(renew)
    workspace.on_add = renew


async def _report_cut_instructions(engine: Engine, work_dir: Path) -> None:
    for file in await asyncio.to_thread(instruction_files, work_dir):
        if file.cut:
            _log.warning("%s is too long; using only its start", file.path)
            engine.notify(tr("{file} is too long", file=file.path), _only_the_start(file), severity="warning")


def _mcp_session(plan: EngineConfig, services: Services, wire: Wire, ask_model: Ask) -> McpSession:
    return McpSession(
        around=ConnectionContext(
            plan.work_dir,
            services.env,
            services.questions,
            ask_model,
            services.sandbox.written_folders,
            lambda: changed_servers(plan.work_dir, plan.trust),
        ),
        approvals=services.approvals,
        progress=services.progress,
        send=wire.send,
        notify=lambda title, body: wire.send(notice(title, body, severity="warning", kind="mcp")),
        capabilities=lambda: services.media.capabilities,
        notices=FailureNotices(
            paths.home() / "cache" / "mcp-told.json" if plan.interactive and plan.autostart else None
        ),
    )


def _only_the_start(file: InstructionFile) -> str:
    return tr(
        "The model receives only the first {shown:,} of {size:,} bytes: AGENTS.md files are limited to {most:,} "
        "bytes in total.",
        shown=len(file.text.encode()),
        size=file.size,
        most=AGENTS_MD_BYTES,
    )


def _disk_notice(title: str, body: str, is_bad: bool) -> Notification:
    return notice(title, body, severity="warning" if is_bad else "info", kind="disk")


def _repair_message(mended: RepairReport, file: Path) -> str:
    facts = [
        tr_n("{count} unreadable line", "{count} unreadable lines", mended.bad_lines),
        tr_n("{count} unfinished tool call", "{count} unfinished tool calls", mended.results_added),
    ]
    if mended.bad_lines:
        facts.append(tr("saved in {file}", file=file.with_suffix(".bad.jsonl").name))
    return " · ".join(facts)


def _log_skills(skills: SkillLibrary) -> None:
    """Log the skills and the problems that disable a skill, broken flow charts among them."""
    _log.debug("skills: %s", ", ".join(skill.name for skill in skills.skills) or "none")
    for problem in skills.problems():
        level = logging.WARNING if problem.severity == "error" else logging.INFO
        _log.log(level, "%s:%s: %s", problem.path, problem.line or "", problem.text)


def _load_skills(plan: EngineConfig) -> SkillLibrary:
    config = plan.config
    return SkillLibrary.load(
        SkillRoots(
            plan.work_dir,
            extra_dirs=config.extra_skill_dirs,
            skills_dirs=plan.skills_dirs,
            merge_all=config.merge_all_available_skills,
            with_project=plan.trust.reads_skills,
            project_waits=plan.trust.pending,
            project_last=not plan.trust.active,
        ),
        featured=plan.featured_flow,
    )


def _limits(control: LoopControl) -> Limits:
    threshold = CompactionThreshold(control.compaction_trigger_ratio, control.reserved_context_size)
    return Limits(control.max_steps_per_turn, control.max_retries_per_step, threshold)
