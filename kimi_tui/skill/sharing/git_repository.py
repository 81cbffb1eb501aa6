"""Fetches one commit of a stranger's repository, and reads files from it.

Nothing is checked out: files are read as objects from a bare repository in a temporary folder, so that no hook, filter,
submodule, link or configuration of the repository takes effect.
"""

import os
import resource
import signal
import subprocess
import tempfile
import threading
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from kimi_tui import paths
from kimi_tui.errors import SkillInstallError
from kimi_tui.i18n import tr
from kimi_tui.skill.sharing.skill_package import MAX_BYTES, MAX_FILE_BYTES
from kimi_tui.skill.sharing.source import SkillSource

MAX_FETCHED_BYTES = 256 << 20
"""The limit of each file that Git writes; a fetch writes one pack."""
MAX_LISTING_BYTES = 16 << 20
FETCH_SECONDS = 300.0
_READ_SECONDS = 60.0
_OPTIONS = {
    "core.hooksPath": "/dev/null",
    "core.fsmonitor": "false",
    "protocol.ext.allow": "never",
    "protocol.allow": "never",
    "fetch.unpackLimit": "1",  # one pack, which the limit of file size then bounds
    "fetch.recurseSubmodules": "false",
    "fetch.writeCommitGraph": "false",
    "transfer.bundleURI": "false",
    "credential.interactive": "false",
    "http.lowSpeedLimit": "1000",
    "http.lowSpeedTime": "30",
    "gc.auto": "0",
    "maintenance.auto": "false",
    "pack.threads": "1",
    "core.bigFileThreshold": "8m",
}
_USERS_VARIABLES = frozenset(
    {
        "GIT_SSH",
        "GIT_SSH_COMMAND",
        "GIT_SSH_VARIANT",
        "GIT_CONFIG_GLOBAL",
        "GIT_CONFIG_SYSTEM",
        "GIT_CONFIG_NOSYSTEM",
        "GIT_SSL_CAINFO",
        "GIT_SSL_CAPATH",
    }
)
"""How the user reaches servers. All other `GIT_*` variables, which name repositories and programs, are left out."""


class TreeEntry(NamedTuple):
    """A file in a Git tree.

    `mode` is Git's: 100644, 100755, 120000 (a link), 160000 (a submodule).
    """

    mode: str
    object_id: str


@dataclass(frozen=True, slots=True)
class FetchedCommit:
    """A commit on this disk: its id, and all its files by path. A path that is not UTF-8 has surrogates."""

    commit: str
    entries: Mapping[str, TreeEntry]
    git: "_Git"

    def read(self, names: Sequence[str]) -> dict[str, bytes]:
        """Read these files. Raises SkillInstallError if one is too large, or all of them are."""
        request = "".join(f"{self.entries[name].object_id}\n" for name in names).encode()
        output = self.git.run(["cat-file", "--batch"], request, most=MAX_BYTES + (len(names) + 1) * 100)
        contents: dict[str, bytes] = {}
        for name in names:
            head, _, output = output.partition(b"\n")
            size = head.rsplit(b" ", 1)[-1]
            if not size.isdigit():  # "missing": the fetch left out what is over the limit
                raise SkillInstallError(tr("{name} is too large", name=name))
            contents[name], output = output[: int(size)], output[int(size) + 1 :]
        return contents


@contextmanager
def fetched_commit(source: SkillSource) -> Generator[FetchedCommit]:
    """Fetch the commit that `source` names; it is deleted when the block ends.

    Raises SkillInstallError if Git is missing, or with Git's message.
    """
    program = paths.find_program("git", outside=[_cwd()])
    if program is None:
        raise SkillInstallError(tr("Git is not installed; add the skill from a folder"))
    with tempfile.TemporaryDirectory(prefix="kimi-tui-skill-") as folder:
        git = _Git(program, Path(folder), source.protocol or "file")
        git.run(["init", "--quiet", "--bare", "--template=", folder])
        git.run(
            [
                "fetch",
                "--quiet",
                "--depth=1",
                "--no-tags",
                "--no-recurse-submodules",
                f"--filter=blob:limit={MAX_FILE_BYTES}",
                "--",
                source.location,
                source.ref or "HEAD",
            ],
            seconds=FETCH_SECONDS,
        )
        commit = git.run(["rev-parse", "--verify", "--quiet", "FETCH_HEAD^{commit}"]).decode().strip()
        listing = git.run(["ls-tree", "-r", "-z", "--full-tree", commit], most=MAX_LISTING_BYTES)
        yield FetchedCommit(commit, dict(map(_entry, listing.rstrip(b"\0").split(b"\0"))) if listing else {}, git)


