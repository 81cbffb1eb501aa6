"""Whether a command line names a file that is asked for even under yolo.

This is for honest commands: a program finds other ways to a file than by its name. What holds against those is the
sandbox.
"""

from pathlib import Path, PurePosixPath

from kimi_tui.tools.sensitive import is_sensitive
from kimi_tui.tools.shell_command import CommandLine
from kimi_tui.tools.workspace import Workspace

_MAX_WORDS = 200


def protected_path(line: CommandLine, workspace: Workspace) -> str | None:
    """The first word that names a sensitive or protected file, or None."""
    words = [word for command in line.commands for word in command.words[1:] if word is not None]
    for word in [*line.files, *words][:_MAX_WORDS]:
        for part in {word, word.partition("=")[2]}:
            if part and "\0" not in part and len(part) < 4096 and _is_protected(part, workspace):
                return part
    return None


def _is_protected(word: str, workspace: Workspace) -> bool:
    path = Path(word)
    if word == "~" or word.startswith("~/"):
        path = path.expanduser()
    path = workspace.work_dir / path
    if _guards(path, workspace) or (not any(char.isspace() for char in word) and "." in word and is_sensitive(path)):
        return True
    if not path.exists():
        return False
    real = path.resolve()
    return _guards(real, workspace) or (real.is_file() and is_sensitive(real))


def _guards(path: PurePosixPath | Path, workspace: Workspace) -> bool:
    """Our own settings, and what Git runs or obeys; the rest of `.git` is Git's daily business."""
    folder = next((folder for folder in workspace.folders if path.is_relative_to(folder)), None)
    parts = [part.lower() for part in (path if folder is None else path.relative_to(folder)).parts]
    if ".kimi-tui" in parts:
        return True
    if ".git" in parts and parts[parts.index(".git") + 1 :][:1] in (["hooks"], ["config"]):
        return True
    return any(path.is_relative_to(protected) for protected in workspace.protected)
