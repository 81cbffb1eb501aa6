"""`--wire`: serves the Wire to other programs, on stdin and stdout."""

import argparse
import asyncio
import signal
from dataclasses import replace

from kimi_tui.cli.engine_options import build_plan
from kimi_tui.cli.error_output import print_error
from kimi_tui.cli.log_file import start_logging
from kimi_tui.errors import UsageError
from kimi_tui.permission.trust import ignored_items
from kimi_tui.soul.assemble import build_engine
from kimi_tui.ui.stdio import LineReader, LineWriter, claim_stdio
from kimi_tui.ui.wire_server.server import WireServer


def run_wire_mode(options: argparse.Namespace) -> int:
    """Serve until stdin closes; returns the exit status. Raises KimiTuiError for errors before the start."""
    start_logging(options.debug)
    if options.prompt is not None:
        print_error("--prompt cannot be used with --wire")
    plan = replace(build_plan(options, interactive=True), autostart=False)
    if ignored := ignored_items(plan.work_dir, plan.trust):
        print_error(ignored)
    try:
        source, sink = claim_stdio()
    except OSError as error:
        raise UsageError(f"--wire needs stdin and stdout: {error.strerror}") from error

    async def run() -> int:
        loop = asyncio.get_running_loop()
        writer = LineWriter(sink, on_broken=lambda: server.stop())
        reader = LineReader(source, on_end=writer.expect_end)
        engine = await build_engine(plan)
        if engine.session.notice:
            print_error(engine.session.notice)
        received: list[int] = []
        try:
            server = WireServer(engine, reader, writer)

            def stop(number: int) -> None:
                received.append(number)
                server.stop()

            for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
                loop.add_signal_handler(number, stop, number)
            try:
                await server.serve()
            finally:
                await writer.close()
        finally:
            await engine.aclose()
        return 128 + received[0] if received else 0

    return asyncio.run(run())
