"""Confines this process to some files by Landlock, then runs a command. A program, not a module to import.

python -I -S landlock.py RULES PROGRAM ARGUMENT...

RULES is `sockets`, which confines only sockets: abstract ones of other processes, and rare kinds. Otherwise it has a
line `offline` or `online`, and lines `r PATH` (read and execute), `p PATH` (the same, unless a link on the path leads
elsewhere) and `w PATH` (as `p`, and write). A file without a rule cannot be opened, made, moved or deleted. The
kernel's calls are made directly: the published bindings take 70 ms and more to import, a delay for each command.
`supervisor.py` uses it between fork and exec.

Not confined: names, modes, owners and times of files, Unix sockets that have a path; in old kernels, all Unix sockets
and signals.
"""

import errno
import os
import struct
import sys

if __package__:
    from kimi_tui.tools.shell_support import libc, session_keyring, socket_filter
else:
    sys.path.append(os.path.dirname(os.path.abspath(__file__)))  # noqa: PTH100, PTH120 - pathlib takes long to load
    import libc
    import session_keyring
    import socket_filter

_CREATE, _ADD, _RESTRICT = 444, 445, 446
"""System calls, with the same numbers on every architecture."""
_VERSION = 1
_PATH_BENEATH = 1
_PR_SET_NO_NEW_PRIVS = 38
_PR_CAPBSET_DROP = 24
_KEPT_CAPABILITIES = frozenset({0, 1, 3})  # CHOWN, DAC_OVERRIDE, FOWNER
_LAST_CAPABILITY = 63

_EXECUTE, _WRITE_FILE, _READ_FILE, _READ_DIR = 1, 1 << 1, 1 << 2, 1 << 3
_MAKE_CHAR, _MAKE_BLOCK = 1 << 6, 1 << 11
_TRUNCATE, _IOCTL = 1 << 14, 1 << 15
_READ = _EXECUTE | _READ_FILE | _READ_DIR
_OF_FILES = _EXECUTE | _WRITE_FILE | _READ_FILE | _TRUNCATE | _IOCTL
_OF_TCP = 3
_ABSTRACT_SOCKETS = 1
_SCOPES = 3  # abstract sockets, signals
_ABI_WITH_SIZES = 3
_ABI_WITH_SCOPES = 6


def version() -> int:
    """Return the version of the kernel's interface, 0 without Landlock."""
    if sys.platform != "linux":
        return 0
    try:
        return libc.call("syscall", _CREATE, 0, 0, _VERSION)
    except (OSError, AttributeError):
        return 0


def confine(rules: str) -> None:
    """Confine this process and all that it starts. Raises OSError."""
    abi = version()
    if rules == "sockets":
        _confine_sockets(abi)
        return
    if abi < 1:
        raise OSError(errno.ENOSYS, "there is no Landlock")
    session_keyring.leave()
    lines = rules.split("\n")
    handled = (1 << (13 if abi < 2 else 14 if abi < 3 else 15 if abi < 5 else 16)) - 1
    tcp = _OF_TCP if lines[0] == "offline" and abi >= 4 else 0
    size = 8 if abi < 4 else 16 if abi < 6 else 24
    descriptor = _new_ruleset(handled, tcp, _SCOPES if abi >= _ABI_WITH_SCOPES else 0, size=size)
    for line in lines[1:]:
        rights = handled & ~(_MAKE_CHAR | _MAKE_BLOCK) if line[0] == "w" else _READ
        try:
            parent = os.open(line[2:], os.O_PATH | os.O_CLOEXEC)
        except OSError:
            continue
        if line[0] != "r" and os.readlink(f"/proc/self/fd/{parent}") != line[2:]:  # noqa: PTH115
            os.close(parent)  # a command has just put a link there
            continue
        if not os.path.isdir(f"/proc/self/fd/{parent}"):  # noqa: PTH112 - pathlib takes long to load
            rights &= _OF_FILES
        rule = libc.Memory(struct.pack("=Qi", rights & handled, parent))
        try:
            libc.call("syscall", _ADD, descriptor, _PATH_BENEATH, rule.address, 0)
        except OSError as error:
            if error.errno != errno.EBADFD:  # a pipe or the like, which needs no rule
                raise
        os.close(parent)
    for capability in range(_LAST_CAPABILITY + 1):
        if capability not in _KEPT_CAPABILITIES:
            _drop(capability)
    libc.call("prctl", _PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    socket_filter.refuse_keys(sizes=abi < _ABI_WITH_SIZES)  # defence: sizes-of-files-in-old-kernels
    if lines[0] == "offline":
        socket_filter.refuse_other_sockets(offline=True)  # defence: no-network-in-the-files-tier
    _restrict(descriptor)


def _confine_sockets(abi: int) -> None:
    socket_filter.refuse_other_sockets()
    if abi >= _ABI_WITH_SCOPES:
        _restrict(_new_ruleset(0, 0, _ABSTRACT_SOCKETS, size=24))


def _new_ruleset(files: int, tcp: int, scoped: int, *, size: int) -> int:
    ruleset = libc.Memory(struct.pack("=QQQ", files, tcp, scoped))
    return libc.call("syscall", _CREATE, ruleset.address, size, 0)


def _restrict(ruleset: int) -> None:
    libc.call("syscall", _RESTRICT, ruleset, 0)
    os.close(ruleset)


def _drop(capability: int) -> None:
    try:
        libc.call("prctl", _PR_CAPBSET_DROP, capability, 0, 0, 0)
    except OSError:  # not root, or the kernel has no such capability
        pass


if __name__ == "__main__":
    try:
        confine(sys.argv[1])
        os.execvp(sys.argv[2], sys.argv[2:])
    except OSError as error:
        os.write(2, f"sandbox: {error.strerror}\n".encode())
        sys.exit(126)
