"""A program whose screen has a fault of its own: `python -m tests.faults.failing_app KIND`, the fault comes with F1."""

import asyncio
import sys
import time
from pathlib import Path
from typing import NoReturn

from rich.text import Text
from textual.widget import Widget

from kimi_tui.cli.error_output import print_error
from kimi_tui.cli.terminal_restore import preserve_terminal
from kimi_tui.errors import KimiTuiError
from kimi_tui.ui.tui.app import KimiTui
from kimi_tui.ui.tui.main import drive
from tests.ui.tui.fake_engine import FakeEngine

CLOSED_WORDS = "not \x1b]52;c;SEVJTA==\x07as [bold]meant"


def fail() -> NoReturn:
    raise ValueError(CLOSED_WORDS)


class Unwilling(FakeEngine):
    """Cannot be closed, or not in time."""

    kind = ""

    async def aclose(self) -> None:
        if self.kind == "closing":
            fail()
        if self.kind == "endless":
            await asyncio.sleep(1000)


class Bad(Widget):
    def render(self) -> Text:
        fail()


class Faulty(KimiTui):
    kind = ""

    def action_help(self) -> None:
        match self.kind:
            case "handler":
                fail()
            case "memory":
                raise MemoryError
            case "worker":
                self.run_worker(self._work())
            case "render":
                self.main_screen.mount(Bad())
            case "stuck":
                time.sleep(1000)
            case _:
                self.exit(0)

    async def _work(self) -> None:
        fail()


def main() -> int:
    kind = Faulty.kind = Unwilling.kind = sys.argv[1]

    async def make() -> Unwilling:
        if kind == "engine":
            fail()
        return Unwilling(Path.cwd())

    try:
        with preserve_terminal() as kept:
            return drive(Faulty(make), terminal_state=kept)
    except KimiTuiError as error:
        print_error(str(error))
        return error.exit_code


if __name__ == "__main__":
    sys.exit(main())
