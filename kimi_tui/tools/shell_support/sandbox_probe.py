"""Finds bubblewrap, and tests that it works: a write and a connection that must fail, and processes that are hidden.

A program that does nothing, or a namespace without effect, fails the test.
"""

import os
import shlex
import shutil
import socket
import stat
import sys
import tempfile
from collections.abc import Generator, Iterable, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from kimi_tui import paths
from kimi_tui.config.schema import SandboxConfig
from kimi_tui.i18n import tr
from kimi_tui.paths import real_path
from kimi_tui.tools.file_support.workspace import Workspace
from kimi_tui.tools.shell_support.bwrap_args import SandboxFeatures, attempts, sandbox_argv
from kimi_tui.tools.shell_support.child_env import DEFAULT_ENV
from kimi_tui.tools.shell_support.process_runner import ProcessResult, run

_PROGRAM = "bwrap"
_FOLDERS = ("/usr/bin", "/bin", "/usr/local/bin", "/run/current-system/sw/bin")
_SECONDS = 5.0
_HELD = "kimi-tui: the sandbox holds"


def find_bwrap(untrusted: Iterable[Path]) -> str | None:
    """Return bubblewrap from the system's folders, else from PATH, but never from a folder that commands can write."""
    written = (folder.expanduser() for folder in untrusted)  # defence: bubblewrap-of-configured-folders
    closed = [real_path(folder) for folder in (*written, "/tmp", "/var/tmp", tempfile.gettempdir())]
    for entry in (*_FOLDERS, *os.environ.get("PATH", "").split(os.pathsep)):
        program = shutil.which(_PROGRAM, path=entry) if entry.startswith("/") else None
        if program is not None:
            real = real_path(program)
            if not any(path.is_relative_to(folder) for folder in closed for path in (Path(program), real)):
                return program
    return None


def find_sandbox_exec() -> str | None:
    """Return macOS's `sandbox-exec`; None elsewhere."""
    program = Path("/usr/bin/sandbox-exec")
    return str(program) if sys.platform == "darwin" and program.is_file() else None


async def probe(
    box: SandboxFeatures, config: SandboxConfig, workspace: Workspace
) -> tuple[SandboxFeatures | None, str]:
    """Return the settings that work here, the strictest first; else None and the reason, for the user."""
    reason = ""
    others = (replace(box, join=()),) if box.join else ()
    # Linux before 5.12 cannot, and AppArmor may let only bubblewrap.
    more = (replace(one, read_only=False) for one in (box, *others))
    for settings in (box, *others, *more, replace(box, own_users=False, read_only=False, join=(), scope=())):
        if not settings.own_users and os.geteuid() != 0 and not _is_setuid(Path(box.program)):
            continue  # it would make a user namespace, in which more could be made
        with _forbidden(box.private, (*workspace.folders, *config.writable)) as (file, port):
            tests = _tests(file, port, (*workspace.folders, *config.writable), network=config.network)

            def make(unstarted: Path, *, tests: list[str] = tests, settings: SandboxFeatures = settings) -> list[str]:
                return [*sandbox_argv(settings, config, workspace, unstarted=unstarted), *tests]

            text = ""
            for command in attempts(box, make):
                printed: list[str] = []
                try:
                    ended = await run(
                        command,
                        cwd=Path("/"),
                        env=DEFAULT_ENV.build(),
                        on_text=lambda text, printed=printed: printed.append(text),
                        seconds=_SECONDS,
                    )
                except OSError as error:
                    return None, tr("bubblewrap could not be started: {cause}", cause=error.strerror)
                text = "".join(printed)
                if _held(ended, text) and not file.exists():
                    return settings, ""
                if ended.timed_out:
                    break
        cause = " ".join(text.split())[:200] or tr("no reason given")
        reason = reason or tr("bubblewrap does not work here: {cause}", cause=cause)
    return None, reason


async def probe_files(
    box: SandboxFeatures, config: SandboxConfig, argv: Sequence[str], untrusted: Iterable[Path]
) -> SandboxFeatures | None:
    """Return the settings if these arguments (for Landlock or `sandbox-exec`) keep a command from a file of ours and,
    where it is off, from the network.
    """
    file = paths.home() / f"written-by-a-probe-{os.getpid()}"
    printed: list[str] = []
    with _forbidden(box.private) as (_, port):
        tests = _tests(file, port, untrusted, network=config.network, spaces=False)
        try:
            paths.private_folder(paths.home())
            ended = await run(
                [*argv, *tests],
                cwd=Path("/"),
                env=DEFAULT_ENV.build(),
                on_text=lambda text: printed.append(text),
                seconds=_SECONDS,
            )
        except OSError:
            return None
    held = _held(ended, "".join(printed)) and not file.exists()
    file.unlink(missing_ok=True)
    return box if held else None


def _held(ended: ProcessResult, text: str) -> bool:
    """Whether the test command came to its end. Bash and the dynamic linker may print warnings before, such as one of
    a locale that is not installed.
    """
    return ended.exit_code == 0 and text.splitlines()[-1:] == [_HELD]  # defence: warnings-in-a-probe


@contextmanager
def _forbidden(private: Path, writable: Iterable[Path] = ()) -> Generator[tuple[Path, int]]:
    """Yield a file that could be made outside of the `writable` folders, and a port that answers there.

    The file's folder is in the session's own folder `private`, which is deleted even if this process is killed.
    """
    place = private  # defence: probe-in-the-sessions-folder
    if any(place.is_relative_to(real_path(folder.expanduser())) for folder in writable):
        paths.private_folder(place := paths.home())  # defence: probe-outside-of-the-workspace
    with tempfile.TemporaryDirectory(prefix="kimi-tui-probe-", dir=place) as folder, socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        server.listen()
        yield Path(folder) / "written", server.getsockname()[1]


def _tests(file: Path, port: int, untrusted: Iterable[Path], *, network: bool, spaces: bool = True) -> list[str]:
    """Return the test command; `spaces`: it has its own namespaces. No program of a folder that commands write judges
    the sandbox.
    """
    # defence: judge-of-the-sandbox
    bash = paths.find_program("bash", outside=[folder.expanduser() for folder in untrusted]) or "/bin/bash"
    tests = [
        (f"(: > {shlex.quote(str(file))})", "it lets a command write outside"),
        ("[ -w /proc/sys/kernel ] || (: >> /proc/sys/kernel/core_pattern)", "it lets a command change the kernel"),
    ]
    if spaces:
        space = str(Path("/proc/self/ns/pid").readlink())
        tests += [
            (f"[ -e {shlex.quote(str(file.parent))} ]", "it does not hide the folder for temporary files"),
            (f'[ "$(readlink /proc/self/ns/pid)" = {shlex.quote(space)} ]', "it does not hide processes"),
        ]
    else:
        tests[1] = ("(: >> /proc/sys/kernel/core_pattern)", tests[1][1])
    if not network:
        tests.append((f"(: < /dev/tcp/127.0.0.1/{port})", "it does not keep the network off"))
    lines = [f"if {{ {test}; }} 2>/dev/null; then echo {shlex.quote(why)}; exit 1; fi" for test, why in tests]
    return [bash, "--norc", "-c", "\n".join([*lines, f"echo {shlex.quote(_HELD)}"])]


def _is_setuid(program: Path) -> bool:
    try:
        return bool(program.stat().st_mode & stat.S_ISUID)
    except OSError:
        return False
