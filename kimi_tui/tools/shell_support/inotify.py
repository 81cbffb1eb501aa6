"""Detects folders in which entries were created, moved or deleted, with Linux's inotify.

The kernel queues an event before the call that causes it returns, so after a command has ended, the queue holds all of
its changes. `watchfiles` reads the queue in its own thread and delivers batches later: the last changes of a command
would be missed.
"""

import contextlib
import ctypes
import fcntl
import os
import struct
import sys
import termios
import weakref
from pathlib import Path

_EVENT = struct.Struct("iIII")
_ENTRIES = 0x040 | 0x080 | 0x100 | 0x200  # moved from, moved to, created, deleted
_ONLY_FOLDERS = 0x0100_0000 | 0x0200_0000  # IN_ONLYDIR, IN_DONT_FOLLOW
_OVERFLOW, _IGNORED, _OF_FOLDER = 0x4000, 0x8000, 0x4000_0000
_BUFFER = 1 << 18
_SHARE = 4
"""We use at most one in this many of the user's watches."""
_LOCAL = frozenset({0xEF53, 0x5846_5342, 0x9123_683E, 0x794C_7630, 0x0102_1994, 0xF2F5_2010, 0x2FC1_2FC1, 0xCA45_1A4E})
"""File systems whose changes all come from this kernel: ext, xfs, btrfs, overlay, tmpfs, f2fs, zfs, bcachefs."""


class FolderWatches:
    """Watches on at most `limit` folders. Without inotify, and on file systems that are not local, there are none."""

    def __init__(self, limit: int = 60_000) -> None:
        self._folders: dict[int, set[str]] = {}
        self._watches: dict[str, int] = {}
        self._local: dict[int, bool] = {}
        self._fd = -1
        self._limit = limit
        self._opened = sys.platform != "linux" or limit == 0
        self.replaced: set[str] = set()
        """The folders in watched folders that were created, moved or deleted before the last call of `changed`."""

    def close(self) -> None:
        """Give up all watches, of which a user can have few at once; no folder can be watched afterwards."""
        self._opened = True
        self._folders, self._watches = {}, {}
        if self._fd >= 0:
            self._fd = -1
            self._finalize()

    def _open(self) -> None:
        self._opened = True
        with contextlib.suppress(OSError, AttributeError, ValueError):
            self._libc = ctypes.CDLL(None, use_errno=True)
            self._limit = min(self._limit, int(Path("/proc/sys/fs/inotify/max_user_watches").read_text()) // _SHARE)
            self._fd = int(self._libc.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC))
            if self._fd >= 0:
                self._finalize = weakref.finalize(self, os.close, self._fd)

    def add(self, folder: str, device: int) -> bool:
        """Watch a folder on this device; False if that is not possible. List the folder afterwards."""
        if not self._opened:
            self._open()
        if self._fd < 0 or len(self._watches) >= self._limit or not self._is_local(folder, device):
            return False
        watch = int(self._libc.inotify_add_watch(self._fd, os.fsencode(folder), _ENTRIES | _ONLY_FOLDERS))
        if watch < 0:
            return False
        self._folders.setdefault(watch, set()).add(folder)
        self._watches[folder] = watch
        return True

    def __contains__(self, folder: str) -> bool:
        return folder in self._watches

    def remove(self, folder: str) -> None:
        watch = self._watches.pop(folder, None)
        if watch is None:
            return
        folders = self._folders[watch]
        folders.discard(folder)
        if not folders:
            del self._folders[watch]
            self._libc.inotify_rm_watch(self._fd, watch)

    def changed(self) -> set[str] | None:
        """Return the watched folders that changed since the last call; None if some events were lost."""
        found: set[str] = set()
        self.replaced = set()
        overflowed = False
        # Commands can add events as fast as they are read.
        queued = self._queued()  # defence: events-of-now
        while queued > 0:
            try:
                buffer = os.read(self._fd, _BUFFER)
            except BlockingIOError:
                break
            queued -= len(buffer)
            offset = 0
            while offset < len(buffer):
                watch, mask, _, length = _EVENT.unpack_from(buffer, offset)
                end = offset + _EVENT.size + length
                overflowed = overflowed or bool(mask & _OVERFLOW)
                folders = self._folders.get(watch, ())
                found.update(folders)
                if mask & _OF_FOLDER and length:
                    name = os.fsdecode(buffer[offset + _EVENT.size : end].rstrip(b"\0"))
                    self.replaced.update(f"{folder.rstrip('/')}/{name}" for folder in folders)
                offset = end
                if mask & _IGNORED:
                    self._forget(watch)
        return None if overflowed else found  # defence: rescan-when-events-are-lost

    def _queued(self) -> int:
        """Return the number of bytes in the queue."""
        if self._fd < 0:
            return 0
        size = bytearray(4)
        fcntl.ioctl(self._fd, termios.FIONREAD, size)
        return int.from_bytes(size, sys.byteorder)

    def _forget(self, watch: int) -> None:
        """Forget a watch that the kernel removed because the folder is gone."""
        for folder in self._folders.pop(watch, set[str]()):
            if self._watches.get(folder) == watch:
                del self._watches[folder]

    def _is_local(self, folder: str, device: int) -> bool:
        if device not in self._local:
            state = ctypes.create_string_buffer(512)
            kind = 0
            if self._libc.statfs(os.fsencode(folder), state) == 0:
                kind = struct.unpack_from("l", state)[0] & 0xFFFF_FFFF
            self._local[device] = kind in _LOCAL
        return self._local[device]
