"""Builds provider settings from the selected model of the configuration and the environment."""

import os
from collections.abc import Mapping
from pathlib import Path

from kimi_tui.config.model_selection import ChosenModel
from kimi_tui.errors import ConfigError
from kimi_tui.llm.provider import Capability, ModelInfo
from kimi_tui.llm.provider_settings import GenerationOptions, ProviderSettings

_CAPABILITIES: tuple[Capability, ...] = ("image_in", "video_in", "thinking", "always_thinking")
_SCRIPTS = ("KIMI_TUI_SCRIPTS", "KIMI_SCRIPTED_ECHO_SCRIPTS")


def model_info(chosen: ChosenModel | None) -> ModelInfo:
    """Return the model data for the soul and the UI; without a model, one with an empty name."""
    if chosen is None:
        return ModelInfo(name="", model="")
    return ModelInfo(
        name=chosen.model.display_name or chosen.name,
        model=chosen.model.model,
        key=chosen.name,
        max_context_size=chosen.model.max_context_size,
        capabilities=_capabilities(chosen),
    )


def provider_settings(
    chosen: ChosenModel, *, thinking: bool | None, cache_key: str, environ: Mapping[str, str] = os.environ
) -> ProviderSettings:
    """Build the settings. Raises ConfigError for an invalid generation parameter in the environment."""
    provider = chosen.provider
    capabilities = _capabilities(chosen)
    scripts = next((Path(provider.env[name]) for name in _SCRIPTS if provider.env.get(name)), None)
    return ProviderSettings(
        type=provider.type,
        base_url=provider.base_url or None,
        api_key=provider.api_key.get_secret_value() or None,
        model=chosen.model.model,
        custom_headers=provider.custom_headers,
        env=provider.env,
        reasoning_key=provider.reasoning_key,
        scripts=provider.scripts or scripts,
        delay_s=provider.delay_s,
        thinking=_thinking(thinking, capabilities),
        capabilities=capabilities,
        max_context_size=chosen.model.max_context_size,
        generation=_generation(environ),
        cache_key=cache_key,
        idle_timeout_s=provider.idle_timeout_s,
    )


def _thinking(requested: bool | None, capabilities: frozenset[Capability]) -> bool | None:
    """Return the thinking flag for the service: true only if the model supports it, never false if it always thinks."""
    if requested:
        return True if capabilities & {"thinking", "always_thinking"} else None
    return None if "always_thinking" in capabilities else requested


def _capabilities(chosen: ChosenModel) -> frozenset[Capability]:
    """Return the configured capabilities; a model whose name marks it as a reasoning model always thinks."""
    capabilities: set[Capability] = {
        capability for capability in _CAPABILITIES if capability in chosen.model.capabilities
    }
    if any(marker in chosen.model.model.lower() for marker in ("thinking", "reason")):
        capabilities.add("always_thinking")
    return frozenset(capabilities)


def _generation(environ: Mapping[str, str]) -> GenerationOptions:
    tokens = environ.get("KIMI_MODEL_MAX_COMPLETION_TOKENS") or environ.get("KIMI_MODEL_MAX_TOKENS")
    max_tokens = _number(tokens, "KIMI_MODEL_MAX_COMPLETION_TOKENS")
    return GenerationOptions(
        temperature=_number(environ.get("KIMI_MODEL_TEMPERATURE"), "KIMI_MODEL_TEMPERATURE"),
        top_p=_number(environ.get("KIMI_MODEL_TOP_P"), "KIMI_MODEL_TOP_P"),
        max_tokens=int(max_tokens) if max_tokens is not None and max_tokens > 0 else None,
        thinking_keep=environ.get("KIMI_MODEL_THINKING_KEEP") or None,
    )


def _number(text: str | None, name: str) -> float | None:
    if not text:
        return None
    try:
        return float(text)
    except ValueError:
        raise ConfigError(f"{text!r} is not a number", key=name) from None
