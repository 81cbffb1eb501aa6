"""Limits of one reply. No model sends this much; only a service that never ends its reply does."""

from kimi_tui.errors import ProviderError
from kimi_tui.i18n import tr

MAX_CHARS = 16 << 20
MAX_PIECES = 500_000
MAX_CALLS = 1_000
MAX_ID = 256
"""Maximum characters of a service's id; a longer one is replaced."""
MAX_NAME = 256
"""Maximum characters of a tool's name; a longer one is cut. No tool has a longer name."""


class ReplySize:
    """Counts the received data of one reply."""

    def __init__(self) -> None:
        self._chars = self._pieces = self._calls = 0

    def add(self, chars: int, *, calls: int = 0) -> None:
        """Count a piece. Raises ProviderError beyond a limit."""
        self._chars, self._pieces, self._calls = self._chars + chars, self._pieces + 1, self._calls + calls
        # defence: bound-reply
        if self._chars > MAX_CHARS or self._pieces > MAX_PIECES or self._calls > MAX_CALLS:
            raise ProviderError(tr("the answer exceeded the size limit and was stopped"))
