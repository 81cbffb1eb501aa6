"""Where the OAuth tokens of servers are. The SDK is not needed to know."""

import hashlib
import re
from pathlib import Path

from kimi_tui import paths

_NOT_ALLOWED = re.compile(r"[^A-Za-z0-9._-]")


def token_file(name: str, url: str) -> Path:
    """Where the tokens for a server are; another address under the same name has a file of its own."""
    mark = hashlib.sha256(url.encode()).hexdigest()[:12]
    return paths.home() / "mcp-oauth" / f"{_NOT_ALLOWED.sub('_', name)[:60]}-{mark}.json"


def forget_tokens(name: str, url: str) -> bool:
    """Delete the tokens for a server; False where there were none. Raises OSError."""
    try:
        token_file(name, url).unlink()
    except FileNotFoundError:
        return False
    return True
