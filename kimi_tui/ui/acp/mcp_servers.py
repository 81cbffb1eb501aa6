"""Converts the client's MCP servers to our configuration."""

from collections.abc import Sequence

from acp.schema import AcpMcpServer, HttpMcpServer, McpServerStdio, SseMcpServer

from kimi_tui.errors import ConfigError
from kimi_tui.mcp.config import Server, check

RequestedServer = HttpMcpServer | SseMcpServer | AcpMcpServer | McpServerStdio
_ORIGIN = "the client"


def servers(requested: Sequence[RequestedServer]) -> tuple[Server, ...]:
    """Convert the servers. They are trusted, since the client is the user's own program. Raises ConfigError."""
    return tuple(_server(server) for server in requested)


def _server(requested: RequestedServer) -> Server:
    match requested:
        case McpServerStdio():
            env = {variable.name: variable.value for variable in requested.env}
            return check(requested.name, {"command": requested.command, "args": requested.args, "env": env}, _ORIGIN)
        case HttpMcpServer() | SseMcpServer():
            headers = {header.name: header.value for header in requested.headers}
            return check(
                requested.name, {"url": requested.url, "transport": requested.type, "headers": headers}, _ORIGIN
            )
        case AcpMcpServer():
            raise ConfigError("a server within the client's own connection cannot be used", key=requested.name)
