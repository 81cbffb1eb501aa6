"""`kimi-tui mcp`: add, list, remove, test and authorize MCP servers."""

import argparse
import os
from pathlib import Path
from typing import TYPE_CHECKING

from kimi_tui.cli.error_output import print_error
from kimi_tui.cli.output import print_json, print_out, printable
from kimi_tui.errors import EXIT_FAILURE, EXIT_OK, KimiTuiError, UsageError

if TYPE_CHECKING:
    from kimi_tui.mcp.config import Server, ServerConfig, Setup
    from kimi_tui.mcp.connection import Connection
    from kimi_tui.mcp.server_state import ServerState


def add_options(command: argparse.ArgumentParser) -> None:
    """Add the options of `mcp`."""
    actions = command.add_subparsers(dest="mcp_command", metavar="COMMAND", required=True)

    add = actions.add_parser("add", help="add a server: a URL, or a command after --")
    add.add_argument("name", metavar="NAME")
    add.add_argument("-t", "--transport", choices=["stdio", "http", "sse"], help="default: inferred from the arguments")
    add.add_argument(
        "-e", "--env", metavar="K=V", action="append", default=[], help="environment variable for the command"
    )
    add.add_argument("-H", "--header", metavar="'K: V'", action="append", default=[], help="HTTP header for the URL")
    add.add_argument("-a", "--auth", choices=["oauth"], help="authorization method")
    add.add_argument("target", metavar="URL | -- COMMAND", nargs="+")

    listing = actions.add_parser("list", help="list the servers and their problems")
    listing.add_argument("--json", action="store_true", help="as JSON")
    remove = actions.add_parser("remove", help="remove a server from your mcp.json")
    test = actions.add_parser("test", help="connect to a server and list its tools")
    auth = actions.add_parser("auth", help="authorize kimi-tui with a server in the browser")
    auth.add_argument("--no-browser", action="store_true", help="only print the address to open")
    reset = actions.add_parser("reset-auth", help="delete the tokens of a server")
    for action in (remove, test, auth, reset):
        action.add_argument("name", metavar="NAME")
    for action in (listing, test, auth, reset):
        action.add_argument("--work-dir", metavar="DIR", default=argparse.SUPPRESS, help=argparse.SUPPRESS)
    for action in (listing, test, auth, reset):
        for option, metavar in (("--mcp-config-file", "FILE"), ("--mcp-config", "JSON")):
            action.add_argument(
                option, metavar=metavar, action="append", default=argparse.SUPPRESS, help=argparse.SUPPRESS
            )


def run(args: argparse.Namespace) -> int:
    """Run the subcommand; returns the exit status. Raises UsageError and ConfigError."""
    actions = {
        "add": _add,
        "list": _list,
        "remove": _remove,
        "test": _test,
        "auth": _auth,
        "reset-auth": _reset,
    }
    try:
        if args.mcp_command in ("test", "auth"):
            from kimi_tui.cli.log_file import start_logging

            start_logging(args.debug)  # defence: log-of-mcp-test
        return actions[args.mcp_command](args)
    except OSError as error:
        raise KimiTuiError(f"{error.filename or 'mcp'}: {error.strerror or error}") from error


def _add(args: argparse.Namespace) -> int:
    from kimi_tui import paths
    from kimi_tui.mcp.config import user_file
    from kimi_tui.mcp.config_editor import add_server

    replaced = add_server(user_file(), args.name, _entry(args))
    print_out(f"{'Replaced' if replaced else 'Added'} {printable(args.name)} in {paths.shown(user_file())}.")
    if args.auth == "oauth":
        print_out(f"Authorize it with: kimi-tui mcp auth {printable(args.name)}")
    return EXIT_OK


def _entry(args: argparse.Namespace) -> dict[str, object]:
    target: list[str] = args.target
    is_address = len(target) == 1 and target[0].startswith(("http://", "https://"))
    transport = args.transport or ("http" if is_address else "stdio")
    entry: dict[str, object]
    if transport == "stdio":
        if args.header or args.auth:
            raise UsageError("--header and --auth need a server with a URL")
        entry = {"command": target[0]}
        if target[1:]:
            entry["args"] = target[1:]
        if args.env:
            entry["env"] = dict(_pair(text, "=", "--env") for text in args.env)
        return entry
    if not is_address:
        raise UsageError(f"--transport {transport} needs a URL: http://... or https://...")
    if args.env:
        raise UsageError("--env needs a server with a command")
    entry = {"url": target[0], "transport": transport}
    if args.header:
        entry["headers"] = dict(_pair(text, ":", "--header") for text in args.header)
    if args.auth:
        entry["auth"] = args.auth
    return entry


def _pair(text: str, mark: str, option: str) -> tuple[str, str]:
    name, found, value = text.partition(mark)
    if not found or not name.strip():
        raise UsageError(f"{option} {text!r}: write it as {'NAME=VALUE' if mark == '=' else 'Name: value'}")
    return name.strip(), value if mark == "=" else value.strip()


def _list(args: argparse.Namespace) -> int:

    setup = _setup(args)
    if args.json:
        servers = [_as_json(server) for server in setup.servers]
        print_json({"servers": servers, "problems": list(setup.problems)})
        return EXIT_OK
    for server in setup.servers:
        config = server.config
        marks = [
            *([] if config.enabled else ["disabled"]),
            *([] if server.trusted else ["untrusted: kimi-tui trust"]),
            *(["oauth"] if config.auth else []),
        ]
        note = f"  ({', '.join(marks)})" if marks else ""
        print_out(printable(f"{server.name}  {config.transport}  {_place(config)}{note}"))
        print_out(printable(f"    {server.origin}"))
    if not setup.servers:
        print_out("No MCP servers. Add one: kimi-tui mcp add NAME -- COMMAND")
    for problem in setup.problems:
        print_error(problem)
    return EXIT_OK


