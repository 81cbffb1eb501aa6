"""Rule patterns for web pages: a host (`docs.python.org`, `*.example.org`) or a whole address."""

import re
from collections.abc import Iterator
from contextlib import suppress
from fnmatch import fnmatchcase
from ipaddress import IPv4Address, IPv6Address, ip_address
from posixpath import normpath
from unicodedata import normalize
from urllib.parse import unquote, urlsplit

from kimi_tui.permission.host_address import canonical_address

_MAX_DECODED = 3
_HOST = re.compile(r"[^/]*://[^/?#]*")
"""The beginning of an address, with its host."""
_PLAIN_HOST = re.compile(r"[\w.+-]+://[\w.:\[\]-]*", re.ASCII)
_BRACKETS = re.compile(r"\[([0-9a-fA-F:.]*:[0-9a-fA-F:.]*)\](?::(\d+|\*))?")


def matches_page(pattern: str, url: str, host: str, *, strict: bool) -> bool:
    """Whether `pattern` matches the page at `url` with the host `host`; `*` matches any text.

    In an allow rule (not `strict`), a `*` in the pattern's host does not extend into the path, and a path with `..` is
    covered only literally. Other rules match the address in any spelling.
    """
    if "/" not in pattern:
        return _matches_host(pattern, url, host, strict=strict)
    if strict:
        scheme, mark, rest = pattern.partition("://")
        authority, slash, path = rest.partition("/")
        tidy = f"{scheme.lower()}{mark}{authority.lower()}{slash}{path}" if mark else pattern
        return any(fnmatchcase(form, tidy) for form in _forms(url, host))  # defence: spellings-of-address
    authority = pattern.partition("://")[2].partition("/")[0].rpartition("@")[2]
    if url != pattern and ".." in re.split(r"[/\\]", _decoded(urlsplit(url).path)):
        return False
    return fnmatchcase(url, pattern) and fnmatchcase(host, _without_port(authority).lower())


def keeps_host(pattern: str, text: str) -> bool:
    """Whether the wildcards in the host of a pattern match no more than a part of the host of an address, in any
    reading of it: `https://*.example.org/*` does not cover `https://other/.example.org/`, nor `http://localhost:*`
    `http://localhost:1@other/`.
    """
    expected, given = _HOST.match(pattern), _HOST.match(text)
    if expected is None or (given is not None and given[0] == expected[0]):
        return True
    if given is None or not fnmatchcase(given[0], expected[0]):  # defence: wildcard-within-its-host
        return False
    return "@" in expected[0] or _PLAIN_HOST.fullmatch(given[0]) is not None  # defence: plain-host-of-a-wildcard


def named_port(pattern: str) -> str:
    """The port that a pattern names, or `*`; "" if it names none. What ends an IPv6 address is none."""
    if "/" in pattern:
        pattern = pattern.partition("://")[2].partition("/")[0].rpartition("@")[2]
    in_brackets = _BRACKETS.fullmatch(pattern)
    return (in_brackets[2] if in_brackets else _with_port(pattern)[1]) or ""  # defence: ports-in-addresses


def _matches_host(pattern: str, url: str, host: str, *, strict: bool) -> bool:
    """Whether a host, with or without a port, matches, in any spelling: `[::1]`, `a.example.`, `bücher.example`. Of an
    address other rules than those that allow match each spelling that leads there.
    """
    in_brackets = _BRACKETS.fullmatch(pattern)
    name, port = (in_brackets[1], in_brackets[2]) if in_brackets else _with_port(pattern)
    if port not in (None, "", "*") and port != str(_port(url)):
        return False
    if strict and (leads_to := canonical_address(host)) is not None:  # defence: spellings-of-numbers
        host = leads_to
        name = canonical_address(name) or name
    if (address := _address(name)) is not None:
        return _address(host) == address
    expected = normalize("NFKC", name).lower().rstrip(".")
    return fnmatchcase(host, expected) or fnmatchcase(_in_unicode(host), expected)  # defence: spellings-of-host


def _with_port(pattern: str) -> tuple[str, str | None]:
    name, colon, port = pattern.rpartition(":")
    return (name, port) if colon and ":" not in name and (port.isdigit() or port == "*") else (pattern, None)


def _port(url: str) -> int | None:
    parts = urlsplit(url)
    try:
        return parts.port or {"http": 80, "https": 443}.get(parts.scheme)
    except ValueError:
        return None


def _address(text: str) -> IPv4Address | IPv6Address | None:
    try:
        return ip_address(text)
    except ValueError:
        return None


def _in_unicode(host: str) -> str:
    """The host with its labels `xn--...` decoded, where they can be."""
    labels = host.split(".")
    for index, label in enumerate(labels):
        if label.startswith("xn--"):
            with suppress(UnicodeError):
                labels[index] = label[4:].encode("ascii").decode("punycode")
    return ".".join(labels)


def _forms(url: str, host: str) -> Iterator[str]:
    """Yield the address as written, and as a server may interpret it, its host in ASCII and as it is read."""
    yield url
    # defence: numbers-in-addresses
    for name in dict.fromkeys((host, _in_unicode(host), canonical_address(host) or host)):
        yield from _forms_at(url, name)


def _forms_at(url: str, host: str) -> Iterator[str]:
    parts = urlsplit(url)
    # defence: spellings-of-query
    queries = dict.fromkeys(f"?{query}" if query else "" for query in ("", parts.query, *_decoded_query(parts.query)))
    plain = _decoded(parts.path).replace("\\", "/")
    tidy = normpath(f"/{plain.lstrip('/')}")
    _, colon, number = parts.netloc.rpartition("@")[2].rpartition(":")
    ports = dict.fromkeys(("", f":{number}" if colon else "", f":{_port(url)}"))  # defence: usual-port
    for port in ports:
        for path in (parts.path or "/", plain or "/", tidy, f"{tidy.rstrip('/')}/"):
            for query in queries:
                yield f"{parts.scheme}://{host}{port}{path}{query}"


def _decoded_query(query: str) -> tuple[str, str]:
    """The query decoded, `+` as it is and as a blank."""
    return _decoded(query), _decoded(query.replace("+", " "))


def _decoded(path: str) -> str:
    for _ in range(_MAX_DECODED):
        path = unquote(path)
    return path


def _without_port(host: str) -> str:
    name, colon, port = host.rpartition(":")
    return name if colon and (port.isdigit() or port == "*") else host
