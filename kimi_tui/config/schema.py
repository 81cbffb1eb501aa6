"""The configuration schema, by table, with defaults."""

import re
from pathlib import Path
from typing import Any, ClassVar, Literal, cast

from pydantic import BaseModel, ConfigDict, Field, SecretStr, field_validator, model_validator

from kimi_tui import secret_store
from kimi_tui.config.budget import Budget, read_budget
from kimi_tui.i18n import tr
from kimi_tui.secret_names import is_secret_name

ProviderType = Literal[
    "kimi", "openai_legacy", "openai_responses", "anthropic", "google_genai", "gemini", "scripted", "_scripted_echo",
    "vertexai", "_echo", "_chaos",
]  # fmt: skip
"""The last ones are types of Kimi CLI only: a configuration may contain them, but using one is an error."""


class _Section(BaseModel):
    model_config: ClassVar[ConfigDict] = ConfigDict(extra="ignore", frozen=True, defer_build=True)


class ProviderConfig(_Section):
    """One model service."""

    type: ProviderType = Field(description="The kind of service.")
    base_url: str = Field(default="", description="The address of its API; empty: the provider's own.")
    api_key: SecretStr = Field(SecretStr(""), description="The key or `keyring`.")  # defence: secret-in-settings
    env: dict[str, str] = Field(
        default_factory=dict, description="Environment variables that are set for this provider."
    )
    custom_headers: dict[str, str] = Field(default_factory=dict, description="HTTP headers sent with every request.")
    reasoning_key: str | None = Field(
        default=None,
        description="The field of a message that holds the reasoning, if the server does not use the usual name.",
    )
    scripts: Path | None = Field(default=None, description="For `scripted`: the file with the replies.")
    delay_s: float = Field(
        default=0.0, ge=0, le=5, description="For `scripted`: seconds between the parts of an answer."
    )
    idle_timeout_s: float = Field(
        default=300.0, gt=0, description="Seconds without any data after which a request fails."
    )
    oauth: Any = Field(default=None, description="A login of Kimi CLI; ignored here.")

    @property
    def signed_in_elsewhere(self) -> bool:
        """Whether the provider has a Kimi CLI login and no key."""
        return bool(self.oauth) and not self.api_key.get_secret_value()


class ModelConfig(_Section):
    """One model of a configured provider."""

    provider: str = Field(description="The name of a provider in `providers`.")
    model: str = Field(description="The name that the service uses for the model.")
    max_context_size: int = Field(default=100_000, ge=1, description="The context window, in tokens.")
    capabilities: frozenset[str] = Field(
        default=frozenset(), description="What the model can do: `thinking`, `always_thinking`, `image_in`, `video_in`."
    )
    display_name: str = Field(default="", description="The name on the screen.")
    input_price: float | None = Field(default=None, description="The price of a million input tokens, in US dollars.")
    output_price: float | None = Field(default=None, description="The price of a million output tokens, in US dollars.")
    cache_price: float | None = Field(
        default=None, description="The price of a million input tokens that the service read from its cache."
    )


class LoopControl(_Section):
    max_steps_per_turn: int = Field(
        default=1000, ge=1, description="The maximum number of requests to the model in one turn."
    )
    max_retries_per_step: int = Field(default=3, ge=1, description="How often a failed request is repeated.")
    max_ralph_iterations: int = Field(
        default=0,
        ge=-1,
        description="Repeat the prompt until it is done, at most this often; -1: without a limit.",
    )
    max_choice_retries: int = Field(
        default=5, ge=1, description="How often the model is asked again if it names no branch of a decision."
    )
    max_moves: int = Field(
        default=1000, ge=1, description="The maximum number of moves from node to node in one run of a flow."
    )
    reserved_context_size: int = Field(
        default=50_000,
        ge=1000,
        description="Tokens of the context window kept free for the answer; compaction starts before they are used.",
    )
    compaction_trigger_ratio: float = Field(
        default=0.85, ge=0.5, le=0.99, description="The share of the context window that starts compaction."
    )

    @model_validator(mode="before")
    @classmethod
    def _old_name(cls, value: Any) -> Any:
        if isinstance(value, dict) and "max_steps_per_run" in value and "max_steps_per_turn" not in value:
            return {**value, "max_steps_per_turn": value["max_steps_per_run"]}  # pyright: ignore[reportUnknownVariableType]
        return value  # pyright: ignore[reportUnknownVariableType]


