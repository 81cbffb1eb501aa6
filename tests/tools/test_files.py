"""Reading, writing and editing real files, and what paths may not do (FAULTS 14, 32, 33, 34)."""

import asyncio
import codecs
import functools
import os
import resource
import socket
import stat
import subprocess
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kimi_tui import paths
from kimi_tui.permission.policy import Policy
from kimi_tui.permission.rule import Effect, parse_rule
from kimi_tui.tools.file_support.edit_observer import FileHistory
from kimi_tui.tools.file_support.workspace import PathRefusedError, Workspace
from kimi_tui.tools.grep import Grep
from kimi_tui.tools.read_file import ReadFile
from kimi_tui.tools.read_media_file import MediaSupport, ReadMediaFile
from kimi_tui.tools.shell_support.command_parser import parse_command_line
from kimi_tui.tools.shell_support.protected_paths import why_asked_for
from kimi_tui.tools.str_replace_file import StrReplaceFile
from kimi_tui.tools.write_file import WriteFile
from kimi_tui.wire.display import DiffBlock
from kimi_tui.wire.parts import ToolReturnValue
from tests.tools.kit import Desk


async def read(desk: Desk, path: str, **more: int) -> ToolReturnValue:
    return await desk.use(ReadFile(desk.workspace, desk.approvals), path=path, **more)


async def write(desk: Desk, path: str, content: str, mode: str = "overwrite") -> ToolReturnValue:
    return await desk.use(WriteFile(desk.workspace, desk.approvals), path=path, content=content, mode=mode)


async def replace(desk: Desk, path: str, old: str, new: str, **more: bool) -> ToolReturnValue:
    edit = {"old": old, "new": new, **more}
    return await desk.use(StrReplaceFile(desk.workspace, desk.approvals), path=path, edit=edit)


# Reading


async def test_lines_are_read_with_their_numbers(desk: Desk) -> None:
    (desk.dir / "a.txt").write_text("one\ntwo\nthree\n")
    value = await read(desk, "a.txt")
    assert value.output == "     1\tone\n     2\ttwo\n     3\tthree\n"
    assert value.message == "Lines 1 to 3 of 3."
    value = await read(desk, "a.txt", line_offset=2, n_lines=1)
    assert (value.output, value.message) == ("     2\ttwo\n", "Lines 2 to 2 of 3.")
    value = await read(desk, str(desk.dir / "a.txt"), line_offset=-2, n_lines=1)
    assert value.output == "     2\ttwo\n"


async def test_reading_is_bounded_in_lines_and_bytes(desk: Desk) -> None:
    (desk.dir / "long").write_text("".join(f"{number}\n" for number in range(1, 2501)))
    value = await read(desk, "long")
    assert value.message.startswith("Lines 1 to 1000 of 2500. Not more than 1000 lines")
    assert (await read(desk, "long", line_offset=-3)).output == "  2498\t2498\n  2499\t2499\n  2500\t2500\n"
    (desk.dir / "wide").write_text("x" * 1500 + "\n" * 1 + ("y" * 1500 + "\n") * 200)
    value = await read(desk, "wide")
    assert "go on at line" in value.message
    assert len(str(value.output)) < 110_000
    (desk.dir / "line").write_text("z" * 5_000_000 + "\nend")
    value = await read(desk, "line")
    assert value.output == f"     1\t{'z' * 2000}[...truncated]\n     2\tend\n"


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (codecs.BOM_UTF8 + b"a\r\nb\r\n", "     1\ta\n     2\tb\n"),
        (codecs.BOM_UTF16_LE + "ä\nb".encode("utf-16-le"), "     1\tä\n     2\tb\n"),
        (b"a\xffb\n", "     1\ta\ufffdb\n"),
        (b"a\x0cb\xe2\x80\xa8c\n", "     1\ta\x0cb\u2028c\n"),
    ],
)
async def test_encodings_and_line_ends_are_understood(desk: Desk, content: bytes, expected: str) -> None:
    (desk.dir / "a").write_bytes(content)
    assert (await read(desk, "a")).output == expected


