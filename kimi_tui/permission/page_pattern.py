"""Rule patterns for web pages: a host (`docs.python.org`, `*.example.org`) or a whole address."""

import re
from collections.abc import Iterator
from fnmatch import fnmatchcase
from posixpath import normpath
from urllib.parse import unquote, urlsplit

_MOST_DECODED = 3


def matches_page(pattern: str, url: str, host: str, *, strict: bool) -> bool:
    """Whether `pattern` matches the page at `url` with the host `host`; `*` matches any text.

    In an allow rule (not `strict`), a `*` in the pattern's host does not extend into the path, and a path with `..` is
    covered only literally. Other rules match the address in any spelling.
    """
    if "/" not in pattern:
        return fnmatchcase(host, pattern.lower())
    if strict:
        return any(fnmatchcase(form, pattern) for form in _forms(url, host))  # defence: spellings-of-address
    authority = pattern.partition("://")[2].partition("/")[0].rpartition("@")[2]
    if url != pattern and ".." in re.split(r"[/\\]", _decoded(urlsplit(url).path)):
        return False
    return fnmatchcase(url, pattern) and fnmatchcase(host, _without_port(authority).lower())


def _forms(url: str, host: str) -> Iterator[str]:
    """Yield the address as written, and as a server may interpret it."""
    yield url
    parts = urlsplit(url)
    query = f"?{parts.query}" if parts.query else ""
    plain = _decoded(parts.path).replace("\\", "/")
    tidy = normpath(f"/{plain.lstrip('/')}")
    _, colon, number = parts.netloc.rpartition("@")[2].rpartition(":")
    for port in ("", f":{number}") if colon else ("",):
        for path in (parts.path or "/", plain or "/", tidy, f"{tidy.rstrip('/')}/"):
            yield f"{parts.scheme}://{host}{port}{path}"
            yield f"{parts.scheme}://{host}{port}{path}{query}"


def _decoded(path: str) -> str:
    for _ in range(_MOST_DECODED):
        path = unquote(path)
    return path


def _without_port(host: str) -> str:
    name, colon, port = host.rpartition(":")
    return name if colon and (port.isdigit() or port == "*") else host
