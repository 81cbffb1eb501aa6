"""Text as a model sees it, and the bytes it came from: encoding, byte order mark and line ends are kept.

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
    """How a text is kept in its file. `crlf`: every line ends with CR LF, which the model never sees."""

    mark: bytes = b""
    encoding: str = "utf-8"
    crlf: bool = False

    def encode(self, text: str) -> bytes:
        """Raises ValueError where the text cannot be written in this encoding."""
        if self.crlf:
            text = text.replace("\r\n", "\n").replace("\n", "\r\n")
        return self.mark + text.encode(self.encoding, "surrogateescape" if self.encoding == "utf-8" else "strict")


def decode(content: bytes) -> tuple[str, TextEncoding]:
    """The text of a file and its form. Raises ValueError for what is no text."""
    mark, encoding = next(((mark, name) for mark, name in _MARKS if content.startswith(mark)), (b"", "utf-8"))
    if is_binary(content[:8192]):
        raise ValueError("is a binary file")
    body = content[len(mark) :]
    text = body.decode(encoding, "surrogateescape" if encoding == "utf-8" else "strict")
    crlf = _only_crlf(text)
    return (text.replace("\r\n", "\n") if crlf else text), TextEncoding(mark, encoding, crlf)


def shown_by_editor(text: str, form: TextEncoding) -> tuple[str, TextEncoding]:
    """What an editor shows of a file that has this form on disk: only its line ends may have become others."""
    crlf = _only_crlf(text)
    return (text.replace("\r\n", "\n") if crlf else text), TextEncoding(form.mark, form.encoding, crlf)


def _only_crlf(text: str) -> bool:
    feeds = text.count("\n")
    return feeds > 0 and text.count("\r\n") == feeds and text.count("\r") == feeds


def is_binary(start: bytes) -> bool:
    """Going by the first bytes of a file: a NUL, but for UTF-16 with its mark."""
    if start.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return False
    return b"\0" in start


def media_kind(start: bytes) -> str | None:
    """`image` or `video` where the first bytes say so."""
    mime = media_type(start)
    return mime.partition("/")[0] if mime else None


def media_type(start: bytes) -> str | None:
    """The MIME type of a picture or a film, by its first bytes (at least 16)."""
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
