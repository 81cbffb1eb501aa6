"""Folder trust: project contents (skills, servers, looser rules) take effect only after the user agrees.

A decision covers a folder and everything below it; the nearest folder with a decision applies. Trust in a project
covers the current content of its files that start programs or loosen rules: if one of them changes, the decision no
longer applies.
"""

import contextlib
import errno
import hashlib
import itertools
import json
import logging
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from kimi_tui import json_text, paths
from kimi_tui.atomic_file import replace_file
from kimi_tui.config.loader import load_project_config
from kimi_tui.errors import ConfigError
from kimi_tui.file_lock import changing
from kimi_tui.i18n import tr
from kimi_tui.paths import is_folder, path_exists, project_root, real_path, shown
from kimi_tui.permission.named_files import files_named
from kimi_tui.permission.settings import loosening_rules, project_file
from kimi_tui.regular_file import read_bytes, read_text

_log = logging.getLogger(__name__)

TRUST_VARIABLE = "KIMI_TUI_TRUST_PROJECT"
SKILL_FOLDERS = (".kimi-tui/skills", ".kimi/skills", ".claude/skills", ".codex/skills", ".agents/skills")
MCP_FILES = (".kimi-tui/mcp.json", ".mcp.json")
SKILLS, SERVERS, COMMANDS = "skills", "MCP servers", "commands in a flow"
# defence: first-fence-of-a-line
_CHART_WITH_SETTINGS = re.compile(r"@\{|^(?>[^\n]*?(?:```|~~~))[^\n]*d2", re.IGNORECASE | re.MULTILINE)
"""A data block of a Mermaid node, or the fence of a D2 chart: only these can give a node a command."""
_MAX_ENTRIES = 20_000
"""Limit of the entries that the library loads from a folder."""
_MAX_BYTES = 1 << 20
_MAX_PROGRAM = 16 << 20
_MAX_WORDS = 100
_MAX_SERVERS = 50


@dataclass(frozen=True, slots=True)
class TrustItem:
    """A project item that needs trust, with its description for the user.

    `mark` identifies the content of a file that takes effect by itself; "" for a folder of skills, which are only read.
    A flow that may run commands is a separate item.
    """

    path: Path
    what: str
    mark: str = ""

    @property
    def loosens(self) -> bool:
        """Whether the item is the project's configuration."""
        return self.what not in (SKILLS, SERVERS, COMMANDS)


@dataclass(frozen=True, slots=True)
class TrustState:
    """The user's decision on a folder (None: no valid one), and the items that need trust.

    `headless`: there is no user to ask. `can_ask`: the screen can ask.
    """

    answer: bool | None = None
    items: tuple[TrustItem, ...] = ()
    headless: bool = False
    can_ask: bool = False

    @property
    def active(self) -> bool:
        """Whether the project's items take effect. In a project without items, items added during the session do."""
        return self.answer if self.answer is not None else not self.items

    @property
    def pending(self) -> bool:
        """Whether new skills in the project wait for the trust question, as at the next start."""
        return self.can_ask and self.answer is None and not self.items

    @property
    def reads_skills(self) -> bool:
        """Whether the project's skills are used: they are text, like AGENTS.md, so without a UI only a refusal disables
        them.
        """
        return self.active or (self.headless and self.answer is None)

    @property
    def left_out(self) -> tuple[TrustItem, ...]:
        """The project's items that are disabled."""
        if self.active:
            return ()
        return tuple(item for item in self.items if item.what != SKILLS or not self.reads_skills)


@dataclass(frozen=True, slots=True)
class TrustDecision:
    """A stored decision; `files` are the marks of the project's files by name. None: any content of the folder."""

    trusted: bool
    files: dict[str, str] | None = None


def trust_state(work_dir: Path, extra_skill_dirs: Iterable[str] = ()) -> TrustState:
    """Return the trust of the project around `work_dir`; `extra_skill_dirs` as in the configuration."""
    work_dir = real_path(work_dir)
    items = project_items(work_dir, extra_skill_dirs)
    return TrustState(_answer(work_dir, items), items)


