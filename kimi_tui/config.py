"""The configuration: `config.yaml` (or TOML, or JSON of the same shape), then the environment over it.

A wrong value is an error that names file, key and cause; a key that nobody knows is a warning, since
one file may serve several versions.
"""

import json
import os
import re
import stat
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Literal, cast

from pydantic import BaseModel, ConfigDict, Field, SecretStr, ValidationError, field_validator, model_validator

from kimi_tui import paths, secret_store
from kimi_tui.errors import ConfigError, ModelNotSetError

MAX_BYTES = 1 << 20
ProviderType = Literal[
    "kimi", "openai_legacy", "openai_responses", "anthropic", "google_genai", "gemini", "scripted", "_scripted_echo",
    "vertexai", "_echo", "_chaos",
]  # fmt: skip
"""The last ones are the reference peer's: a configuration may hold them, and whoever uses them is told."""

SCRIPT_VARIABLES = ("KIMI_TUI_SCRIPTS", "KIMI_SCRIPTED_ECHO_SCRIPTS")


class _Section(BaseModel):
    model_config: ClassVar[ConfigDict] = ConfigDict(extra="ignore", frozen=True, defer_build=True)


class ProviderConfig(_Section):
    """One model service. `scripts` and `delay_s` only mean something to a scripted one."""

    type: ProviderType
    base_url: str = ""
    api_key: SecretStr = SecretStr("")
    env: dict[str, str] = Field(default_factory=dict)
    custom_headers: dict[str, str] = Field(default_factory=dict)
    reasoning_key: str | None = None
    scripts: Path | None = None
    delay_s: float = Field(default=0.0, ge=0, le=5)
    idle_timeout_s: float = Field(default=300.0, gt=0)


class ModelConfig(_Section):
    """One model of a configured provider. `max_context_size` in tokens; prices per million tokens."""

    provider: str
    model: str
    max_context_size: int = Field(default=100_000, ge=1)
    capabilities: frozenset[str] = frozenset()
    display_name: str = ""
    input_price: float | None = None
    output_price: float | None = None


class LoopControl(_Section):
    max_steps_per_turn: int = Field(default=1000, ge=1)
    max_retries_per_step: int = Field(default=3, ge=1)
    max_ralph_iterations: int = Field(default=0, ge=-1)
    max_choice_retries: int = Field(default=5, ge=1)
    max_moves: int = Field(default=1000, ge=1)
    reserved_context_size: int = Field(default=50_000, ge=1000)
    compaction_trigger_ratio: float = Field(default=0.85, ge=0.5, le=0.99)

    @model_validator(mode="before")
    @classmethod
    def _old_name(cls, value: Any) -> Any:
        if isinstance(value, dict) and "max_steps_per_run" in value and "max_steps_per_turn" not in value:
            return {**value, "max_steps_per_turn": value["max_steps_per_run"]}  # pyright: ignore[reportUnknownVariableType]
        return value  # pyright: ignore[reportUnknownVariableType]


HookEvent = Literal[
    "PreToolUse", "PostToolUse", "PostToolUseFailure", "UserPromptSubmit", "Stop", "StopFailure", "SessionStart",
    "SessionEnd", "SubagentStart", "SubagentStop", "PreCompact", "PostCompact", "Notification",
]  # fmt: skip


class HookConfig(_Section):
    """A command that is run at an event. `matcher` is a regular expression on what the event is about; "" is all.

    `timeout` in seconds.
    """

    event: HookEvent
    command: str = Field(min_length=1)
    matcher: str = ""
    timeout: int = Field(default=30, ge=1, le=600)

    @field_validator("matcher")
    @classmethod
    def _is_an_expression(cls, value: str) -> str:
        try:
            re.compile(value)
        except re.error as error:
            raise ValueError(f"this is no regular expression: {error}") from None
        return value