async def test_what_cannot_be_read_is_said(desk: Desk) -> None:
    (desk.dir / "empty").touch()
    (desk.dir / "readme.md").write_text("x\n")
    assert (await read(desk, "empty")).message == "The file is empty."
    for path, more, said in [
        ("redme.md", {}, "There is `readme.md`"),
        ("readme.md", {"line_offset": 5}, "there is no line 5"),
        ("readme.md", {"line_offset": 0}, "0 is neither"),
        ("readme.md", {"line_offset": -1001}, "line_offset"),
        (".", {}, "is a folder"),
        ("../x", {}, "leads out of the working directory"),
        ("a\0b", {}, "NUL"),
        ("", {}, "empty"),
        ("readme.md/x", {}, "Not a directory"),
    ]:
        value = await read(desk, path, **more)
        assert value.is_error
        assert said in value.message, path


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"\x89PNG\r\n\x1a\n\0\0", "ReadMediaFile"),
        (b"\0\0\0\x18ftypisom\0\0", "ReadMediaFile"),
        (b"\x7fELF\0\0", "binary"),
    ],
)
async def test_pictures_films_and_binaries_are_refused(desk: Desk, content: bytes, said: str) -> None:
    (desk.dir / "a").write_bytes(content)
    value = await read(desk, "a")
    assert value.is_error
    assert said in value.message


async def test_pipes_sockets_and_devices_do_not_hang(desk: Desk) -> None:
    os.mkfifo(desk.dir / "pipe")
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(desk.dir / "s"))
        for path in ("pipe", "s", "/dev/zero", "/dev/stdin"):
            for value in (await read(desk, path), await write(desk, path, "x")):
                assert value.is_error, path


# Writing


async def test_a_new_file_is_shown_and_written(desk: Desk) -> None:
    value = await write(desk, "a.txt", "one\ntwo\n")
    assert value.message == "Created `a.txt` (8 bytes)."
    assert (desk.dir / "a.txt").read_text() == "one\ntwo\n"
    assert value.display == (DiffBlock(path="a.txt", old_text="", new_text="one\ntwo"),)
    (request,) = desk.asked
    assert (request.action, request.display, request.scope) == ("edit file", value.display, "edits of `a.txt`")


async def test_text_is_added_at_the_end(desk: Desk) -> None:
    await write(desk, "a.txt", "one\n")
    await write(desk, "a.txt", "two\n", "append")
    assert (desk.dir / "a.txt").read_text() == "one\ntwo\n"


async def test_the_folder_must_exist(desk: Desk) -> None:
    assert "folder of `no/a` does not exist" in (await write(desk, "no/a", "x")).message


async def test_a_no_changes_nothing(desk: Desk) -> None:
    (desk.dir / "a").write_text("old")
    desk.answer = "reject"
    assert (await write(desk, "a", "new")).is_error
    assert (desk.dir / "a").read_text() == "old"
    assert [path.name for path in desk.dir.iterdir()] == ["a"]


async def test_mode_line_ends_and_mark_are_kept(desk: Desk) -> None:
    path = desk.dir / "run.sh"
    path.write_bytes(codecs.BOM_UTF8 + b"one\r\ntwo\r\n")
    path.chmod(0o755)
    await replace(desk, "run.sh", "one\ntwo", "one\n2")
    assert path.read_bytes() == codecs.BOM_UTF8 + b"one\r\n2\r\n"
    assert stat.S_IMODE(path.stat().st_mode) == 0o755
    await write(desk, "run.sh", "a\nb\n")
    assert path.read_bytes() == codecs.BOM_UTF8 + b"a\r\nb\r\n"


async def test_bytes_that_are_no_text_survive_an_edit(desk: Desk) -> None:
    (desk.dir / "a").write_bytes(b"caf\xe9 one\r\nx\n")
    value = await replace(desk, "a", "one", "two")
    assert (desk.dir / "a").read_bytes() == b"caf\xe9 two\r\nx\n"
    assert value.model_dump_json()
    (desk.dir / "b").write_bytes(codecs.BOM_UTF16_LE + "ä one".encode("utf-16-le"))
    await replace(desk, "b", "one", "two")
    assert (desk.dir / "b").read_bytes() == codecs.BOM_UTF16_LE + "ä two".encode("utf-16-le")


async def test_binaries_are_not_edited(desk: Desk) -> None:
    (desk.dir / "a").write_bytes(b"a\0b")
    assert "binary" in (await replace(desk, "a", "a", "b")).message


