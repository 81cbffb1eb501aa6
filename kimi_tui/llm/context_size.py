"""The context size of a model in a server's list of models."""

from pydantic import AliasChoices, BaseModel, Field

_MOST = 100_000_000
_NAMES = ("max_model_len", "context_length", "context_window", "max_context_length")
"""vLLM's name, and those of other servers."""


class SizedModel(BaseModel):
    """A model in the list; `size` is the server's value, which may be anything."""

    size: object = Field(None, validation_alias=AliasChoices(*_NAMES))

    @property
    def context_size(self) -> int | None:
        """The context size in tokens; None if it is missing or not plausible."""
        size = self.size
        return size if isinstance(size, int) and not isinstance(size, bool) and 1 <= size <= _MOST else None