class ServiceConfig(_Section):
    """A service for the web tools."""

    base_url: str = ""
    api_key: SecretStr = SecretStr("")
    custom_headers: dict[str, str] = Field(default_factory=dict)


class Services(_Section):
    """The web: the first search service that is set is used. `allow_private`: pages of this machine and its network."""

    moonshot_search: ServiceConfig | None = None
    moonshot_fetch: ServiceConfig | None = None
    searxng: ServiceConfig | None = None
    brave: ServiceConfig | None = None
    tavily: ServiceConfig | None = None
    allow_private: bool = False


class Background(_Section):
    """Commands in the background. `print_wait_ceiling_s`: how long `--print` waits for them, at most."""

    max_running_tasks: int = Field(default=4, ge=1)
    print_wait_ceiling_s: float = Field(default=3600.0, ge=0)


class RuleConfig(_Section):
    """A rule of approvals, `Tool` or `Tool(pattern)`, with examples of what it must and must not match.

    An example is what a pattern stands for: a command line for Shell, a path for the tools of files.
    """

    rule: str = Field(min_length=1)
    match: tuple[str, ...] = ()
    not_match: tuple[str, ...] = ()

    @model_validator(mode="before")
    @classmethod
    def _may_be_only_the_rule(cls, value: Any) -> Any:
        return {"rule": value} if isinstance(value, str) else value


PermissionMode = Literal["default", "accept-edits", "plan", "yolo"]


class Permissions(_Section):
    """What runs without asking, what is asked for and what never runs. The strictest rule that matches counts."""

    mode: PermissionMode = "default"
    allow: tuple[RuleConfig, ...] = ()
    ask: tuple[RuleConfig, ...] = ()
    deny: tuple[RuleConfig, ...] = ()


class SandboxConfig(_Section):
    """Where the commands of Shell run. `require`: not at all where there is no sandbox. `writable`: further folders."""

    mode: Literal["auto", "off", "require"] = "auto"
    network: bool = True
    writable: tuple[Path, ...] = ()


class Config(_Section):
    """Everything that can be configured, with its defaults."""

    default_model: str = ""
    default_thinking: bool = False
    default_yolo: bool = False
    default_plan_mode: bool = False
    default_editor: str = ""
    theme: str = "kimi-dark"
    ascii: bool = False
    reduced_motion: bool = False
    plain: bool = False
    language: Literal["auto", "en", "zh"] = "auto"
    show_thinking_stream: bool = True
    merge_all_available_skills: bool = True
    extra_skill_dirs: tuple[str, ...] = ()
    models: dict[str, ModelConfig] = Field(default_factory=dict)
    providers: dict[str, ProviderConfig] = Field(default_factory=dict)
    loop_control: LoopControl = Field(default_factory=LoopControl)
    hooks: tuple[HookConfig, ...] = ()
    services: Services = Field(default_factory=Services)
    background: Background = Field(default_factory=Background)
    permissions: Permissions = Field(default_factory=Permissions)
    sandbox: SandboxConfig = Field(default_factory=SandboxConfig)
    keys: dict[str, str] = Field(default_factory=dict)

    @model_validator(mode="before")
    @classmethod
    def _name_the_keys(cls, value: Any) -> Any:
        """`api_key: keyring` means the key of that name in the system's keyring: `providers.moonshot`."""
        if not isinstance(value, dict):
            return value
        table = dict(cast(dict[str, Any], value))
        for kind in ("providers", "services"):
            if isinstance(table.get(kind), dict):
                sections = cast(dict[str, Any], table[kind])
                table[kind] = {name: _key_named(section, f"{kind}.{name}") for name, section in sections.items()}
        return table

    @property
    def api_keys(self) -> tuple[str, ...]:
        """Every key of a model service and of a service for the web, or its reference into the keyring."""
        services = [value for name in type(self.services).model_fields if (value := getattr(self.services, name))]
        sections = [*self.providers.values(), *(one for one in services if isinstance(one, ServiceConfig))]
        return tuple(key for one in sections if (key := one.api_key.get_secret_value()))

    @field_validator("theme")
    @classmethod
    def _peer_names(cls, value: str) -> str:
        return {"dark": "kimi-dark", "light": "kimi-light"}.get(value, value)

    @field_validator("language", mode="before")
    @classmethod
    def _language_said(cls, value: object) -> object:
        return "auto" if value in ("", None) else value


