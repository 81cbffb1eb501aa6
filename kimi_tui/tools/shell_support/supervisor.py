"""Supervises one command: runs it, and ends all its descendants. A program, not a module to import.

python -I -S supervisor.py GRACE STATUS_FD CONTROL_FD PROGRAM ARGUMENT...

It is the "subreaper" of the command, so processes in the background or in their own session remain its descendants. It
ends them when CONTROL_FD closes, which also happens when kimi-tui is killed. If CONTROL_FD is standard input, the
command's standard input is empty; else the command inherits ours. It writes to STATUS_FD: `pid N`, `exit N` (128 +
signal if killed), `unstarted` if the command itself did not run (the output then says why) and, if leftover processes
had to be ended, `left N`. It imports only the standard library, to start in a few milliseconds.
"""

import os
import select
import sys
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    import signal
else:
    import _signal as signal  # without the enumerations, which take longer to load than all of this

if __package__:
    from kimi_tui.tools.shell_support import libc
else:
    sys.path.append(os.path.dirname(os.path.abspath(__file__)))  # noqa: PTH100, PTH120 - pathlib takes long to load
    import libc

_HERE = os.path.dirname(os.path.abspath(__file__))  # noqa: PTH100, PTH120 - pathlib takes long to load
_NETNS, _LANDLOCK, _MOUNT_CHECK = (f"{_HERE}/{name}.py" for name in ("netns", "landlock", "mount_check"))
_PR_SET_PDEATHSIG = 1
_PR_SET_CHILD_SUBREAPER = 36
_OOM_SCORE = "/proc/self/oom_score_adj"
_DIES_FIRST = 500
_LINGER = 0.3
_KILL_FOR = 5.0


