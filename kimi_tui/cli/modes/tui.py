"""Starts the TUI: an immediate first frame, then Textual."""

import argparse
import gc
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from kimi_tui.cli.first_paint import first_paint
from kimi_tui.cli.modes.demo import FLOW as DEMO_FLOW
from kimi_tui.cli.modes.demo import delete_demo
from kimi_tui.cli.standard_streams import end_output
from kimi_tui.cli.terminal_restore import TerminalState, preserve_terminal
from kimi_tui.cli.work_dir import resolve_work_dir
from kimi_tui.errors import UsageError
from kimi_tui.paths import shown
from kimi_tui.ui.tui.i18n import catalog

if TYPE_CHECKING:
    from kimi_tui.permission.trust import TrustState
    from kimi_tui.soul.assemble import EngineConfig


def run_tui_mode(options: argparse.Namespace) -> int:
    """Run the TUI; returns the exit status. Raises KimiTuiError for errors before it starts."""
    if options.page is not None:
        return _show(options, resolve_work_dir(options))
    if not has_terminal():
        raise UsageError("the screen needs a terminal; without one use --print")
    if os.environ.get("TERM") == "dumb":  # defence: dumb-terminal
        raise UsageError("this terminal (TERM=dumb) cannot show a screen; use --print")
    work_dir = resolve_work_dir(options)
    gc.disable()  # until `ui.tui.startup.gc_tuning` turns it on again
    with preserve_terminal() as terminal_state:
        catalog.set_language(catalog.resolve_language("auto"))  # the configured language is read later
        first_paint(sys.stdout, "" if options.demo else shown(work_dir), terminal_state)
        try:
            return _show(options, work_dir, terminal_state=terminal_state)
        finally:
            end_output()


def _show(options: argparse.Namespace, work_dir: Path, *, terminal_state: TerminalState | None = None) -> int:
    """Run the TUI in this terminal, or in the browser page that started this process."""
    from kimi_tui.ui.tui.main import run_tui

    def make_plan(work_dir: Path | None, trust: "TrustState | None") -> "EngineConfig":
        from kimi_tui.cli.engine_options import build_plan
        from kimi_tui.cli.log_file import start_logging

        start_logging(options.debug)
        return build_plan(options, interactive=True, work_dir=work_dir, trust=trust, asks=True)

    def make_demo() -> "tuple[EngineConfig, str]":
        from kimi_tui.cli.engine_options import build_demo_plan

        return build_demo_plan(options, interactive=True), f"/flow:{DEMO_FLOW}"

    return run_tui(
        make_plan,
        work_dir_label="" if options.demo else shown(work_dir),
        work_dir=None if options.demo else work_dir,
        prompt=_prompt(options),
        make_demo=make_demo,
        on_demo_end=delete_demo,
        config_file=Path(options.config_file).expanduser() if options.config_file else None,
        config_is_saved=options.config is None,
        initial_screen="sessions" if options.session == "" else "",
        ascii=options.ascii,
        motion=not options.reduced_motion,
        plain=options.plain,
        browser_size=options.page,
        terminal_state=terminal_state,
    )


def _prompt(options: argparse.Namespace) -> str | None:
    """Return the initial prompt, or None."""
    flow = DEMO_FLOW if options.demo and not options.flow else options.flow
    if flow:
        return f"/flow:{flow} {options.prompt or ''}".strip()
    return options.prompt.strip() if options.prompt else None


def has_terminal() -> bool:
    """Whether a user can see the output and type."""
    return sys.stdin.isatty() and sys.stdout.isatty()  # defence: terminal-is-needed