class Flows(_Section):
    """Settings that apply to every flow run."""

    budget: str = Field(default="", description="The budget, such as `2 usd, 500k tokens, 1h`; a flow may set less.")

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
    "FlowWaiting",
]  # fmt: skip


class HookConfig(_Section):
    """A command that runs on an event."""

    event: HookEvent = Field(description="The event that runs the command.")
    command: str = Field(min_length=1, description="The shell command; it gets the event as JSON on stdin.")
    matcher: str = Field(
        default="",
        description="A regular expression on the event's subject, for example a tool's name; empty: all.",
    )
    timeout: int = Field(default=30, ge=1, le=600, description="Seconds after which the command is stopped.")

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

    base_url: str = Field(default="", description="The address of the service.")
    api_key: SecretStr = Field(default=SecretStr(""), description="The key, or `keyring`.")
    custom_headers: dict[str, str] = Field(default_factory=dict, description="HTTP headers sent with every request.")


class Services(_Section):
    """Web services; the first configured search service is used."""

    moonshot_search: ServiceConfig | None = Field(default=None, description="Kimi search, for SearchWeb.")
    moonshot_fetch: ServiceConfig | None = Field(default=None, description="Kimi fetch, for FetchURL.")
    searxng: ServiceConfig | None = Field(default=None, description="A SearXNG server, for SearchWeb.")
    brave: ServiceConfig | None = Field(default=None, description="Brave search, for SearchWeb.")
    tavily: ServiceConfig | None = Field(default=None, description="Tavily search, for SearchWeb.")
    allow_private: bool = Field(default=False, description="Let FetchURL read pages of this machine and its network.")


class Background(_Section):
    """Background commands."""

    max_running_tasks: int = Field(default=4, ge=1, description="The maximum number of background commands at a time.")
    print_wait_ceiling_s: float = Field(
        default=3600.0, ge=0, description="Seconds that `--print` waits at most for background commands."
    )


class RuleConfig(_Section):
    """A permission rule, `Tool` or `Tool(pattern)`, with examples that it must and must not match.

    An example is a value for the pattern: a command line for Shell, a path for file tools.
    """

    rule: str = Field(min_length=1, description="`Tool` or `Tool(pattern)`.")
    match: tuple[str, ...] = Field(default=(), description="Examples that the rule must match.")
    not_match: tuple[str, ...] = Field(default=(), description="Examples that the rule must not match.")

    @model_validator(mode="before")
    @classmethod
    def _may_be_only_the_rule(cls, value: Any) -> Any:
        return {"rule": value} if isinstance(value, str) else value


PermissionMode = Literal["default", "accept-edits", "plan", "yolo"]


class Permissions(_Section):
    """Permission rules: allow, ask and deny. The strictest matching rule applies."""

    mode: PermissionMode = Field(default="default", description="The mode in which a session starts.")
    ask_read_only: bool = Field(default=False, description="Ask also for commands that are known to only read.")
    allow: tuple[RuleConfig, ...] = Field(default=(), description="Rules for calls that run without a question.")
    ask: tuple[RuleConfig, ...] = Field(default=(), description="Rules for calls that always ask.")
    deny: tuple[RuleConfig, ...] = Field(default=(), description="Rules for calls that never run.")


class SandboxConfig(_Section):
    """The sandbox for Shell commands."""

    mode: Literal["auto", "off", "require"] = Field(
        default="auto",
        description="`auto`: use a sandbox if there is one; `require`: run nothing without one; `off`: none.",
    )
    network: bool = Field(default=True, description="Whether commands reach the network.")
    hosts: Literal["none", "ask"] = Field(
        default="none",
        description="`ask`, with `network: false`: commands reach hosts that a rule or the user allows.",
    )
    writable: tuple[Path, ...] = Field(default=(), description="More folders that commands may write to.")
    readable: tuple[Path, ...] = Field(
        default=(), description="Files, folders and sockets to show that are hidden otherwise."
    )
    outside: Literal["ask", "never"] = Field(
        default="ask", description="Whether the agent may ask to run a command outside the sandbox."
    )
    ask_inside: bool = Field(
        default=False, description="Ask also for commands that a full sandbox without a network keeps inside."
    )


