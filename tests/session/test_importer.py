"""What is imported is read within bounds, whatever it unfolds to."""

import os
import resource
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from kimi_tui.cli.main import main
from kimi_tui.errors import SessionError
from kimi_tui.session.importer import MAX_FILES, import_session, imported_text
from kimi_tui.session.session import sessions_dir

CLOSED_WORDS = b'{"role":"user","content":"hello there"}\n'


def a_zip(file: Path, *, state: bytes = b"{}", method: int = zipfile.ZIP_DEFLATED, **also: bytes) -> Path:
    with zipfile.ZipFile(file, "w", method) as archive:
        archive.writestr("state.json", state)
        archive.writestr("context.jsonl", CLOSED_WORDS)
        for name, content in also.items():
            archive.writestr(f"subagents/{name}/context.jsonl", content)
    return file


def imported_in_little_memory(file: Path) -> tuple[int, str]:
    """Import the session by a process with 400 MiB; return its status and what it says on stderr."""
    words = [sys.executable, "-m", "kimi_tui", "session", "import", str(file), "--work-dir", str(file.parent)]
    most = 400 << 20
    done = subprocess.run(
        words,
        capture_output=True,
        text=True,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (most, most)),
    )
    return done.returncode, done.stderr


def test_a_state_that_unfolds_to_a_gigabyte_is_left_out_in_little_memory(tmp_path: Path) -> None:
    file = tmp_path / "a.zip"
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        with archive.open("state.json", "w", force_zip64=True) as out:
            out.write(b'{"title": "')
            for _ in range(512):
                out.write(b"a" * (1 << 20))
            out.write(b'"}')
        archive.writestr("context.jsonl", CLOSED_WORDS)
    assert imported_in_little_memory(file) == (0, "")


def test_a_message_of_millions_of_values_is_left_out_in_little_memory(tmp_path: Path) -> None:
    wide = b'{"role":"user","content":"wide","x":[' + b"[]," * 5_000_000 + b"[]]}\n"
    file = a_zip(tmp_path / "a.zip", context=wide + CLOSED_WORDS)
    assert imported_in_little_memory(file) == (0, "")


def test_a_zip_of_very_many_files_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SessionError, match="too large"):
        import_session(a_zip(tmp_path / "a.zip", **{f"n{n}": CLOSED_WORDS for n in range(MAX_FILES)}), tmp_path)


@pytest.mark.parametrize("damage", ["cut", "garbage", "locked", "method", "pipe", "folder of pipes", "odd state"])
def test_what_is_no_session_is_told_in_a_line(tmp_path: Path, damage: str, capsys: pytest.CaptureFixture[str]) -> None:
    file = a_zip(tmp_path / "a.zip", state=b'{"todos": 7, "title": []}' if damage == "odd state" else b"{}")
    content = file.read_bytes()
    match damage:
        case "cut":
            file.write_bytes(content[: len(content) // 2])
        case "garbage":
            file.write_bytes(content[:45] + bytes(20) + content[65:])
        case "locked":  # the bit that says that it is encrypted, in both headers of the first entry
            at = content.index(b"PK\x01\x02")
            file.write_bytes(content[:6] + b"\x01" + content[7 : at + 8] + b"\x01" + content[at + 9 :])
        case "method":
            at = content.index(b"PK\x01\x02")
            file.write_bytes(content[:8] + b"\x63" + content[9 : at + 10] + b"\x63" + content[at + 11 :])
        case "pipe":
            file.unlink()
            os.mkfifo(file)
        case "folder of pipes":
            file.unlink()
            file.mkdir()
            for name in ("context.jsonl", "wire.jsonl", "state.json"):
                os.mkfifo(file / name)
        case _:
            pass
    status = main(["session", "import", str(file), "--work-dir", str(tmp_path)])
    messages = capsys.readouterr()
    assert "Traceback" not in messages.err
    assert (status == 0) is (not messages.err)
    assert status == 0 or (messages.err.startswith("kimi-tui: ") and messages.err.count("\n") == 1)
    assert damage not in ("pipe", "folder of pipes", "cut") or status == 1


@pytest.mark.parametrize("method", [zipfile.ZIP_LZMA, zipfile.ZIP_BZIP2])
@pytest.mark.parametrize("damaged", [True, False])
def test_a_zip_compressed_by_another_method_is_refused(tmp_path: Path, method: int, damaged: bool) -> None:
    file = a_zip(tmp_path / "a.zip", method=method)
    if damaged:
        content = file.read_bytes()
        at = content.index(b"context.jsonl") + 24
        file.write_bytes(content[:at] + bytes(byte ^ 0xFF for byte in content[at : at + 12]) + content[at + 12 :])
    with pytest.raises(SessionError, match="unsupported compression method"):
        import_session(file, tmp_path)
    assert list(sessions_dir(tmp_path).iterdir()) == []


def test_a_failed_import_leaves_no_folder(tmp_path: Path) -> None:
    cut = a_zip(tmp_path / "a.zip", more=CLOSED_WORDS * 1000)
    content = cut.read_bytes()
    at = content.index(b"subagents") + 40
    cut.write_bytes(content[:at] + bytes(20) + content[at + 20 :])
    with pytest.raises(SessionError):
        import_session(cut, tmp_path)
    assert list(sessions_dir(tmp_path).iterdir()) == []


def test_an_import_leaves_a_session_that_has_its_id(tmp_path: Path) -> None:
    file = a_zip(tmp_path / "a.zip")
    import_session(file, tmp_path, "kept")
    with pytest.raises(SessionError, match="exists"):
        import_session(file, tmp_path, "kept")
    assert sessions_dir(tmp_path).joinpath("kept", "context.jsonl").read_bytes() == CLOSED_WORDS


def test_a_pipe_is_no_text_to_import(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "a.txt")
    with pytest.raises(SessionError, match="not a regular file"):
        imported_text(tmp_path / "a.txt")
