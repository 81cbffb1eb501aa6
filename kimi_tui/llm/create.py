"""Makes the provider for a type of service. No SDK is loaded here."""

from kimi_tui.errors import ConfigError
from kimi_tui.llm.provider import Provider
from kimi_tui.llm.settings import ProviderSettings

PROVIDER_TYPES = ("kimi", "openai_legacy", "openai_responses", "anthropic", "google_genai", "scripted")
_ALIASES = {"gemini": "google_genai", "_scripted_echo": "scripted"}


def create_provider(settings: ProviderSettings) -> Provider:
    """The provider that `settings` describe; ConfigError for an unknown type, a missing extra or a bad script."""
    match _ALIASES.get(settings.type, settings.type):
        case "kimi" | "openai_legacy":
            from kimi_tui.llm.openai_chat import OpenAIChat

            return OpenAIChat(settings)
        case "scripted":
            return _scripted(settings)
        case _:
            known = ", ".join(PROVIDER_TYPES)
            raise ConfigError(f"there is no provider type {settings.type!r}; the types are {known}", key="type")


def _scripted(settings: ProviderSettings) -> Provider:
    from kimi_tui.llm.scripted import Script, ScriptedProvider

    if settings.scripts is None:
        raise ConfigError(
            "a scripted provider needs a script: the key `scripts` or env.KIMI_TUI_SCRIPTS", key="scripts"
        )
    return ScriptedProvider(Script.read(settings.scripts), model_name=settings.model)


def preload(provider_type: str) -> None:
    """Load what the first request will need. It takes a while: to be called in a thread."""
    match _ALIASES.get(provider_type, provider_type):
        case "kimi" | "openai_legacy" | "openai_responses":
            import kimi_tui.llm.openai_client  # noqa: F401  # pyright: ignore[reportUnusedImport]
        case _:
            pass