async def test_a_read_only_file_is_left_alone(desk: Desk) -> None:
    if os.geteuid() == 0:
        pytest.skip("root may write everything")
    (desk.dir / "a").write_text("x")
    (desk.dir / "a").chmod(0o444)
    assert "read-only" in (await write(desk, "a", "y")).message


# Replacing


async def test_the_first_match_or_all_of_them_are_replaced(desk: Desk) -> None:
    (desk.dir / "a").write_text("x x x")
    value = await replace(desk, "a", "x", "y")
    assert value.message == "Edited `a`: 1 replacement. `old` stood in 2 more places, left as they were."
    value = await replace(desk, "a", "x", "z", replace_all=True)
    assert ((desk.dir / "a").read_text(), value.message) == ("y z z", "Edited `a`: 2 replacements.")


async def test_a_list_of_edits_is_all_or_nothing(desk: Desk) -> None:
    (desk.dir / "a").write_text("one two")
    tool = StrReplaceFile(desk.workspace, desk.approvals)
    value = await desk.use(tool, path="a", edit=[{"old": "one", "new": "1"}, {"old": "three", "new": "3"}])
    assert "Edit 2 of 2" in value.message
    assert (desk.dir / "a").read_text() == "one two"
    await desk.use(tool, path="a", edit=[{"old": "one", "new": "1"}, {"old": "1 two", "new": "12"}])
    assert (desk.dir / "a").read_text() == "12"


async def test_no_match_points_to_the_line_that_is_like_it(desk: Desk) -> None:
    (desk.dir / "a").write_text("def f():\n    return 1\n")
    value = await replace(desk, "a", "return 1\n\n", "x")
    assert "Line 2 is like its first line" in value.message
    assert "does not exist" in (await replace(desk, "b", "a", "b")).message


async def test_a_difference_is_shown_in_pieces_with_three_lines_around(desk: Desk) -> None:
    lines = [f"line {number}" for number in range(1, 41)]
    (desk.dir / "a").write_text("\n".join(lines) + "\n")
    tool = StrReplaceFile(desk.workspace, desk.approvals)
    value = await desk.use(
        tool, path="a", edit=[{"old": "line 10\n", "new": "line ten\nand more\n"}, {"old": "line 30\n", "new": ""}]
    )
    first, second = value.display
    assert isinstance(first, DiffBlock)
    assert isinstance(second, DiffBlock)
    assert (first.old_start, first.new_start, second.old_start, second.new_start) == (7, 7, 27, 28)
    assert first.old_text == "\n".join(lines[6:13])
    assert first.new_text.splitlines()[3:5] == ["line ten", "and more"]
    assert second.new_text.splitlines() == [*lines[26:29], *lines[30:33]]


async def test_a_huge_difference_is_a_summary(desk: Desk) -> None:
    (desk.dir / "a").write_text("x\n" * 10_001)
    value = await replace(desk, "a", "x", "y")
    assert value.display == (DiffBlock(path="a", old_text="(10001 lines)", new_text="(10001 lines)", is_summary=True),)


async def test_who_keeps_history_hears_of_an_edit_before_it_is_made(desk: Desk) -> None:
    heard: list[tuple[Path, bytes | None, bool]] = []

    class Keeps(FileHistory):
        def before_edit(self, path: Path, content: bytes | None, becomes: bytes) -> None:
            heard.append((path, content, path.exists()))

    tool = WriteFile(desk.workspace, desk.approvals, Keeps())
    await desk.use(tool, path="a", content="1")
    await desk.use(tool, path="a", content="2")
    assert heard == [(desk.dir / "a", None, False), (desk.dir / "a", b"1", True)]


async def test_edits_of_one_file_at_the_same_time_are_made_one_after_the_other(desk: Desk) -> None:
    (desk.dir / "a").write_text("a b c d")
    values = await asyncio.gather(*(replace(desk, "a", letter, letter * 2) for letter in "abcd"))
    assert not any(value.is_error for value in values)
    assert (desk.dir / "a").read_text() == "aa bb cc dd"


# Scope


async def test_a_yes_for_the_session_covers_the_top_folder(desk: Desk) -> None:
    (desk.dir / "src" / "deep").mkdir(parents=True)
    (desk.dir / "docs").mkdir()
    desk.answer = "approve_for_session"
    await write(desk, "src/a", "x")
    assert desk.asked[0].scope == "edits under `src/`"
    desk.answer = "reject"
    assert not (await write(desk, "src/deep/b", "x")).is_error
    assert (await write(desk, "docs/b", "x")).is_error
    assert (await write(desk, "src/../b", "x")).is_error
    assert (await write(desk, "src/.env", "x")).is_error


