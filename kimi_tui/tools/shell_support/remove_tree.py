"""Deletes folders that commands filled: of any depth, and with modes that forbid it."""

import contextlib
import os
from itertools import count
from secrets import token_hex


def remove_tree(top: str) -> None:
    """Delete a folder and all in it; what cannot be deleted stays. Nothing else may change it meanwhile.

    Each folder within is moved up before it is read, so that no path gets too long and nothing recurses.
    """
    unused = (f"{top}/{token_hex(8)}-{number}" for number in count())
    waiting = [top]
    for folder in waiting:
        with contextlib.suppress(OSError):
            os.chmod(folder, 0o700, follow_symlinks=True)  # noqa: PTH101 - tens of thousands
            with os.scandir(folder) as entries:
                found = list(entries)
            for entry in found:
                with contextlib.suppress(OSError):
                    if entry.is_dir(follow_symlinks=False):
                        os.rename(entry.path, moved := next(unused))  # noqa: PTH104
                        waiting.append(moved)
                    else:
                        os.unlink(entry.path)  # noqa: PTH108
            if folder != top:
                os.rmdir(folder)  # noqa: PTH106
    with contextlib.suppress(OSError):
        os.rmdir(top)  # noqa: PTH106
