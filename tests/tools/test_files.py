"""Reading, writing and editing real files, and what paths may not do (FAULTS 14, 32, 33, 34)."""

import asyncio
import codecs
import functools
import os
import resource
import socket
import stat
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kimi_tui import paths
from kimi_tui.permission.policy import Policy
from kimi_tui.permission.rule import Effect, parse_rule
from kimi_tui.session.file_checkpoints import FileCheckpoints
from kimi_tui.tools.file_support.edit_observer import FileHistory
from kimi_tui.tools.file_support.workspace import PathRefusedError, Workspace
from kimi_tui.tools.grep import Grep
from kimi_tui.tools.read_file import ReadFile
from kimi_tui.tools.read_media_file import MediaSupport, ReadMediaFile
from kimi_tui.tools.shell_support.command_parser import parse_command_line
from kimi_tui.tools.shell_support.protected_paths import ask_reason
from kimi_tui.tools.str_replace_file import StrReplaceFile
from kimi_tui.tools.write_file import WriteFile
from kimi_tui.wire.display import DiffBlock
from kimi_tui.wire.parts import ToolReturnValue
from tests.tools.harness import ToolHarness


async def read(harness: ToolHarness, path: str, **more: int) -> ToolReturnValue:
    return await harness.use(ReadFile(harness.workspace, harness.approvals), path=path, **more)


async def write(harness: ToolHarness, path: str, content: str, mode: str = "overwrite") -> ToolReturnValue:
    return await harness.use(WriteFile(harness.workspace, harness.approvals), path=path, content=content, mode=mode)


async def replace(harness: ToolHarness, path: str, old: str, new: str, **more: bool) -> ToolReturnValue:
    edit = {"old": old, "new": new, **more}
    return await harness.use(StrReplaceFile(harness.workspace, harness.approvals), path=path, edit=edit)


# Reading


async def test_lines_are_read_with_their_numbers(harness: ToolHarness) -> None:
    (harness.dir / "a.txt").write_text("one\ntwo\nthree\n")
    value = await read(harness, "a.txt")
    assert value.output == "     1\tone\n     2\ttwo\n     3\tthree\n"
    assert value.message == "Lines 1 to 3 of 3."
    value = await read(harness, "a.txt", line_offset=2, n_lines=1)
    assert (value.output, value.message) == ("     2\ttwo\n", "Lines 2 to 2 of 3.")
    value = await read(harness, str(harness.dir / "a.txt"), line_offset=-2, n_lines=1)
    assert value.output == "     2\ttwo\n"


async def test_reading_is_bounded_in_lines_and_bytes(harness: ToolHarness) -> None:
    (harness.dir / "long").write_text("".join(f"{number}\n" for number in range(1, 2501)))
    value = await read(harness, "long")
    assert value.message.startswith("Lines 1 to 1000 of 2500. At most 1000 lines")
    assert (await read(harness, "long", line_offset=-3)).output == "  2498\t2498\n  2499\t2499\n  2500\t2500\n"
    (harness.dir / "wide").write_text("x" * 1500 + "\n" * 1 + ("y" * 1500 + "\n") * 200)
    value = await read(harness, "wide")
    assert "continue at line" in value.message
    assert len(str(value.output)) < 110_000
    (harness.dir / "line").write_text("z" * 5_000_000 + "\nend")
    value = await read(harness, "line")
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
async def test_encodings_and_line_ends_are_understood(harness: ToolHarness, content: bytes, expected: str) -> None:
    (harness.dir / "a").write_bytes(content)
    assert (await read(harness, "a")).output == expected


async def test_what_cannot_be_read_is_said(harness: ToolHarness) -> None:
    (harness.dir / "empty").touch()
    (harness.dir / "readme.md").write_text("x\n")
    assert (await read(harness, "empty")).message == "The file is empty."
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
        value = await read(harness, path, **more)
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
async def test_pictures_films_and_binaries_are_refused(harness: ToolHarness, content: bytes, said: str) -> None:
    (harness.dir / "a").write_bytes(content)
    value = await read(harness, "a")
    assert value.is_error
    assert said in value.message


async def test_pipes_sockets_and_devices_do_not_hang(harness: ToolHarness) -> None:
    os.mkfifo(harness.dir / "pipe")
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(harness.dir / "s"))
        for path in ("pipe", "s", "/dev/zero", "/dev/stdin"):
            for value in (await read(harness, path), await write(harness, path, "x")):
                assert value.is_error, path