# Paths


async def test_path_escape(desk: Desk, tmp_path: Path) -> None:
    """Whatever leads out of the workspace is asked for as such, and a link is followed for the decision."""
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "b").write_text("x")
    (desk.dir / "dir").symlink_to(outside)
    (desk.dir / "link").symlink_to(outside / "b")
    (desk.dir / "hang").symlink_to(outside / "new")
    (desk.dir / "sub").mkdir()
    for path in ("dir/b", "dir/new", "link", "hang", "sub/../../outside/b"):
        value = await write(desk, path, "changed")
        assert value.is_error, path
        assert "leads out" in value.message
    desk.answer = "reject"
    for path in ("dir/b", "link", "hang", "../outside/b"):
        assert (await write(desk, f"{desk.dir}/{path}", "changed")).is_error
        assert desk.asked.pop().action == "edit file outside of working directory"
    assert (outside / "b").read_text() == "x"
    assert not (outside / "new").exists()


async def test_a_hard_link_is_cut_loose(desk: Desk, tmp_path: Path) -> None:
    (tmp_path / "outside").write_text("x")
    os.link(tmp_path / "outside", desk.dir / "a")
    await write(desk, "a", "changed")
    assert (tmp_path / "outside").read_text() == "x"
    assert (desk.dir / "a").read_text() == "changed"


@pytest.mark.parametrize("what", ["content", "link", "parent", "further up", "gone", "appears"])
async def test_a_swap_after_the_check_is_noticed(desk: Desk, tmp_path: Path, what: str) -> None:
    outside = tmp_path / "outside"
    (outside / "deep").mkdir(parents=True)
    (outside / "a").write_text("old")
    (outside / "deep/a").write_text("old")
    folder = desk.dir / "sub"
    (folder / "deep").mkdir(parents=True)
    (folder / "deep/a").write_text("old")
    if what != "appears":
        (folder / "a").write_text("old")

    def swap() -> None:
        match what:
            case "content" | "appears":
                (folder / "a").write_text("somebody else's")
            case "link":
                (folder / "a").unlink()
                (folder / "a").symlink_to(outside / "a")
            case "gone":
                (folder / "a").unlink()
            case _:
                folder.rename(desk.dir / "away")
                folder.symlink_to(outside)

    desk.before_answer = swap
    value = await write(desk, "sub/deep/a" if what == "further up" else "sub/a", "new")
    assert value.is_error
    assert (outside / "a").read_text() == (outside / "deep/a").read_text() == "old"


async def test_the_ways_of_proc_lead_where_they_lead(desk: Desk) -> None:
    (desk.dir / "a").write_text("x\n")
    assert not desk.workspace.place("/proc/self/root/etc/passwd").inside
    here = f"/proc/self/root{desk.dir}"
    assert desk.workspace.place(f"{here}/a").inside
    assert desk.workspace.place(f"{here}/.git/config").protected
    assert desk.workspace.place("/proc/self/environ").sensitive
    desk.answer = "reject"
    assert (await read(desk, "/proc/self/environ")).is_error


async def test_a_hard_link_to_a_file_with_secrets_is_one_too(desk: Desk) -> None:
    (desk.dir / ".env").write_text("KEY=1\n")
    (desk.dir / "sub").mkdir()
    for name in ("other.txt", "sub/other.txt"):
        os.link(desk.dir / ".env", desk.dir / name)
        assert desk.workspace.place(name).sensitive
    (desk.dir / "plain.txt").write_text("x")
    os.link(desk.dir / "plain.txt", desk.dir / "twin.txt")
    assert not desk.workspace.place("twin.txt").sensitive
    desk.answer = "reject"
    assert (await read(desk, "other.txt")).is_error


SENSITIVE = [
    ".env", ".env.local", "prod.env", ".envrc", "id_rsa", "id_rsa.pem", "id_ed25519", "server.key", ".npmrc", ".netrc",
    ".git-credentials", ".pypirc", ".docker/config.json", ".kube/config", ".aws/credentials", ".gcp/credentials",
    "credentials", "credentials.json", ".ssh/config", ".ENV", "Server.KEY",
]  # fmt: skip
HARMLESS = [".env.example", ".env.sample", ".env.template", "id_rsa.pub", "environment.py", "config.json", "keys.md"]


