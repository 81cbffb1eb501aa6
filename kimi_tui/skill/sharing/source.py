"""The source of a shared skill: a repository on GitHub, the URL of a Git repository, or a folder."""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Literal
from urllib.parse import unquote, urlsplit

from kimi_tui.errors import UsageError
from kimi_tui.i18n import tr
from kimi_tui.skill.skill import SKILL_FILE

Protocol = Literal["https", "ssh", "file"]

_GITHUB = re.compile(
    r"(?P<owner>[A-Za-z0-9][A-Za-z0-9-]{0,38})/(?P<repo>[A-Za-z0-9_][A-Za-z0-9._-]{0,99})"
    r"(?:@(?P<ref>[^/@]+))?(?:/(?P<path>.+?))?/?"
)
_GITHUB_PAGE = re.compile(r"/(?P<repo>[^/]+/[^/]+)/(?:tree|blob)/(?P<ref>[^/]+)(?:/(?P<path>.+?))?/?")
_HOST = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?(?::\d{1,5})?")
_USER = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._-]*")
_SSH_SHORT = re.compile(r"(?P<user>[^@:/]+)@(?P<host>[^@:/]+):(?P<path>[A-Za-z0-9_~/][\w./~+-]*)", re.ASCII)
_URL_PATH = re.compile(r"/[\w./~%+-]*", re.ASCII)
_REF = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.+/-]{0,199}")


@dataclass(frozen=True, slots=True)
class SkillSource:
    """A parsed source of a skill.

    `location` is the URL of a repository (`protocol`), or the absolute path of a folder (`protocol` None).

    `ref`: a branch, a tag or a full commit id; None: the repository's default branch. `path`: the skill's folder in it;
    "" if it is to be found.
    """

    location: str
    protocol: Protocol | None
    ref: str | None = None
    path: str = ""

    def __str__(self) -> str:
        at = f"@{self.ref}" if self.ref else ""
        return f"{self.location}{at}{f' {self.path}' if self.path else ''}"


def read_source(text: str, *, ref: str | None = None, path: str | None = None) -> SkillSource:
    """Read `OWNER/REPO[@REF][/PATH]`, a URL or a folder; `ref` and `path` complete it. Raises UsageError."""
    text = text.strip()
    if not text or not text.isprintable():
        raise UsageError(tr("name a repository (OWNER/REPO), a URL or a folder"))
    if text.startswith("-"):
        raise UsageError(tr("{source}: a source must not start with a hyphen", source=text))
    found = _read(text)
    if found.protocol is None and ref is not None:
        raise UsageError(tr("{source}: --ref cannot be used with a folder", source=text))
    for one, old in ((ref, found.ref), (path, found.path or None)):
        if one is not None and old is not None and one != old:
            raise UsageError(tr("{source} already specifies {old}", source=text, old=old))
    ref, path = ref or found.ref, path or found.path
    if ref is not None and not _is_ref(ref):
        raise UsageError(tr("{ref!r} is not the name of a branch, a tag or a commit", ref=ref))
    return SkillSource(found.location, found.protocol, ref, _folder(path))


def _read(text: str) -> SkillSource:
    if re.match(r"[A-Za-z0-9+.-]*::", text):
        raise UsageError(tr("{source}: only https, ssh and file URLs are fetched", source=text))
    if "://" in text:
        return _read_url(text)
    if match := _SSH_SHORT.fullmatch(text):
        if not _USER.fullmatch(match["user"]) or not _HOST.fullmatch(match["host"]):
            raise UsageError(tr("{source}: this is not a valid URL", source=text))
        return SkillSource(text, "ssh")
    if not text.startswith((".", "/", "~")) and (match := _GITHUB.fullmatch(text)):
        location = f"https://github.com/{match['owner']}/{match['repo'].removesuffix('.git')}"
        return SkillSource(location, "https", match["ref"], match["path"] or "")
    try:
        folder = Path(text).expanduser().resolve()
        is_folder = folder.is_dir()
    except (OSError, RuntimeError, ValueError) as error:
        raise UsageError(f"{text}: {error}") from error
    if not is_folder:
        raise UsageError(tr("{source}: no such folder; a repository is written OWNER/REPO", source=text))
    return SkillSource(str(folder), None)


def _read_url(text: str) -> SkillSource:
    try:
        parts = urlsplit(text)
        host, user, password = parts.netloc.rpartition("@")[2], parts.username, parts.password
    except ValueError:
        raise UsageError(tr("{source}: this is not a valid URL", source=text)) from None
    if password is not None or (user is not None and parts.scheme != "ssh"):  # defence: no-secret-in-the-lock
        raise UsageError(tr("leave the user and the password out of the URL; Git's credential helper has them"))
    match parts.scheme:
        case "https" | "ssh":
            valid = _HOST.fullmatch(host) is not None and len(parts.path) > 1
        case "file":
            valid = host in ("", "localhost") and len(parts.path) > 1
        case _:
            raise UsageError(tr("{source}: only https, ssh and file URLs are fetched", source=text))
    if user is not None and not _USER.fullmatch(user):
        valid = False
    printable_path = _URL_PATH.fullmatch(parts.path) or (parts.scheme == "file" and parts.path.isprintable())
    if not valid or not printable_path or parts.query or parts.fragment:
        raise UsageError(tr("{source}: this is not a valid URL", source=text))
    if host == "github.com" and (match := _GITHUB_PAGE.fullmatch(parts.path)):
        path = unquote(match["path"] or "").removesuffix(SKILL_FILE)
        return SkillSource(f"https://github.com/{match['repo']}", "https", match["ref"], path)
    return SkillSource(text.rstrip("/"), parts.scheme)


def _is_ref(text: str) -> bool:
    """Whether Git can take it for a name only: no option, no pair of names, no expression."""
    return _REF.fullmatch(text) is not None and ".." not in text and "//" not in text  # defence: ref-is-a-name


def _folder(path: str) -> str:
    """The folder in a repository, with single slashes; the SKILL.md in it counts as it. Raises UsageError."""
    parts = [part for part in path.split("/") if part not in ("", ".")]
    if ".." in parts or not path.isprintable():
        raise UsageError(tr("{path} leads out of the repository", path=path))
    if parts and parts[-1] == SKILL_FILE:
        parts.pop()
    return "/".join(parts)
