"""Variables by which a program may load code that anyone may have written."""

from pathlib import Path

import pytest

from kimi_tui.tools.core.permission_subject import command_subject
from kimi_tui.tools.shell_support.code_loading_env import loads_code_from
from kimi_tui.tools.shell_support.command_parser import parse_command_line
from tests.tools.harness import ToolHarness


@pytest.mark.parametrize(
    ("command", "name", "here", "elsewhere"),
    [
        ("ls", "LD_LIBRARY_PATH", ("/opt/x:", "lib", "{work}/lib"), ("", "/opt/x", "/opt/x:/opt/y")),
        ("which git", "PYTHONPATH", (".", ":/x", "{work}"), ("", "/opt/x")),
        ("rg x", "RIPGREP_CONFIG_PATH", (".rg", "{work}/.rg"), ("/etc/rg",)),
        ("git status", "GIT_CONFIG_GLOBAL", ("g", "{work}/g"), ("/etc/g",)),
        ("ls", "BASH_ENV", ("x.sh", "{work}/x.sh"), ("/etc/x.sh",)),
        ("ls | wc", "LD_PRELOAD", ("./x.so", "{work}/x.so"), ("x.so", "/opt/x.so")),
        (
            "which git",
            "JAVA_TOOL_OPTIONS",
            ("-javaagent:{work}/x.jar", "-javaagent:./x.jar"),
            ("-Xmx2g", "-javaagent:/opt/x.jar"),
        ),
    ],
)
def test_a_variable_by_which_programs_load_code_of_the_work_dir_is_asked_about(
    harness: ToolHarness,
    monkeypatch: pytest.MonkeyPatch,
    command: str,
    name: str,
    here: tuple[str, ...],
    elsewhere: tuple[str, ...],
) -> None:
    def reads() -> bool:
        return command_subject(parse_command_line(command), harness.workspace).reads

    for value in here:
        monkeypatch.setenv(name, value.format(work=harness.dir))
        assert not reads(), value
    for value in elsewhere:
        monkeypatch.setenv(name, value)
        assert reads(), value


@pytest.mark.parametrize(
    ("name", "programs", "expected"),
    [
        ("PYTHONPATH", ("ls", "/usr/bin/git", "cat"), False),
        ("PYTHONPATH", ("ls", "python3"), True),
        ("PYTHONPATH", ("unknown",), True),
        ("PYTHONPATH", (), False),
        ("NODE_OPTIONS", ("rg", "[", "cd"), False),
        ("RIPGREP_CONFIG_PATH", ("grep", "ls"), False),
        ("RIPGREP_CONFIG_PATH", ("ls", "rg"), True),
        ("BAT_CONFIG_PATH", ("cat",), False),
        ("BAT_CONFIG_PATH", ("bat",), True),
        ("GIT_EXEC_PATH", ("ls",), False),
        ("GIT_EXEC_PATH", ("git",), True),
        ("LD_PRELOAD", ("ls",), True),
        ("DYLD_INSERT_LIBRARIES", ("ls",), True),
        ("BASH_ENV", ("ls",), True),
    ],
)
def test_a_variable_matters_to_the_programs_that_read_it_alone(
    tmp_path: Path, name: str, programs: tuple[str, ...], expected: bool
) -> None:
    assert (loads_code_from([tmp_path], {name: f"{tmp_path}/x"}, programs) == name) is expected
