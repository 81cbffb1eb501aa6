import pwd
import subprocess
import sys

import pytest

from kimi_tui import __version__
from kimi_tui.cli.exit_status import exit_status
from kimi_tui.cli.main import main

HEAVY = ("textual", "rich", "pydantic", "openai", "mcp", "ruamel", "markdown_it", "watchfiles", "asyncio")


def run(*args: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "kimi_tui", *args], capture_output=True, text=True, stdin=subprocess.DEVNULL
    )


@pytest.mark.parametrize("option", ["--version", "--help"])
def test_version_and_help_answer_without_anything_heavy(option):
    code = (
        f"import sys\nfrom kimi_tui.cli.main import main\ntry:\n    main(['{option}'])\nexcept SystemExit:\n    pass\n"
    )
    code += f"print([name for name in {HEAVY!r} if name in sys.modules], file=sys.stderr)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stderr.strip() == "[]"
    assert done.stdout


@pytest.mark.parametrize(("option", "most"), [("--version", 48), ("--help", 80)])
def test_version_and_help_load_few_modules(option, most):
    code = (
        "import sys\nbefore = len(sys.modules)\nfrom kimi_tui.cli.main import main\n"
        f"try:\n    main(['{option}'])\nexcept SystemExit:\n    pass\nprint(len(sys.modules) - before, file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-I", "-c", code], capture_output=True, text=True)
    assert int(done.stderr) <= most


def test_the_interpreter_looks_for_no_garbage_at_its_end():
    code = (
        "import atexit, gc, sys\natexit.register(lambda: print(gc.get_freeze_count() > 1000))\n"
        "sys.argv = ['kimi-tui', '--version']\nfrom kimi_tui.cli.main import main\nsys.exit(main())"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout.splitlines()[-1] == "True", done.stderr


def test_the_version_is_the_programs():
    assert run("--version").stdout == f"kimi-tui {__version__}\n"


def test_without_a_terminal_the_screen_says_what_to_use_instead():
    done = run()
    assert done.returncode == 2
    assert done.stderr == "kimi-tui: the screen needs a terminal; without one use --print\n"


def test_without_a_terminal_the_setup_for_editors_ends_with_the_cause():
    done = run("acp", "--setup")
    assert (done.returncode, done.stderr) == (2, "kimi-tui: --setup needs a terminal\n")
    done = run("--config", "{}", "acp", "--setup")
    assert done.returncode == 2
    assert "cannot be combined with --config" in done.stderr


@pytest.mark.skipif(sys.platform != "linux", reason="there is no such switch")
@pytest.mark.parametrize("argv", ["info", "--print", "--wire", "acp", "web --port 70000"])
def test_no_command_can_read_the_keys_in_the_environment_of_the_program(argv):
    code = (
        f"import ctypes\nfrom kimi_tui.cli.main import main\n"
        f"try:\n    main({argv.split()!r})\nexcept SystemExit:\n    pass\n"
        "raise SystemExit(40 + ctypes.CDLL(None).prctl(3, 0, 0, 0, 0))"  # PR_GET_DUMPABLE
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, stdin=subprocess.DEVNULL)
    assert done.returncode == 40, done.stderr


LAYERS = {
    "kimi_tui.wire.codec": ("textual", "rich", "openai", "mcp", "httpx"),
    "kimi_tui.flow": ("textual", "rich", "openai", "mcp", "httpx"),
    "kimi_tui.llm.providers.factory": ("textual", "openai", "mcp", "anthropic"),
    "kimi_tui.tools.core.toolset": ("textual", "openai", "mcp"),
    "kimi_tui.skill.library": ("textual", "openai", "mcp", "watchfiles"),
    "kimi_tui.soul.assemble": ("textual", "openai", "mcp", "watchfiles"),
    "kimi_tui.ui.print.runner": ("textual", "openai", "mcp", "acp"),
    "kimi_tui.ui.wire_server.server": ("textual", "openai", "mcp", "acp"),
    "kimi_tui.ui.acp.agent": ("textual", "openai", "mcp"),
}


@pytest.mark.parametrize("module", LAYERS)
def test_a_lower_layer_loads_nothing_of_the_layers_above_it(module):
    code = f"import sys, {module}\nprint([name for name in {LAYERS[module]!r} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout.strip() == "[]", done.stderr


@pytest.mark.parametrize("kind", [RuntimeError, ImportError, OSError])
def test_an_interrupt_that_another_error_replaced_is_an_interrupt(kind):
    def run():
        try:
            raise KeyboardInterrupt
        except KeyboardInterrupt as interrupt:
            try:
                raise ValueError from interrupt
            except ValueError:
                raise kind("Error calling __set_name__")  # noqa: B904 - as a library does

    assert exit_status(run, ends_process=False) == 130


@pytest.mark.parametrize("arguments", [["--print", "-p", "x"], ["--wire"], ["acp"], ["doctor"], []])
def test_a_user_who_has_no_home_folder_is_told_to_set_it(arguments, monkeypatch, capsys):
    """As in a container that runs as a number."""
    monkeypatch.delenv("HOME")
    monkeypatch.setattr(pwd, "getpwuid", {}.__getitem__)
    assert main(arguments) == 2
    assert capsys.readouterr().err == "kimi-tui: this user has no home folder: set HOME\n"
