"""Completion scripts: the bash one is run by bash, all of them name everything that the parser takes."""

import subprocess

import pytest

from kimi_tui.cli.completions import SHELLS, script
from kimi_tui.cli.main import main
from tests.completion_scripts import scripts


@pytest.mark.parametrize("shell", SHELLS)
def test_a_script_knows_every_command_and_option(capsys, shell):
    assert main(["completion", shell]) == 0
    text = capsys.readouterr().out
    for word in ("work-dir", "yolo", "wire", "output-format", "flow", "check", "acp", "doctor", "zsh", "stream-json"):
        assert word in text
    assert "%%" not in text


@pytest.mark.parametrize("shell", SHELLS)
def test_a_script_is_what_make_docs_writes(shell):
    assert script(shell) == scripts()[shell], "an option or command changed: run `make docs`"


def completed(tmp_path, *words):
    """What bash offers for the last of `words`."""
    (tmp_path / "completion.bash").write_text(script("bash"))
    line = " ".join(f"'{word}'" for word in words)
    code = (
        f'source completion.bash; COMP_WORDS=({line}); COMP_CWORD={len(words) - 1}; _kimi_tui; echo "${{COMPREPLY[@]}}"'
    )
    done = subprocess.run(["bash", "-c", code], cwd=tmp_path, capture_output=True, text=True)
    assert done.stderr == ""
    return done.stdout.split()


def test_bash_completes_commands_options_their_values_and_files(tmp_path):
    (tmp_path / "notes.yaml").touch()
    (tmp_path / "folder").mkdir()
    assert completed(tmp_path, "kimi-tui", "fl") == ["flow"]
    assert completed(tmp_path, "kimi-tui", "--wi") == ["--wire"]
    assert completed(tmp_path, "kimi-tui", "--output-format", "") == ["text", "stream-json"]
    assert completed(tmp_path, "kimi-tui", "flow", "ch") == ["check"]
    assert completed(tmp_path, "kimi-tui", "completion", "") == [*SHELLS, "-h", "--help"]
    assert completed(tmp_path, "kimi-tui", "--config-file", "no") == ["notes.yaml"]
    assert completed(tmp_path, "kimi-tui", "--work-dir", "") == ["folder"]


def test_a_shell_has_to_be_named(capsys):
    assert main(["completion"]) == 2
    assert "bash, zsh, fish" in capsys.readouterr().err
