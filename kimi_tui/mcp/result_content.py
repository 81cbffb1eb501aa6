"""Converts the result of an MCP tool to parts for the model: text, images, audio; within limits."""

import base64
import json
from typing import TYPE_CHECKING

from kimi_tui.formats import byte_count
from kimi_tui.llm.provider import Capability
from kimi_tui.mcp.untrusted_text import one_line
from kimi_tui.tools.core.result_builder import ResultBuilder
from kimi_tui.tools.file_support.text_encoding import media_type
from kimi_tui.wire.display import BriefBlock
from kimi_tui.wire.parts import ContentPart, ImageURLPart, MediaURL, TextPart, ToolReturnValue

if TYPE_CHECKING:
    from mcp_types import (
        BlobResourceContents,
        CallToolResult,
        ContentBlock,
        GetPromptResult,
        ReadResourceResult,
        TextResourceContents,
    )

MAX_CHARS = 100_000
MAX_MEDIA_CHARS = 12_000_000
MAX_PICTURES = 20
"""Services refuse a request with more images than they take, and with it every later one."""
_PICTURES = frozenset({"image/png", "image/jpeg", "image/gif", "image/webp"})
_BRIEF_CHARS = 200


def tool_result(result: "CallToolResult", capabilities: frozenset[Capability]) -> ToolReturnValue:
    """Convert the result for the model: all text, with a mark in place of each image, then the images.

    Structured content is used if there is no other. A model with vision gets an image; any other gets a note about it.
    """
    gather = _ResultParts("image_in" in capabilities)
    for block in result.content:
        gather.take(block)
    if not result.content and result.structured_content is not None:
        gather.text(json.dumps(result.structured_content, ensure_ascii=False))
    text = gather.builder.build()
    output = (TextPart(text=text), *gather.pictures) if gather.pictures else text
    message = gather.builder.note("The tool reports an error." if result.is_error else "")
    brief = one_line(text, limit=_BRIEF_CHARS) or message
    return ToolReturnValue(
        is_error=result.is_error,
        output=output,
        message=message,
        display=(BriefBlock(text=brief),) if brief else (),
    )


def resource_result(result: "ReadResourceResult", capabilities: frozenset[Capability]) -> ToolReturnValue:
    """A resource for the model, in the form of `tool_result`."""
    gather = _ResultParts("image_in" in capabilities)
    for contents in result.contents:
        gather.resource(contents)
    text = gather.builder.build()
    output = (TextPart(text=text), *gather.pictures) if gather.pictures else text
    brief = one_line(text, limit=_BRIEF_CHARS)
    return ToolReturnValue(
        is_error=False,
        output=output,
        message=gather.builder.note(""),
        display=(BriefBlock(text=brief),) if brief else (),
    )


def prompt_text(result: "GetPromptResult", capabilities: frozenset[Capability]) -> tuple[ContentPart, ...]:
    """The messages of a prompt as parts of one user message; marks the assistant's messages."""
    gather = _ResultParts("image_in" in capabilities)
    for message in result.messages:
        if message.role == "assistant":
            gather.text("[as the assistant]")
        gather.take(message.content)
    return (TextPart(text=gather.builder.build()), *gather.pictures)


class _ResultParts:
    def __init__(self, sees_images: bool) -> None:
        self.builder = ResultBuilder(max_chars=MAX_CHARS, max_line_chars=None)
        self.pictures: list[ContentPart] = []
        self._sees_images = sees_images
        self._empty = True
        self._media = 0

    def take(self, block: "ContentBlock") -> None:
        match block.type:
            case "text":
                self.text(block.text)
            case "image":
                self._picture(block.data, block.mime_type)
            case "audio":
                self.text(f"[a sound, {_mime(block.mime_type)}, {_size(block.data)}: the model cannot hear it]")
            case "resource_link":
                name = one_line(block.title or block.name, limit=200)
                kind = f", {_mime(block.mime_type)}" if block.mime_type else ""
                self.text(f"[resource {name}: {_uri(block.uri)}{kind}]")
            case "resource":
                self.resource(block.resource)

    def text(self, text: str) -> None:
        self.builder.write(text if self._empty else f"\n{text}")
        self._empty = False

    def resource(self, resource: "TextResourceContents | BlobResourceContents") -> None:
        text: str | None = getattr(resource, "text", None)
        if text is not None:
            self.text(f"[resource {_uri(resource.uri)}]\n{text}")
            return
        blob: str = getattr(resource, "blob", "")
        mime = resource.mime_type or "unknown type"
        if mime in _PICTURES:
            self._picture(blob, mime)
        else:
            self.text(f"[resource {_uri(resource.uri)}: {_mime(mime)}, {_size(blob)}, not text]")

    def _picture(self, data: str, mime: str) -> None:
        label = f"a picture, {_mime(mime)}, {_size(data)}"
        if not self._sees_images:
            self.text(f"[{label}: the model in use cannot see it]")
        elif len(self.pictures) >= MAX_PICTURES:  # defence: bound-pictures
            self.text(f"[{label}: left out, since there are more than {MAX_PICTURES}]")
        elif self._media + len(data) > MAX_MEDIA_CHARS:
            self.text(f"[{label}: too large to be shown]")
        elif (picture := _picture_url(data)) is None:
            self.text(f"[{label}: it is no picture that a model can see]")
        else:
            self._media += len(data)
            self.pictures.append(ImageURLPart(image_url=MediaURL(url=picture)))
            self.text(f"[picture {len(self.pictures)}: below]")


def _picture_url(data: str) -> str | None:
    """The data URL of an image, with the type of its first bytes; None if that is unknown.

    A service would refuse an unreadable image in every later request too.
    """
    try:
        picture = base64.b64decode("".join(data.split()), validate=True)
    except ValueError:
        return None
    kind = media_type(picture[:16])
    # defence: picture-by-its-bytes
    return f"data:{kind};base64,{base64.b64encode(picture).decode()}" if kind in _PICTURES else None


def _mime(mime: str) -> str:
    return one_line(mime, limit=100)


def _uri(uri: str) -> str:
    return one_line(uri, limit=2000)


def _size(data: str) -> str:
    return byte_count(len(data) * 3 // 4)
