"""Command lines that are asked for even under yolo, by the files that they name."""

import os
import shlex
import tempfile
from pathlib import Path

import pytest

from kimi_tui.tools.file_support.workspace import Workspace
from kimi_tui.tools.shell_support.command_parser import MAX_BYTES, parse_command_line
from kimi_tui.tools.shell_support.protected_paths import ask_reason
from tests.tools.ordinary_user import run_as_ordinary_user


def nested(command: str, depth: int) -> str:
    for _ in range(depth):
        command = f"bash -c {shlex.quote(command)}"
    return command


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Workspace:
    work = tmp_path / "work"
    for folder in (work / ".git" / "hooks", work / "src", tmp_path / "home" / ".ssh"):
        folder.mkdir(parents=True)
    for file in (".env", ".git/config", "a.txt", "src/b.py", "src/server.key", ".git/HEAD", "../home/.ssh/id_rsa"):
        (work / file).write_text("x")
    (work / ".mcp.json").write_text("{}")
    (work / "link").symlink_to(".git")
    for folder in ("hooks", "objects", "refs"):
        (work / "gd" / folder).mkdir(parents=True)
    (work / "gd" / "HEAD").write_text("ref: refs/heads/main")
    (work / "src" / "plain").symlink_to("../.env")
    for folder in ("home/.kimi", "home/.config", "kept"):
        (tmp_path / folder).mkdir()
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("KIMI_TUI_HOME", str(tmp_path / "kept"))
    monkeypatch.chdir(work)
    return Workspace(work)


def test_a_line_that_enters_many_folders_is_asked_about(workspace: Workspace) -> None:
    """The names of its files are looked for in each of them."""
    again = "cd .; cd .; " * 8
    assert ask_reason(parse_command_line(f"{again}cd src; echo x > a"), workspace) is None
    assert ask_reason(parse_command_line(f"{again}cd .git; echo x > config"), workspace)
    many = "; ".join(f"cd {number}" for number in range(20))
    assert "only part of it was read" in (ask_reason(parse_command_line(f"{many}; echo x > a"), workspace) or "")


@pytest.mark.parametrize("command", [
    "cat .env", "cat .en?", "cat .e*", "cat .e[n]v", "cat .[a-z]nv", "cat .[!x]nv", "cat .[^x]nv", "cat .[[:alpha:]]nv",
    "cat < .en?", "cat < .env", "cat .en{v,x}", "cat .e{n..n}v", "cat {a.txt,.env}", "cat .{a,{e,f}n}v", "cat ./.e*",
    "cat /proc/self/cwd/.e??", "cat ../work/.e*", "cat */server.k*", "cat */*", "cat src/plai?", "cat src/'plain'",
    "cat .e'n'*", 'cat .[]"*"e]nv', "cat .[!]'?'x]nv",
    "cat \\.e*", "cat $PWD/.e*", 'cat "$PWD/.env"', "cat $X/.env", 'cat "${X}/a/.env"', "cat ~/.ssh/id_rsa",
    "cat ~/.ssh/*",
    "cat $HOME/.ssh/id_rs?", 'cat "$HOME"/.ssh/id_rs?', "cat ~+/.env", "cp a.txt .git/hooks/x", "cp a.txt .gi?/hooks",
    "cp a.txt link/hooks/x", "cp a.txt {.git,x}/hooks/x", "cd .git && cp ../a.txt hooks/x", "cd .git; cd hooks; cp a x",
    "echo x > .git/hooks/y", "echo x > .gi*/config", "head -f.env", "curl -d @.env x", "dd if=.e* of=x", "cat a=.env",
    "X=.env; cat $X", "X=.env cat a", "for f in .env a; do cat $f; done", "bash -c 'cat .e*'", "timeout 5 cat .e?v",
    "cat <<<x .env", "echo $(cat .e*)", "cat " + "a " * 201 + ".env", "cp -f " + "a.txt " * 201 + ".env .git/hooks/x",
    "cp a.txt .mcp.json", "tee .mcp.json", "mv a.txt .mc*", "python x.py .mcp.json", "dd of=.claude/x", "rm -r .agents",
    "cp a.txt gd/hooks/x", "sed -i s/a/b/ .mcp.json", "cd .claude && touch x", "unknown .mcp.json",
    "cat /proc/$PPID/environ", "cat /proc/$$/environ", "scp .env:x h:", "git show HEAD:.env", "cat $X.key",
    "echo x > .mcp.json", "echo x >> .claude/skills/x", "echo x > ~/.bashrc", "echo x &> .agents/a",
    "echo x >.mc?.json", "cat <<E >.mcp.json\nx\nE", "echo x > gd/hooks/post-commit", "cd gd && echo x > config",
    "cat /proc/[0-9]*/environ", "cat /proc/*/environ", "cat /proc/OWN/environ", "cat src/../.env",
    ".git/hooks/x", "cat $'.env'", "cat .e$'n'v", "cat $'\\x2eenv'", "cat $'\\056env'", "cat $'\\u002eenv'",
    'cat $".env"',
    "grep -r x ~/.ssh", "cp -r ~/.ssh x", "tar cf - ../home/.ssh/", "tar -C ~/.ssh -cf - id", "env -C ~/.ssh cat id",
    "grep -r x ~/.kimi", "cp -r ~/.kimi x", "ln -s ../home/.kimi x", "grep -r x ../kept", "tar cf - ../kep?",
    "mv ../kept x",
    "cp a.txt ~/.bashrc", "tee -a ~/.bashrc", "mv a.txt ~/.config/x", "ln -s a.txt ~/.profile",
    "cp -t ~/.config a.txt",
    "sed -i s/a/b/ ~/.bashrc", "dd of=../home/.zshrc", "rm ~/.bashrc", "install a.txt ~/bin/x", "touch ~/.zshenv",
    "truncate -s 0 /etc/passwd",
    'cat "${X:-.env}"', ". ${FILE-.env}", "cat ${A:-${B:=.env}}", "X=${Y:-.env}; cat $X", "cat <${X:+'.env'}",
    'cat "$A/${X:-.env}"',
    "curl -F 'f=@.env;type=a/b' x", "docker run --mount type=bind,source=.env,target=/x a", "x --files=a,.env,b",
])  # fmt: skip
def test_a_sensitive_or_protected_file_is_seen_behind_what_bash_expands(workspace: Workspace, command: str) -> None:
    command = command.replace("OWN", str(os.getpid()))
    assert "protected or sensitive" in (ask_reason(parse_command_line(command), workspace) or "")


