"""Plan mode: only read-only tools run until the user approves a plan."""

import contextlib
from collections.abc import Callable
from pathlib import Path
from uuid import uuid4

from kimi_tui.wire.codec import WireMessage
from kimi_tui.wire.events import PlanDisplay, StatusUpdate


class PlanMode:
    """The plan mode of a session. It reports changes on the Wire, and to `on_change`, which persists them.

    `folder` stores the plans; without one they are only shown. `chosen_by_model`: the model turned it on, so
    it may turn it off while the user is away.
    """

    def __init__(
        self, send: Callable[[WireMessage], None] = lambda _: None, *, folder: Path | None = None, on: bool = False
    ) -> None:
        self._send = send
        self._folder = folder
        self._on = on
        self.chosen_by_model = False
        self.on_change: Callable[[], None] | None = None

    @property
    def on(self) -> bool:
        return self._on

    @on.setter
    def on(self, on: bool) -> None:
        if on == self._on:
            return
        self._on, self.chosen_by_model = on, False
        self._send(StatusUpdate(plan_mode=on))
        if self.on_change is not None:
            self.on_change()

    def turn_on_for_model(self) -> None:
        """Turn it on because the model asked for it; no effect if it is on."""
        if not self._on:
            self.on = True
            self.chosen_by_model = True

    def show(self, plan: str) -> None:
        """Save the plan and show it to the user."""
        path = ""
        if self._folder is not None:
            file = self._folder / f"plan-{uuid4().hex[:8]}.md"
            with contextlib.suppress(OSError):
                self._folder.mkdir(parents=True, exist_ok=True)
                file.write_text(plan, "utf-8")
                path = str(file)
        self._send(PlanDisplay(content=plan, file_path=path))
