"""The configuration schema, by table, with defaults."""

import re
from pathlib import Path
from typing import Any, ClassVar, Literal, cast

from pydantic import BaseModel, ConfigDict, Field, SecretStr, field_validator, model_validator

from kimi_tui import secret_store
from kimi_tui.config.budget import Budget, read_budget
from kimi_tui.i18n import tr

ProviderType = Literal[
    "kimi", "openai_legacy", "openai_responses", "anthropic", "google_genai", "gemini", "scripted", "_scripted_echo",
    "vertexai", "_echo", "_chaos",
]  # fmt: skip
"""The last ones are types of Kimi CLI only: a configuration may contain them, but using one is an error."""


class _Section(BaseModel):
    model_config: ClassVar[ConfigDict] = ConfigDict(extra="ignore", frozen=True, defer_build=True)


class ProviderConfig(_Section):
    """One model service. `scripts` and `delay_s` apply to a scripted service only.

    `oauth` comes from Kimi CLI: it locates a login, which is not used here.
    """

    type: ProviderType
    base_url: str = ""
    api_key: SecretStr = SecretStr("")  # defence: secret-in-settings
    env: dict[str, str] = Field(default_factory=dict)
    custom_headers: dict[str, str] = Field(default_factory=dict)
    reasoning_key: str | None = None
    scripts: Path | None = None
    delay_s: float = Field(default=0.0, ge=0, le=5)
    idle_timeout_s: float = Field(default=300.0, gt=0)
    oauth: Any = None

    @property
    def signed_in_elsewhere(self) -> bool:
        """Whether the provider has a Kimi CLI login and no key."""
        return bool(self.oauth) and not self.api_key.get_secret_value()


class ModelConfig(_Section):
    """One model of a configured provider. `max_context_size` in tokens; prices in US dollars per million tokens.

    `cache_price` is that of input which the service read from its cache.
    """

    provider: str
    model: str
    max_context_size: int = Field(default=100_000, ge=1)
    capabilities: frozenset[str] = frozenset()
    display_name: str = ""
    input_price: float | None = None
    output_price: float | None = None
    cache_price: float | None = None


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


class Flows(_Section):
    """The budget of each flow run, such as `2 usd, 500k tokens, 1h`; a flow's own smaller caps are used."""

    budget: str = ""

    @field_validator("budget")
    @classmethod
    def _is_a_budget(cls, value: str) -> str:
        if value.strip():
            read_budget(value)
        return value

    @property
    def caps(self) -> Budget:
        return read_budget(self.budget) if self.budget.strip() else Budget()


HookEvent = Literal[
    "PreToolUse", "PostToolUse", "PostToolUseFailure", "UserPromptSubmit", "Stop", "StopFailure", "SessionStart",
    "SessionEnd", "SubagentStart", "SubagentStop", "PreCompact", "PostCompact", "Notification",
]  # fmt: skip


class HookConfig(_Section):
    """A command that runs on an event. `matcher` is a regular expression on the event's subject; "" matches all.

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
            raise ValueError(tr("not a valid regular expression: {cause}", cause=error)) from None
        return value


class ServiceConfig(_Section):
    """A service for the web tools."""

    base_url: str = ""
    api_key: SecretStr = SecretStr("")
    custom_headers: dict[str, str] = Field(default_factory=dict)


class Services(_Section):
    """Web services: the first configured search service is used. `allow_private`: allow pages of this machine and its
    network.
    """

    moonshot_search: ServiceConfig | None = None
    moonshot_fetch: ServiceConfig | None = None
    searxng: ServiceConfig | None = None
    brave: ServiceConfig | None = None
    tavily: ServiceConfig | None = None
    allow_private: bool = False


class Background(_Section):
    """Background commands. `print_wait_ceiling_s`: the maximum time in seconds that `--print` waits for them."""

    max_running_tasks: int = Field(default=4, ge=1)
    print_wait_ceiling_s: float = Field(default=3600.0, ge=0)


class RuleConfig(_Section):
    """A permission rule, `Tool` or `Tool(pattern)`, with examples that it must and must not match.

    An example is a value for the pattern: a command line for Shell, a path for file tools.
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
    """Permission rules: allow, ask and deny. The strictest matching rule applies.

    `ask_read_only`: commands known to be read-only need approval too.
    """

    mode: PermissionMode = "default"
    ask_read_only: bool = False
    allow: tuple[RuleConfig, ...] = ()
    ask: tuple[RuleConfig, ...] = ()
    deny: tuple[RuleConfig, ...] = ()


class SandboxConfig(_Section):
    """The sandbox for Shell commands. `require`: refuse to run without a sandbox. `writable`: additional folders.

    `readable` shows files, folders and sockets that are hidden otherwise. `outside`: whether the agent may ask to run a
    command outside. `ask_inside`: ask also for commands that a full sandbox without a network keeps inside. `hosts`: if
    `ask`, commands without a network reach, by https, the hosts that a rule `Network(host)` or the user allows.
    """

    mode: Literal["auto", "off", "require"] = "auto"
    network: bool = True
    hosts: Literal["none", "ask"] = "none"
    writable: tuple[Path, ...] = ()
    readable: tuple[Path, ...] = ()
    outside: Literal["ask", "never"] = "ask"
    ask_inside: bool = False


class Config(_Section):
    """The complete configuration with its defaults."""

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
    flows: Flows = Field(default_factory=Flows)
    hooks: tuple[HookConfig, ...] = ()
    services: Services = Field(default_factory=Services)
    background: Background = Field(default_factory=Background)
    permissions: Permissions = Field(default_factory=Permissions)
    sandbox: SandboxConfig = Field(default_factory=SandboxConfig)
    keys: dict[str, str] = Field(default_factory=dict)

    @model_validator(mode="before")
    @classmethod
    def _name_the_keys(cls, value: Any) -> Any:
        """Expand `api_key: keyring` to the key's name in the system keyring: `providers.moonshot`."""
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
        """Every key of a model or web service, or its keyring reference."""
        services = [value for name in type(self.services).model_fields if (value := getattr(self.services, name))]
        sections = [*self.providers.values(), *(service for service in services if isinstance(service, ServiceConfig))]
        return tuple(key for service in sections if (key := service.api_key.get_secret_value()))

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
        return {**cast(dict[str, Any], section), "api_key": secret_store.with_name(key, name)}
    return section  # pyright: ignore[reportUnknownVariableType]