def _key_named(section: Any, name: str) -> Any:
    if isinstance(section, dict) and isinstance(key := cast(dict[str, Any], section).get("api_key"), str):
        return {**cast(dict[str, Any], section), "api_key": secret_store.named(key, name)}
    return section  # pyright: ignore[reportUnknownVariableType]


# Keys of the reference peer that mean nothing here; they are passed over without a word.
_PEER_KEYS = frozenset({"telemetry", "skip_afk_prompt_injection", "notifications", "mcp"})


@dataclass(frozen=True, slots=True)
class LoadedConfig:
    """A configuration, the file it came from (None: there is none) and what was odd about it."""

    config: Config
    file: Path | None
    warnings: tuple[str, ...] = ()


def default_file() -> Path | None:
    """The first of config.yaml, config.yml, config.toml, config.json in our home that exists."""
    for name in ("config.yaml", "config.yml", "config.toml", "config.json"):
        file = paths.home() / name
        if file.exists():
            return file
    return None


def load(file: Path | None = None, *, text: str | None = None) -> LoadedConfig:
    """Read `file`, or `text` (JSON, else TOML, else YAML), or the default file. Raises ConfigError."""
    if text is not None:
        return _checked(_parsed_text(text), None)
    file = file or default_file()
    if file is None:
        return LoadedConfig(Config(), None)
    return _checked(_parsed_file(file), file)


def _parsed_file(file: Path) -> object:
    try:
        status = file.stat()
        if not stat.S_ISREG(status.st_mode):
            raise ConfigError("this is not a regular file", file=file)
        if status.st_size > MAX_BYTES:
            raise ConfigError("a configuration of more than 1 MiB is refused", file=file)
        text = file.read_text("utf-8-sig")
    except FileNotFoundError:
        raise ConfigError("there is no such file", file=file) from None
    except UnicodeDecodeError as error:
        raise ConfigError(f"this is not UTF-8 text (byte {error.start})", file=file) from error
    except OSError as error:
        raise ConfigError(error.strerror or str(error), file=file) from error
    try:
        match file.suffix.lower():
            case ".json":
                return json.loads(text) if text.strip() else {}
            case ".toml":
                return tomllib.loads(text)
            case _:
                return _yaml(text)
    except (ValueError, RecursionError) as error:
        raise ConfigError(str(error).replace("\n", " "), file=file) from error


def _parsed_text(text: str) -> object:
    for read in (json.loads, tomllib.loads, _yaml):
        try:
            value = read(text)
        except (ValueError, RecursionError):
            continue
        if isinstance(value, dict):
            return cast(object, value)
    raise ConfigError("this is neither JSON nor TOML nor YAML of a configuration", file="--config")


def _yaml(text: str) -> object:
    from ruamel.yaml import YAML
    from ruamel.yaml.error import MarkedYAMLError, YAMLError

    try:
        return YAML(typ="safe", pure=True).load(text) or {}
    except MarkedYAMLError as error:
        mark = cast(Any, error.problem_mark)  # pyright: ignore[reportUnknownMemberType]
        where = f"line {mark.line + 1}, column {mark.column + 1}: " if mark is not None else ""
        raise ValueError(f"{where}{error.problem or error.context or 'this is not YAML'}") from error
    except YAMLError as error:
        raise ValueError(str(error)) from error


