"""WriteFile: overwrites a file, or appends to it."""

from typing import Literal

from pydantic import Field

from kimi_tui.tools.core.tool import Params
from kimi_tui.tools.file_support.edit_pipeline import NewText
from kimi_tui.tools.file_support.editing_tool import EditingTool
from kimi_tui.wire.parts import ToolReturnValue


class WriteFileParams(Params):
    path: str = Field(description="The file; absolute, or relative to the working directory.")
    content: str = Field(description="The text to write.")
    mode: Literal["overwrite", "append"] = Field(
        default="overwrite", description="`overwrite` replaces what the file holds, `append` adds to its end."
    )


class WriteFile(EditingTool[WriteFileParams]):
    name = "WriteFile"
    params = WriteFileParams

    async def call(self, params: WriteFileParams) -> ToolReturnValue:
        def change(old: str | None) -> NewText:
            text = (old or "") + params.content if params.mode == "append" else params.content
            size = len(text.encode("utf-8", "replace"))
            if old is None:
                return NewText(text, f"Created `{params.path}` ({size} bytes).")
            if params.mode == "append":
                return NewText(text, f"Appended to `{params.path}`, which now has {size} bytes.")
            return NewText(text, f"Wrote `{params.path}` ({size} bytes).")

        return await self.edit(params.path, change)
