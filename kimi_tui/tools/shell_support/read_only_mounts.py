"""Makes all mounts read-only but for some folders, in a mount namespace of this process. No setting outside changes.

bubblewrap makes missing mount points by their paths, and follows links: a command that runs meanwhile could lead it to
the user's other folders. Where nothing can be written, it leaves nothing. `mount_check.py` uses it.
"""

import errno
import os
import struct

if __package__:
    from kimi_tui.tools.shell_support import libc
else:
    import libc

_OPEN_TREE, _MOVE_MOUNT, _MOUNT_SETATTR = 428, 429, 442
"""System calls, with the same numbers on every architecture."""
_CLONE_NEWNS, _CLONE_NEWUSER = 0x2_0000, 0x1000_0000
_HERE = -100
_NO_FOLLOW, _RECURSIVE, _CLONE, _CLOEXEC = 0x100, 0x8000, 1, 0o2000000
_FROM_DESCRIPTOR = 4
_READ_ONLY = 1
_SLAVE = 1 << 19


def make_read_only(kept: list[bytes]) -> None:
    """Do so for this process, which has one thread; the folders and files `kept` stay as they are. They have no links,
    and are not within each other. Raises OSError: the process may then be in namespaces of its own.
    """
    _unshare()
    trees = [(place, _open_tree(place)) for place in kept]
    _set_attributes(b"/", _RECURSIVE, struct.pack("=QQQQ", _READ_ONLY, 0, _SLAVE, 0))
    _set_attributes(b"/proc", 0, struct.pack("=QQQQ", 0, _READ_ONLY, 0, 0))  # bubblewrap writes its users there
    for place, tree in trees:
        _attach(tree, place)
        os.close(tree)


def _unshare() -> None:
    user, group = os.geteuid(), os.getegid()
    try:
        libc.call("unshare", _CLONE_NEWNS)
    except OSError as error:
        if error.errno != errno.EPERM:
            raise
        libc.call("unshare", _CLONE_NEWUSER | _CLONE_NEWNS)
        for name, text in (("setgroups", "deny"), ("uid_map", f"{user} {user} 1"), ("gid_map", f"{group} {group} 1")):
            with open(f"/proc/self/{name}", "w", encoding="ascii") as file:  # noqa: PTH123 - pathlib takes long to load
                file.write(text)


def _open_tree(place: bytes) -> int:
    path = libc.Memory(place + b"\0")
    return libc.call("syscall", _OPEN_TREE, _HERE, path.address, _NO_FOLLOW | _RECURSIVE | _CLONE | _CLOEXEC)


def _set_attributes(place: bytes, flags: int, attributes: bytes) -> None:
    path, content = libc.Memory(place + b"\0"), libc.Memory(attributes)
    libc.call("syscall", _MOUNT_SETATTR, _HERE, path.address, flags, content.address, len(attributes))


def _attach(tree: int, place: bytes) -> None:
    nothing, path = libc.Memory(b"\0"), libc.Memory(place + b"\0")
    libc.call("syscall", _MOVE_MOUNT, tree, nothing.address, _HERE, path.address, _FROM_DESCRIPTOR)
