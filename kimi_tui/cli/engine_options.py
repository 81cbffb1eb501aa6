"""Builds the engine's configuration from the options; all UIs use it."""

import argparse
import contextlib
from dataclasses import replace
from pathlib import Path

from kimi_tui.cli.session_lookup import named_session
from kimi_tui.cli.work_dir import resolve_folder, resolve_work_dir
from kimi_tui.config.budget import Budget
from kimi_tui.config.loader import LoadedConfig, load_config
from kimi_tui.config.model_selection import choose_model
from kimi_tui.config.schema import Config
from kimi_tui.errors import KimiTuiError, UsageError
from kimi_tui.i18n import tr
from kimi_tui.mcp.config import load as load_mcp
from kimi_tui.permission.settings import PermissionSettings, permission_settings
from kimi_tui.permission.trust import TrustState, broken_decisions, trust_state
from kimi_tui.session.importer import copy_kimi_cli_session, is_kimi_cli_session, kimi_cli_sessions
from kimi_tui.session.session import last_session_id, list_sessions, lock_owner, sessions_dir
from kimi_tui.session.session_index import is_open
from kimi_tui.soul.agent_spec import agent_file
from kimi_tui.soul.assemble import EngineConfig
from kimi_tui.soul.provider_config import model_info
from kimi_tui.tools.core.permission_subject import parse_subject
from kimi_tui.tools.file_support.workspace import Workspace


def build_plan(
    options: argparse.Namespace,
    *,
    interactive: bool,
    work_dir: Path | None = None,
    trust: TrustState | None = None,
    asks: bool = False,
) -> EngineConfig:
    """Validate the options and build the plan. Raises UsageError, ConfigError.

    `work_dir` overrides the options' folder, and starts a new session; `trust` is a trust decision just made.
    `asks`: the UI asks whether the user trusts the folder.
    """
    if options.demo:
        return build_demo_plan(options, interactive=interactive)
    elsewhere = work_dir is not None
    work_dir = work_dir or resolve_work_dir(options)
    loaded = load_config(Path(options.config_file).expanduser() if options.config_file else None, text=options.config)
    config = _with_limits(loaded.config, options)
    if trust is None:
        trust = TrustState(True) if options.trust else trust_state(work_dir, config.extra_skill_dirs)
        trust = replace(trust, headless=not asks, can_ask=asks)
    permissions = _with_sandbox(load_permissions(loaded, work_dir, trusted=trust.active), options)
    limited = options.when_asked in ("refuse", "park")
    if limited and (options.yolo or options.afk):
        raise UsageError(f"--when-asked {options.when_asked} cannot be combined with --yolo or --afk")
    if options.prompt_flow and config.loop_control.max_ralph_iterations:
        raise UsageError("--prompt-flow cannot be combined with loop_control.max_ralph_iterations")
    session_id, warning = None, ""
    if options.session and not elsewhere:
        session_id, warning = named_session(options.session, work_dir)
        warning = "" if options.page else warning  # the server has named the session of a new tab
    elif options.continue_ and not elsewhere:
        session_id, warning = _session_to_resume(work_dir)
    thinking = config.default_thinking if options.thinking is None else options.thinking
    warnings = (
        *loaded.warnings,
        *permissions.mistakes,  # defence: rules-that-never-match
        *filter(None, (broken_decisions(), warning, _cannot_think(config, options.model) if thinking else "")),
    )
    return EngineConfig(
        work_dir=work_dir,
        config=config,
        model=options.model,
        agent_file=_agent_file(options),
        session_id=session_id,
        interactive=interactive,
        yolo=options.yolo or (not limited and (config.default_yolo or permissions.mode == "yolo")),
        plan_mode=options.plan or config.default_plan_mode or permissions.mode == "plan",
        plan_requested=options.plan,
        auto_approve=options.afk or not interactive,
        when_asked=options.when_asked,
        add_dirs=tuple(resolve_folder(folder, "--add-dir") for folder in options.add_dir),
        skills_dirs=tuple(resolve_folder(folder, "--skills-dir") for folder in options.skills_dir),
        prompt_flow=Path(options.prompt_flow) if options.prompt_flow else None,
        thinking=thinking,
        mcp=load_mcp(
            work_dir,
            files=[Path(file).expanduser() for file in options.mcp_config_file],
            texts=options.mcp_config,
            trusted=trust.active,
        ),
        permissions=permissions,
        trust=trust,
        warnings=warnings,
        budget=read_budget_options(options),
    )


