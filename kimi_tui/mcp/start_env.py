"""The environment of a server that starts outside the project: nothing in it leads to files that commands can write."""

import os
import re
import shutil
from collections.abc import Iterable, Mapping
from pathlib import Path

from kimi_tui.i18n import tr
from kimi_tui.paths import real_path

_PLACES = frozenset({"PWD", "OLDPWD", "HOME"})
"""They say where the user is; programs run nothing because of them."""
_BETWEEN = re.compile(r"[\s:;,='\"]+")


def env_outside(folders: Iterable[Path], env: Mapping[str, str]) -> dict[str, str]:
    """Return the environment without the folders of `PATH` in these folders, and without other variables that name a
    path in them: by `PYTHONPATH`, `VIRTUAL_ENV` or `NODE_OPTIONS`, a program runs what is there.
    """
    own = tuple(real_path(folder) for folder in folders)
    kept: dict[str, str] = {}
    for name, value in env.items():
        if name == "PATH":
            kept[name] = ":".join(entry for entry in value.split(":") if entry[:1] == "/" and not _is_in(entry, own))
        elif name in _PLACES or not any(_is_in(word, own) for word in _BETWEEN.split(value)):
            kept[name] = value
    return kept


def check_found(command: str, env: Mapping[str, str], outside: Mapping[str, str]) -> None:
    """Raise FileNotFoundError if `PATH` finds the command in `env`, but not in `outside`, which is the result of
    `env_outside`.
    """
    found = shutil.which(command, path=env.get("PATH"))
    if found is not None and shutil.which(command, path=outside.get("PATH")) is None:
        raise FileNotFoundError(
            tr("`{file}` is in the project, where commands can change it: name its full path, or set `cwd`", file=found)
        )


def _is_in(word: str, folders: tuple[Path, ...]) -> bool:
    if "/" not in word:
        return False
    path = f"/{word[word.index('/') :].lstrip('/')}"
    try:
        forms = (Path(os.path.normpath(path)), real_path(path))
    except (OSError, ValueError):
        return True
    return any(form.is_relative_to(folder) for form in forms for folder in folders)
