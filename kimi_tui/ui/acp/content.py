"""Converts between prompt content of the client and message content."""

import re
from collections.abc import Sequence
from urllib.parse import unquote, urlsplit

from acp import RequestError
from acp.helpers import ContentBlock, image_block, resource_link_block, text_block
from acp.schema import (
    AudioContentBlock,
    BlobResourceContents,
    EmbeddedResourceContentBlock,
    ImageContentBlock,
    ResourceContentBlock,
    TextContentBlock,
    TextResourceContents,
)

from kimi_tui.wire.parts import (
    AudioURLPart,
    ContentPart,
    ImageURLPart,
    MediaURL,
    TextPart,
    ThinkPart,
    UserInput,
    VideoURLPart,
)

_CLOSING = frozenset(",.;:!?)]}'\"")
_OPENING = frozenset("([{'\"")
_DATA_URL = re.compile(r"data:([\w.+/-]+);base64,(.*)", re.DOTALL)


def user_input(blocks: Sequence[ContentBlock]) -> UserInput:
    """Convert the blocks; text alone becomes one string, so that a slash line is recognised. Raises RequestError."""
    parts = _separated(blocks)
    if all(isinstance(part, TextPart) for part in parts):
        text = "".join(part.text for part in parts if isinstance(part, TextPart))
        if not text.strip():
            raise RequestError(-32602, "the prompt is empty")
        return text
    return tuple(parts)


def _separated(blocks: Sequence[ContentBlock]) -> list[ContentPart]:
    """Convert the blocks. Some clients send several texts, or texts and files, with nothing between them."""
    parts: list[ContentPart] = []
    for number, block in enumerate(blocks):
        part = _part(block)
        if parts and isinstance(part, TextPart) and isinstance(parts[-1], TextPart):
            are_texts = isinstance(block, TextContentBlock) and isinstance(blocks[number - 1], TextContentBlock)
            part = TextPart(text=_separator(parts[-1].text, part.text, are_texts=are_texts) + part.text)
        parts.append(part)
    return parts


def _separator(before: str, after: str, *, are_texts: bool) -> str:
    if not before or not after or before[-1].isspace() or after[0].isspace():
        return ""
    if are_texts:
        return "\n\n"
    return "" if before[-1] in _OPENING or after[0] in _CLOSING else " "


def _part(block: ContentBlock) -> ContentPart:
    match block:
        case TextContentBlock(text=text):
            return TextPart(text=text)
        case ImageContentBlock(data=data, mime_type=kind):
            return ImageURLPart(image_url=MediaURL(url=f"data:{kind};base64,{data}"))
        case AudioContentBlock(data=data, mime_type=kind):
            return AudioURLPart(audio_url=MediaURL(url=f"data:{kind};base64,{data}"))
        case ResourceContentBlock(uri=uri):
            return TextPart(text=f"@{place(uri)}")
        case EmbeddedResourceContentBlock(resource=TextResourceContents(uri=uri, text=text)):
            return TextPart(text=f'\n<file path="{place(uri)}">\n{text}\n</file>\n')
        case EmbeddedResourceContentBlock(resource=BlobResourceContents(uri=uri, blob=blob, mime_type=kind)):
            if kind and kind.startswith("image/"):
                return ImageURLPart(image_url=MediaURL(url=f"data:{kind};base64,{blob}"))
            return TextPart(text=f"@{place(uri)}")
        case _:
            raise RequestError(-32602, "this kind of content is not supported")


def place(uri: str) -> str:
    """Return the path of a file: URI, anything else unchanged."""
    try:
        parts = urlsplit(uri)
    except ValueError:
        return uri
    return unquote(parts.path) if parts.scheme == "file" else uri


def block(part: ContentPart) -> ContentBlock | None:
    """Convert a message part for the client; None for thinking."""
    match part:
        case TextPart(text=text):
            return text_block(text)
        case ImageURLPart(image_url=MediaURL(url=url)):
            data = _DATA_URL.fullmatch(url)
            return image_block(data[2], data[1]) if data else resource_link_block("image", url)
        case AudioURLPart(audio_url=MediaURL(url=url)) | VideoURLPart(video_url=MediaURL(url=url)):
            return resource_link_block("media", url[:200])
        case ThinkPart():
            return None


def blocks(content: UserInput) -> list[ContentBlock]:
    if isinstance(content, str):
        return [text_block(content)] if content else []
    return [converted for part in content if (converted := block(part)) is not None]