@pytest.mark.parametrize("name", SENSITIVE)
async def test_sensitive_alias(desk: Desk, name: str) -> None:
    """A file with secrets is asked for even under yolo, by whatever name it is reached."""
    desk.approvals.yolo = True
    desk.answer = "reject"
    path = desk.dir / name
    path.parent.mkdir(exist_ok=True)
    path.write_text("secret\n")
    (desk.dir / "alias.txt").symlink_to(path)
    for given_path in (name, "alias.txt", str(path), f"x/../{name}"):
        value = await read(desk, given_path)
        assert value.is_error
        assert value.output == ""
    assert (await write(desk, "alias.txt", "x")).is_error
    assert len(desk.asked) == 5
    assert path.read_text() == "secret\n"
    desk.answer = "approve"
    assert (await read(desk, name)).output == "     1\tsecret\n"


@pytest.mark.parametrize("name", HARMLESS)
async def test_names_that_only_look_sensitive_are_read(desk: Desk, name: str) -> None:
    (desk.dir / name).write_text("x\n")
    assert not (await read(desk, name)).is_error
    assert desk.asked == []


async def test_protected_paths(desk: Desk, tmp_path: Path) -> None:
    """Git's own files, our settings and what a flow runs on are asked for even under yolo and a yes for all."""
    desk.approvals.yolo = True
    skill = desk.dir / "skills" / "flow" / "SKILL.md"
    for folder in (".git/hooks", ".GIT", ".kimi-tui", "skills/flow", "sub/.git"):
        (desk.dir / folder).mkdir(parents=True, exist_ok=True)
    desk.workspace.protected.add(skill.parent)
    desk.answer = "approve_for_session"
    assert not (await write(desk, ".git/config", "x")).is_error
    desk.answer = "reject"
    paths = [".git/config", ".git/hooks/pre-commit", ".GIT/config", ".kimi-tui/config.yaml", "sub/.git/config"]
    for path in [*paths, str(skill)]:
        assert (await write(desk, path, "y")).is_error, path
    assert not (await write(desk, ".gitignore", "x")).is_error
    assert len(desk.asked) == 7


PARTS = st.sampled_from(["..", ".", "a", "b", "link", "out", "", "~", ".git", "new"])


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(PARTS, min_size=1, max_size=6), st.booleans())
def test_a_path_is_inside_exactly_when_its_file_is(tmp_path: Path, parts: list[str], absolute: bool) -> None:
    work = tmp_path / "w"
    if not work.exists():
        for folder in (work / "a" / "b", tmp_path / "elsewhere" / "a"):
            folder.mkdir(parents=True)
        (work / "link").symlink_to(work / "a")
        (work / "a" / "link").symlink_to("..")
        (work / "out").symlink_to(tmp_path / "elsewhere")
        (work / "a" / "out").symlink_to("../../elsewhere/a")
    path = "/".join(parts)
    given_path = f"{work}/{path}" if absolute else path
    if not given_path.strip() or (given_path.startswith(("~", "/")) and not absolute):
        return
    real = Path(os.path.realpath(work / given_path))
    try:
        place = Workspace(work).place(given_path)
    except PathRefusedError:
        assert not absolute
        assert not real.is_relative_to(work)
        return
    assert place.real == real
    assert place.inside == real.is_relative_to(work)
    assert place.protected == (".git" in (real.relative_to(work) if place.inside else real).parts)


async def test_enospc_leaves_the_old_file_whole(desk: Desk) -> None:
    """A disk that takes no more (here: a limit on file size) loses the change, not the file."""
    (desk.dir / "a").write_text("old\n")
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, hard))
    try:
        value = await write(desk, "a", "x" * 100_000)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert "File too large" in value.message
    assert (desk.dir / "a").read_text() == "old\n"
    assert [path.name for path in desk.dir.iterdir()] == ["a"]