# Writing


async def test_a_new_file_is_shown_and_written(harness: ToolHarness) -> None:
    value = await write(harness, "a.txt", "one\ntwo\n")
    assert value.message == "Created `a.txt` (8 bytes)."
    assert (harness.dir / "a.txt").read_text() == "one\ntwo\n"
    assert value.display == (DiffBlock(path="a.txt", old_text="", new_text="one\ntwo"),)
    (request,) = harness.asked
    assert (request.action, request.display, request.scope) == ("edit file", value.display, "edits of `a.txt`")


async def test_text_is_added_at_the_end(harness: ToolHarness) -> None:
    await write(harness, "a.txt", "one\n")
    await write(harness, "a.txt", "two\n", "append")
    assert (harness.dir / "a.txt").read_text() == "one\ntwo\n"


async def test_the_folder_must_exist(harness: ToolHarness) -> None:
    assert "folder of `no/a` does not exist" in (await write(harness, "no/a", "x")).message


async def test_a_no_changes_nothing(harness: ToolHarness) -> None:
    (harness.dir / "a").write_text("old")
    harness.answer = "reject"
    assert (await write(harness, "a", "new")).is_error
    assert (harness.dir / "a").read_text() == "old"
    assert [path.name for path in harness.dir.iterdir()] == ["a"]


async def test_mode_line_ends_and_mark_are_kept(harness: ToolHarness) -> None:
    path = harness.dir / "run.sh"
    path.write_bytes(codecs.BOM_UTF8 + b"one\r\ntwo\r\n")
    path.chmod(0o755)
    await replace(harness, "run.sh", "one\ntwo", "one\n2")
    assert path.read_bytes() == codecs.BOM_UTF8 + b"one\r\n2\r\n"
    assert stat.S_IMODE(path.stat().st_mode) == 0o755
    await write(harness, "run.sh", "a\nb\n")
    assert path.read_bytes() == codecs.BOM_UTF8 + b"a\r\nb\r\n"


async def test_bytes_that_are_no_text_survive_an_edit(harness: ToolHarness) -> None:
    (harness.dir / "a").write_bytes(b"caf\xe9 one\r\nx\n")
    value = await replace(harness, "a", "one", "two")
    assert (harness.dir / "a").read_bytes() == b"caf\xe9 two\r\nx\n"
    assert value.model_dump_json()
    (harness.dir / "b").write_bytes(codecs.BOM_UTF16_LE + "ä one".encode("utf-16-le"))
    await replace(harness, "b", "one", "two")
    assert (harness.dir / "b").read_bytes() == codecs.BOM_UTF16_LE + "ä two".encode("utf-16-le")


async def test_binaries_are_not_edited(harness: ToolHarness) -> None:
    (harness.dir / "a").write_bytes(b"a\0b")
    assert "binary" in (await replace(harness, "a", "a", "b")).message


async def test_a_read_only_file_is_left_alone(harness: ToolHarness) -> None:
    if os.geteuid() == 0:
        pytest.skip("root may write everything")
    (harness.dir / "a").write_text("x")
    (harness.dir / "a").chmod(0o444)
    assert "read-only" in (await write(harness, "a", "y")).message


# Replacing


async def test_the_first_match_or_all_of_them_are_replaced(harness: ToolHarness) -> None:
    (harness.dir / "a").write_text("x x x")
    value = await replace(harness, "a", "x", "y")
    assert value.message == "Edited `a`: 1 replacement. `old` stood in 2 more places, left as they were."
    value = await replace(harness, "a", "x", "z", replace_all=True)
    assert ((harness.dir / "a").read_text(), value.message) == ("y z z", "Edited `a`: 2 replacements.")


async def test_a_list_of_edits_is_all_or_nothing(harness: ToolHarness) -> None:
    (harness.dir / "a").write_text("one two")
    tool = StrReplaceFile(harness.workspace, harness.approvals)
    value = await harness.use(tool, path="a", edit=[{"old": "one", "new": "1"}, {"old": "three", "new": "3"}])
    assert "Edit 2 of 2" in value.message
    assert (harness.dir / "a").read_text() == "one two"
    await harness.use(tool, path="a", edit=[{"old": "one", "new": "1"}, {"old": "1 two", "new": "12"}])
    assert (harness.dir / "a").read_text() == "12"


