"""Settings of a provider; `soul.assemble` fills them from the configuration and the environment."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

from kimi_tui.llm.provider import Capability

_ASK_FOR_KEYS = ("moonshot.ai", "moonshot.cn", "kimi.com", "openai.com", "anthropic.com", "googleapis.com")
_SHORTEST_SECRET = 8


@dataclass(frozen=True, slots=True)
class GenerationOptions:
    """Sampling options; None leaves the choice to the service. `max_tokens` limits the reply, reasoning included."""

    temperature: float | None = None
    top_p: float | None = None
    max_tokens: int | None = None
    thinking_keep: str | None = None


@dataclass(frozen=True, slots=True)
class ProviderSettings:
    """One model of one service. Its repr shows neither `api_key` nor `custom_headers`.

    `thinking` None leaves thinking to the service. `reasoning_key` is the field of a chat message that holds reasoning:
    None is the usual one, "" turns reasoning off. `cache_key` identifies a conversation to services that cache by it.
    `idle_timeout_s` limits the silence of a stream, not its length.
    """

    type: str
    model: str
    base_url: str | None = None
    api_key: str | None = field(default=None, repr=False)
    custom_headers: Mapping[str, str] = field(default_factory=dict[str, str], repr=False)
    env: Mapping[str, str] = field(default_factory=dict[str, str], repr=False)
    reasoning_key: str | None = None
    scripts: Path | None = None
    delay_s: float = 0.0
    thinking: bool | None = None
    capabilities: frozenset[Capability] = field(default_factory=frozenset[Capability])
    max_context_size: int = 100_000
    generation: GenerationOptions = field(default_factory=GenerationOptions)
    cache_key: str | None = None
    idle_timeout_s: float = 300.0
    connect_timeout_s: float = 15.0

    @property
    def is_complete(self) -> bool:
        """Whether a model name is set, and a key if the service requires one."""
        if self.type in ("scripted", "_scripted_echo"):
            return True
        try:
            host = urlsplit(self.base_url or "").hostname or ""
        except ValueError:  # defence: base-url-that-is-no-address
            return True  # the factory reports it
        needs_key = not host or any(
            host == host_suffix or host.endswith(f".{host_suffix}") for host_suffix in _ASK_FOR_KEYS
        )
        return bool(self.model) and (bool(self.api_key) or bool(self.custom_headers) or not needs_key)

    @property
    def can_stop_thinking(self) -> bool:
        """Whether the model can think, and can also answer without thinking."""
        return "thinking" in self.capabilities and "always_thinking" not in self.capabilities

    def without_secrets(self, text: str) -> str:
        """Return a text of the service without the key and the values of headers, which some services repeat."""
        values = (self.api_key or "", *self.custom_headers.values())
        words = (value.split()[-1] for value in values if value.strip())  # without `Bearer`
        for secret in sorted({*values, *words}, key=len, reverse=True):
            if len(secret) >= _SHORTEST_SECRET:
                text = text.replace(secret, "***")  # defence: secret-in-error
        return text