def read_budget_options(options: argparse.Namespace) -> Budget:
    """Return the budget of flow runs from the command line."""
    return Budget(options.max_cost, options.max_tokens, options.max_time)


def build_demo_plan(options: argparse.Namespace, *, interactive: bool) -> EngineConfig:
    """Build the plan of the demo. Raises UsageError if it is not installed."""
    from kimi_tui.cli.modes.demo import demo_plan

    plan = demo_plan(options, interactive=interactive)
    permissions = _with_sandbox(plan.permissions, options)
    config, budget = _with_limits(plan.config, options), read_budget_options(options)
    return replace(plan, config=config, budget=budget, permissions=permissions)


def _with_sandbox(permissions: PermissionSettings, options: argparse.Namespace) -> PermissionSettings:
    """Apply `--no-sandbox`."""
    if not options.no_sandbox:
        return permissions
    return replace(permissions, sandbox=permissions.sandbox.model_copy(update={"mode": "off"}))


def _session_to_resume(work_dir: Path) -> tuple[str, str]:
    """Return the most recent session that no other process has open, and a note unless it is simply the last one.

    Raises UsageError without one.
    """
    last = last_session_id(work_dir)
    if last is None:
        kimis = next(
            (folder for folder in kimi_cli_sessions(work_dir) if folder.is_file() or is_kimi_cli_session(folder)), None
        )
        if kimis is None:
            raise UsageError(f"no session to resume in {work_dir}")
        session_id = copy_kimi_cli_session(kimis, work_dir)
        return session_id, tr("Resuming a copy of Kimi CLI's last session here; the original is not changed")
    folder = sessions_dir(work_dir) / last
    if not is_open(folder):
        return last, ""
    title = next((info.title for info in list_sessions(work_dir) if info.id == last), "") or last
    for info in list_sessions(work_dir):
        if info.id != last and not info.archived and not is_open(info.dir):
            return info.id, tr(
                "The last session, “{title}”, is open in another window; opened the most recent free one instead",
                title=title,
            )
    owner = f" (pid {pid})" if (pid := lock_owner(folder)) else ""
    raise UsageError(
        f"the session “{title}” is open in another window{owner}, and {work_dir} has no other session to resume; "
        "close it there, or start without --continue"
    )


def _cannot_think(config: Config, name: str | None) -> str:
    """Return a warning if thinking is requested of a model not known to support it."""
    with contextlib.suppress(KimiTuiError):  # reported when the model is needed
        model = model_info(choose_model(config, name))
        if not model.capabilities & {"thinking", "always_thinking"}:
            return tr(
                "thinking is off for {name}: its capabilities do not include thinking (set them in the "
                "configuration or in KIMI_MODEL_CAPABILITIES)",
                name=model.name,
            )
    return ""


def load_permissions(loaded: LoadedConfig, work_dir: Path, *, trusted: bool) -> PermissionSettings:
    """Return the permission rules and the sandbox here, including the project's. Raises ConfigError."""
    workspace = Workspace(work_dir)
    return permission_settings(
        loaded.config,
        loaded.file,
        work_dir,
        lambda tool, text: parse_subject(tool, text, workspace),
        trusted=trusted,
    )


def _agent_file(options: argparse.Namespace) -> Path | None:
    if options.agent_file:
        return Path(options.agent_file).expanduser()
    return agent_file(options.agent) if options.agent else None


def _with_limits(config: Config, options: argparse.Namespace) -> Config:
    """Return the configuration with the limits from the command line."""
    names = ("max_steps_per_turn", "max_retries_per_step", "max_ralph_iterations")
    update = {name: getattr(options, name) for name in names if getattr(options, name) is not None}
    control = config.loop_control.model_copy(update=update)
    return config.model_copy(update={"loop_control": control})
