"""Denies this process and its children all sockets except Unix, IP and netlink, or IP too; the keys that the kernel
keeps; and changing the size of a file by its path.

A network namespace does not confine the other sockets: one to the host of a virtual machine works in any. io_uring is
refused too, since what it opens bypasses the filter. No namespace confines keys: a keyring of the same user can be
linked by its number. Programs fall back to other calls.
"""

import errno
import os
import struct
import sys

if __package__:
    from kimi_tui.tools.shell_support import libc
else:
    sys.path.append(os.path.dirname(os.path.abspath(__file__)))  # noqa: PTH100, PTH120 - pathlib takes long to load
    import libc

_UNIX, _NETLINK = 1, 16
_IP = (2, 10)
_PR_SET_NO_NEW_PRIVS, _PR_SET_SECCOMP, _FILTER = 38, 22, 2
_ALLOW, _ERRNO = 0x7FFF_0000, 0x0005_0000
_LOAD, _IF, _IF_AT_LEAST, _JUMP, _RETURN = 0x20, 0x15, 0x35, 0x05, 0x06
_CALL, _ARCHITECTURE, _FIRST_ARGUMENT = 0, 4, 16
_LINE_BYTES = 8
_IO_URING_SETUP = 425
_X32 = 0x4000_0000
_OTHER_CALLS = 0xFFFF_FFFF
_CALLS = {
    "x86_64": (
        (0xC000_003E, (41, 53), _X32, (), (248, 249, 250), (76,)),
        (0x4000_0003, (359, 360), _OTHER_CALLS, (102,), (286, 287, 288), (92, 193)),
    ),
    "aarch64": (
        (0xC000_00B7, (198, 199), _OTHER_CALLS, (), (217, 218, 219), (45,)),
        (0x4000_0028, (281, 288), _OTHER_CALLS, (), (309, 310, 311), (92, 193)),
    ),
}
"""For programs of 64 and of 32 bits: the architecture, the calls that create sockets of the
family in their first argument, the first call of an interface that is refused, calls that are refused since their
arguments are in memory, the calls for keys, and those for the size of a file by its path."""


def refuse_other_sockets(*, offline: bool = False) -> None:
    """Refuse these sockets in this process; `offline`: IP sockets too. Does nothing on an unknown machine type. Raises
    OSError.
    """
    _refuse(_code(families=(_UNIX, *(() if offline else _IP), _NETLINK)))


def refuse_keys(*, sizes: bool) -> None:
    """Refuse the calls for keys in this process; `sizes`: those for the size of a file by its path too. Does nothing on
    an unknown machine type. Raises OSError.
    """
    _refuse(_code(sizes=sizes))


def key_filter() -> bytes:
    """Return the filter that refuses the calls for keys, as bubblewrap takes it; empty on an unknown machine type."""
    return _code()


def _refuse(code: bytes) -> None:
    if not code:
        return
    memory = libc.Memory(code)
    program = libc.Memory(struct.pack("HxxxxxxQ", len(code) // _LINE_BYTES, memory.address))
    libc.call("prctl", _PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    libc.call("prctl", _PR_SET_SECCOMP, _FILTER, program.address, 0, 0)


def _code(*, families: tuple[int, ...] = (), sizes: bool = False) -> bytes:
    """Return the filter that refuses sockets of other than these families; without any, the calls for keys."""
    calls = _CALLS.get(os.uname().machine, ())
    lines: list[tuple[int, int, str, str]] = [(_LOAD, _ARCHITECTURE, "", "")]
    lines += [(_IF, each[0], f"calls{number}", "") for number, each in enumerate(calls)]
    lines.append((_JUMP, 0, "unknown", ""))
    for number, (_, making, refused_from, refused, of_keys, of_sizes) in enumerate(calls):
        others = (*refused, _IO_URING_SETUP) if families else (*of_keys, *(of_sizes if sizes else ()))
        lines.append((_LOAD, _CALL, "", f"calls{number}"))
        lines.append((_IF_AT_LEAST, refused_from, "unknown", ""))
        lines += [(_IF, call, "unknown", "") for call in others]
        lines += [(_IF, call, "family", "") for call in making if families]
        lines.append((_RETURN, _ALLOW, "", ""))
    lines.append((_LOAD, _FIRST_ARGUMENT, "", "family"))
    lines += [(_IF, family, "known", "") for family in families]
    lines.append((_RETURN, _ERRNO | errno.EAFNOSUPPORT, "", ""))
    lines.append((_RETURN, _ALLOW, "", "known"))
    lines.append((_RETURN, _ERRNO | errno.ENOSYS, "", "unknown"))
    places = {label: at for at, (*_, label) in enumerate(lines) if label}
    return b"".join(_encoded(at, line, places) for at, line in enumerate(lines)) if calls else b""


def _encoded(at: int, line: tuple[int, int, str, str], places: dict[str, int]) -> bytes:
    kind, value, target, _ = line
    distance = places[target] - at - 1 if target else 0
    if kind == _JUMP:
        return struct.pack("HBBI", kind, 0, 0, distance)
    return struct.pack("HBBI", kind, distance, 0, value)
