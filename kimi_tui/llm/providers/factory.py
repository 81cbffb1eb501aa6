"""Creates the provider for a service type. It loads no SDK."""

import re
from dataclasses import replace
from importlib.util import find_spec
from urllib.parse import urlsplit

from kimi_tui.errors import ConfigError
from kimi_tui.i18n import tr
from kimi_tui.llm.provider import Provider
from kimi_tui.llm.provider_settings import ProviderSettings
from kimi_tui.secret_store import resolve

PROVIDER_TYPES = ("kimi", "openai_legacy", "openai_responses", "anthropic", "google_genai", "scripted")
_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_VALUE = re.compile(r"[\x20-\x7e]*")
_ALIASES = {"gemini": "google_genai", "_scripted_echo": "scripted"}


def create_provider(settings: ProviderSettings) -> Provider:
    """Create the provider for `settings`.

    Reads the key from the keyring if it is stored there. Raises ConfigError for an unknown type, a missing extra, a bad
    script, and for an address, key or header that no request can carry.
    """
    settings = _checked(settings)
    match _ALIASES.get(settings.type, settings.type):
        case "kimi" | "openai_legacy":
            from kimi_tui.llm.providers.openai_chat import OpenAIChat

            return OpenAIChat(settings)
        case "openai_responses":
            from kimi_tui.llm.providers.openai_responses import OpenAIResponses

            return OpenAIResponses(settings)
        case "anthropic":
            from kimi_tui.llm.providers.anthropic import Anthropic

            _need("anthropic", "anthropic")
            return Anthropic(settings)
        case "google_genai":
            from kimi_tui.llm.providers.google import Google

            _need("google.genai", "google")
            return Google(settings)
        case "scripted":
            return _scripted(settings)
        case _:
            known = ", ".join(PROVIDER_TYPES)
            raise ConfigError(
                tr("unknown provider type {name!r}. Available: {known}", name=settings.type, known=known),
                key="type",
            )


def _checked(settings: ProviderSettings) -> ProviderSettings:
    if settings.base_url:
        try:
            parts = urlsplit(settings.base_url)
            is_valid = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
        except ValueError:
            is_valid = False
        if not is_valid:
            raise ConfigError(tr("not an http(s) address: {address}", address=settings.base_url), key="base_url")
    key = resolve(settings.api_key or "").strip()
    if not _VALUE.fullmatch(key):
        # Never show the key itself.
        raise ConfigError(tr("the key contains invalid characters; was something else pasted?"), key="api_key")
    for name, value in settings.custom_headers.items():
        if not _NAME.fullmatch(name) or not _VALUE.fullmatch(value):
            raise ConfigError(tr("not a valid header: {name!r}", name=name), key="custom_headers")
    return replace(settings, api_key=key or None, base_url=settings.base_url or None)


def _scripted(settings: ProviderSettings) -> Provider:
    from kimi_tui.llm.providers.scripted import Script, ScriptedProvider

    if settings.scripts is None:
        raise ConfigError(
            tr("a scripted provider needs a script: the key `scripts` or env.KIMI_TUI_SCRIPTS"), key="scripts"
        )
    return ScriptedProvider(Script.read(settings.scripts), model_name=settings.model, delay_s=settings.delay_s)


def _need(module: str, extra: str) -> None:
    try:
        spec = find_spec(module)
    except ModuleNotFoundError:
        spec = None
    if spec is None:
        raise ConfigError(
            tr("this provider type needs an extra: pip install 'kimi-tui[{extra}]'", extra=extra), key="type"
        )