def project_items(work_dir: Path, extra_skill_dirs: Iterable[str] = ()) -> tuple[TrustItem, ...]:
    """List the project items that would take effect here; empty in the user's home."""
    root = project_root(work_dir)
    if root == Path.home():
        return ()
    folders = [*SKILL_FOLDERS, *(name for name in extra_skill_dirs if not name.startswith(("/", "~")))]
    found = [TrustItem(root / name, SKILLS) for name in dict.fromkeys(folders) if is_folder(root / name)]
    found += [TrustItem(file, COMMANDS, _mark(file)) for file in _command_flows(found)]  # defence: trust-of-commands
    servers = mcp_files(work_dir)
    found += [TrustItem(file, SERVERS, _mark(file)) for file in servers]
    programs = dict.fromkeys(_programs_of_servers(servers, work_dir, root))
    found += [TrustItem(file, SERVERS, _mark(file, _MAX_PROGRAM)) for file in programs if file not in servers]
    file = project_file(work_dir)
    if file is not None and (loose := _loosening(file)):
        found.append(TrustItem(file, loose, _mark(file)))
    return tuple(found)


def changed_items(work_dir: Path, trust: TrustState, extra_skill_dirs: Iterable[str] = ()) -> tuple[TrustItem, ...]:
    """List the items that are not as they were when `trust` was decided; empty if any content is trusted, or if the
    user has trusted the new one.
    """
    if not trust.answer or not trust.items:
        return ()
    seen = {item.path: item.mark for item in trust.items}
    items = project_items(real_path(work_dir), extra_skill_dirs)
    changed = tuple(item for item in items if item.mark and seen.get(item.path) != item.mark)
    return () if changed and trust_state(work_dir, extra_skill_dirs).answer else changed


def changed_servers(work_dir: Path, trust: TrustState) -> str:
    """Name the files of the project's MCP servers that have changed since the folder was trusted, with what to do; ""
    if there are none.
    """
    names = _names_of(SERVERS, changed_items(work_dir, trust), work_dir)
    return (
        tr("{names} changed after you trusted this folder; trust it again to start the server", names=names)
        if names
        else ""
    )


def changed_commands(work_dir: Path, trust: TrustState, extra_skill_dirs: Iterable[str] = ()) -> str:
    """The same for the project's flows with commands."""
    names = _names_of(COMMANDS, changed_items(work_dir, trust, extra_skill_dirs), work_dir)
    return (
        tr("{names} changed after you trusted this folder; trust it again to run commands of flows", names=names)
        if names
        else ""
    )


def _names_of(kind: str, items: Iterable[TrustItem], work_dir: Path) -> str:
    root = project_root(real_path(work_dir))
    return ", ".join(name_in(root, item.path) for item in items if item.what == kind)


def mcp_files(work_dir: Path) -> list[Path]:
    """List a project's MCP server files, those of the work dir first."""
    own = paths.home() / "mcp.json"
    folders = dict.fromkeys((work_dir, project_root(work_dir)))
    return [file for folder in folders for name in MCP_FILES if path_exists(file := folder / name) and file != own]


def _programs_of_servers(files: Iterable[Path], work_dir: Path, root: Path) -> Iterator[Path]:
    """The files of the project that the commands of its MCP servers name: a sandboxed command could replace them."""
    for file in files:
        with contextlib.suppress(OSError, ValueError):
            table: object = json_text.loads(read_bytes(file, most=_MAX_BYTES).decode("utf-8-sig"))
            for entry in _tables(_table(table).get("mcpServers")):
                folder = work_dir / str(entry.get("cwd") or "")
                args = entry.get("args")
                words = [entry.get("command"), *(cast(list[object], args) if isinstance(args, list) else ())]
                words += _table(entry.get("env")).values()  # defence: trust-of-files-in-the-environment
                # defence: trust-of-server-programs
                texts = [word for word in words[:_MAX_WORDS] if isinstance(word, str) and "\0" not in word]
                yield from files_named(texts, folder, root)


