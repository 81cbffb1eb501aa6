"""`kimi-tui acp`: runs sessions for an editor, on stdin and stdout."""

import argparse
import asyncio
import signal
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import cast

from acp.agent.connection import AgentSideConnection
from acp.interfaces import Agent, Client

from kimi_tui.cli.engine_options import build_plan
from kimi_tui.cli.error_output import print_error
from kimi_tui.cli.log_file import start_logging
from kimi_tui.config.loader import load_config
from kimi_tui.config.model_selection import choose_model
from kimi_tui.errors import ConfigError, ModelNotSetError, UsageError
from kimi_tui.mcp.config import Server
from kimi_tui.permission.trust import ignored_items
from kimi_tui.soul.assemble import build_engine
from kimi_tui.soul.engine import Engine
from kimi_tui.ui.acp.agent import AcpAgent
from kimi_tui.ui.acp.transport import StdioTransport
from kimi_tui.ui.stdio import LineReader, LineWriter, claim_stdio


def run_acp_mode(options: argparse.Namespace) -> int:
    """Serve until stdin closes; returns the exit status. Raises UsageError if stdin or stdout is unusable."""
    start_logging(options.debug)
    if options.prompt is not None:
        print_error("--prompt cannot be used with acp")
    try:
        source, sink = claim_stdio()
    except OSError as error:
        raise UsageError(f"acp needs stdin and stdout: {error.strerror}") from error
    return asyncio.run(_serve(_Program(options), source, sink))


async def _serve(program: "_Program", source: int, sink: int) -> int:
    agents: list[AcpAgent] = []

    def make(client: Client) -> Agent:
        agents.append(AcpAgent(client, program))
        return cast(Agent, agents[0])

    received: list[int] = []
    writer = LineWriter(sink, on_broken=lambda: listening.cancel())
    reader = LineReader(source, on_end=writer.expect_end)
    connection = AgentSideConnection(make, StdioTransport(reader, writer), listening=False, use_unstable_protocol=True)
    listening = asyncio.create_task(connection.listen())

    def stop(number: int) -> None:
        received.append(number)
        listening.cancel()

    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        loop.add_signal_handler(number, stop, number)
    try:
        await asyncio.wait({listening})
    finally:
        await agents[0].aclose()
        await connection.close()
        await writer.close()
    return 128 + received[0] if received else 0


class _Program:
    """The command line options for every session; each session reloads the configuration."""

    def __init__(self, options: argparse.Namespace) -> None:
        self._options = options

    async def open(
        self, work_dir: Path, session_id: str | None, *, add_dirs: Sequence[Path], mcp_servers: Sequence[Server]
    ) -> Engine:
        overrides = {"work_dir": str(work_dir), "session": session_id, "continue_": False}
        options = argparse.Namespace(**{**vars(self._options), **overrides})
        plan = await asyncio.to_thread(build_plan, options, interactive=True)
        if ignored := ignored_items(work_dir, plan.trust):
            print_error(ignored)
        client_names = {server.name for server in mcp_servers}
        own_servers = [server for server in plan.mcp.servers if server.name not in client_names]
        mcp = replace(plan.mcp, servers=(*mcp_servers, *own_servers))
        engine = await build_engine(replace(plan, autostart=False, add_dirs=(*plan.add_dirs, *add_dirs), mcp=mcp))
        if ignored:  # an editor does not show stderr; the session listens from the next tick on
            asyncio.get_running_loop().call_soon(partial(engine.notify, ignored, severity="warning"))
        return engine

    def why_no_model(self) -> str | None:
        if self._options.demo:
            return None
        file = self._options.config_file
        try:
            loaded = load_config(Path(file).expanduser() if file else None, text=self._options.config)
            choose_model(loaded.config, self._options.model)
        except ModelNotSetError as error:
            return str(error)
        except ConfigError:
            return None  # opening a session reports the error
        return None
