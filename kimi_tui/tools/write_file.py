"""WriteFile: overwrites a file, or appends to it."""

from typing import Literal

from pydantic import Field

from kimi_tui.interaction.approvals import Approvals
from kimi_tui.tools.core.tool import Params, Tool
from kimi_tui.tools.file_support.client_editor import NO_EDITOR, Editor
from kimi_tui.tools.file_support.edit_observer import NO_HISTORY, FileHistory
from kimi_tui.tools.file_support.edit_pipeline import NewText, edit
from kimi_tui.tools.file_support.workspace import Workspace
from kimi_tui.wire.parts import ToolReturnValue


class WriteFileParams(Params):
    path: str = Field(description="The file; absolute, or relative to the working directory.")
    content: str = Field(description="The text to write.")
    mode: Literal["overwrite", "append"] = Field(
        default="overwrite", description="`overwrite` replaces what the file holds, `append` adds to its end."
    )


class WriteFile(Tool[WriteFileParams]):
    name = "WriteFile"
    params = WriteFileParams
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

    async def call(self, params: WriteFileParams) -> ToolReturnValue:
        def change(old: str | None) -> NewText:
            text = (old or "") + params.content if params.mode == "append" else params.content
            size = len(text.encode("utf-8", "replace"))
            if old is None:
                return NewText(text, f"Created `{params.path}` ({size} bytes).")
            if params.mode == "append":
                return NewText(text, f"Appended to `{params.path}`, which now has {size} bytes.")
            return NewText(text, f"Wrote `{params.path}` ({size} bytes).")

        return await edit(
            params.path,
            change,
            sender=self.name,
            workspace=self._workspace,
            approvals=self._approvals,
            history=self._history,
            editor=self._editor,
        )