def _tables(value: object) -> Iterator[dict[str, object]]:
    yield from map(_table, itertools.islice(_table(value).values(), _MAX_SERVERS))


def _table(value: object) -> dict[str, object]:
    return cast(dict[str, object], value) if isinstance(value, dict) else {}


def ignored_items(work_dir: Path, trust: TrustState) -> str:
    """Describe the disabled items and how to enable them, for a UI that cannot ask; "" if nothing is disabled."""
    if not trust.left_out:
        return ""
    root = project_root(work_dir)
    names = ", ".join(f"{name_in(root, item.path)} ({item.what})" for item in trust.left_out)
    return (
        f"{shown(root)} is not trusted; ignored: {names}. "
        f"Review these, then run: kimi-tui trust {shown(root)} (or --trust for one run)"
    )


def name_in(root: Path, path: Path) -> str:
    """Return a path for display: relative to the project's root if inside it."""
    return str(path.relative_to(root)) if path.is_relative_to(root) else shown(path)


def remember(work_dir: Path, trusted: bool, items: Sequence[TrustItem] | None = None) -> Path:
    """Save the decision for this project, and return its folder. Raises OSError.

    `items` are the items that the user saw. None: trust everything in the folder, now and later.
    """
    root = project_root(real_path(work_dir))
    files = None if items is None else {name_in(root, item.path): item.mark for item in items if item.mark}
    with changing(_store()):  # defence: one-writer-of-decisions
        stored = _load_decisions()
        old = stored.get(root)
        if files is not None and old is not None and old.trusted and old.files:
            files = old.files | files
        _save_decisions({**stored, root: TrustDecision(trusted, files if trusted else None)})
    return root


def remove_decision(work_dir: Path) -> bool:
    """Remove a decision, so that the user is asked again; False if there was none. Raises OSError."""
    root = project_root(real_path(work_dir))
    if root not in _load_decisions():
        return False
    with changing(_store()):
        stored = _load_decisions()
        stored.pop(root, None)
        _save_decisions(stored)
    return True


def decisions() -> dict[Path, TrustDecision]:
    """Return all decisions by folder."""
    return dict(sorted(_load_decisions().items()))


def _answer(work_dir: Path, items: Sequence[TrustItem]) -> bool | None:
    if os.environ.get(TRUST_VARIABLE) == "1":
        return True
    stored = _load_decisions()
    root = project_root(work_dir)
    for folder in (root, *root.parents):
        if (answer := stored.get(folder)) is not None:
            return None if answer.trusted and not _as_it_was(answer, folder, items) else answer.trusted
    return None


def _as_it_was(answer: TrustDecision, folder: Path, items: Sequence[TrustItem]) -> bool:
    if answer.files is None:
        return True
    return all(not item.mark or answer.files.get(name_in(folder, item.path)) == item.mark for item in items)


def _command_flows(folders: Iterable[TrustItem]) -> Iterator[Path]:
    """The skills in these folders whose chart may give a node a command, sorted by path."""
    files = sorted(file for one in folders for file in _skill_files(one.path))
    for file in files:
        try:
            text = read_bytes(file, most=_MAX_BYTES).decode("utf-8", "replace")
        except OSError:
            continue  # a skill that cannot be read cannot run
        if _CHART_WITH_SETTINGS.search(text):
            yield file


def _skill_files(folder: Path) -> Iterator[Path]:
    """All that the library may load from a folder of skills; not each of these files exists."""
    yield folder / "SKILL.md"
    with contextlib.suppress(OSError), os.scandir(folder) as entries:
        considered = itertools.islice(entries, _MAX_ENTRIES)  # defence: trust-of-all-skills
        for entry in considered:
            with contextlib.suppress(OSError):
                if entry.is_dir():
                    yield Path(entry.path, "SKILL.md")
                elif entry.name.lower().endswith(".md"):
                    yield Path(entry.path)