async def test_no_match_points_to_the_line_that_is_like_it(harness: ToolHarness) -> None:
    (harness.dir / "a").write_text("def f():\n    return 1\n")
    value = await replace(harness, "a", "return 1\n\n", "x")
    assert "Line 2 is like its first line" in value.message
    assert "does not exist" in (await replace(harness, "b", "a", "b")).message


async def test_a_difference_is_shown_in_pieces_with_three_lines_around(harness: ToolHarness) -> None:
    lines = [f"line {number}" for number in range(1, 41)]
    (harness.dir / "a").write_text("\n".join(lines) + "\n")
    tool = StrReplaceFile(harness.workspace, harness.approvals)
    value = await harness.use(
        tool, path="a", edit=[{"old": "line 10\n", "new": "line ten\nand more\n"}, {"old": "line 30\n", "new": ""}]
    )
    first, second = value.display
    assert isinstance(first, DiffBlock)
    assert isinstance(second, DiffBlock)
    assert (first.old_start, first.new_start, second.old_start, second.new_start) == (7, 7, 27, 28)
    assert first.old_text == "\n".join(lines[6:13])
    assert first.new_text.splitlines()[3:5] == ["line ten", "and more"]
    assert second.new_text.splitlines() == [*lines[26:29], *lines[30:33]]


async def test_a_huge_difference_is_a_summary(harness: ToolHarness) -> None:
    (harness.dir / "a").write_text("x\n")
    value = await harness.use(WriteFile(harness.workspace, harness.approvals), path="a", content="y\n" * 10_001)
    assert value.display == (DiffBlock(path="a", old_text="1 line", new_text="10,001 lines", is_summary=True),)


async def test_a_small_change_of_a_huge_file_is_shown(harness: ToolHarness) -> None:
    (harness.dir / "a").write_text("x\n" * 20_000)
    value = await replace(harness, "a", "x", "y")
    assert value.display == (DiffBlock(path="a", old_text="x\nx\nx\nx", new_text="y\nx\nx\nx"),)


@pytest.mark.parametrize("end", ["\r", "\x0b", "\x0c", "\x1c", "\x85", "\u2028", "\u2029"])
async def test_what_a_line_feed_does_not_end_is_shown_as_one_line(harness: ToolHarness, end: str) -> None:
    (harness.dir / "a").write_bytes(f"# read{end}check()\nend()\n".encode())
    value = await harness.use(
        WriteFile(harness.workspace, harness.approvals), path="a", content="# read\ncheck()\nend()\n"
    )
    (block,) = value.display
    assert isinstance(block, DiffBlock)
    assert (block.old_text, block.new_text) == (f"# read{end}check()\nend()", "# read\ncheck()\nend()")


async def test_who_keeps_history_hears_of_an_edit_before_it_is_made(harness: ToolHarness) -> None:
    received: list[tuple[Path, bytes | None, bool]] = []

    class Keeps(FileHistory):
        def before_edit(self, path: Path, content: bytes | None, becomes: bytes) -> None:
            received.append((path, content, path.exists()))

    tool = WriteFile(harness.workspace, harness.approvals, Keeps())
    await harness.use(tool, path="a", content="1")
    await harness.use(tool, path="a", content="2")
    assert received == [(harness.dir / "a", None, False), (harness.dir / "a", b"1", True)]


async def test_edits_of_one_file_at_the_same_time_are_made_one_after_the_other(harness: ToolHarness) -> None:
    (harness.dir / "a").write_text("a b c d")
    values = await asyncio.gather(*(replace(harness, "a", letter, letter * 2) for letter in "abcd"))
    assert not any(value.is_error for value in values)
    assert (harness.dir / "a").read_text() == "aa bb cc dd"


# Scope


async def test_a_yes_for_the_session_covers_the_top_folder(harness: ToolHarness) -> None:
    (harness.dir / "src" / "deep").mkdir(parents=True)
    (harness.dir / "docs").mkdir()
    harness.answer = "approve_for_session"
    await write(harness, "src/a", "x")
    assert harness.asked[0].scope == "edits under `src/`"
    harness.answer = "reject"
    assert not (await write(harness, "src/deep/b", "x")).is_error
    assert (await write(harness, "docs/b", "x")).is_error
    assert (await write(harness, "src/../b", "x")).is_error
    assert (await write(harness, "src/.env", "x")).is_error


