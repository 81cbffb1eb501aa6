"""StrReplaceFile: replaces exact strings in a text file, all or none."""

from pydantic import Field

from kimi_tui.interaction.approvals import Approvals
from kimi_tui.tools.core.tool import Params, Tool
from kimi_tui.tools.file_support.client_editor import NO_EDITOR, Editor
from kimi_tui.tools.file_support.edit_observer import NO_HISTORY, FileHistory
from kimi_tui.tools.file_support.edit_pipeline import EditRefusedError, NewText, edit
from kimi_tui.tools.file_support.workspace import Workspace
from kimi_tui.wire.parts import ToolReturnValue


class Edit(Params):
    old: str = Field(description="The text to replace, exactly as it stands in the file.", min_length=1)
    new: str = Field(description="The text to put in its place.")
    replace_all: bool = Field(default=False, description="Replace every occurrence instead of the first.")


class StrReplaceFileParams(Params):
    path: str = Field(description="The file; absolute, or relative to the working directory.")
    edit: Edit | list[Edit] = Field(description="One replacement, or several that are made one after the other.")


class StrReplaceFile(Tool[StrReplaceFileParams]):
    name = "StrReplaceFile"
    params = StrReplaceFileParams
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

    async def call(self, params: StrReplaceFileParams) -> ToolReturnValue:
        edits = params.edit if isinstance(params.edit, list) else [params.edit]

        def change(old: str | None) -> NewText:
            if old is None:
                raise EditRefusedError(f"`{params.path}` does not exist.")
            return _replace(params.path, old, edits)

        return await edit(
            params.path,
            change,
            sender=self.name,
            workspace=self._workspace,
            approvals=self._approvals,
            history=self._history,
            editor=self._editor,
        )


def _replace(path: str, text: str, edits: list[Edit]) -> NewText:
    made = more = 0
    for number, one in enumerate(edits, 1):
        which = f"Edit {number} of {len(edits)}: " if len(edits) > 1 else ""
        if one.old == one.new:
            raise EditRefusedError(f"{which}`old` and `new` are the same.")
        old, new = (one.old, one.new) if one.old in text else (_line_feeds(one.old), _line_feeds(one.new))
        count = text.count(old)
        if count == 0:
            raise EditRefusedError(f"{which}`old` is not in `{path}`; nothing was changed.{_hint(text, one.old)}")
        text = text.replace(old, new, -1 if one.replace_all else 1)
        made += count if one.replace_all else 1
        more += 0 if one.replace_all else count - 1
    said = f"Edited `{path}`: {made} replacement{'s' if made != 1 else ''}."
    if more:
        said += f" `old` stood in {more} more place{'s' if more != 1 else ''}, left as they were."
    return NewText(text, said)


def _line_feeds(text: str) -> str:
    return text.replace("\r\n", "\n")


def _hint(text: str, old: str) -> str:
    """Return a hint if a line of the file equals the first line of `old` except for white space."""
    wanted = next((line.strip() for line in old.splitlines() if line.strip()), "")
    for number, line in enumerate(text.splitlines(), 1):
        if wanted and line.strip() == wanted:
            return f" Line {number} is like its first line; compare the white space and the lines after it."
    return ""
