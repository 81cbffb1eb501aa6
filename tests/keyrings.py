"""Keyrings that the `keyring` package takes for the system's: the real interface, secrets in a table."""

import importlib
from collections.abc import Iterator
from contextlib import contextmanager

import keyring
from keyring.backend import KeyringBackend
from keyring.errors import KeyringLocked, PasswordDeleteError

from kimi_tui import secret_store


class Wallet(KeyringBackend):
    """`locked`: it asks for a password that nobody gives."""

    priority = 5  # type: ignore[assignment]
    name = "Wallet"  # type: ignore[assignment]

    def __init__(self) -> None:
        super().__init__()
        self.kept: dict[tuple[str, str], str] = {}
        self.locked = False

    def get_password(self, service: str, username: str) -> str | None:
        self._open()
        return self.kept.get((service, username))

    def set_password(self, service: str, username: str, password: str) -> None:
        self._open()
        self.kept[service, username] = password

    def delete_password(self, service: str, username: str) -> None:
        self._open()
        if self.kept.pop((service, username), None) is None:
            raise PasswordDeleteError

    def _open(self) -> None:
        if self.locked:
            raise KeyringLocked


def empty_cache() -> None:
    """Read secrets from the keyring again, as a new process does."""
    importlib.reload(secret_store)


@contextmanager
def wallet() -> Iterator[Wallet]:
    """A keyring of its own for a test, which the program finds as it finds the system's."""
    before, mine = keyring.get_keyring(), Wallet()
    keyring.set_keyring(mine)
    empty_cache()
    try:
        yield mine
    finally:
        keyring.set_keyring(before)
        empty_cache()
