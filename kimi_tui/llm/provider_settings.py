"""What a provider is made from; `soul.assemble` fills it from the configuration and the environment."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

from kimi_tui.llm.provider import Capability

_ASK_FOR_KEYS = ("moonshot.ai", "moonshot.cn", "kimi.com", "openai.com", "anthropic.com", "googleapis.com")


@dataclass(frozen=True, slots=True)
class GenerationOptions:
    """How to sample; None leaves the choice to the service. `max_tokens` bounds the reply, reasoning included."""

    temperature: float | None = None
    top_p: float | None = None
    max_tokens: int | None = None
    thinking_keep: str | None = None


@dataclass(frozen=True, slots=True)
class ProviderSettings:
    """One model of one service. Neither `api_key` nor `custom_headers` show in its repr.

    `thinking` None leaves thinking to the service. `reasoning_key` is the field of a chat message that holds
    reasoning: None is the usual one, "" turns reasoning off. `cache_key` names a conversation to services that
    cache by it. `idle_timeout_s` bounds the silence of a stream, not its length.
    """

    type: str
    model: str
    base_url: str | None = None
    api_key: str | None = field(default=None, repr=False)
    custom_headers: Mapping[str, str] = field(default_factory=dict[str, str], repr=False)
    env: Mapping[str, str] = field(default_factory=dict[str, str], repr=False)
    reasoning_key: str | None = None
    scripts: Path | None = None
    thinking: bool | None = None
    capabilities: frozenset[Capability] = field(default_factory=frozenset[Capability])
    max_context_size: int = 100_000
    generation: GenerationOptions = field(default_factory=GenerationOptions)
    cache_key: str | None = None
    idle_timeout_s: float = 300.0
    connect_timeout_s: float = 15.0

    @property
    def is_complete(self) -> bool:
        """Whether there is a model to name, and a key where the service is one that asks for it."""
        if self.type in ("scripted", "_scripted_echo"):
            return True
        host = urlsplit(self.base_url or "").hostname or ""
        needs_key = not host or any(host == own or host.endswith(f".{own}") for own in _ASK_FOR_KEYS)
        return bool(self.model) and (bool(self.api_key) or bool(self.custom_headers) or not needs_key)

    @property
    def can_stop_thinking(self) -> bool:
        """Whether the model thinks, and also works without."""
        return "thinking" in self.capabilities and "always_thinking" not in self.capabilities