def _loosening(file: Path) -> str:
    """Describe the part of a project's configuration that needs trust, for the user; "" if it only tightens."""
    try:
        return ", ".join(loosening_rules(load_project_config(file).config))
    except ConfigError:
        return ""  # the configuration loader reports it


def _mark(file: Path, most: int = _MAX_BYTES) -> str:
    """Hash the content; of a file that is too large, or that can be run but not read, the mark is that of its inode."""
    try:
        return hashlib.sha256(read_bytes(file, most=most)).hexdigest()  # defence: trust-regular-files
    except OSError:
        pass
    try:
        status = file.stat()
    except OSError:
        return "unreadable"
    # defence: trust-of-large-programs
    return (
        f"inode {status.st_ino} of {status.st_dev}, {status.st_size} bytes, {status.st_mtime_ns}, {status.st_ctime_ns}"
    )


def _save_decisions(stored: dict[Path, TrustDecision]) -> None:
    before = _stored()
    table = {} if isinstance(before, str) else before
    # What another version wrote stays as it is, unless the decision on that folder changed.
    value = {folder: answer for folder, answer in table.items() if _read(answer) is None}  # defence: other-decisions
    for folder, answer in stored.items():
        written = table.get(str(folder))
        if _read(written) != answer:
            files = answer.files
            written = answer.trusted if files is None else {"trusted": answer.trusted, "files": files}
        value[str(folder)] = written
    store = _store()
    if broken_decisions():  # defence: keep-broken-decisions
        corrupt_copy = _corrupt_copy_path(store)
        store.rename(corrupt_copy)
        _log.warning("the trust decisions could not be read; the file is kept as %s", corrupt_copy)
    try:
        replace_file(store, json.dumps(value, ensure_ascii=False, indent=2, sort_keys=True), sync_folder=True)
    except UnicodeEncodeError as error:  # defence: folder-that-is-not-utf8
        raise OSError(errno.EILSEQ, os.strerror(errno.EILSEQ), "trusted.json") from error


def _store() -> Path:
    return paths.home() / "trusted.json"


def _corrupt_copy_path(store: Path) -> Path:
    """Return an unused path beside the store."""
    names = (store.with_name(f"{store.name}.broken{number or ''}") for number in itertools.count())
    return next(name for name in names if not os.path.lexists(name))


def broken_decisions() -> str:
    """Return the reason why the stored decisions cannot be read, for the user; "" if they can, or if there are none."""
    cause = _stored()
    if not isinstance(cause, str):
        return ""
    return tr(
        "{file}: the trust decisions cannot be read ({cause}); the next decision renames this file to {aside}",
        file=shown(_store()),
        cause=cause,
        aside=_corrupt_copy_path(_store()).name,
    )


def _stored() -> dict[str, object] | str:
    """Read the decisions from disk, or return why they cannot be read."""
    try:
        value: object = json_text.loads(read_text(_store()))
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except OSError as error:
        return error.strerror or str(error)
    except ValueError as error:
        return str(error)
    return cast(dict[str, object], value) if isinstance(value, dict) else "not an object"


def _load_decisions() -> dict[Path, TrustDecision]:
    """Read the decisions from disk. An unreadable file counts as empty, so the user is asked again."""
    table = _stored()
    if isinstance(table, str):
        return {}
    return {Path(folder): answer for folder, stored in table.items() if (answer := _read(stored)) is not None}


def _read(stored: object) -> TrustDecision | None:
    match stored:
        case bool():
            return TrustDecision(stored)
        case dict():
            table = cast(dict[str, object], stored)
            trusted, files = table.get("trusted"), table.get("files")
            if isinstance(trusted, bool) and isinstance(files, dict):
                return TrustDecision(
                    trusted, {name: str(mark) for name, mark in cast(dict[str, object], files).items()}
                )
            return None
        case _:
            return None