def _entry(line: bytes) -> tuple[str, TreeEntry]:
    head, _, name = line.partition(b"\t")
    mode, _kind, object_id = head.decode().split(" ")
    return os.fsdecode(name), TreeEntry(mode, object_id)


def _cwd() -> Path:
    try:
        return Path.cwd()
    except OSError:
        return Path("/")


@dataclass(frozen=True, slots=True)
class _Git:
    program: str
    folder: Path
    protocol: str

    def run(
        self, args: Sequence[str], request: bytes = b"", *, most: int = 1 << 16, seconds: float = _READ_SECONDS
    ) -> bytes:
        """Run Git and return its output of at most `most` bytes. Raises SkillInstallError."""
        options = [part for key, value in _OPTIONS.items() for part in ("-c", f"{key}={value}")]
        with tempfile.TemporaryFile() as stdin, tempfile.TemporaryFile() as errors:
            stdin.write(request)
            stdin.seek(0)
            with subprocess.Popen(
                [self.program, *options, *args],
                stdin=stdin,
                stdout=subprocess.PIPE,
                stderr=errors,
                cwd=self.folder,
                env=self._environment(),
                start_new_session=True,  # no terminal to ask on, and one group to end
                preexec_fn=_limit_files,
            ) as process:
                timer = threading.Timer(seconds, _end, (process,))
                timer.start()
                try:
                    assert process.stdout is not None
                    output = process.stdout.read(most + 1)
                    if len(output) <= most and process.wait() == 0:
                        return output
                finally:
                    in_time = timer.is_alive()
                    timer.cancel()
                    if process.returncode is None:
                        _end(process)
            if not in_time:
                raise SkillInstallError(tr("Git took longer than {seconds:.0f} seconds", seconds=seconds))
            if len(output) > most:
                raise SkillInstallError(tr("the repository, or the skill in it, is too large"))
            errors.seek(0)
            raise SkillInstallError(_reason(errors.read(1 << 16).decode("utf-8", "replace"), process.returncode))

    def _environment(self) -> dict[str, str]:
        allowed = self.protocol  # defence: one-protocol
        kept = {key: value for key, value in os.environ.items() if not key.startswith("GIT_")}
        kept |= {key: value for key, value in os.environ.items() if key in _USERS_VARIABLES}
        return kept | {
            "GIT_DIR": str(self.folder),
            "GIT_ALLOW_PROTOCOL": allowed,
            "GIT_TERMINAL_PROMPT": "0",
            "GIT_ASKPASS": "",
            "SSH_ASKPASS_REQUIRE": "never",
            "GIT_NO_LAZY_FETCH": "1",
            "GIT_NO_REPLACE_OBJECTS": "1",
            "LC_ALL": "C",
        }


def _limit_files() -> None:
    hard = resource.getrlimit(resource.RLIMIT_FSIZE)[1]
    most = MAX_FETCHED_BYTES if hard == resource.RLIM_INFINITY else min(hard, MAX_FETCHED_BYTES)
    resource.setrlimit(resource.RLIMIT_FSIZE, (most, hard))  # defence: bound-fetch
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)  # writing fails with a message instead


def _end(process: "subprocess.Popen[bytes]") -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)


def _reason(errors: str, status: int | None) -> str:
    lines = [line.strip() for line in errors.splitlines() if line.strip()]
    fatal = [line for line in lines if line.startswith(("fatal:", "error:"))]
    if any("File too large" in line for line in lines):
        return tr("the repository, or the skill in it, is too large")
    return tr("Git failed: {cause}", cause=(fatal or lines or [f"status {status}"])[0][:300])
