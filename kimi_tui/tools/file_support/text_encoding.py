"""Converts between file bytes and text for the model; encoding, byte order mark and line ends are preserved.

Bytes that are not UTF-8 survive a round trip as surrogate escapes.
"""

import codecs
from dataclasses import dataclass

MAX_EDIT_BYTES = 50 << 20

_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)


@dataclass(frozen=True, slots=True)
class TextEncoding:
    """The storage format of a text file. `crlf`: every line ends with CR LF, which the model never sees."""

    mark: bytes = b""
    encoding: str = "utf-8"
    crlf: bool = False

    def encode(self, text: str) -> bytes:
        """Encode the text. Raises ValueError if this encoding cannot represent it."""
        if self.crlf:
            text = text.replace("\r\n", "\n").replace("\n", "\r\n")
        return self.mark + text.encode(self.encoding, "surrogateescape" if self.encoding == "utf-8" else "strict")


def decode(content: bytes) -> tuple[str, TextEncoding]:
    """Return the text of a file and its format. Raises ValueError for binary content."""
    mark, encoding = next(((mark, name) for mark, name in _MARKS if content.startswith(mark)), (b"", "utf-8"))
    if is_binary(content[:8192]):
        raise ValueError("is a binary file")
    body = content[len(mark) :]
    text = body.decode(encoding, "surrogateescape" if encoding == "utf-8" else "strict")
    crlf = _only_crlf(text)
    return (text.replace("\r\n", "\n") if crlf else text), TextEncoding(mark, encoding, crlf)


def shown_by_editor(text: str, encoding: TextEncoding) -> tuple[str, TextEncoding]:
    """Interpret the editor's text of a file with this format on disk: only its line ends may differ."""
    crlf = _only_crlf(text)
    return (text.replace("\r\n", "\n") if crlf else text), TextEncoding(encoding.mark, encoding.encoding, crlf)


def _only_crlf(text: str) -> bool:
    feeds = text.count("\n")
    return feeds > 0 and text.count("\r\n") == feeds and text.count("\r") == feeds


def is_binary(start: bytes) -> bool:
    """Whether the first bytes of a file look binary: they contain a NUL, and it is not UTF-16 with a byte order
    mark.
    """
    if start.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return False
    return b"\0" in start


def media_kind(start: bytes) -> str | None:
    """Return `image` or `video` if the first bytes show it."""
    mime = media_type(start)
    return mime.partition("/")[0] if mime else None


def media_type(start: bytes) -> str | None:
    """Return the MIME type of an image or a video from its first bytes (at least 16)."""
    for magic, mime in _MAGIC:
        if start.startswith(magic):
            return mime
    if start[:4] == b"RIFF":
        return {b"WEBP": "image/webp", b"AVI ": "video/x-msvideo"}.get(start[8:12])
    if start[4:8] == b"ftyp":
        brand = start[8:12]
        if brand in {b"avif", b"avis"}:
            return "image/avif"
        if brand in {b"heic", b"heix", b"mif1", b"hevc"}:
            return "image/heic"
        return "video/quicktime" if brand == b"qt  " else "video/mp4"
    return None


_MAGIC = (
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF87a", "image/gif"),
    (b"GIF89a", "image/gif"),
    (b"BM\x00", "image/bmp"),
    (b"II*\x00", "image/tiff"),
    (b"MM\x00*", "image/tiff"),
    (b"\x1aE\xdf\xa3", "video/webm"),
    (b"\x00\x00\x01\xba", "video/mpeg"),
    (b"\x00\x00\x01\xb3", "video/mpeg"),
    (b"FLV\x01", "video/x-flv"),
)
