"""ReadMediaFile: reads an image or a video, for models with that capability."""

import asyncio
import base64
from dataclasses import dataclass

from pydantic import Field

from kimi_tui.interaction.approvals import Approvals
from kimi_tui.llm.provider import Capability
from kimi_tui.tools.core.tool import Params, Tool, failed, ok
from kimi_tui.tools.file_support.read_approval import ask_to_read
from kimi_tui.tools.file_support.safe_open import read_bytes
from kimi_tui.tools.file_support.text_encoding import media_type
from kimi_tui.tools.file_support.workspace import PathRefusedError, Workspace
from kimi_tui.wire.display import BriefBlock
from kimi_tui.wire.parts import ImageURLPart, MediaURL, TextPart, ToolReturnValue, VideoURLPart

MAX_BYTES = 100 << 20


@dataclass(slots=True)
class MediaSupport:
    """The media that the current model accepts; the model switcher updates it."""

    capabilities: frozenset[Capability] = frozenset()


class ReadMediaFileParams(Params):
    path: str = Field(description="The file; absolute, or relative to the working directory.")


class ReadMediaFile(Tool[ReadMediaFileParams]):
    name = "ReadMediaFile"
    params = ReadMediaFileParams
    read_only = True
    asks = True

    def __init__(self, workspace: Workspace, approvals: Approvals, support: MediaSupport) -> None:
        self._workspace = workspace
        self._approvals = approvals
        self._support = support

    async def call(self, params: ReadMediaFileParams) -> ToolReturnValue:
        try:
            resolved = self._workspace.resolve(params.path)
        except PathRefusedError as error:
            return failed(str(error))
        refused = await ask_to_read(self._approvals, resolved, sender=self.name)
        if refused is not None:
            return refused
        try:
            content = await asyncio.to_thread(read_bytes, resolved.real, most=MAX_BYTES)
        except FileNotFoundError:
            return failed(f"`{params.path}` does not exist.")
        except OSError as error:
            return failed(str(error) if error.strerror is None else f"`{params.path}`: {error.strerror}.")
        mime = media_type(content[:64])
        if mime is None:
            return failed(f"`{params.path}` is neither a picture nor a film. ReadFile reads text.")
        kind = mime.partition("/")[0]
        if f"{kind}_in" not in self._support.capabilities:
            return failed(f"The model in use cannot see a {'picture' if kind == 'image' else 'film'}.")
        data = await asyncio.to_thread(base64.b64encode, content)
        url = MediaURL(url=f"data:{mime};base64,{data.decode('ascii')}")
        medium = ImageURLPart(image_url=url) if kind == "image" else VideoURLPart(video_url=url)
        message = f"{resolved.shown}: {mime}, {len(content)} bytes"
        return ok((TextPart(text=message), medium), display=(BriefBlock(text=message),))