LATER = (
    ".mcp.json", ".MCP.json", ".claude/skills/a/SKILL.md", ".agents/skills/a.md", ".codex/config.toml",
    ".kimi/skills/a.md", ".kimi-tui/mcp.json", ".git/hooks/pre-commit", ".g\u200bit/config", "\uff0egit/config",
    "sub/.claude/settings.json",
)  # fmt: skip
TELLS = ("AGENTS.md", "claude.md", "sub/AGENTS.md", ".github/workflows/ci.yml", ".vscode/tasks.json", ".envrc",
         ".husky/pre-push", ".pre-commit-config.yaml", ".npmrc", ".cursorrules", "x/SKILL.md")  # fmt: skip
WORK = ("a.py", ".gitignore", ".editorconfig", "docs/agents.py", ".prettierrc.json", "bin/run", ".env.example")


def made(desk: Desk, name: str) -> str:
    (desk.dir / name).parent.mkdir(parents=True, exist_ok=True)
    return name


@pytest.mark.parametrize("name", LATER)
async def test_what_starts_something_later_is_asked_for_whatever_holds(desk: Desk, name: str) -> None:
    desk.approvals.policy = Policy([parse_rule("WriteFile", Effect.ALLOW)], accept_edits=True)
    desk.approvals.yolo = True
    desk.answer = "approve_for_session"
    for content in ("x", "y"):
        await write(desk, made(desk, name), content)
    assert [request.scope for request in desk.asked] == [None, None]


@pytest.mark.parametrize("name", [*TELLS, *WORK])
async def test_accepted_edits_are_no_yes_to_what_tells_an_agent_or_a_tool_what_to_do(desk: Desk, name: str) -> None:
    desk.approvals.policy = Policy((), accept_edits=True)
    desk.answer = "approve_for_session"
    for content in ("x", "y"):
        assert not (await write(desk, made(desk, name), content)).is_error
    assert len(desk.asked) == (2 if name in TELLS else 0)
    desk.asked.clear()
    desk.approvals.yolo = True
    await write(desk, name, "z")
    assert len(desk.asked) == (1 if name in (".npmrc", ".envrc") else 0)  # those hold secrets, too


@pytest.mark.parametrize("name", [".bashrc", ".zshenv", ".profile", ".ssh/authorized_keys", ".config/fish/config.fish",
                                  ".config/autostart/a.desktop", ".gitconfig", "bin/ls", ".local/bin/ls"])  # fmt: skip
async def test_in_the_users_home_what_their_shell_starts_is_asked_for(name: str) -> None:
    desk = Desk(Path.home(), yolo=True)
    await write(desk, made(desk, name), "x")
    assert len(desk.asked) == 1
    (desk.dir / "notes").mkdir()
    await write(desk, "notes/a.md", "x")
    elsewhere = Desk(Path.home() / "notes", yolo=True)
    await write(elsewhere, str(Path.home() / name), "y")
    assert (len(desk.asked), len(elsewhere.asked)) == (1, 1)


async def test_a_folder_of_programs_is_asked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tools = tmp_path / "tools"
    tools.mkdir()
    (tmp_path / "notes").mkdir()
    monkeypatch.setenv("PATH", str(tools), prepend=":")
    desk = Desk(tmp_path / "notes", yolo=True)
    await write(desk, str(tools / "git"), "x")
    assert len(desk.asked) == 1
    await write(desk, str(tmp_path / "a.txt"), "x")
    assert len(desk.asked) == 1


def test_our_home_holds_secrets_in_any_spelling(tmp_path: Path) -> None:
    workspace, home = Workspace(tmp_path), paths.home()
    for name, sensitive in (("config.yaml", True), ("sessions/x", True), ("skills/a/SKILL.md", False)):
        assert workspace.place_of(home / name).sensitive is sensitive
        assert workspace.place_of(Path(str(home).upper()) / name).sensitive is sensitive
    assert not workspace.place_of(Path(f"{home}2/config.yaml")).sensitive


