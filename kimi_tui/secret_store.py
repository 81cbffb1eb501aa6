"""Stores secrets by name in the system keyring; without a keyring, callers use a 0600 file.

The `keyring` package is optional, and is imported on first use, never at the start. A call may block until the user
unlocks the keyring, so run it in a thread. Results are cached for the lifetime of the process.
"""

import importlib
import logging
import os
import sys
from collections.abc import Iterable
from typing import Protocol, cast

from kimi_tui.errors import ConfigError
from kimi_tui.i18n import tr

SERVICE = "kimi-tui"
REFERENCE = "keyring"
"""The configuration value for a key that is in the keyring; `keyring:NAME` gives its name."""

_GOOD = 1.0
_OF_MACOS = "keyring.backends.macOS.api"
"""`keyring` loads it on every system; elsewhere it then looks for libraries by the `gcc` and the `ld` on PATH, which
commands of the agent could have put there.
"""
_log = logging.getLogger(__name__)
_known: dict[str, str] = {}


class _Backend(Protocol):
    name: str
    priority: float

    def get_password(self, service: str, username: str) -> str | None: ...
    def set_password(self, service: str, username: str, password: str) -> None: ...
    def delete_password(self, service: str, username: str) -> None: ...


def backend_name() -> str | None:
    """Return the name of the keyring, for the user; None without one."""
    backend = _backend()
    return None if backend is None else backend.name


def store(name: str, secret: str) -> bool:
    """Store a secret in the keyring; False without a keyring, or if the secret cannot be read back."""
    backend = _backend()
    if backend is None:
        return False
    try:
        backend.set_password(SERVICE, name, secret)
        kept = backend.get_password(SERVICE, name) == secret
    except Exception as error:  # noqa: BLE001 - a backend raises what the system behind it raises
        _log.warning("the keyring did not store %s: %s", name, type(error).__name__)
        return False
    if kept:
        _known[name] = secret
    return kept


def lookup(name: str) -> str | None:
    """Return the secret of that name; None if it is missing, or without a readable keyring."""
    if name in _known:
        return _known[name]
    backend = _backend()
    if backend is None:
        return None
    try:
        found = backend.get_password(SERVICE, name)
    except Exception as error:  # noqa: BLE001 - a backend raises what the system behind it raises
        _log.warning("the keyring cannot be read: %s", type(error).__name__)
        return None
    if found is not None:
        _known[name] = found
    return found


def delete(name: str) -> bool:
    """Delete a secret; False if it did not exist."""
    if lookup(name) is None:
        return False
    del _known[name]
    backend = _backend()
    try:
        if backend is not None:
            backend.delete_password(SERVICE, name)
    except Exception as error:  # noqa: BLE001 - a backend raises what the system behind it raises
        _log.warning("the keyring did not delete %s: %s", name, type(error).__name__)
        return False
    return True


def is_reference(key: str) -> bool:
    """Whether the key is a keyring reference. `keyring` alone has no name yet."""
    return key == REFERENCE or key.startswith(f"{REFERENCE}:")


def with_name(key: str, name: str) -> str:
    """Add the name to a bare reference; return any other key unchanged."""
    return f"{REFERENCE}:{name}" if key == REFERENCE else key


def resolve(key: str) -> str:
    """Return the key itself. Raises ConfigError if the keyring lacks it or cannot be read."""
    if not is_reference(key):
        return key
    name = key.partition(":")[2]
    found = lookup(name)
    if found is None:
        backend = backend_name()
        why = (
            tr("could not read {name} from the keyring ({keyring})", keyring=backend, name=name)
            if backend
            else tr("no keyring available to look up {name}", name=name)
        )
        raise ConfigError(
            tr("{why}; unlock the keyring, set the key again with /setup, or write the key here", why=why),
            key="api_key",
        )
    return found


def cached_secrets(keys: Iterable[str]) -> list[str]:
    """Return the keys known without a keyring access, for redaction."""
    return [found for key in keys if (found := _known.get(key.partition(":")[2]) if is_reference(key) else key)]


def all_secrets(keys: Iterable[str]) -> list[str]:
    """Return all available keys; reads the missing ones from the keyring."""
    return [found for key in keys if (found := lookup(key.partition(":")[2]) if is_reference(key) else key)]


def _backend() -> _Backend | None:
    """Return the system keyring, or the user's configured one, unless it stores secrets in a file of its own."""
    if sys.platform != "darwin":
        # defence: keyring-of-another-system
        cast(dict[str, object], sys.modules).setdefault(_OF_MACOS, None)
    try:
        core = importlib.import_module("keyring.core")
        backend = cast(_Backend, core.get_keyring())
        chosen = bool(os.environ.get("PYTHON_KEYRING_BACKEND")) or core.load_config() is not None
        good = backend.priority >= _GOOD or (chosen and backend.priority > 0)
    except ImportError:
        return None
    except Exception as error:  # noqa: BLE001 - a backend raises what the system behind it raises
        _log.warning("the keyring cannot be used: %s", type(error).__name__)
        return None
    return backend if good else None
