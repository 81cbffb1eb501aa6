"""`mcp.json`: the MCP servers of the user and of the project. It does not need the SDK.

A wrong entry is a problem that names file, server and key; the other entries stay valid. Unknown keys are ignored,
since other programs share the file, but one that is nearly ours is a problem too.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from itertools import islice
from pathlib import Path
from typing import Any, ClassVar, Literal, cast

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from kimi_tui import json_text, paths
from kimi_tui.config.loader import MAX_PROJECT_BYTES
from kimi_tui.config.source_position import with_line
from kimi_tui.errors import ConfigError
from kimi_tui.i18n import tr
from kimi_tui.paths import path_exists
from kimi_tui.permission.trust import mcp_files
from kimi_tui.regular_file import TooLargeError, read_text
from kimi_tui.text_safety import one_line

MAX_BYTES = 1 << 20
Transport = Literal["stdio", "http", "sse"]
_NEAR = 0.85
_MAX_MISTYPED = 20
_TRANSPORT_NAMES = {"streamable-http": "http", "streamable_http": "http", "streamableHttp": "http"}


class ServerConfig(BaseModel):
    """One server: a command that communicates over stdin and stdout, or an address. `allowed_tools`: None allows all.

    `sampling`: the server may send requests to the model.
    """

    model_config: ClassVar[ConfigDict] = ConfigDict(
        frozen=True, extra="ignore", coerce_numbers_to_str=True, defer_build=True
    )

    command: str | None = None
    args: tuple[str, ...] = ()
    env: dict[str, str] = Field(default_factory=dict)
    cwd: str | None = None
    url: str | None = None
    headers: dict[str, str] = Field(default_factory=dict)
    transport: Transport = "stdio"
    auth: Literal["oauth"] | None = None
    timeout_ms: int = Field(default=60_000, ge=1)
    connect_timeout_ms: int = Field(default=30_000, ge=1)
    enabled: bool = True
    allowed_tools: tuple[str, ...] | None = None
    sampling: bool = False

    @model_validator(mode="before")
    @classmethod
    def _other_spellings(cls, value: Any) -> Any:
        if not isinstance(value, dict):
            return value
        entry = dict(cast(dict[str, Any], value))
        if "transport" not in entry and "type" in entry:
            entry["transport"] = entry["type"]
        if isinstance(name := entry.get("transport"), str):
            entry["transport"] = _TRANSPORT_NAMES.get(name, name)
        elif isinstance(url := entry.get("url"), str):
            entry["transport"] = "sse" if url.partition("?")[0].rstrip("/").endswith("/sse") else "http"
        if entry.get("disabled") is True and "enabled" not in entry:
            entry["enabled"] = False
        return entry

    @model_validator(mode="after")
    def _one_kind(self) -> "ServerConfig":
        if (self.command is None) == (self.url is None):
            raise ValueError(tr("a server needs either a command or a url"))
        if self.command is not None and not self.command.strip():
            raise ValueError(tr("the command is empty"))
        if (self.transport == "stdio") == (self.command is None):
            raise ValueError(
                tr(
                    "transport {transport} cannot be used with a {kind}",
                    transport=self.transport,
                    kind="url" if self.url else "command",
                )
            )
        if self.auth is not None and self.url is None:
            raise ValueError(tr("`auth` is only for a server with a `url`"))
        return self

    @property
    def place(self) -> str:
        """The command, or the address without its query, which may hold a secret."""
        if self.url is None:
            return " ".join((self.command or "", *self.args))
        return self.url.partition("?")[0]


_RELATIVE_PATH = re.compile(r"(?:^|=)\.{1,2}(?:/|$)|^(?![-/~@])[^\s:]*\.(?:[cm]?[jt]s|py|sh|jar)$")
"""A path relative to the working directory: `.`, `../x`, `--root=.`, `build/index.js`."""


@dataclass(frozen=True, slots=True)
class Server:
    """A configured server. `origin` is its file or option; a server that is not `trusted` must not be started.

    `of_project`: a file of the project configures it.
    """

    name: str
    config: ServerConfig
    origin: str
    trusted: bool = True
    of_project: bool = False


@dataclass(frozen=True, slots=True)
class Setup:
    """All servers of a session, by name; `problems` lists configuration errors, each starting with the file's name."""

    servers: tuple[Server, ...] = ()
    problems: tuple[str, ...] = field(default=())


def user_file() -> Path:
    return paths.home() / "mcp.json"


def start_folder(server: Server, config: ServerConfig, work_dir: Path) -> Path:
    """Return the folder in which a server with this configuration, its variables expanded, starts. Raises OSError.

    `npx`, `python -m` and the like run what they find in their folder, and a sandboxed command can write the project;
    so only a server that the project configures, or whose command names a path in it, starts there.
    """
    if config.cwd:
        return work_dir / Path(config.cwd).expanduser()
    command = config.command or ""
    is_path = "/" in command and not command.startswith(("/", "~"))
    if server.of_project or is_path or any(map(_RELATIVE_PATH.search, (command, *config.args))):
        return work_dir
    paths.private_folder(folder := server_folder())  # defence: servers-start-elsewhere
    return folder


def server_folder() -> Path:
    """Return the folder in which servers of the user start."""
    return paths.home() / "mcp"