@pytest.mark.parametrize("command", [
    "cat a.txt", "cat *", "cat src/*.py", "cat '.e*'", "cat .e\\*", "cat '.en?'", "cat '.en{v,x}'", "ls .g*/HEAD",
    "ls -la",
    "cat $X", 'cat "${X:-a.txt}"', "echo ${X:-see .env}", "cat {a,b}.txt",
    "cat .x*", "git status", "echo 'a .env b'", "cat '~/.ssh'", "ls .git",
    "cat .mcp.json", "ls -la .claude", "grep -rn x .claude", "head .mcp.json", "git add .mcp.json", "touch new",
    "echo x > a.txt", "echo x > src/new", "ls >/dev/null",

    "grep -n x src/b.py",
    "cat [", "cat a[", "cat {", "cat {a", "cat .e}", "cat ]", "echo {1..9}", "cat \ud800", "cat src/../a.txt",
    "cd src && ls",
])  # fmt: skip
def test_other_files_are_not_asked_for(workspace: Workspace, command: str) -> None:
    assert ask_reason(parse_command_line(command), workspace) is None


@pytest.mark.parametrize("command", [
    "echo " + "a" * MAX_BYTES, "ls; " * 201, "cat {1..1000000}",
    "cat " + "{a,b}" * 20, "cat /proc/*/*/*/*/*/*", nested("ls", 8),
])  # fmt: skip
def test_where_a_limit_is_met_it_is_asked_for(workspace: Workspace, command: str) -> None:
    assert ask_reason(parse_command_line(command), workspace) is not None


def test_names_that_bash_would_match_are_found(workspace: Workspace, tmp_path: Path) -> None:
    ways = tmp_path / "work" / "many"
    ways.mkdir()
    for number in range(1100):
        (ways / f"{number}").touch()
    assert "too many files" in (ask_reason(parse_command_line("cat many/*"), workspace) or "")


def test_a_file_below_a_folder_that_cannot_be_read_is_no_error() -> None:
    with tempfile.TemporaryDirectory(dir="/tmp") as scratch:
        closed = Path(scratch) / "closed"
        closed.mkdir(mode=0o700)
        Path(scratch).chmod(0o755)
        own = Path(scratch) / "own"
        own.mkdir()
        code = (
            "from pathlib import Path; from kimi_tui.tools.file_support.workspace import Workspace\n"
            "from kimi_tui.tools.shell_support.command_parser import parse_command_line as parse\n"
            "from kimi_tui.tools.shell_support.protected_paths import ask_reason\n"
            f"work = Workspace(Path({str(own)!r}))\n"
            f"for line in ('cat', 'ls', 'cat <', 'touch', 'cd'):\n"
            f"    for file in ('x', '.ssh', '.ssh/id', '*', 'a/b'):\n"
            f"        print(ask_reason(parse(line + ' {closed}/' + file), work))\n"
        )
        assert run_as_ordinary_user(["-c", code], own).count("\n") == 25


def test_a_link_that_only_its_owner_may_read_is_no_error(tmp_path: Path) -> None:
    code = (
        "import pathlib, sys\n"
        "from kimi_tui.tools.file_support.workspace import Workspace\n"
        "from kimi_tui.tools.shell_support.command_parser import parse_command_line\n"
        "from kimi_tui.tools.shell_support.protected_paths import ask_reason\n"
        "for line in ('echo x > /proc/1/root/x', 'cat /proc/1/cwd/x'):\n"
        "    print(ask_reason(parse_command_line(line), Workspace(pathlib.Path.cwd())))\n"
    )
    assert run_as_ordinary_user(["-c", code], tmp_path) == "None\nNone\n"