class Config(_Section):
    """The complete configuration with its defaults."""

    default_model: str = Field(default="", description="The model in `models` that a session starts with.")
    default_thinking: bool = Field(default=False, description="Start with thinking enabled.")
    default_yolo: bool = Field(default=False, description="Approve every tool call.")
    default_plan_mode: bool = Field(default=False, description="Start in plan mode.")
    default_editor: str = Field(default="", description="The editor for long texts; empty: $VISUAL or $EDITOR.")
    theme: str = Field(default="kimi-dark", description="The name of a theme.")
    ascii: bool = Field(default=False, description="Draw with ASCII characters only.")
    reduced_motion: bool = Field(default=False, description="No animation.")
    plain: bool = Field(default=False, description="For screen readers: one column, no boxes, no motion.")
    language: Literal["auto", "en", "zh"] = Field(
        default="auto", description="The language of the screen; `auto`: that of the locale."
    )
    show_thinking_stream: bool = Field(default=True, description="Show the model's thoughts as they arrive.")
    merge_all_available_skills: bool = Field(default=True, description="Read the skill folders of other agents too.")
    extra_skill_dirs: tuple[str, ...] = Field(default=(), description="More folders of skills.")
    models: dict[str, ModelConfig] = Field(default_factory=dict, description="The models by name.")
    providers: dict[str, ProviderConfig] = Field(default_factory=dict, description="The model services by name.")
    loop_control: LoopControl = Field(default_factory=LoopControl, description="Limits of a turn and of a flow.")
    flows: Flows = Field(default_factory=Flows, description="What holds for every run of a flow.")
    hooks: tuple[HookConfig, ...] = Field(default=(), description="Commands that run on events.")
    services: Services = Field(default_factory=Services, description="Services for the web tools.")
    background: Background = Field(default_factory=Background, description="Background commands.")
    permissions: Permissions = Field(default_factory=Permissions, description="Permission rules.")
    sandbox: SandboxConfig = Field(default_factory=SandboxConfig, description="The sandbox for Shell commands.")
    keys: dict[str, str] = Field(
        default_factory=dict, description="Keys by the name of the action; `none` removes a key."
    )

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
        return tuple(key for section in self._sections_of_services if (key := section.api_key.get_secret_value()))

    @property
    def secrets(self) -> tuple[str, ...]:
        """The `api_keys`, and what headers and variables named like a secret hold, without `Bearer`."""
        named = [pair for section in self._sections_of_services for pair in section.custom_headers.items()]
        named += [pair for provider in self.providers.values() for pair in provider.env.items()]
        # defence: secret-headers
        held = (value.split()[-1] for name, value in named if is_secret_name(name) and value.strip())
        return (*self.api_keys, *held)

    @property
    def _sections_of_services(self) -> list[ProviderConfig | ServiceConfig]:
        services = [value for name in type(self.services).model_fields if (value := getattr(self.services, name))]
        return [*self.providers.values(), *(service for service in services if isinstance(service, ServiceConfig))]

    @field_validator("theme")
    @classmethod
    def _peer_names(cls, value: str) -> str:
        return {"dark": "kimi-dark", "light": "kimi-light"}.get(value, value)

    @field_validator("language", mode="before")
    @classmethod
    def _check_language(cls, value: object) -> object:
        return "auto" if value in ("", None) else value


def _key_named(section: Any, name: str) -> Any:
    if isinstance(section, dict) and isinstance(key := cast(dict[str, Any], section).get("api_key"), str):
        return {**cast(dict[str, Any], section), "api_key": secret_store.with_name(key, name)}
    return section  # pyright: ignore[reportUnknownVariableType]
