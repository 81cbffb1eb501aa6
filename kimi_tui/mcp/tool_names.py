"""What the tools of MCP servers are called.

The model is told the long name, `mcp__server__tool`, and only that: it says whose tool it is, cannot stand in front
of a tool of ours, and stays the same whatever other servers offer, so a name in an old conversation means today
what it meant then. A call by the short name, the server's own, is understood too while just one server offers it
and no tool of ours is called so: skills that were written for other programs name tools that way. People are shown
the short name beside the server's.
"""

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Mapping

PREFIX = "mcp__"
MAX_CHARS = 64
_NOT_ALLOWED = re.compile(r"[^A-Za-z0-9_-]")


def long_names(tools: Iterable[tuple[str, str]]) -> dict[tuple[str, str], str]:
    """The long name of each (server, tool): 1 to 64 letters, digits, `_` and `-`, no two alike.

    A name that had to be changed, or that two would share, ends on a mark made of what it stands for; so it does
    not depend on the order.
    """
    plain = {pair: _plain(*pair) for pair in tools}
    taken = Counter(name.casefold() for name in plain.values())
    return {
        pair: name if taken[name.casefold()] == 1 and len(name) <= MAX_CHARS and name == _joined(*pair)
        else _marked(name, pair)
        for pair, name in plain.items()
    }  # fmt: skip


def short_names(long: Mapping[tuple[str, str], str]) -> dict[str, str]:
    """Short name to long name, for those that mean one tool only."""
    counts = Counter(tool for _, tool in long)
    return {tool: name for (_, tool), name in long.items() if counts[tool] == 1}


def _joined(server: str, tool: str) -> str:
    return f"{PREFIX}{server}__{tool}"


def _plain(server: str, tool: str) -> str:
    return _NOT_ALLOWED.sub("_", _joined(server, tool))


def _marked(name: str, pair: tuple[str, str]) -> str:
    mark = hashlib.sha256("\0".join(pair).encode("utf-8", "surrogatepass")).hexdigest()[:6]
    return f"{name[: MAX_CHARS - len(mark) - 1]}_{mark}"
