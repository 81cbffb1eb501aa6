"""Expands `${NAME}` and `${NAME:-default}` in an `mcp.json` entry from the environment: the file needs no secrets."""

import re
from collections.abc import Mapping

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