def _place(config: "ServerConfig") -> str:
    from kimi_tui.session.redact import Redactor

    return Redactor().text(config.place)


def _as_json(server: "Server") -> dict[str, object]:
    """Return the public part of an entry, without the values of variables and headers."""
    config = server.config
    return {
        "name": server.name,
        "transport": config.transport,
        "place": _place(config),
        "env": sorted(config.env),
        "headers": sorted(config.headers),
        "auth": config.auth,
        "enabled": config.enabled,
        "trusted": server.trusted,
        "allowed_tools": None if config.allowed_tools is None else list(config.allowed_tools),
        "origin": server.origin,
    }


def _remove(args: argparse.Namespace) -> int:
    from kimi_tui import paths
    from kimi_tui.mcp.config import user_file
    from kimi_tui.mcp.config_editor import remove_server

    file = user_file()
    if remove_server(file, args.name) is None:
        raise UsageError(f"{paths.shown(file)} has no server {args.name!r}")
    print_out(f"Removed {printable(args.name)} from {paths.shown(file)}.")
    return EXIT_OK


def _test(args: argparse.Namespace) -> int:
    import asyncio

    server = _server(args)
    if not server.trusted:
        raise UsageError(f"{server.origin} is not trusted yet: review it, then run kimi-tui trust")
    connection = _connection(args, server)
    state = asyncio.run(_try(connection))
    if state.status != "connected":
        print_error(f"{server.name}: {state.status}: {state.cause}")
        return EXIT_FAILURE
    print_out(f"{printable(server.name)} works: {len(state.tools)} tools")
    for tool in state.tools:
        first = tool.description.partition("\n")[0][:100]
        print_out(printable(f"  {tool.name}{f'  {first}' if first else ''}"))
    for note in state.notes:
        print_error(f"{server.name}: {note}")
    return EXIT_OK


def _connection(args: argparse.Namespace, server: "Server") -> "Connection":
    """The server as a session starts it: with the sandbox and without the secrets of the configuration."""
    from dataclasses import replace

    from kimi_tui.cli.engine_options import load_permissions
    from kimi_tui.cli.work_dir import resolve_work_dir
    from kimi_tui.config.loader import load_config
    from kimi_tui.mcp.connection import Connection, ConnectionContext
    from kimi_tui.permission.trust import trust_state
    from kimi_tui.secret_store import cached_secrets
    from kimi_tui.tools.file_support.workspace import Workspace
    from kimi_tui.tools.shell_support.child_env import ChildEnv
    from kimi_tui.tools.shell_support.sandbox import Sandbox

    enabled = replace(server, config=server.config.model_copy(update={"enabled": True}))
    work_dir = resolve_work_dir(args)
    trusted = args.trust or trust_state(work_dir).active
    loaded = load_config(Path(args.config_file).expanduser() if args.config_file else None, text=args.config)
    permissions = load_permissions(loaded, work_dir, trusted=trusted)
    sandbox = Sandbox(permissions.sandbox, Workspace(work_dir))  # defence: sandbox-of-a-tested-server
    env = ChildEnv(secrets=lambda: cached_secrets(loaded.config.secrets))  # defence: secrets-of-a-tested-server
    around = ConnectionContext(work_dir, env, written=sandbox.written_folders)
    return Connection(enabled, around, lambda _: None)


async def _try(connection: "Connection") -> "ServerState":
    connection.start()
    try:
        await connection.settled.wait()
        return connection.state
    finally:
        await connection.stop()


def _auth(args: argparse.Namespace) -> int:
    import asyncio

    from kimi_tui.mcp.env_expansion import expand_env
    from kimi_tui.mcp.oauth_callback import authorize_server

    server = _server(args)
    if server.config.auth != "oauth":
        raise UsageError(f'{server.name} has no "auth": "oauth" in {server.origin}')
    if not server.trusted:
        raise UsageError(f"{server.origin} is not trusted yet: review it, then run kimi-tui trust")

    def show(address: str) -> None:
        print_out(f"If no browser opens, open this address yourself:\n  {printable(address)}")
        if not args.no_browser and address.startswith(("https://", "http://")):
            from kimi_tui.browser import open_in_browser

            open_in_browser(address, [Path.cwd()])

    asyncio.run(authorize_server(server.name, expand_env(server.config, os.environ), show=show))
    print_out(f"{printable(server.name)} is authorized.")
    return EXIT_OK


def _reset(args: argparse.Namespace) -> int:
    from kimi_tui.mcp.token_store import forget_tokens

    server = _server(args)
    if server.config.url is None:
        raise UsageError(f"{server.name} is not a server with a URL, so it has no tokens")
    forgotten = forget_tokens(server.name, server.config.url)
    print_out(f"Deleted the tokens of {printable(server.name)}." if forgotten else "No tokens stored.")
    return EXIT_OK


def _setup(args: argparse.Namespace) -> "Setup":
    from pathlib import Path

    from kimi_tui.cli.work_dir import resolve_work_dir
    from kimi_tui.mcp.config import load
    from kimi_tui.permission.trust import trust_state

    files = [Path(file).expanduser() for file in args.mcp_config_file]
    work_dir = resolve_work_dir(args)
    trusted = args.trust or trust_state(work_dir).active
    return load(work_dir, files=files, texts=args.mcp_config, trusted=trusted)


def _server(args: argparse.Namespace) -> "Server":
    setup = _setup(args)
    for problem in setup.problems:
        print_error(problem)
    for server in setup.servers:
        if server.name == args.name:
            return server
    names = ", ".join(server.name for server in setup.servers) or "none"
    raise UsageError(f"no MCP server named {args.name!r}. Available: {names}")
