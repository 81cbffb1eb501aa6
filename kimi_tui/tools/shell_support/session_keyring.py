"""Leaves the user's session keyring: the kernel's keys in it could be read by a command that inherits it."""

import errno
import os
import sys

if __package__:
    from kimi_tui.tools.shell_support import libc
else:
    sys.path.append(os.path.dirname(os.path.abspath(__file__)))  # noqa: PTH100, PTH120 - pathlib takes long to load
    import libc

_KEYCTL = {"x86_64": 250, "aarch64": 219}
_JOIN_SESSION_KEYRING = 1


def leave() -> None:
    """Give this process and all that it starts a new, empty session keyring. Raises OSError."""
    number = _KEYCTL.get(os.uname().machine)
    if number is None:
        return
    try:
        libc.call("syscall", number, _JOIN_SESSION_KEYRING, 0)
    except OSError as error:
        if error.errno not in (errno.ENOSYS, errno.EPERM):  # then no key can be read either
            raise
