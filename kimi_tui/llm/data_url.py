"""Data URLs, for services that want their parts."""

import base64
from dataclasses import dataclass
from urllib.parse import unquote_to_bytes


@dataclass(frozen=True, slots=True)
class DataURL:
    """What a data URL holds; `base64` is its data in that form, whatever form it had."""

    media_type: str
    base64: str


def data_of(url: str) -> DataURL | None:
    """What `url` holds if it is a data URL, else None."""
    if not url.startswith("data:"):
        return None
    head, _, data = url[5:].partition(",")
    kind, *options = head.split(";")
    if "base64" not in options:
        data = base64.b64encode(unquote_to_bytes(data)).decode("ascii")
    return DataURL(kind or "text/plain", data)