# Paths


async def test_path_escape(harness: ToolHarness, tmp_path: Path) -> None:
    """Whatever leads out of the workspace is asked for as such, and a link is followed for the decision."""
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "b").write_text("x")
    (harness.dir / "dir").symlink_to(outside)
    (harness.dir / "link").symlink_to(outside / "b")
    (harness.dir / "hang").symlink_to(outside / "new")
    (harness.dir / "sub").mkdir()
    for path in ("dir/b", "dir/new", "link", "hang", "sub/../../outside/b"):
        value = await write(harness, path, "changed")
        assert value.is_error, path
        assert "leads out" in value.message
    harness.answer = "reject"
    for path in ("dir/b", "link", "hang", "../outside/b"):
        assert (await write(harness, f"{harness.dir}/{path}", "changed")).is_error
        assert harness.asked.pop().action == "edit file outside of working directory"
    assert (outside / "b").read_text() == "x"
    assert not (outside / "new").exists()


async def test_a_hard_link_is_cut_loose(harness: ToolHarness, tmp_path: Path) -> None:
    (tmp_path / "outside").write_text("x")
    os.link(tmp_path / "outside", harness.dir / "a")
    await write(harness, "a", "changed")
    assert (tmp_path / "outside").read_text() == "x"
    assert (harness.dir / "a").read_text() == "changed"


@pytest.mark.parametrize("what", ["content", "link", "parent", "further up", "gone", "appears"])
async def test_a_swap_after_the_check_is_noticed(harness: ToolHarness, tmp_path: Path, what: str) -> None:
    outside = tmp_path / "outside"
    (outside / "deep").mkdir(parents=True)
    (outside / "a").write_text("old")
    (outside / "deep/a").write_text("old")
    folder = harness.dir / "sub"
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
                folder.rename(harness.dir / "away")
                folder.symlink_to(outside)

    harness.before_answer = swap
    value = await write(harness, "sub/deep/a" if what == "further up" else "sub/a", "new")
    assert value.is_error
    assert (outside / "a").read_text() == (outside / "deep/a").read_text() == "old"


async def test_the_ways_of_proc_lead_where_they_lead(harness: ToolHarness) -> None:
    (harness.dir / "a").write_text("x\n")
    assert not harness.workspace.resolve("/proc/self/root/etc/passwd").inside
    here = f"/proc/self/root{harness.dir}"
    assert harness.workspace.resolve(f"{here}/a").inside
    assert harness.workspace.resolve(f"{here}/.git/config").protected
    assert harness.workspace.resolve("/proc/self/environ").sensitive
    harness.answer = "reject"
    assert (await read(harness, "/proc/self/environ")).is_error


async def test_a_hard_link_to_a_file_with_secrets_is_one_too(harness: ToolHarness) -> None:
    (harness.dir / ".env").write_text("KEY=1\n")
    (harness.dir / "sub").mkdir()
    for name in ("other.txt", "sub/other.txt"):
        os.link(harness.dir / ".env", harness.dir / name)
        assert harness.workspace.resolve(name).sensitive
    (harness.dir / "plain.txt").write_text("x")
    os.link(harness.dir / "plain.txt", harness.dir / "twin.txt")
    assert not harness.workspace.resolve("twin.txt").sensitive
    harness.answer = "reject"
    assert (await read(harness, "other.txt")).is_error


SENSITIVE = [
    ".env", ".env.local", "prod.env", ".envrc", "id_rsa", "id_rsa.pem", "id_ed25519", "server.key", ".npmrc", ".netrc",
    ".git-credentials", ".pypirc", ".docker/config.json", ".kube/config", ".aws/credentials", ".gcp/credentials",
    "credentials", "credentials.json", ".ssh/config", ".ENV", "Server.KEY", "prod.auto.tfvars", "auth.json",
    ".zsh_history",
]  # fmt: skip
HARMLESS = [".env.example", ".env.sample", ".env.template", "id_rsa.pub", "environment.py", "config.json", "keys.md"]


