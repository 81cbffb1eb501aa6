"""The session's model provider: created in a thread, since its SDK is the slowest import."""

import asyncio
from collections.abc import Callable

from kimi_tui.config.model_selection import ChosenModel, choose_model
from kimi_tui.config.schema import Config
from kimi_tui.errors import ModelNotSetError, UsageError
from kimi_tui.i18n import tr
from kimi_tui.llm.provider import ModelInfo, Preparable, Provider
from kimi_tui.llm.provider_settings import ProviderSettings
from kimi_tui.llm.providers.factory import create_provider
from kimi_tui.soul.provider_config import model_info, provider_settings

SCRIPT_NOTE = tr("scripted model")


class ModelSwitcher:
    """The current provider. `missing` explains why there is none; the first request reports it.

    `thinking` and `cache_key` apply to every model. Raises ConfigError as `provider_settings` does.
    """

    def __init__(
        self,
        config: Config,
        chosen: ChosenModel | None,
        *,
        thinking: bool | None,
        cache_key: str,
        missing: str = "",
        on_ready: Callable[[Provider], None],
    ) -> None:
        self._config = config
        self._thinking = thinking
        self._cache_key = cache_key
        self._missing = missing
        self._on_ready = on_ready
        self._making: asyncio.Task[Provider] | None = None
        self._other_providers: dict[str, Provider] = {}
        self.info: ModelInfo = model_info(chosen)
        self.key = chosen.name if chosen else ""
        self._settings = self._settings_of(chosen) if chosen else None

    @property
    def keys(self) -> tuple[str, ...]:
        """The names of the configured models."""
        return tuple(self._config.models)

    @property
    def thinking(self) -> bool:
        """Whether thinking is on."""
        return (bool(self._thinking) and self.may_think) or "always_thinking" in self.info.capabilities

    @property
    def may_think(self) -> bool:
        """Whether the user can turn thinking on and off."""
        return "thinking" in self.info.capabilities and "always_thinking" not in self.info.capabilities

    @property
    def shown_name(self) -> str:
        return self.info.name or tr("no model")

    @property
    def note(self) -> str:
        scripted = self._settings is not None and self._settings.type in ("scripted", "_scripted_echo")
        return SCRIPT_NOTE if scripted else ""

    async def switch(self, name: str, *, thinking: bool | None = None) -> None:
        """Switch the model, and turn thinking on or off. Raises UsageError for a model that is not configured."""
        if name != self.key and name not in self._config.models:
            raise UsageError(
                tr(
                    "no model named {name!r}. Available: {facts}",
                    name=name,
                    facts=", ".join(self.keys) or tr("none"),
                )
            )
        chosen = choose_model(self._config, name)
        if thinking is not None:
            self._thinking = thinking
        settings = self._settings_of(chosen)
        await self.aclose()
        self._settings, self.info, self.key = settings, model_info(chosen), chosen.name
        self.prepare()

    def prepare(self) -> None:
        """Start creating the provider, without waiting."""
        if self._settings is not None and self._making is None:
            self._begin(self._settings)

    async def loaded(self) -> None:
        """Wait until the provider is created or has failed."""
        if self._making is not None:
            await asyncio.wait([self._making])

    async def ready(self) -> None:
        """Wait for the provider. Raises ModelNotSetError, or the error that prevented its creation."""
        if self._settings is None:
            raise ModelNotSetError(self._missing)
        if not self._settings.is_complete:
            raise ModelNotSetError(
                tr("the configuration lacks the model name or the API key of {name!r}", name=self.key)
            )
        making = self._making or self._begin(self._settings)
        try:
            await asyncio.shield(making)
        except Exception:
            self._making = None
            raise

    async def other(self, name: str) -> tuple[Provider, ModelInfo]:
        """Make another configured model, for a subagent. Raises ConfigError for one that is not configured."""
        chosen = choose_model(self._config, name)
        if name not in self._other_providers:
            provider = await asyncio.to_thread(create_provider, self._settings_of(chosen))
            if (existing := self._other_providers.setdefault(name, provider)) is not provider:
                await provider.aclose()
            return existing, model_info(chosen)
        return self._other_providers[name], model_info(chosen)

    async def aclose(self) -> None:
        providers, self._other_providers = self._other_providers, {}
        await asyncio.gather(*(provider.aclose() for provider in providers.values()), return_exceptions=True)
        if self._making is not None:
            making, self._making = self._making, None
            making.cancel()
            results = await asyncio.gather(making, return_exceptions=True)
            if not isinstance(results[0], BaseException):
                await results[0].aclose()

    def _settings_of(self, chosen: ChosenModel) -> ProviderSettings:
        return provider_settings(chosen, thinking=self._thinking, cache_key=self._cache_key)

    def _begin(self, settings: ProviderSettings) -> asyncio.Task[Provider]:
        self._making = asyncio.create_task(self._make(settings))
        return self._making

    async def _make(self, settings: ProviderSettings) -> Provider:
        provider = await asyncio.to_thread(create_provider, settings)  # defence: create-provider-in-thread
        if isinstance(provider, Preparable):
            await provider.prepare()
        self._on_ready(provider)
        return provider
