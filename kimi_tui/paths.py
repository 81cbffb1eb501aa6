"""Where things are: our home, what ships with the program, and how a folder is shown to a person."""

import os
from pathlib import Path


def home() -> Path:
    """`$KIMI_TUI_HOME`, else `$KIMI_SHARE_DIR` (the reference peer's), else `~/.kimi-tui`. It may not exist."""
    for variable in ("KIMI_TUI_HOME", "KIMI_SHARE_DIR"):
        if value := os.environ.get(variable):
            return Path(value).expanduser()
    return Path.home() / ".kimi-tui"


def kimi_home() -> Path:
    """Where Kimi CLI keeps its things: `$KIMI_SHARE_DIR`, else `~/.kimi`. It may not exist."""
    return Path(os.environ.get("KIMI_SHARE_DIR") or Path.home() / ".kimi").expanduser()


def bundled(name: str) -> Path:
    """The top-level folder `name` (skills, themes) that ships with the program, in a wheel and in a checkout."""
    package = Path(__file__).parent
    shipped = package / "_bundled" / name
    return shipped if shipped.is_dir() else package.parent / name


def work_dir_key(work_dir: Path) -> str:
    """The name of a work dir's folder under `sessions/` and `history/`: the MD5 of its path, as the peer has it."""
    import hashlib

    return hashlib.md5(str(work_dir).encode("utf-8", "surrogateescape"), usedforsecurity=False).hexdigest()


def project_root(work_dir: Path, user_home: Path | None = None) -> Path:
    """The nearest folder upwards that holds `.git`, else the work dir.

    The person's home is a project for itself only: what lies below it is not of one piece.
    """
    home = user_home or Path.home()
    for folder in (work_dir, *work_dir.parents):
        if folder == home and folder != work_dir:
            break
        if os.path.lexists(folder / ".git"):
            return folder
    return work_dir


def shown(path: Path) -> str:
    """`path` with the user's home as `~`."""
    try:
        return str(Path("~") / path.relative_to(Path.home())) if path != Path.home() else "~"
    except (ValueError, RuntimeError):
        return str(path)
