"""Ends a starting sandbox whose mounts are not the requested ones. A program, not a module to import.

python -I -S mount_check.py PLACES WRITTEN UNSTARTED PROGRAM ARGUMENT...

PROGRAM is bubblewrap, and PLACES are the paths that it binds to themselves, one a line, escaped as in
/proc/self/mountinfo. WRITTEN are the paths that stay writable for bubblewrap itself, likewise; empty where all do.
bubblewrap follows links, and a command that runs meanwhile can replace a folder of the workspace
by one: the mount then shows what the link leads to. A process of ours compares the mounts of the new sandbox with the
places before the command starts. `supervisor.py` does that between fork and exec. The file UNSTARTED is
there until the command starts, and stays if it does not and another attempt can help: the mounts differ, or could not
be made.
"""

import os
import sys
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

if __package__:
    from kimi_tui.tools.shell_support import read_only_mounts, session_keyring, socket_filter
else:
    sys.path.append(os.path.dirname(os.path.abspath(__file__)))  # noqa: PTH100, PTH120 - pathlib takes long to load
    import read_only_mounts
    import session_keyring
    import socket_filter

_SIGKILL = 9
"""The module `signal` takes long to load."""
_SECONDS = 5.0
_SETTLES = 0.3
"""Seconds in which the mounts are complete after all are made."""
_PAUSE = 0.0005
_BUILDING = (b"/oldroot", b"/newroot")
"""Where bubblewrap has the mounts until all are made."""

Mounts = dict[bytes, tuple[bytes, bytes]]
"""The device and the path on it by place, of the last mount at each."""


def checked(
    places: str, written: str, unstarted: str, command: list[str], report_unstarted: "Callable[[], None]"
) -> list[str]:
    """Start the comparison; return the command line to execute in this process. The comparing process calls
    `report_unstarted` if the sandbox does not start the command. Raises OSError.
    """
    session_keyring.leave()
    answer_end, answer_write = os.pipe()
    read_end, release = os.pipe()
    # Its reader is a writer too: it never sees an end, so the command does not start if the comparison is killed.
    held = os.open(f"/proc/self/fd/{read_end}", os.O_RDWR)  # defence: started-by-a-byte
    os.close(read_end)
    try:
        os.close(os.open(unstarted, os.O_WRONLY | os.O_CREAT, 0o600))
    except OSError:  # the disk is full: the command is then not tried again
        pass
    if os.fork() == 0:
        os.close(answer_write)
        os.close(held)
        status = 1
        try:
            status = _compare(places, unstarted, answer_end, release, report_unstarted)
        finally:
            os._exit(status)
    os.close(answer_end)
    os.close(release)
    if written:
        read_only_mounts.make_read_only(_paths(written))  # defence: nothing-left-where-links-lead
    end = command.index("--")
    # A list of processes inside would show the options, which are pages.
    options = _in_memory(b"\0".join(map(os.fsencode, command[1:end])))
    for descriptor in (answer_write, held):
        os.set_inheritable(descriptor, True)
    descriptors = ["--info-fd", str(answer_write), "--block-fd", str(held), "--args", str(options)]
    if refused := socket_filter.key_filter():
        descriptors += ["--seccomp", str(_in_memory(refused))]  # defence: keys-of-the-user
    return [command[0], *descriptors, *command[end:]]


def _in_memory(content: bytes) -> int:
    descriptor = os.memfd_create("options", 0)
    os.write(descriptor, content)
    os.lseek(descriptor, 0, os.SEEK_SET)
    return descriptor


def _compare(places: str, unstarted: str, answer_end: int, release: int, report_unstarted: "Callable[[], None]") -> int:
    with open(answer_end, "rb") as file:
        text = file.read()
    if not text:  # bubblewrap ended, and said why: another attempt would end in the same way
        report_unstarted()  # defence: sandboxes-that-ended
        _remove(unstarted)
        return 1
    pid = int(text.partition(b'"child-pid":')[2].split(b",")[0].split(b"}")[0])
    starts = False
    try:
        if holds(pid, places):
            _remove(unstarted)  # defence: nothing-runs-twice
            starts = True
    finally:
        if not starts:  # whatever went wrong
            report_unstarted()
            try:
                os.kill(pid, _SIGKILL)
            except OSError:
                pass
            os.write(2, b"sandbox: a folder was replaced while the sandbox started\n")
    os.write(release, b"x")
    return 0


def _remove(file: str) -> None:
    try:
        os.unlink(file)  # noqa: PTH108
    except FileNotFoundError:
        pass


def holds(pid: int, places: str) -> bool:
    """Wait for the mounts of this process; return whether they are those of `places`. Raises OSError."""
    outside = read_mounts(b"self")
    expected = {place: _expected(place, outside) for place in _paths(places)}
    until = time.monotonic() + _SECONDS
    complete = False
    while time.monotonic() < until:
        time.sleep(_PAUSE)
        if not _waits(pid):
            continue
        inside = read_mounts(str(pid).encode())
        made = inside.get(b"/proc") != outside.get(b"/proc")  # each sandbox has its own, here when all is made
        # Before, a place can be a mount outside.
        # defence: mounts-of-the-sandbox-itself
        if made and all(inside.get(place) == wanted for place, wanted in expected.items()):
            return True
        # defence: complete-mounts-that-differ
        if made and not complete and not any(place.startswith(_BUILDING) for place in inside):
            complete = True  # a list that was opened before the root changed is incomplete: read it again
            until = min(until, time.monotonic() + _SETTLES)
    return False


def _waits(pid: int) -> bool:
    """Whether this process sleeps, as it does when all mounts are made. Reading its state takes a tenth of the time
    that reading its mounts takes.
    """
    with open(f"/proc/{pid}/stat", "rb") as file:  # noqa: PTH123
        return file.read().rpartition(b")")[2][1:2] == b"S"


def read_mounts(process: bytes) -> Mounts:
    """Return the mounts that a process has. Raises OSError."""
    found: Mounts = {}
    with open(b"/proc/" + process + b"/mountinfo", "rb") as file:  # noqa: PTH123
        for line in filter(None, file.read().split(b"\n")):
            _, _, device, root, place, _ = line.split(b" ", 5)
            found[_unescaped(place)] = (device, _unescaped(root))
    return found


def _expected(place: bytes, outside: Mounts) -> tuple[bytes, bytes]:
    """Return the device and the path on it of a place that has no links."""
    above = place
    while above not in outside and above != b"/":
        above = os.path.dirname(above)  # noqa: PTH120
    device, root = outside[above]
    below = place[len(above) :].lstrip(b"/")
    return device, (root.rstrip(b"/") + b"/" + below).rstrip(b"/") or b"/"


def _paths(lines: str) -> list[bytes]:
    return [_unescaped(line) for line in os.fsencode(lines).split(b"\n") if line]


def _unescaped(path: bytes) -> bytes:
    if b"\\" not in path:
        return path
    for escaped, plain in ((b"\\040", b" "), (b"\\011", b"\t"), (b"\\012", b"\n"), (b"\\134", b"\\")):
        path = path.replace(escaped, plain)
    return path


if __name__ == "__main__":
    try:
        command = checked(sys.argv[1], sys.argv[2], sys.argv[3], sys.argv[4:], lambda: None)
        os.execvp(command[0], command)
    except OSError as error:
        os.write(2, f"sandbox: {error.strerror}\n".encode())
        sys.exit(126)