@pytest.mark.parametrize("name", SENSITIVE)
async def test_sensitive_alias(harness: ToolHarness, name: str) -> None:
    """A file with secrets is asked for even under yolo, by whatever name it is reached."""
    harness.approvals.yolo = True
    harness.answer = "reject"
    path = harness.dir / name
    path.parent.mkdir(exist_ok=True)
    path.write_text("secret\n")
    (harness.dir / "alias.txt").symlink_to(path)
    for given_path in (name, "alias.txt", str(path), f"x/../{name}"):
        value = await read(harness, given_path)
        assert value.is_error
        assert value.output == ""
    assert (await write(harness, "alias.txt", "x")).is_error
    assert len(harness.asked) == 5
    assert path.read_text() == "secret\n"
    harness.answer = "approve"
    assert (await read(harness, name)).output == "     1\tsecret\n"


async def test_an_edit_tells_nothing_of_a_secret_unless_it_may_be_read(harness: ToolHarness) -> None:
    """What a call that changes nothing answers would let the model guess the secret, letter by letter."""
    harness.approvals.yolo = True
    harness.answer = "reject"
    (harness.dir / ".env").write_text("KEY=abc\n")
    edit = StrReplaceFile(harness.workspace, harness.approvals)
    answers = [
        await harness.use(edit, path=".env", edit=[{"old": old, "new": "z9"}, {"old": "z9", "new": old}])
        for old in ("KEY=a", "KEY=b")
    ]
    answers += [await write(harness, ".env", content) for content in ("KEY=abc\n", "KEY=abd\n")]
    assert [answer.message for answer in answers] == ["The user rejected this tool call."] * 4
    assert len(harness.asked) == 4


async def test_an_edit_tells_nothing_of_a_file_that_a_rule_keeps_closed(harness: ToolHarness) -> None:
    harness.approvals.policy = Policy([parse_rule("Read(plans.txt)", Effect.DENY)])
    (harness.dir / "plans.txt").write_text("buy\n")
    for old in ("buy", "sell"):
        value = await replace(harness, "plans.txt", old, f"{old}x" if old == "sell" else old)
        assert "not in" not in value.message
    assert "not allowed" in (await write(harness, "plans.txt", "buy\n")).message


@pytest.mark.parametrize("name", HARMLESS)
async def test_names_that_only_look_sensitive_are_read(harness: ToolHarness, name: str) -> None:
    (harness.dir / name).write_text("x\n")
    assert not (await read(harness, name)).is_error
    assert harness.asked == []


async def test_protected_paths(harness: ToolHarness, tmp_path: Path) -> None:
    """Git's own files, our settings and what a flow runs on are asked for even under yolo and a yes for all."""
    harness.approvals.yolo = True
    skill = harness.dir / "skills" / "flow" / "SKILL.md"
    for folder in (".git/hooks", ".GIT", ".kimi-tui", "skills/flow", "sub/.git"):
        (harness.dir / folder).mkdir(parents=True, exist_ok=True)
    harness.workspace.protected.add(skill.parent)
    harness.answer = "approve_for_session"
    assert not (await write(harness, ".git/config", "x")).is_error
    harness.answer = "reject"
    paths = [".git/config", ".git/hooks/pre-commit", ".GIT/config", ".kimi-tui/config.yaml", "sub/.git/config"]
    for path in [*paths, str(skill)]:
        assert (await write(harness, path, "y")).is_error, path
    assert not (await write(harness, ".gitignore", "x")).is_error
    assert len(harness.asked) == 7


@pytest.mark.parametrize("name", ["GIT~1/config", "claude~1/a.json", "MCP~1.JSO", "src/KIMI-T~2/x"])
async def test_a_short_name_of_windows_may_be_that_of_a_protected_file(harness: ToolHarness, name: str) -> None:
    harness.approvals.yolo = True
    harness.answer = "reject"
    (harness.dir / name).parent.mkdir(parents=True, exist_ok=True)
    assert (await write(harness, name, "x")).is_error
    assert not (await write(harness, "notes.~1~", "x")).is_error
    assert len(harness.asked) == 1


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
        place = Workspace(work).resolve(given_path)
    except PathRefusedError:
        assert not absolute
        assert not real.is_relative_to(work)
        return
    assert place.real == real
    assert place.inside == real.is_relative_to(work)
    assert place.protected == (".git" in (real.relative_to(work) if place.inside else real).parts)


