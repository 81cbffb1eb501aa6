"""`--print`: answers one prompt, or one per input line, without a TUI."""

import argparse
import asyncio
import gc
import io
import sys
from dataclasses import replace

from kimi_tui.cli.engine_options import build_plan
from kimi_tui.cli.error_output import print_error
from kimi_tui.cli.log_file import start_logging
from kimi_tui.errors import KimiTuiError, UsageError
from kimi_tui.formats import byte_count
from kimi_tui.permission.trust import ignored_items
from kimi_tui.soul.assemble import build_engine
from kimi_tui.soul.commands.registry import takes_effect_at_once
from kimi_tui.ui.print.background import wait_for_background
from kimi_tui.ui.print.runner import Output, answer, answer_lines

_CLOSE_WORD_S = 2.0
_MAX_STDIN = 64 << 20
_CLOSING = "running work or a hook is still ending; Ctrl+C ends it at once"


def run_print_mode(options: argparse.Namespace) -> int:
    """Run the mode; returns the exit status. Raises KimiTuiError."""
    start_logging(options.debug)
    if options.output_format == "stream-json" and isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8")  # regardless of the locale, which the reader cannot know
    reads_lines = options.input_format == "stream-json"
    prompt = None if reads_lines else _prompt(options)
    plan = replace(build_plan(options, interactive=False), steerable=reads_lines)
    for warning in (*plan.warnings, ignored_items(plan.work_dir, plan.trust)):
        if warning:
            print_error(warning)
    output = Output(
        json=options.output_format == "stream-json",
        final_only=options.final_message_only,
        flow_events=options.flow_events,
        progress=sys.stderr.isatty() and not options.quiet,
    )

    async def run() -> int:
        engine = await build_engine(plan)
        gc.freeze()  # the collector would look through the modules and a long history, which stay
        gc.enable()
        for notice in engine.start_notices:  # defence: start-notices-of-print
            if notice.severity == "warning" and notice.title not in plan.warnings:
                print_error(": ".join(filter(None, (notice.title, notice.body))))
        try:
            if prompt is None:
                return await answer_lines(engine, sys.stdin.buffer, output, at_once=takes_effect_at_once)
            status = await answer(engine, prompt, output)
            ceiling = engine.config.background.print_wait_ceiling_s
            with engine.flows.background_work():
                return status or await wait_for_background(
                    engine, engine.services.background, output, ceiling_s=ceiling
                )
        except KimiTuiError as error:
            print_error(str(error))
            return error.exit_code
        finally:
            if not (engine.session.is_empty or engine.session.notice or plan.demo or options.quiet):
                # before the rest, which another signal may cut off
                if engine.is_saved:  # defence: resume-only-what-is-kept
                    sys.stderr.write(f"Resume this session: kimi-tui --session {engine.session_id}\n")
                else:
                    print_error(f"the last messages of the session {engine.session_id} are not on disk")
            # defence: word-of-a-long-end
            waiting = asyncio.get_running_loop().call_later(_CLOSE_WORD_S, print_error, _CLOSING)
            try:
                await engine.aclose()
            finally:
                waiting.cancel()
            if plan.demo:
                from kimi_tui.cli.modes.demo import delete_demo

                await asyncio.to_thread(delete_demo, plan.work_dir)

    return asyncio.run(run())


def _prompt(options: argparse.Namespace) -> str:
    flow = options.flow
    if options.demo and not flow:
        from kimi_tui.cli.modes.demo import FLOW

        flow = FLOW
    text = options.prompt
    if flow:
        return f"/flow:{flow} {text or ''}".strip()
    if text is None and options.prompt_flow:
        return "/begin"
    if text is None and not sys.stdin.isatty():
        read = sys.stdin.buffer.read(_MAX_STDIN + 1)
        if len(read) > _MAX_STDIN:  # defence: bound-standard-input
            raise UsageError(f"standard input is larger than {byte_count(_MAX_STDIN)}")
        text = read.decode("utf-8", "replace")
    if text is None or not text.strip():
        raise UsageError("no prompt: use --prompt or standard input")
    return text.strip()
