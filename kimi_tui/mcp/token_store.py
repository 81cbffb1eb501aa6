"""Stores the OAuth tokens of servers in the system's keyring, else in files. It does not need the SDK."""

import hashlib
import re
from pathlib import Path

from kimi_tui import paths, secret_store
from kimi_tui.atomic_file import replace_file
from kimi_tui.paths import private_folder
from kimi_tui.regular_file import read_text

_NOT_ALLOWED = re.compile(r"[^A-Za-z0-9._-]")


def token_file(name: str, url: str) -> Path:
    """The token file of a server without a keyring; each address under a name has its own file."""
    mark = hashlib.sha256(url.encode()).hexdigest()[:12]
    return paths.home() / "mcp-oauth" / f"{_NOT_ALLOWED.sub('_', name)[:60]}-{mark}.json"


def read_tokens(file: Path) -> str:
    """Read the tokens stored under that file's name. Raises OSError if there are none.

    An existing file is newer than the keyring's entry: it was written when the keyring failed.
    """
    try:
        return read_text(file)  # defence: regular-token-file
    except FileNotFoundError:
        stored = secret_store.lookup(_name(file))
        if stored is None:
            raise
        return stored


def write_tokens(file: Path, text: str) -> None:
    """Store the tokens under that file's name, readable by the user only. Raises OSError."""
    if secret_store.store(_name(file), text):
        file.unlink(missing_ok=True)
    else:
        private_folder(file.parent)
        replace_file(file, text, follow_link=True, sync_folder=True)


def forget_tokens(name: str, url: str) -> bool:
    """Delete the tokens for a server; False if there were none. Raises OSError."""
    file = token_file(name, url)
    forgotten = secret_store.delete(_name(file))
    try:
        file.unlink()
    except FileNotFoundError:
        return forgotten
    return True


def _name(file: Path) -> str:
    return f"mcp-oauth.{file.stem}"
