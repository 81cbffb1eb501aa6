"""Parses data URLs, for services that take media type and data apart."""

import base64
from dataclasses import dataclass
from urllib.parse import unquote_to_bytes


@dataclass(frozen=True, slots=True)
class DataURL:
    """The contents of a data URL; `base64` is its data in that encoding, whatever encoding the URL had."""

    media_type: str
    base64: str


def parse_data_url(url: str) -> DataURL | None:
    """The parts of `url` if it is a data URL, else None."""
    if not url.startswith("data:"):
        return None
    head, _, data = url[5:].partition(",")
    kind, *options = head.split(";")
    if "base64" not in options:
        data = base64.b64encode(unquote_to_bytes(data)).decode("ascii")
    return DataURL(kind or "text/plain", data)
