"""A command that waits for its approval, to be changed before it runs."""

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.widgets import Static

from kimi_tui.tools.shell_command import hidden_text
from kimi_tui.ui.tui.composer.line_breaks import WritingArea
from kimi_tui.ui.tui.language import _
from kimi_tui.ui.tui.leaving_once import LeavingOnce
from kimi_tui.wire.display import ShellBlock
from kimi_tui.wire.requests import ApprovalRequest


def command_of(request: ApprovalRequest) -> str | None:
    """The command that may be edited; None where there is none, or not all of it can be seen in an editor."""
    command = next((block.command for block in request.display if isinstance(block, ShellBlock)), None)
    return command if request.sender == "Shell" and command is not None and hidden_text(command) is None else None


class EditCommand(LeavingOnce[str | None]):
    """Gives back the command to run in its place, or None where it was left."""

    CSS = """
    EditCommand { align: center middle; background: $background 60%; }
    EditCommand > Vertical {
        width: 84; max-width: 94%; height: auto; max-height: 85%; background: $surface; padding: 0 1;
        border: round $warning; border-title-color: $warning; border-title-style: bold; border-subtitle-color: $muted;
    }
    EditCommand #about { height: auto; color: $muted; }
    EditCommand WritingArea { height: auto; min-height: 3; max-height: 16; border: none; background: $panel; padding: 0 1; margin: 1 0; }
    """  # noqa: E501
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "leave", "Leave", show=False),
        Binding("ctrl+s", "run", "Run it", show=False, priority=True),
    ]

    def __init__(self, command: str) -> None:
        super().__init__()
        self._command = command

    def compose(self) -> ComposeResult:
        with Vertical() as box:
            box.border_title = _("edit and run")
            box.border_subtitle = _("ctrl+s runs it, once · esc leaves")
            yield Static(_("Exactly this runs; the model is told that you changed it."), id="about", markup=False)
            area = WritingArea(self._command, soft_wrap=True, id="command-text")
            area.cursor_blink = False
            yield area

    def on_mount(self) -> None:
        area = self.query_one(WritingArea)
        area.focus()
        area.move_cursor(area.document.end)

    def action_leave(self) -> None:
        self.dismiss(None)

    def action_run(self) -> None:
        if text := self.query_one(WritingArea).text.strip():
            self.dismiss(text)
