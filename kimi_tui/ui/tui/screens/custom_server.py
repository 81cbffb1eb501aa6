"""Setup of a custom server: its address, an optional API key, and one of its models."""

import ipaddress
import re
from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from typing import Any
from urllib.parse import urlsplit

from kimi_tui.config.yaml_editor import KeyPath, Value
from kimi_tui.llm.key_check import KeyCheck
from kimi_tui.ui.tui.i18n.catalog import _
from kimi_tui.ui.tui.i18n.translate import translate
from kimi_tui.ui.tui.widgets.modal_frame import ModalFrame
from kimi_tui.ui.tui.widgets.pick_list import ListItem
from kimi_tui.ui.tui.widgets.pick_prompt import PickPrompt
from kimi_tui.ui.tui.widgets.text_prompt import TextPrompt

TryKey = Callable[[str, str, str], Awaitable[KeyCheck]]
"""Checks a key. Arguments: the service's type, its address and the key."""
OTHER = "\0other"  # no name of a model
_TYPE = "openai_legacy"


def custom_server_item() -> ListItem:
    return ListItem(
        OTHER, _("Another server (address)"), right=_("any OpenAI-compatible server"), sign="○", role="accent"
    )


def bases(address: str) -> tuple[str, ...]:
    """Return candidate base URLs for an entered address, most likely first; () if it is not an address."""
    address = address.strip()
    if "://" not in address:
        address = f"{'http' if _is_near(address) else 'https'}://{address}"
    address = re.sub(r"/(chat/completions|models)/?\Z", "", address).rstrip("/")
    try:
        parts = urlsplit(address)
        fine = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        return ()
    if not fine or parts.query or parts.fragment or any(char.isspace() for char in address):
        return ()
    return (address,) if parts.path else (f"{address}/v1", address)


def _is_near(address: str) -> bool:
    """Whether the host is `localhost` or an IP address, which have no TLS certificates."""
    try:
        host = urlsplit(f"//{address}").hostname or ""
        return host == "localhost" or bool(ipaddress.ip_address(host))
    except ValueError:
        return False


def custom_server_changes(base: str, key: str, model: str, size: int | None = None) -> dict[KeyPath, Value]:
    """The configuration changes for the server; `size` is the context size of the model in tokens."""
    name = re.sub(r"[^a-z0-9]+", "-", urlsplit(base).netloc.rpartition("@")[2].lower()).strip("-")
    changes: dict[KeyPath, Value] = {("providers", name, "type"): _TYPE, ("providers", name, "base_url"): base}
    if key:
        changes["providers", name, "api_key"] = key
    changes["models", model, "provider"] = name
    changes["models", model, "model"] = model
    if size is not None:
        changes["models", model, "max_context_size"] = size
    return changes


class CustomServerForm:
    """Prompts for each step on `screen`, then calls `done` with the changes and the model."""

    def __init__(
        self, screen: ModalFrame[Any], try_key: TryKey, done: Callable[[Mapping[KeyPath, Value], str], object]
    ) -> None:
        self._screen, self._try_key, self._done = screen, try_key, done

    def ask(self, *, trouble: str = "", value: str = "", silent: str = "") -> None:
        """Ask for the address. `silent` did not respond; if the user enters it again, it is accepted."""

        def got(address: str | None) -> None:
            if not address:
                return
            found = bases(address)
            if found and address == silent:
                self._ask_key(found)
            elif found:
                self._screen.run_worker(partial(self._reach, found, address), group="look", exclusive=True)
            else:
                words = _("{address} is not an http(s) address.", address=address)
                self.ask(trouble=words, value=address)

        about = _("Its address, for example http://gpu-box:8000/v1.")
        title = _("another server: address")
        self._screen.app.push_screen(TextPrompt(title, about=about, trouble=trouble, value=value), got)

    async def _reach(self, found: tuple[str, ...], address: str) -> None:
        """Ask for the key if the address responds, or else for the address again."""
        self._screen.set_status(_("checking {server}…", server=found[-1]))
        checks: list[KeyCheck] = []
        for base in found:
            checks.append(await self._try_key(_TYPE, base, ""))
            if checks[-1].reached:
                break
        self._screen.set_status("")
        if not self._screen.is_current:
            return
        if checks[-1].reached:
            self._ask_key(found)
        else:
            trouble = _("{cause}. Press Enter to keep the address anyway.", cause=translate(checks[-1].cause))
            self.ask(trouble=trouble, value=address, silent=address)

    def _ask_key(self, found: tuple[str, ...], *, trouble: str = "", value: str = "") -> None:
        def got(key: str | None) -> None:
            if key is not None:
                self._screen.run_worker(partial(self._try, found, key), group="look", exclusive=True)

        about = _("API key (leave empty if none). Sent only to {server}.", server=found[-1])
        title = _("another server: API key")
        prompt = TextPrompt(title, about=about, trouble=trouble, value=value, secret=True)
        self._screen.app.push_screen(prompt, got)

    async def _try(self, found: tuple[str, ...], key: str) -> None:
        """Find a base URL that responds; ask again for a rejected key."""
        self._screen.set_status(_("asking {server} for its models…", server=found[-1]))
        tried: list[tuple[str, KeyCheck]] = []
        for base in found:
            tried.append((base, await self._try_key(_TYPE, base, key)))
            if tried[-1][1].verdict == "refused" or tried[-1][1].models:
                break
        self._screen.set_status("")
        if not self._screen.is_current:
            return
        last, trial = tried[-1]
        if trial.verdict == "refused":
            trouble = _(
                "{server} rejected this key ({cause}). Try another one.", server=last, cause=translate(trial.cause)
            )
            self._ask_key(found, trouble=trouble, value=key)
        else:
            base, trial = (last, trial) if trial.models else tried[0]
            self._ask_model(base, key, trial)

    def _ask_model(self, base: str, key: str, trial: KeyCheck) -> None:
        def got(model: str | None) -> None:
            if model:
                self._done(custom_server_changes(base, key, model, trial.sizes.get(model)), model)

        title = _("another server: model")
        if trial.models:
            self._screen.app.push_screen(PickPrompt(title, trial.models, trial.models[0]), got)
            return
        about = _("Model name, as the service spells it.")
        trouble = _("Connection test failed: {cause}.", cause=translate(trial.cause)) if trial.cause else ""
        self._screen.app.push_screen(TextPrompt(title, about=about, trouble=trouble), got)
