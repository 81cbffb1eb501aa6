"""Secrets by name in the system's keyring, where there is one; who calls keeps them in a 0600 file where there is none.

The `keyring` package is optional, and is loaded when a secret is wanted, never at the start. All of this may take as
long as a person takes to unlock a keyring: it belongs on a thread. What was looked up once is known for good.
"""

import importlib
import logging
import os
from collections.abc import Iterable
from typing import Protocol, cast

from kimi_tui.errors import ConfigError
from kimi_tui.i18n import tr

SERVICE = "kimi-tui"
REFERENCE = "keyring"
"""What a configuration says in place of a key that is in the keyring; `keyring:NAME` says under which name."""

_GOOD = 1.0
_log = logging.getLogger(__name__)
_known: dict[str, str] = {}


class _Backend(Protocol):
    name: str
    priority: float

    def get_password(self, service: str, username: str) -> str | None: ...
    def set_password(self, service: str, username: str, password: str) -> None: ...
    def delete_password(self, service: str, username: str) -> None: ...


def backend_name() -> str | None:
    """What keeps secrets on this machine, for people; None where nothing does."""
    backend = _backend()
    return None if backend is None else backend.name


def store(name: str, secret: str) -> bool:
    """Put a secret into the keyring; False where there is none, or where it does not give the secret back."""
    backend = _backend()
    if backend is None:
        return False
    try:
        backend.set_password(SERVICE, name, secret)
        kept = backend.get_password(SERVICE, name) == secret
    except Exception as error:  # noqa: BLE001 - a backend raises what the system behind it raises
        _log.warning("the keyring did not take %s: %s", name, type(error).__name__)
        return False
    if kept:
        _known[name] = secret
    return kept


def lookup(name: str) -> str | None:
    """The secret of that name; None where there is none, or no keyring that can be read."""
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
    """Take a secret out; False where there was none."""
    if lookup(name) is None:
        return False
    del _known[name]
    backend = _backend()
    try:
        if backend is not None:
            backend.delete_password(SERVICE, name)
    except Exception as error:  # noqa: BLE001 - a backend raises what the system behind it raises
        _log.warning("the keyring kept %s: %s", name, type(error).__name__)
        return False
    return True


def forget_known() -> None:
    """Ask the keyring anew for everything."""
    _known.clear()


def is_reference(key: str) -> bool:
    """Whether it stands for a key in the keyring. `keyring` alone has no name yet."""
    return key == REFERENCE or key.startswith(f"{REFERENCE}:")


def with_name(key: str, name: str) -> str:
    """A bare reference with the name that it means; anything else as it is."""
    return f"{REFERENCE}:{name}" if key == REFERENCE else key


def resolve(key: str) -> str:
    """The key itself. Raises ConfigError where it is in a keyring that does not have it or cannot be read."""
    if not is_reference(key):
        return key
    name = key.partition(":")[2]
    found = lookup(name)
    if found is None:
        backend = backend_name()
        why = (
            tr("the keyring ({keyring}) does not give {name}", keyring=backend, name=name)
            if backend
            else tr("there is no keyring to find {name} in", name=name)
        )
        raise ConfigError(
            tr("{why}; unlock it, set the key again with /setup, or write it here", why=why), key="api_key"
        )
    return found


def cached_secrets(keys: Iterable[str]) -> list[str]:
    """Those of the keys that are known without asking the keyring: what must not be told."""
    return [found for key in keys if (found := _known.get(key.partition(":")[2]) if is_reference(key) else key)]


def all_secrets(keys: Iterable[str]) -> list[str]:
    """All of the keys that can be had; the keyring is asked for the others."""
    return [found for key in keys if (found := lookup(key.partition(":")[2]) if is_reference(key) else key)]


def _backend() -> _Backend | None:
    """The system's keyring, or the one that the person configured: not one that keeps secrets in a file of its own."""
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
