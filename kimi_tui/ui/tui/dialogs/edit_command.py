"""Edits a command that is pending approval, before it runs."""

from kimi_tui.tools.shell_support.hidden_text import hidden_text
from kimi_tui.ui.tui.composer.cjk_wrap import CjkTextArea
from kimi_tui.ui.tui.dialogs.edit_text import EditText
from kimi_tui.ui.tui.i18n.catalog import _
from kimi_tui.wire.display import ShellBlock
from kimi_tui.wire.requests import ApprovalRequest


def editable_command(request: ApprovalRequest) -> str | None:
    """Return the command if the user may edit it; None if there is none, or an editor cannot show all of it."""
    command = next((block.command for block in request.display if isinstance(block, ShellBlock)), None)
    return command if request.sender == "Shell" and command is not None and hidden_text(command) is None else None


class EditCommand(EditText):
    """A dialog to edit a command; its result is the new command, or None if it was closed."""

    CSS = (
        EditText.CSS
        + """
    EditCommand > Vertical { border: round $warning; border-title-color: $warning; }
    EditCommand CjkTextArea { height: auto; min-height: 3; }
    """
    )

    def __init__(self, command: str) -> None:
        super().__init__(
            _("edit and run"), _("Exactly this command runs; the model sees that you changed it."), command
        )

    def action_run(self) -> None:
        if self.query_one(CjkTextArea).text.strip():
            super().action_run()