def main() -> None:
    grace, status, control = float(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
    for ours in (status, control):
        os.set_inheritable(ours, False)
    _adopt_orphans()  # defence: adopt-orphans
    _signal_on_parent_exit(signal.SIGCONT)  # a stopped supervisor continues, and ends its processes
    woken, waker = os.pipe()
    for end in (woken, waker):
        os.set_blocking(end, False)
    signal.set_wakeup_fd(waker, warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, _wake)
    first = _start(sys.argv[4:], status, empty_input=control == 0)
    _report(status, f"pid {first}")
    _leave_output()
    if control != 0:
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    supervisor = _Supervisor(first, status, control, woken)
    asked = supervisor.wait(None)
    if not asked and not supervisor.alone:
        asked = supervisor.wait(_LINGER, until_alone=True)
        if not supervisor.alone:
            _report(status, f"left {len(_descendants(first))}")
    supervisor.end_all(grace)  # defence: end-all-of-command


def _wake(_number: int, _frame: object) -> None:
    """An empty handler, so that the signal is not ignored; the wake-up descriptor wakes the loop."""


class _Supervisor:
    def __init__(self, first: int, status: int, control: int, woken: int) -> None:
        self._first, self._status, self._control, self._woken = first, status, control, woken
        self._running = True
        self.alone = False

    def wait(self, seconds: float | None, *, until_alone: bool = False) -> bool:
        """Wait until the command ends (or all its processes, or the time is up); True if we are asked to end it."""
        until = None if seconds is None else time.monotonic() + seconds
        while not self.alone and (self._running or until_alone):
            left = None if until is None else until - time.monotonic()
            if left is not None and left <= 0:
                return False
            ready, _, _ = select.select([self._control, self._woken], [], [], left)
            if self._control in ready:  # defence: control-pipe-closed
                return True
            self._reap()
        return False

    def end_all(self, grace: float) -> None:
        """Send SIGTERM to every descendant, and SIGKILL after `grace` seconds."""
        self._signal(signal.SIGTERM)
        self._wait_alone(grace, signal.SIGTERM if grace else None)
        until = time.monotonic() + _KILL_FOR
        while not self.alone and time.monotonic() < until:
            self._signal(signal.SIGKILL)
            self._wait_alone(0.02, None)

    def _wait_alone(self, seconds: float, again: int | None) -> None:
        """Wait for the descendants. `again` goes to newly started processes; each process gets it only once."""
        until = time.monotonic() + seconds
        self._reap()
        while not self.alone and (left := until - time.monotonic()) > 0:
            select.select([self._woken], [], [], min(left, 0.1))
            self._reap()
            if again is not None:
                self._signal(again, only_new=True)

    _signalled: frozenset[int] = frozenset()

    def _signal(self, number: int, *, only_new: bool = False) -> None:
        if self.alone:
            return
        now = _descendants(self._first)
        for pid in now:
            if not only_new or pid not in self._signalled:
                try:
                    os.kill(pid, number)
                    os.kill(pid, signal.SIGCONT)
                except OSError:  # it has ended
                    pass
        self._signalled = frozenset(now)

    def _reap(self) -> None:
        try:
            while os.read(self._woken, 512):
                pass
        except BlockingIOError:
            pass
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                self.alone = True
                return
            if pid == 0:
                return
            if pid == self._first:
                self._running = False
                code = os.waitstatus_to_exitcode(status)
                _report(self._status, f"exit {128 - code if code < 0 else code}")


def _start(command: list[str], status: int, *, empty_input: bool) -> int:
    pid = os.fork()
    if pid:
        return pid

    def report_unstarted() -> None:
        _report(status, "unstarted")

    failing = "sandbox"
    try:
        signal.set_wakeup_fd(-1)
        for number in (signal.SIGCHLD, signal.SIGPIPE, signal.SIGINT, signal.SIGXFSZ):
            signal.signal(number, signal.SIG_DFL)
        os.setsid()  # defence: session-of-its-own
        _die_first()
        if empty_input:
            os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        if command[3:4] == [_LANDLOCK]:
            import landlock

            landlock.confine(command[4])
            command = command[5:]
        if command[3:5] == [_NETNS, "join"]:
            import netns

            try:
                netns.join(command[5], command[6])
            except FileNotFoundError:  # the process that kept it was killed
                os.write(2, b"sandbox: the network of the session's commands is gone: start kimi-tui again\n")
                report_unstarted()
                os._exit(127)
            command = command[7:]
        if command[3:4] == [_MOUNT_CHECK]:
            import mount_check

            # defence: compare-mounts
            command = mount_check.checked(command[4], command[5], command[6], command[7:], report_unstarted)
        failing = command[0]
        os.execvp(command[0], command)
    except OSError as error:
        os.write(2, f"{failing}: {error.strerror}\n".encode())
        report_unstarted()  # defence: starts-that-failed
    os._exit(127)


def _die_first() -> None:
    """Where memory runs out, the kernel ends the command and not kimi-tui, which checks what the command left."""
    try:
        file = os.open(_OOM_SCORE, os.O_RDWR)
        score = min(int(os.read(file, 16)) + _DIES_FIRST, 1000)
        os.pwrite(file, f"{score}".encode(), 0)  # defence: commands-die-first
        os.close(file)
    except OSError:
        pass


def _adopt_orphans() -> None:
    _prctl(_PR_SET_CHILD_SUBREAPER, 1)


def _signal_on_parent_exit(number: int) -> None:
    """Request this signal when our parent dies."""
    _prctl(_PR_SET_PDEATHSIG, number)


def _prctl(option: int, value: int) -> None:
    if sys.platform == "linux":
        try:
            libc.call("prctl", option, value, 0, 0, 0)
        except (OSError, AttributeError):
            pass


def _leave_output() -> None:
    """Close the output: its reader must see the end when the command's processes are gone."""
    nothing = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nothing, 1)
    os.dup2(nothing, 2)
    os.close(nothing)


def _report(status: int, line: str) -> None:
    try:
        os.write(status, f"{line}\n".encode())
    except OSError:
        pass


def _descendants(first: int) -> list[int]:
    """Return all our descendants. Without /proc, only the command itself (its group is signalled)."""
    children: dict[int, list[int]] = {}
    try:
        names = os.listdir("/proc")  # noqa: PTH208 - pathlib takes longer to load than all of this
    except OSError:
        return [-first]
    for name in names:
        if name.isdigit():
            try:
                with open(f"/proc/{name}/stat", "rb") as file:  # noqa: PTH123
                    fields = file.read().rpartition(b")")[2].split()
                if fields[0] not in (b"Z", b"X"):
                    children.setdefault(int(fields[1]), []).append(int(name))
            except (OSError, ValueError, IndexError):
                pass
    found = list(children.get(os.getpid(), ()))
    for pid in found:
        found.extend(children.get(pid, ()))
    return found


if __name__ == "__main__":
    main()
