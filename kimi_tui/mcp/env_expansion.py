"""Expands `${NAME}` and `${NAME:-default}` in an `mcp.json` entry from the environment: the file needs no secrets."""

import os
import re
from collections.abc import Iterator, Mapping
from urllib.parse import parse_qsl, unquote, urlsplit

from kimi_tui.i18n import tr
from kimi_tui.mcp.config import ServerConfig

_VARIABLE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}")


class MissingVariableError(ValueError):
    """An entry refers to a variable that is not set; the message has its name and place."""


def expand_env(config: ServerConfig, environ: Mapping[str, str]) -> ServerConfig:
    """Expand the entry's variables. Raises MissingVariableError."""

    def fill(key: str, text: str) -> str:
        def value(match: re.Match[str]) -> str:
            found = environ.get(match[1]) or match[2]
            if found is None:
                raise MissingVariableError(
                    tr("{key} needs the variable {name}, which is not set", key=key, name=match[1])
                )
            return found

        return _VARIABLE.sub(value, text)

    return config.model_copy(
        update={
            "command": None if config.command is None else fill("command", config.command),
            "args": tuple(fill("args", arg) for arg in config.args),
            "env": {name: fill(f"env.{name}", text) for name, text in config.env.items()},
            "url": None if config.url is None else fill("url", config.url),
            "headers": {name: fill(f"headers.{name}", text) for name, text in config.headers.items()},
        }
    )


def find_secrets(config: ServerConfig, expanded: ServerConfig, environ: Mapping[str, str]) -> tuple[str, ...]:
    """Return the possible secrets of an entry: its variables' values, headers, environment, and parts of its address.

    `expanded` is `config` with its variables expanded.
    """
    written = "\n".join((config.command or "", *config.args, config.cwd or "", config.url or ""))
    values = [environ[name] for name in {match[1] for match in _VARIABLE.finditer(written)} if environ.get(name)]
    values = [value for value in values if not os.path.lexists(value)]
    found = (*values, *_secrets_of_address(expanded.url or ""), *expanded.env.values(), *expanded.headers.values())
    return tuple(sorted(set(found), key=len, reverse=True))


def _secrets_of_address(url: str) -> Iterator[str]:
    """Yield the query's values and the password, as written and decoded."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return
    for pair in parts.query.split("&"):
        yield pair.partition("=")[2] or pair
    yield from (value or name for name, value in parse_qsl(parts.query, keep_blank_values=True))
    if parts.password:
        yield from (parts.password, unquote(parts.password))
