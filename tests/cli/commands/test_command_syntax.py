"""`flow check` of the commands of a chart: real Bash, which runs nothing."""

from pathlib import Path

import pytest

from kimi_tui.cli.commands.flow_check import check_file

CHART = """flowchart TD
  B([BEGIN]) --> a[Do it]
  a --> E([END])
  a@{{ run: {command} }}
"""


def check(folder: Path, command: str) -> list[tuple[int, int, str, str]]:
    file = folder / "chart.mmd"
    file.write_text(CHART.format(command=command), "utf-8")
    found = check_file(file, named=True, untrusted=[folder])
    return [(each.line, each.column, each.severity, each.text) for each in found]


@pytest.mark.parametrize(
    ("command", "says"),
    [
        ('"echo \'it"', "unexpected EOF while looking for matching `''"),
        ('"if true; then ls"', "syntax error: unexpected end of file"),
        ('"ls && && pwd"', "syntax error near unexpected token `&&'"),
        ('"echo ${ARGS"', "unexpected EOF while looking for matching `}'"),
        ('"echo $(ls"', "unexpected EOF while looking for matching `)'"),
    ],
)
def test_a_command_that_bash_cannot_parse_is_an_error_at_its_key(tmp_path: Path, command: str, says: str) -> None:
    assert check(tmp_path, command) == [(4, 7, "error", f"Bash cannot parse the command: {says}")]


@pytest.mark.parametrize(
    "command", ['"make -s test"', '"echo ${ARGS} ${HOME}"', '"[[ a =~ b ]] && a=(1 2)"', '"cat <<X"']
)
def test_a_command_that_bash_can_parse_is_fine(tmp_path: Path, command: str) -> None:
    assert check(tmp_path, command) == []


def test_no_command_runs_and_no_start_file_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    start_file = tmp_path / "start"
    start_file.write_text(f"touch {tmp_path}/started\n)\n", "utf-8")
    monkeypatch.setenv("BASH_ENV", str(start_file))
    monkeypatch.setenv("BASH_FUNC_touch%%", "() { :; }; )")
    assert check(tmp_path, f'"touch {tmp_path}/ran; echo $(touch {tmp_path}/ran)"') == []
    assert not (tmp_path / "ran").exists()
    assert not (tmp_path / "started").exists()


def test_without_bash_a_note_says_that_commands_are_not_checked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    planted = tmp_path / "bin" / "bash"
    planted.parent.mkdir()
    planted.write_text(f"#!/bin/sh\ntouch {tmp_path}/ran\n", "utf-8")
    planted.chmod(0o755)
    monkeypatch.setenv("PATH", str(planted.parent))
    assert check(tmp_path, '"ls )"') == [(4, 7, "note", "the commands are not checked: Bash is not installed")]
    assert not (tmp_path / "ran").exists()


def test_of_very_many_commands_a_note_says_where_the_check_ends(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    counting = tmp_path / "programs" / "bash"
    counting.parent.mkdir()
    counting.write_text(f"#!/bin/sh\necho >> {tmp_path}/starts\n", "utf-8")
    counting.chmod(0o755)
    monkeypatch.setenv("PATH", f"{counting.parent}:/usr/bin:/bin")
    names = [f"n{number}" for number in range(1002)]
    steps = [f"{name} --> {following}" for name, following in zip(names, [*names[1:], "E([END])"], strict=True)]
    settings = [f'{name}@{{ run: "echo {name}" }}' for name in names]
    file = tmp_path / "chart.mmd"
    file.write_text("\n".join(["flowchart TD", "B([BEGIN]) --> n0", *steps, *settings]), "utf-8")
    (found,) = check_file(file, named=True, untrusted=[])
    assert (found.line, found.severity) == (2 + 1002 + 1001, "note")
    assert (tmp_path / "starts").read_text("utf-8").count("\n") == 1000


def test_the_commands_of_a_skill_are_reported_at_their_lines_of_the_file(tmp_path: Path) -> None:
    file = tmp_path / "SKILL.md"
    chart = CHART.format(command='"ls )"')
    file.write_text(f"---\nname: {tmp_path.name}\ndescription: d\ntype: flow\n---\n```mermaid\n{chart}```\n", "utf-8")
    found = check_file(file, named=False, untrusted=[tmp_path])
    assert [(each.line, each.column) for each in found if each.severity == "error"] == [(10, 7)]