@pytest.mark.parametrize("how", ["link", "file", "separate", "worktree", "submodule", "bare"])
async def test_a_git_folder_is_protected_by_whatever_name(desk: Desk, how: str) -> None:
    git = ["git", "-c", "user.name=a", "-c", "user.email=a@b", "-c", "protocol.file.allow=always"]
    run = functools.partial(subprocess.run, cwd=desk.dir, check=True, capture_output=True)
    gd, named = desk.dir / "gd", ".git"
    match how:
        case "link":
            run([*git, "init", "-q"])
            (desk.dir / ".git").rename(gd)
            (desk.dir / ".git").symlink_to("gd")
        case "file":
            (gd / "hooks").mkdir(parents=True)
            (desk.dir / ".git").write_text("gitdir: gd\n")
        case "separate":
            run([*git, "init", "-q", "--separate-git-dir=gd"])
        case "bare":
            run([*git, "init", "-q", "--bare", "gd"])
        case "worktree":
            run([*git, "init", "-q", "--separate-git-dir=other", "."])
            run([*git, "commit", "-q", "--allow-empty", "-m", "x"])
            run([*git, "worktree", "add", "-q", "wt"])
            gd, named = desk.dir / "other" / "worktrees" / "wt", "wt/.git"
        case _:
            run([*git, "init", "-q", "--separate-git-dir=gd", "."])
            run([*git, "init", "-q", "sub"])
            (gd / "modules").mkdir()
            run([*git, "-C", "sub", "init", "-q", "--separate-git-dir", str(gd / "modules" / "sub"), "."])
            gd, named = gd / "modules" / "sub", "sub/.git"
    (gd / "hooks").mkdir(exist_ok=True)
    desk.approvals.yolo = True
    desk.answer = "reject"
    given = [f"{gd.relative_to(desk.dir)}/hooks/x", f"{gd.relative_to(desk.dir)}/config"]
    given += [] if how == "bare" else [f"{named}/hooks/x" if how == "link" else named]
    for path in given:
        assert (await write(desk, path, "x")).is_error, path
    assert len(desk.asked) == len(given)


async def test_a_hard_link_to_a_secret_anywhere_in_the_workspace_is_one_too(desk: Desk) -> None:
    secret = desk.dir / "deep" / "er" / ".env"
    secret.parent.mkdir(parents=True)
    secret.write_text("KEY=1\n")
    (desk.dir / "other").mkdir()
    os.link(secret, desk.dir / "other" / "notes.txt")
    desk.answer = "reject"
    assert (await read(desk, "other/notes.txt")).is_error
    assert (await write(desk, "other/notes.txt", "x")).is_error
    assert len(desk.asked) == 2
    found = await desk.use(Grep(desk.workspace, desk.approvals), pattern="KEY", output_mode="content")
    assert "KEY=1" not in str(found.output)


@pytest.mark.parametrize(
    "name",
    ["config.yaml", "config.json", "mcp.json", "tokens/a.json", "history/x.jsonl", "sessions/k/other/context.jsonl"],
)
async def test_our_own_keys_and_sessions_are_secrets_for_every_tool(desk: Desk, name: str) -> None:
    file = paths.home() / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("api_key: sk-1\n")
    desk.approvals.yolo = True
    desk.answer = "reject"
    assert (await read(desk, str(file))).is_error
    value = await desk.use(ReadMediaFile(desk.workspace, desk.approvals, MediaSupport()), path=str(file))
    assert value.is_error
    grep = Grep(desk.workspace, desk.approvals)
    for place in (file, file.parent, paths.home()):
        assert "sk-1" not in str(await desk.use(grep, pattern="api_key", path=str(place), output_mode="content"))
    assert why_asked_for(parse_command_line(f"cat {file}"), desk.workspace) is not None
    (desk.dir / "link").symlink_to(file)
    assert (await read(desk, "link")).is_error


async def test_skills_and_the_session_under_way_are_no_secrets(desk: Desk) -> None:
    desk.workspace.session_dir = (paths.home() / "sessions" / "k" / "mine").resolve()
    for name in ("skills/a/SKILL.md", "sessions/k/mine/tasks/1.log"):
        (paths.home() / name).parent.mkdir(parents=True)
        (paths.home() / name).write_text("text\n")
        assert not (await read(desk, str(paths.home() / name))).is_error
    assert desk.asked == []


@pytest.mark.parametrize(("link", "target", "file"), [(".claude", "cfg", "cfg/settings.json"), (".mcp.json", "m", "m")])
async def test_a_name_that_acts_is_protected_where_its_link_leads(
    desk: Desk, link: str, target: str, file: str
) -> None:
    (desk.dir / link).symlink_to(target)
    desk.approvals.yolo = True
    await write(desk, made(desk, file), "x")
    await write(desk, "other.txt", "x")
    assert len(desk.asked) == 1