async def test_enospc_leaves_the_old_file_whole(harness: ToolHarness) -> None:
    """A disk that takes no more (here: a limit on file size) loses the change, not the file."""
    (harness.dir / "a").write_text("old\n")
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, hard))
    try:
        value = await write(harness, "a", "x" * 100_000)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert "File too large" in value.message
    assert (harness.dir / "a").read_text() == "old\n"
    assert [path.name for path in harness.dir.iterdir()] == ["a"]


def test_enospc_leaves_the_old_file_whole_in_a_folder_that_takes_no_new_one() -> None:
    code = """
import os, resource, signal, sys
from pathlib import Path
from kimi_tui.tools.file_support.safe_open import write_bytes
file = Path(sys.argv[1])
file.parent.chmod(0o555)
if os.geteuid() == 0:
    os.chown(file, 65534, -1)
    os.seteuid(65534)
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
old = file.read_bytes()
resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
try:
    write_bytes(file, b"x" * 100_000, expected=old)
except OSError as error:
    print(error.strerror)
assert file.read_bytes() == old
for new in (b"y" * 4096, b"short", b"", b"longer again"):
    write_bytes(file, new, expected=old)
    assert file.read_bytes() == (old := new)
"""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(os.path.realpath(name))
        (folder / "a").write_text("old\n" * 500)
        done = subprocess.run([sys.executable, "-c", code, str(folder / "a")], capture_output=True, text=True)
        assert (done.returncode, done.stdout) == (0, "File too large\n"), done.stderr
        assert [path.name for path in folder.iterdir()] == ["a"]
        folder.chmod(0o700)


LATER = (
    ".mcp.json", ".MCP.json", ".claude/skills/a/SKILL.md", ".agents/skills/a.md", ".codex/config.toml",
    ".kimi/skills/a.md", ".kimi-tui/mcp.json", ".git/hooks/pre-commit", ".g\u200bit/config", "\uff0egit/config",
    "sub/.claude/settings.json",
)  # fmt: skip
TELLS = ("AGENTS.md", "claude.md", "sub/AGENTS.md", ".github/workflows/ci.yml", ".vscode/tasks.json", ".envrc",
         ".husky/pre-push", ".pre-commit-config.yaml", ".npmrc", ".cursorrules", "x/SKILL.md", "opencode.json",
         "sub/Crush.json", "QWEN.md", "_darcs/prefs/defaults")  # fmt: skip
WORK = ("a.py", ".gitignore", ".editorconfig", "docs/agents.py", ".prettierrc.json", "bin/run", ".env.example")


def made(harness: ToolHarness, name: str) -> str:
    (harness.dir / name).parent.mkdir(parents=True, exist_ok=True)
    return name


@pytest.mark.parametrize("name", LATER)
async def test_what_starts_something_later_is_asked_for_whatever_holds(harness: ToolHarness, name: str) -> None:
    harness.approvals.policy = Policy([parse_rule("WriteFile", Effect.ALLOW)], accept_edits=True)
    harness.approvals.yolo = True
    harness.answer = "approve_for_session"
    for content in ("x", "y"):
        await write(harness, made(harness, name), content)
    assert [request.scope for request in harness.asked] == [None, None]


@pytest.mark.parametrize("name", [*TELLS, *WORK])
async def test_accepted_edits_are_no_yes_to_what_tells_an_agent_or_a_tool_what_to_do(
    harness: ToolHarness, name: str
) -> None:
    harness.approvals.policy = Policy((), accept_edits=True)
    harness.answer = "approve_for_session"
    for content in ("x", "y"):
        assert not (await write(harness, made(harness, name), content)).is_error
    assert len(harness.asked) == (2 if name in TELLS else 0)
    harness.asked.clear()
    harness.approvals.yolo = True
    await write(harness, name, "z")
    assert len(harness.asked) == (1 if name in (".npmrc", ".envrc") else 0)  # those hold secrets, too


