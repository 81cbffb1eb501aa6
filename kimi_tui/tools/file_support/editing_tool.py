"""Base of the tools that change one text file, with the user's approval."""

from collections.abc import Callable

from kimi_tui.interaction.approvals import Approvals
from kimi_tui.tools.core.tool import P, Tool
from kimi_tui.tools.file_support.client_editor import NO_EDITOR, Editor
from kimi_tui.tools.file_support.edit_observer import NO_HISTORY, FileHistory
from kimi_tui.tools.file_support.edit_pipeline import NewText, edit
from kimi_tui.tools.file_support.workspace import Workspace
from kimi_tui.wire.parts import ToolReturnValue


class EditingTool(Tool[P]):
    asks = True

    def __init__(
        self,
        workspace: Workspace,
        approvals: Approvals,
        history: FileHistory = NO_HISTORY,
        editor: Editor = NO_EDITOR,
    ) -> None:
        self._workspace = workspace
        self._approvals = approvals
        self._history = history
        self._editor = editor

    async def edit(self, path: str, change: Callable[[str | None], NewText]) -> ToolReturnValue:
        """Change the file as `edit_pipeline.edit` does."""
        return await edit(
            path,
            change,
            sender=self.name,
            workspace=self._workspace,
            approvals=self._approvals,
            history=self._history,
            editor=self._editor,
        )
