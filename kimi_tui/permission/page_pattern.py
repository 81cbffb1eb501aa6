"""The pattern of a rule for pages of the web: a host (`docs.python.org`, `*.example.org`) or a whole address."""

from fnmatch import fnmatchcase


def matches_page(pattern: str, url: str, host: str, *, strict: bool) -> bool:
    """Whether `pattern` matches the page at `url`, whose host is `host`; `*` stands for anything.

    A rule that allows (not `strict`) names the host: a `*` in the pattern's host does not reach into the path.
    """
    if "/" not in pattern:
        return fnmatchcase(host, pattern.lower())
    if strict:
        scheme, colon, rest = url.partition("://")
        path = rest[len(rest.partition("/")[0]) :]
        return fnmatchcase(url, pattern) or (bool(colon) and fnmatchcase(f"{scheme.lower()}://{host}{path}", pattern))
    named = pattern.partition("://")[2].partition("/")[0].rpartition("@")[2]
    return fnmatchcase(url, pattern) and fnmatchcase(host, _without_port(named).lower())


def _without_port(host: str) -> str:
    name, colon, port = host.rpartition(":")
    return name if colon and (port.isdigit() or port == "*") else host
