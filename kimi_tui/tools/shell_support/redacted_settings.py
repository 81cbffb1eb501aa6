"""Copies of the user's Git settings without the parts that seem to hold a secret.

Git says nothing of settings that it does not see: it commits without the user's hooks, or files that they ignore.
"""

import hashlib
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from kimi_tui.paths import path_exists
from kimi_tui.tools.shell_support.bwrap_mounts import Mount
from kimi_tui.tools.shell_support.sandbox_home import git_settings_with_secrets, holds_a_secret

_SECTIONS = frozenset(
    {
        *(b"advice", b"alias", b"blame", b"branch", b"color", b"column", b"commit", b"core", b"credential", b"diff"),
        *(b"fetch", b"filter", b"format", b"gc", b"gpg", b"grep", b"help", b"include", b"includeif", b"init"),
        *(b"interactive", b"log", b"merge", b"pager", b"pull", b"push", b"rebase", b"rerere", b"safe", b"stash"),
        *(b"status", b"submodule", b"tag", b"url", b"user"),
    }
)
_HEADER = re.compile(rb'[ \t]*\[[ \t]*([A-Za-z0-9-]+)(?:[ \t]+"[^"\n]*")?[ \t]*\]')
_LINE = re.compile(rb"(?:[^\\\n]|\\.|\\\n)*(?:\n|\Z)", re.DOTALL)
"""A line with those that continue it."""


def redacted_mounts(home: Path, folders: Iterable[Path], private: Path, *, readable: Iterable[Path]) -> Iterator[Mount]:
    """Yield mounts of copies, which are written into `private`; none over what is `readable`. Raises OSError."""
    whole = tuple(readable)
    for file, content in git_settings_with_secrets(home, folders):
        redacted = without_secrets(content)
        if redacted and not any(file.is_relative_to(one) for one in whole):
            copy = private / f"settings-{hashlib.sha256(redacted).hexdigest()}"
            if not path_exists(copy):
                copy.write_bytes(redacted)
            yield ("--ro-bind", str(copy), str(file))


def without_secrets(content: bytes) -> bytes:
    """Return the settings of known sections that seem to hold no secret; nothing if that cannot be told."""
    kept: list[bytes] = []
    keeps = False
    for match in _LINE.finditer(content):
        line = match[0]
        if line.lstrip().startswith(b"["):
            header = _HEADER.match(line)
            # defence: sections-without-secrets
            keeps = header is not None and header[1].lower() in _SECTIONS and not holds_a_secret(line)
        if keeps and not holds_a_secret(line):
            kept.append(line)
    redacted = b"".join(kept)
    return b"" if holds_a_secret(redacted) else redacted