def _checked(value: object, file: Path | None) -> LoadedConfig:
    if not isinstance(value, dict):
        raise ConfigError("a configuration is a table of keys", file=file or "--config")
    table = cast(dict[str, Any], value)
    try:
        config = Config.model_validate(table)
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False)[0]
        key = ".".join(str(step) for step in first["loc"])
        raise ConfigError(first["msg"], file=file or "--config", key=key) from None
    _check_references(config, file)
    unknown = sorted(str(key) for key in table if key not in Config.model_fields and key not in _PEER_KEYS)
    return LoadedConfig(config, file, tuple(f"{file or '--config'}: {key}: no such key" for key in unknown))


def _check_references(config: Config, file: Path | None) -> None:
    for name, model in config.models.items():
        if model.provider not in config.providers:
            raise ConfigError(
                f"there is no provider {model.provider!r}", file=file or "--config", key=f"models.{name}.provider"
            )
    if config.default_model and config.default_model not in config.models:
        raise ConfigError(f"there is no model {config.default_model!r}", file=file or "--config", key="default_model")


@dataclass(frozen=True, slots=True)
class ChosenModel:
    """The model to ask and the provider to ask it of, the environment applied."""

    name: str
    model: ModelConfig
    provider: ProviderConfig


HOW_TO_SET_A_MODEL = (
    "no model is set. Set KIMI_API_KEY (or OPENAI_API_KEY and OPENAI_MODEL), or write one into {file} "
    "(README, “Point it at a model”), or try the offline demo: kimi-tui --demo"
)


def choose_model(config: Config, name: str | None = None, environ: Mapping[str, str] = os.environ) -> ChosenModel:
    """The model `name`, else the default one, else what the environment names.

    Raises ModelNotSetError where there is none, ConfigError for a name that is not configured.
    """
    name = name or config.default_model
    if name and name not in config.models:
        known = ", ".join(sorted(config.models)) or "none"
        raise ConfigError(f"there is no model {name!r}; configured: {known}", key="--model")
    if not name and len(config.models) == 1:
        name = next(iter(config.models))
    if name:
        model = config.models[name]
        return _with_environment(ChosenModel(name, model, config.providers[model.provider]), environ)
    chosen = _from_environment(environ)
    if chosen is None and config.models:
        known = ", ".join(sorted(config.models))
        raise ModelNotSetError(f"no model is chosen: name one of {known} as default_model, or with --model")
    if chosen is None:
        raise ModelNotSetError(HOW_TO_SET_A_MODEL.format(file=paths.shown(paths.home() / "config.yaml")))
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
        update: dict[str, Any] = _overrides(environ, model="KIMI_MODEL_NAME")
        if size := environ.get("KIMI_MODEL_MAX_CONTEXT_SIZE"):
            if not size.isdigit() or int(size) < 1:
                raise ConfigError(f"{size!r} is not a number of tokens", key="KIMI_MODEL_MAX_CONTEXT_SIZE")
            update["max_context_size"] = int(size)
        if capabilities := environ.get("KIMI_MODEL_CAPABILITIES"):
            update["capabilities"] = frozenset(part.strip() for part in capabilities.split(",") if part.strip())
        model = model.model_copy(update=update)
    elif provider.type in ("openai_legacy", "openai_responses"):
        provider = provider.model_copy(update=_overrides(environ, base_url="OPENAI_BASE_URL", api_key="OPENAI_API_KEY"))
    elif provider.type in ("scripted", "_scripted_echo") and provider.scripts is None:
        scripts = next((environ[name] for name in SCRIPT_VARIABLES if environ.get(name)), None)
        provider = provider.model_copy(update={"scripts": Path(scripts)} if scripts else {})
    return ChosenModel(chosen.name, model, provider)


def _overrides(environ: Mapping[str, str], **fields: str) -> dict[str, Any]:
    found = {field: environ[variable] for field, variable in fields.items() if environ.get(variable)}
    return {field: SecretStr(value) if field == "api_key" else value for field, value in found.items()}
