"""Names for the tools of MCP servers.

The model gets the long name only, `mcp__server__tool`: it shows the tool's server, cannot hide one of our tools, and
does not depend on other servers, so a name in an old conversation keeps its meaning. A call by the short name, the
server's own, works too while only one server offers it and none of our tools has it: skills written for other programs
use short names. Users see the short name beside the server's.
"""

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Mapping

PREFIX = "mcp__"
MAX_CHARS = 64
_NOT_ALLOWED = re.compile(r"[^A-Za-z0-9_-]")
_PLAIN_SERVER = re.compile(r"(?!.*-[0-9a-f]{6}\Z)[A-Za-z0-9-]+(_[A-Za-z0-9-]+)*")
"""No `__`, so that a rule such as `mcp__docs__*` is about one server, and not what `_server_part` makes of others."""


def long_names(tools: Iterable[tuple[str, str]]) -> dict[tuple[str, str], str]:
    """The long name of each (server, tool): 1 to 64 letters, digits, `_` and `-`, all different.

    A name that had to be changed, or that two would share, ends in a hash of server and tool, so it does not depend
    on the order.
    """
    plain = {pair: _plain(*pair) for pair in tools}
    name_counts = Counter(name.casefold() for name in plain.values())
    return {
        pair: name if name_counts[name.casefold()] == 1 and len(name) <= MAX_CHARS and name == _joined(*pair)
        else _with_hash(name, pair)
        for pair, name in plain.items()
    }  # fmt: skip


def short_names(long: Mapping[tuple[str, str], str]) -> dict[str, str]:
    """Short name to long name, for those that identify one tool only."""
    counts = Counter(tool for _, tool in long)
    return {tool: name for (_, tool), name in long.items() if counts[tool] == 1}


def tools_prefix(server: str) -> str:
    """Return what the long names of a server's tools begin with."""
    return f"{PREFIX}{_server_part(server)}__"


def _joined(server: str, tool: str) -> str:
    return f"{tools_prefix(server)}{tool}"


def _server_part(server: str) -> str:
    if _PLAIN_SERVER.fullmatch(server):  # defence: one-server-in-a-name
        return server
    return f"{re.sub(r'[^A-Za-z0-9-]+', '_', server).strip('_')}-{_mark(server)}"


def _plain(server: str, tool: str) -> str:
    return _joined(server, _NOT_ALLOWED.sub("_", tool))


def _mark(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:6]


def _with_hash(name: str, pair: tuple[str, str]) -> str:
    mark = _mark("\0".join(pair))
    return f"{name[: MAX_CHARS - len(mark) - 1]}_{mark}"