def load(work_dir: Path, *, files: Sequence[Path] = (), texts: Sequence[str] = (), trusted: bool = False) -> Setup:
    """Load the servers of a session in `work_dir`. Raises ConfigError for errors in explicitly named configuration.

    `files` replace the user's and the project's files; `texts` (JSON) add to them and take precedence. The user's
    servers override the project's of the same name. `trusted` is the project's trust.
    """
    by_name: dict[str, Server] = {}
    problems: list[str] = []

    def add(servers: Sequence[Server]) -> None:
        for server in servers:
            existing = by_name.setdefault(server.name, server)
            if existing is not server and existing.config != server.config:
                problems.append(
                    tr(
                        "{file}: {name}: ignored; {other} already defines this name",
                        file=server.origin,
                        name=server.name,
                        other=existing.origin,
                    )
                )

    for text in texts:
        add(_strict(_servers(_parsed(text, "--mcp-config"), "--mcp-config")))
    if files:
        for file in files:
            add(_strict(_servers(_parsed(_read(file), file), str(file))))
            problems.extend(_doubtful_parts(file))
        return Setup(tuple(by_name.values()), tuple(problems))
    for file in (*([user_file()] if path_exists(user_file()) else []), *mcp_files(work_dir)):
        try:
            own = file == user_file()
            servers, errors = _servers(
                _parsed(_read(file), file), str(file), trusted=trusted or own, of_project=not own
            )
        except ConfigError as error:
            problems.append(str(error))
            continue
        problems.extend(str(error) for error in errors)
        problems.extend(_doubtful_parts(file))
        add(servers)
    return Setup(tuple(by_name.values()), tuple(problems))


def read_table(file: Path) -> dict[str, Any]:
    """Read a whole `mcp.json`, to change it and write it back; empty if there is no file. Raises ConfigError."""
    if not path_exists(file):
        return {}
    return _parsed(_read(file), file)


def check(name: str, entry: Mapping[str, object], origin: str) -> Server:
    """Validate an entry and return its server. Raises ConfigError."""
    if not name.strip() or len(name) > 100 or not name.isprintable():
        raise ConfigError(
            tr("a server name must be 1 to 100 printable characters"), file=origin, key=f"mcpServers.{name!r}"
        )
    try:
        return Server(name, ServerConfig.model_validate(entry), origin)
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False)[0]
        key = ".".join(str(step) for step in ("mcpServers", name, *first["loc"]))
        raise ConfigError(first["msg"].removeprefix("Value error, "), file=origin, key=key) from None


def _strict(parsed: tuple[list[Server], list[ConfigError]]) -> list[Server]:
    servers, errors = parsed
    if errors:
        raise errors[0]
    return servers


def _servers(
    table: dict[str, Any], origin: str, *, trusted: bool = True, of_project: bool = False
) -> tuple[list[Server], list[ConfigError]]:
    entries = table.get("mcpServers", {})
    if not isinstance(entries, dict):
        raise ConfigError(tr("expected a mapping of servers by name"), file=origin, key="mcpServers")
    servers: list[Server] = []
    errors: list[ConfigError] = []
    for name, entry in cast(dict[str, Any], entries).items():
        try:
            server = check(name, entry, origin)
        except ConfigError as error:
            errors.append(error)
            continue
        servers.append(replace(server, trusted=trusted, of_project=of_project))
    return servers, errors


def _doubtful_parts(file: Path) -> Iterator[str]:
    """What is odd in a readable file: keys that are nearly those of a server, or nothing at all."""
    text = _read(file)
    if not text.strip():
        yield tr("{file}: the file is empty", file=file)  # defence: empty-mcp-file
    small = len(text) <= MAX_PROJECT_BYTES  # finding a line takes 10 s per MiB
    entries: object = _parsed(text, file).get("mcpServers")
    tables = cast(dict[str, object], entries) if isinstance(entries, dict) else {}
    keys = (
        (name, key) for name, table in tables.items() if isinstance(table, dict) for key in cast(dict[str, Any], table)
    )
    unknown = ((name, key) for name, key in keys if key not in ServerConfig.model_fields)
    near = ((name, key, get_close_matches(key[:100], ServerConfig.model_fields, 1, _NEAR)) for name, key in unknown)
    for name, key, (meant,) in islice((each for each in near if each[2]), _MAX_MISTYPED):
        problem = tr("no such key; did you mean {near}?", near=meant)
        place = with_line(file, ("mcpServers", name, key)) if small else str(file)
        yield one_line(f"{place}: mcpServers.{name[:100]}.{key[:100]}: {problem}")


def _read(file: Path) -> str:
    try:
        return read_text(file, most=MAX_BYTES)
    except TooLargeError:
        raise ConfigError(tr("larger than 1 MiB"), file=file) from None
    except UnicodeDecodeError as error:
        raise ConfigError(tr("this is not UTF-8 text (byte {number})", number=error.start), file=file) from error
    except OSError as error:
        raise ConfigError(error.strerror or str(error), file=file) from error


def _parsed(text: str, origin: Path | str) -> dict[str, Any]:
    try:
        value: object = json_text.loads(text) if text.strip() else {}
    except json.JSONDecodeError as error:
        raise ConfigError(f"line {error.lineno}, column {error.colno}: {error.msg}", file=origin) from None
    except ValueError as error:  # defence: deep-mcp-file
        raise ConfigError(str(error), file=origin) from None
    if not isinstance(value, dict):
        raise ConfigError(tr('expected an object with "mcpServers"'), file=origin)
    return cast(dict[str, Any], value)
