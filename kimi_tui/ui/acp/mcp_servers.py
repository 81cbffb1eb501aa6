"""Converts the client's MCP servers to our configuration."""

from collections.abc import Sequence

from acp.schema import AcpMcpServer, HttpMcpServer, McpServerStdio, SseMcpServer

from kimi_tui.errors import ConfigError
from kimi_tui.mcp.config import Server, check

Asked = HttpMcpServer | SseMcpServer | AcpMcpServer | McpServerStdio
_ORIGIN = "the client"


def servers(asked: Sequence[Asked]) -> tuple[Server, ...]:
    """Convert the servers. They are trusted, since the client is the user's own program. Raises ConfigError."""
    return tuple(_server(one) for one in asked)


def _server(asked: Asked) -> Server:
    match asked:
        case McpServerStdio():
            env = {variable.name: variable.value for variable in asked.env}
            return check(asked.name, {"command": asked.command, "args": asked.args, "env": env}, _ORIGIN)
        case HttpMcpServer() | SseMcpServer():
            headers = {header.name: header.value for header in asked.headers}
            return check(asked.name, {"url": asked.url, "transport": asked.type, "headers": headers}, _ORIGIN)
        case AcpMcpServer():
            raise ConfigError("a server within the client's own connection cannot be used", key=asked.name)
