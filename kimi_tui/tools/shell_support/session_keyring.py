"""Leaves the user's session keyring: the kernel's keys in it could be read by a command that inherits it."""

import ctypes
import errno
import os

_KEYCTL = {"x86_64": 250, "aarch64": 219}
_JOIN_SESSION_KEYRING = 1


def leave() -> None:
    """Give this process and all that it starts a new, empty session keyring. Raises OSError."""
    number = _KEYCTL.get(os.uname().machine)
    if number is None:
        return
    libc = ctypes.CDLL(None, use_errno=True)
    refused = libc.syscall(number, _JOIN_SESSION_KEYRING, None) < 0
    if refused and ctypes.get_errno() not in (errno.ENOSYS, errno.EPERM):  # then no key can be read either
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