@pytest.mark.parametrize(
    ("link", "target", "path"),
    [
        ("AGENTS.md", "docs/notes.md", "docs/notes.md"),
        ("AGENTS.md", "docs/notes.md", "AGENTS.md"),
        (".vscode", "editor", "editor/tasks.json"),
        (".vscode", "editor", ".vscode/tasks.json"),
        ("skills/a/SKILL.md", "skills/a/text.md", "skills/a/text.md"),
        ("docs/deep/SKILL.md", "notes.md", "docs/deep/SKILL.md"),
    ],
)
async def test_accepted_edits_are_no_yes_to_what_a_link_makes_an_instruction(
    harness: ToolHarness, link: str, target: str, path: str
) -> None:
    harness.approvals.policy = Policy((), accept_edits=True)
    if target == "editor":
        (harness.dir / target).mkdir()
    else:
        (harness.dir / made(harness, target)).write_text("old")
    (harness.dir / made(harness, link)).symlink_to(harness.dir / target)
    assert not (await write(harness, path, "new")).is_error
    assert [request.scope for request in harness.asked] == [None]


@pytest.mark.parametrize("name", [".bashrc", ".zshenv", ".profile", ".ssh/authorized_keys", ".config/fish/config.fish",
                                  ".config/autostart/a.desktop", ".gitconfig", "bin/ls", ".local/bin/ls"])  # fmt: skip
async def test_in_the_users_home_what_their_shell_starts_is_asked_for(name: str) -> None:
    harness = ToolHarness(Path.home(), yolo=True)
    await write(harness, made(harness, name), "x")
    assert len(harness.asked) == 1
    (harness.dir / "notes").mkdir()
    await write(harness, "notes/a.md", "x")
    elsewhere = ToolHarness(Path.home() / "notes", yolo=True)
    await write(elsewhere, str(Path.home() / name), "y")
    assert (len(harness.asked), len(elsewhere.asked)) == (1, 1)


async def test_a_folder_of_programs_is_asked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tools = tmp_path / "tools"
    tools.mkdir()
    (tmp_path / "notes").mkdir()
    monkeypatch.setenv("PATH", str(tools), prepend=":")
    harness = ToolHarness(tmp_path / "notes", yolo=True)
    await write(harness, str(tools / "git"), "x")
    assert len(harness.asked) == 1
    await write(harness, str(tmp_path / "a.txt"), "x")
    assert len(harness.asked) == 1


def test_our_home_holds_secrets_in_any_spelling(tmp_path: Path) -> None:
    workspace, home = Workspace(tmp_path), paths.home()
    for name, sensitive in (("config.yaml", True), ("sessions/x", True), ("skills/a/SKILL.md", False)):
        assert workspace.resolve_real(home / name).sensitive is sensitive
        assert workspace.resolve_real(Path(str(home).upper()) / name).sensitive is sensitive
    assert not workspace.resolve_real(Path(f"{home}2/config.yaml")).sensitive


@pytest.mark.parametrize("how", ["link", "file", "separate", "worktree", "submodule", "bare"])
async def test_a_git_folder_is_protected_by_whatever_name(harness: ToolHarness, how: str) -> None:
    git = ["git", "-c", "user.name=a", "-c", "user.email=a@b", "-c", "protocol.file.allow=always"]
    run = functools.partial(subprocess.run, cwd=harness.dir, check=True, capture_output=True)
    gd, named = harness.dir / "gd", ".git"
    match how:
        case "link":
            run([*git, "init", "-q"])
            (harness.dir / ".git").rename(gd)
            (harness.dir / ".git").symlink_to("gd")
        case "file":
            (gd / "hooks").mkdir(parents=True)
            (harness.dir / ".git").write_text("gitdir: gd\n")
        case "separate":
            run([*git, "init", "-q", "--separate-git-dir=gd"])
        case "bare":
            run([*git, "init", "-q", "--bare", "gd"])
        case "worktree":
            run([*git, "init", "-q", "--separate-git-dir=other", "."])
            run([*git, "commit", "-q", "--allow-empty", "-m", "x"])
            run([*git, "worktree", "add", "-q", "wt"])
            gd, named = harness.dir / "other" / "worktrees" / "wt", "wt/.git"
        case _:
            run([*git, "init", "-q", "--separate-git-dir=gd", "."])
            run([*git, "init", "-q", "sub"])
            (gd / "modules").mkdir()
            run([*git, "-C", "sub", "init", "-q", "--separate-git-dir", str(gd / "modules" / "sub"), "."])
            gd, named = gd / "modules" / "sub", "sub/.git"
    (gd / "hooks").mkdir(exist_ok=True)
    harness.approvals.yolo = True
    harness.answer = "reject"
    given = [f"{gd.relative_to(harness.dir)}/hooks/x", f"{gd.relative_to(harness.dir)}/config"]
    given += [] if how == "bare" else [f"{named}/hooks/x" if how == "link" else named]
    for path in given:
        assert (await write(harness, path, "x")).is_error, path
    assert len(harness.asked) == len(given)


