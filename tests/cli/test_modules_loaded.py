"""How many modules a start loads. A count that rises is an import that came back: the figures stand in tests/bench."""

import asyncio
import os
import subprocess
import sys
from pathlib import Path

from tests.faults.terminal import Terminal
from tests.llm.servers import OpenAIServer, chat_reply, openai_server

__all__ = ["openai_server"]

ROOT = Path(__file__).resolve().parents[2]
HEADLESS = 1_480
SCREEN = 1_912
OWN_HEADLESS = 344
CONFIG = """default_model: m
providers:
  p: {{type: openai_legacy, base_url: "{url}", api_key: k}}
models:
  m: {{provider: p, model: test-model, max_context_size: 100000}}
"""


def made_env(tmp_path: Path, server: OpenAIServer) -> dict[str, str]:
    home = tmp_path / "home"
    home.mkdir()
    (home / "config.yaml").write_text(CONFIG.format(url=server.base_url), "utf-8")
    return {
        **os.environ,
        "KIMI_TUI_HOME": str(home),
        "HOME": str(tmp_path),
        "MODULES": str(tmp_path / "modules"),
        "PYTHONPATH": str(ROOT),
    }


async def test_a_headless_answer_loads_few_modules(tmp_path: Path, openai_server: OpenAIServer) -> None:
    openai_server.add(chat_reply("Hello"))
    code = (
        "import sys\nfrom kimi_tui.cli.main import main\nmain(['--quiet', '-p', 'hi'])\n"
        "own = [name for name in sys.modules if name.startswith('kimi_tui.')]\n"
        "heavy = {'textual', 'mcp', 'anthropic', 'watchfiles', 'bs4', 'selectolax'} & {*sys.modules}\n"
        "print(len(sys.modules), len(own), *heavy)"
    )
    done = await asyncio.to_thread(
        subprocess.run,
        [sys.executable, "-c", code],
        cwd=tmp_path,
        env=made_env(tmp_path, openai_server),
        capture_output=True,
        text=True,
        timeout=60,
    )
    said, counts = done.stdout.splitlines()
    everything, own, *heavy = counts.split()
    assert (said, heavy) == ("Hello", []), done.stderr
    assert int(everything) <= HEADLESS, everything
    assert int(own) <= OWN_HEADLESS, own


async def test_the_screen_loads_few_modules_before_the_first_request(
    tmp_path: Path, openai_server: OpenAIServer
) -> None:
    openai_server.add(chat_reply("Hello back"))
    env = made_env(tmp_path, openai_server)

    def run() -> None:
        with Terminal([], cwd=tmp_path, env=env, module="tests.cli.count_modules") as terminal:
            terminal.wait_for("Enter send")
            terminal.process.write(b"hi")
            terminal.wait_for("hi")
            terminal.process.write(b"\r")
            terminal.wait_for("Hello back")

    await asyncio.to_thread(run)
    assert int(Path(env["MODULES"]).read_text("utf-8")) <= SCREEN
