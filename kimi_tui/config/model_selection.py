"""Selects the model: the named one, else the default, else the one from the environment."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from pydantic import SecretStr

from kimi_tui import paths
from kimi_tui.config.schema import Config, ModelConfig, ProviderConfig
from kimi_tui.errors import ConfigError, ModelNotSetError
from kimi_tui.i18n import tr

SCRIPT_VARIABLES = ("KIMI_TUI_SCRIPTS", "KIMI_SCRIPTED_ECHO_SCRIPTS")


@dataclass(frozen=True, slots=True)
class ChosenModel:
    """The selected model and its provider, with environment overrides."""

    name: str
    model: ModelConfig
    provider: ProviderConfig


HOW_TO_SET_A_MODEL = (
    "no model is set. Set KIMI_API_KEY (or OPENAI_API_KEY and OPENAI_MODEL), or write one into {file} "
    "(see kimi-tui docs start), or try the offline demo: kimi-tui --demo"
)
HOW_TO_TAKE_OVER = ". Kimi CLI has its settings in {file}: kimi-tui migrate takes them over"


def choose_model(config: Config, name: str | None = None, environ: Mapping[str, str] = os.environ) -> ChosenModel:
    """Select the model `name`, else the default, else the one from the environment.

    Raises ModelNotSetError without a model, ConfigError for a name that is not configured.
    """
    name = name or config.default_model
    if name and name not in config.models:
        model_names = ", ".join(sorted(config.models)) or "none"
        raise ConfigError(
            tr("no model named {name!r}. Configured: {known}", name=name, known=model_names), key="--model"
        )
    if not name and len(config.models) == 1:
        name = next(iter(config.models))
    if name:
        model = config.models[name]
        chosen = _with_environment(ChosenModel(name, model, config.providers[model.provider]), environ)
        if chosen.provider.signed_in_elsewhere:
            raise ModelNotSetError(
                tr(
                    "the provider {name} uses an OAuth login of Kimi CLI, which kimi-tui cannot use; "
                    "set its api_key, or KIMI_API_KEY",
                    name=model.provider,
                )
            )
        return chosen
    chosen = _from_environment(environ)
    if chosen is None and config.models:
        model_names = ", ".join(sorted(config.models))
        raise ModelNotSetError(
            tr("no model is selected: set default_model or --model to one of {known}", known=model_names)
        )
    if chosen is None:
        kimis = paths.kimi_home() / "config.toml"
        how = HOW_TO_TAKE_OVER.format(file=paths.shown(kimis)) if kimis.is_file() else ""
        raise ModelNotSetError(HOW_TO_SET_A_MODEL.format(file=paths.shown(paths.home() / "config.yaml")) + how)
    return chosen


def _from_environment(environ: Mapping[str, str]) -> ChosenModel | None:
    key = environ.get("KIMI_API_KEY") or environ.get("MOONSHOT_API_KEY")
    if key or environ.get("KIMI_BASE_URL"):
        model = environ.get("KIMI_MODEL_NAME") or "kimi-k2-turbo-preview"
        chosen = ChosenModel(
            model,
            ModelConfig(provider="kimi", model=model, max_context_size=262_144),
            ProviderConfig(
                type="kimi",
                base_url=environ.get("KIMI_BASE_URL") or "https://api.moonshot.ai/v1",
                api_key=SecretStr(key or ""),
            ),
        )
        return _with_environment(chosen, environ)
    model = environ.get("OPENAI_MODEL")
    if model and (environ.get("OPENAI_API_KEY") or environ.get("OPENAI_BASE_URL")):
        return ChosenModel(
            model,
            ModelConfig(provider="openai", model=model, max_context_size=128_000),
            ProviderConfig(
                type="openai_legacy",
                base_url=environ.get("OPENAI_BASE_URL") or "https://api.openai.com/v1",
                api_key=SecretStr(environ.get("OPENAI_API_KEY", "")),
            ),
        )
    return None


def _with_environment(chosen: ChosenModel, environ: Mapping[str, str]) -> ChosenModel:
    model, provider = chosen.model, chosen.provider
    if provider.type == "kimi":
        provider = provider.model_copy(update=_overrides(environ, base_url="KIMI_BASE_URL", api_key="KIMI_API_KEY"))
        update = _overrides(environ, model="KIMI_MODEL_NAME")
        if size := environ.get("KIMI_MODEL_MAX_CONTEXT_SIZE"):
            if not size.isdigit() or int(size) < 1:
                raise ConfigError(
                    tr("{size!r} is not a number of tokens", size=size), key="KIMI_MODEL_MAX_CONTEXT_SIZE"
                )
            update["max_context_size"] = int(size)
        if capabilities := environ.get("KIMI_MODEL_CAPABILITIES"):
            update["capabilities"] = frozenset(part.strip() for part in capabilities.split(",") if part.strip())
        model = model.model_copy(update=update)
    elif provider.type in ("openai_legacy", "openai_responses"):
        update = _overrides(environ, base_url="OPENAI_BASE_URL", api_key="OPENAI_API_KEY")
        if "base_url" not in update and _host(provider.base_url) not in (None, "api.openai.com"):
            # Many users have this key in their environment for another purpose: do not send it to any server of that
            # type.
            update.pop("api_key", None)
        provider = provider.model_copy(update=update)
    elif provider.type in ("scripted", "_scripted_echo") and provider.scripts is None:
        scripts = next((environ[name] for name in SCRIPT_VARIABLES if environ.get(name)), None)
        provider = provider.model_copy(update={"scripts": Path(scripts)} if scripts else {})
    return ChosenModel(chosen.name, model, provider)


def _host(url: str | None) -> str | None:
    """Return the host, "" of an invalid address, None without one."""
    try:
        return urlsplit(url or "").hostname
    except ValueError:  # defence: base-url-of-no-host
        return ""


def _overrides(environ: Mapping[str, str], **fields: str) -> dict[str, Any]:
    overrides = {field: environ[variable] for field, variable in fields.items() if environ.get(variable)}
    return {field: SecretStr(value) if field == "api_key" else value for field, value in overrides.items()}