async def test_a_hard_link_to_a_secret_anywhere_in_the_workspace_is_one_too(harness: ToolHarness) -> None:
    secret = harness.dir / "deep" / "er" / ".env"
    secret.parent.mkdir(parents=True)
    secret.write_text("KEY=1\n")
    (harness.dir / "other").mkdir()
    os.link(secret, harness.dir / "other" / "notes.txt")
    harness.answer = "reject"
    assert (await read(harness, "other/notes.txt")).is_error
    assert (await write(harness, "other/notes.txt", "x")).is_error
    assert len(harness.asked) == 2
    found = await harness.use(Grep(harness.workspace, harness.approvals), pattern="KEY", output_mode="content")
    assert "KEY=1" not in str(found.output)


@pytest.mark.parametrize(
    "name",
    ["config.yaml", "config.json", "mcp.json", "tokens/a.json", "history/x.jsonl", "sessions/k/other/context.jsonl"],
)
async def test_our_own_keys_and_sessions_are_secrets_for_every_tool(harness: ToolHarness, name: str) -> None:
    file = paths.home() / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("api_key: sk-1\n")
    harness.approvals.yolo = True
    harness.answer = "reject"
    assert (await read(harness, str(file))).is_error
    value = await harness.use(ReadMediaFile(harness.workspace, harness.approvals, MediaSupport()), path=str(file))
    assert value.is_error
    grep = Grep(harness.workspace, harness.approvals)
    for place in (file, file.parent, paths.home()):
        assert "sk-1" not in str(await harness.use(grep, pattern="api_key", path=str(place), output_mode="content"))
    assert ask_reason(parse_command_line(f"cat {file}"), harness.workspace) is not None
    (harness.dir / "link").symlink_to(file)
    assert (await read(harness, "link")).is_error


async def test_skills_and_what_tasks_of_the_session_print_are_no_secrets(harness: ToolHarness) -> None:
    harness.workspace.session_dir = (paths.home() / "sessions" / "k" / "mine").resolve()
    for name in ("skills/a/SKILL.md", "sessions/k/mine/tasks/1.log", "sessions/k/mine/plans/plan-1.md"):
        (paths.home() / name).parent.mkdir(parents=True)
        (paths.home() / name).write_text("text\n")
        assert not (await read(harness, str(paths.home() / name))).is_error
    assert harness.asked == []


async def test_what_was_in_a_secret_before_an_edit_is_a_secret(harness: ToolHarness) -> None:
    session = (paths.home() / "sessions" / "k" / "mine").resolve()
    harness.workspace.session_dir = session
    history = FileCheckpoints(session / "files")
    history.begin_turn("edit")
    (harness.dir / ".env").write_text("KEY=abc\n")
    edit = WriteFile(harness.workspace, harness.approvals, history)
    await harness.use(edit, path=".env", content="B=1\n", mode="append")
    (session / "wire.jsonl").write_text("KEY=abc\n")
    (blob,) = (session / "files" / "blobs").iterdir()
    harness.answer = "reject"
    for file in (blob, session / "wire.jsonl"):
        assert "abc" not in str(await read(harness, str(file)))
    grep = Grep(harness.workspace, harness.approvals)
    assert "abc" not in str(await harness.use(grep, pattern="KEY", path=str(session), output_mode="content"))


@pytest.mark.parametrize(("link", "target", "file"), [(".claude", "cfg", "cfg/settings.json"), (".mcp.json", "m", "m")])
async def test_a_name_that_acts_is_protected_where_its_link_leads(
    harness: ToolHarness, link: str, target: str, file: str
) -> None:
    (harness.dir / link).symlink_to(target)
    harness.approvals.yolo = True
    await write(harness, made(harness, file), "x")
    await write(harness, "other.txt", "x")
    assert len(harness.asked) == 1
