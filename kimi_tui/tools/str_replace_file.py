"""StrReplaceFile: replaces exact strings in a text file, all or none."""

from pydantic import Field

from kimi_tui.tools.core.tool import Params
from kimi_tui.tools.file_support.edit_pipeline import EditRefusedError, NewText
from kimi_tui.tools.file_support.editing_tool import EditingTool
from kimi_tui.wire.parts import ToolReturnValue


class Edit(Params):
    old: str = Field(description="The text to replace, exactly as it stands in the file.", min_length=1)
    new: str = Field(description="The text to put in its place.")
    replace_all: bool = Field(default=False, description="Replace every occurrence instead of the first.")


class StrReplaceFileParams(Params):
    path: str = Field(description="The file; absolute, or relative to the working directory.")
    edit: Edit | list[Edit] = Field(description="One replacement, or several that are made one after the other.")


class StrReplaceFile(EditingTool[StrReplaceFileParams]):
    name = "StrReplaceFile"
    params = StrReplaceFileParams

    async def call(self, params: StrReplaceFileParams) -> ToolReturnValue:
        edits = params.edit if isinstance(params.edit, list) else [params.edit]

        def change(old: str | None) -> NewText:
            if old is None:
                raise EditRefusedError(f"`{params.path}` does not exist.")
            return _replace(params.path, old, edits)

        return await self.edit(params.path, change)


def _replace(path: str, text: str, edits: list[Edit]) -> NewText:
    replacements = extra = 0
    for number, item in enumerate(edits, 1):
        which = f"Edit {number} of {len(edits)}: " if len(edits) > 1 else ""
        if item.old == item.new:
            raise EditRefusedError(f"{which}`old` and `new` are the same.")
        old, new = (item.old, item.new) if item.old in text else (_line_feeds(item.old), _line_feeds(item.new))
        count = text.count(old)
        if count == 0:
            raise EditRefusedError(f"{which}`old` is not in `{path}`; nothing was changed.{_hint(text, item.old)}")
        text = text.replace(old, new, -1 if item.replace_all else 1)
        replacements += count if item.replace_all else 1
        extra += 0 if item.replace_all else count - 1
    message = f"Edited `{path}`: {replacements} replacement{'s' if replacements != 1 else ''}."
    if extra:
        message += f" `old` stood in {extra} more place{'s' if extra != 1 else ''}, left as they were."
    return NewText(text, message)


def _line_feeds(text: str) -> str:
    return text.replace("\r\n", "\n")


def _hint(text: str, old: str) -> str:
    """Return a hint if a line of the file equals the first line of `old` except for white space."""
    first_line = next((line.strip() for line in old.splitlines() if line.strip()), "")
    for number, line in enumerate(text.splitlines(), 1):
        if first_line and line.strip() == first_line:
            return f" Line {number} is like its first line; compare the white space and the lines after it."
    return ""
