"""Which folders a person trusts: what a project brings along (skills, servers, looser rules) acts only after a yes.

An answer is for a folder and everything below it; the nearest folder with an answer counts. A yes to a project is a
yes to its files that start programs or loosen rules as they were then: once one of them is another, nothing was said.
"""

import hashlib
import json
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from kimi_tui import json_text, paths
from kimi_tui.config.loader import load_config
from kimi_tui.errors import ConfigError
from kimi_tui.paths import private_folder, project_root, shown
from kimi_tui.permission.settings import loosening_rules, project_file
from kimi_tui.regular_file import read_bytes

TRUST_VARIABLE = "KIMI_TUI_TRUST_PROJECT"
SKILL_FOLDERS = (".kimi-tui/skills", ".kimi/skills", ".claude/skills", ".codex/skills", ".agents/skills")
MCP_FILES = (".kimi-tui/mcp.json", ".mcp.json")
SKILLS, SERVERS = "skills", "MCP servers"
_MAX_BYTES = 1 << 20


@dataclass(frozen=True, slots=True)
class TrustItem:
    """Something that a project brings along, and what it is for a person.

    `mark` stands for the content of a file that acts by itself; "" for a folder of skills, which are only read.
    """

    path: Path
    what: str
    mark: str = ""

    @property
    def loosens(self) -> bool:
        """Whether it is the project's configuration."""
        return self.what not in (SKILLS, SERVERS)


@dataclass(frozen=True, slots=True)
class TrustState:
    """What a person said of a folder (None: nothing that still holds), and what waits there for a yes.

    `unasked`: in a face that cannot ask; `asks`: in one that does.
    """

    answer: bool | None = None
    brought: tuple[TrustItem, ...] = ()
    headless: bool = False
    can_ask: bool = False

    @property
    def active(self) -> bool:
        """Whether what the project brings acts. Where there is nothing, what comes to be while we work there does."""
        return self.answer if self.answer is not None else not self.brought

    @property
    def pending(self) -> bool:
        """Whether skills that come to be in the project wait for the question, as they would at the next start."""
        return self.can_ask and self.answer is None and not self.brought

    @property
    def reads_skills(self) -> bool:
        """Whether the project's skills count: text, like AGENTS.md, so where nobody is asked only a no stops them."""
        return self.active or (self.headless and self.answer is None)

    @property
    def left_out(self) -> tuple[TrustItem, ...]:
        """What the project brings and what does not count."""
        if self.active:
            return ()
        return tuple(one for one in self.brought if one.what != SKILLS or not self.reads_skills)


@dataclass(frozen=True, slots=True)
class Answer:
    """`files` are the marks of the project's files by their names; None: whatever is in the folder."""

    trusted: bool
    files: dict[str, str] | None = None


def trust_state(work_dir: Path, extra_skill_dirs: Iterable[str] = ()) -> TrustState:
    """How it stands with the project around `work_dir`; `extra_skill_dirs` as the configuration has them."""
    work_dir = work_dir.resolve()
    brought = project_items(work_dir, extra_skill_dirs)
    return TrustState(_answer(work_dir, brought), brought)


def project_items(work_dir: Path, extra_skill_dirs: Iterable[str] = ()) -> tuple[TrustItem, ...]:
    """What the project would have act here; empty in the person's own home."""
    root = project_root(work_dir)
    if root == Path.home():
        return ()
    folders = [*SKILL_FOLDERS, *(name for name in extra_skill_dirs if not name.startswith(("/", "~")))]
    found = [TrustItem(root / name, SKILLS) for name in dict.fromkeys(folders) if (root / name).is_dir()]
    found += [TrustItem(file, SERVERS, _mark(file)) for file in mcp_files(work_dir)]
    file = project_file(work_dir)
    if file is not None and (loose := _loosening(file)):
        found.append(TrustItem(file, loose, _mark(file)))
    return tuple(found)


def mcp_files(work_dir: Path) -> list[Path]:
    """The files of a project that name MCP servers, the work dir's before the project's."""
    own = paths.home() / "mcp.json"
    folders = dict.fromkeys((work_dir, project_root(work_dir)))
    return [file for folder in folders for name in MCP_FILES if (file := folder / name).exists() and file != own]


def ignored_items(work_dir: Path, standing: TrustState) -> str:
    """For a face that cannot ask: what does not act here, and how it would; "" where nothing is left out."""
    if not standing.left_out:
        return ""
    root = project_root(work_dir)
    names = ", ".join(f"{name_in(root, one.path)} ({one.what})" for one in standing.left_out)
    return (
        f"{shown(root)} is not trusted, so this is left out: {names}. "
        f"Look at it, then: kimi-tui trust {shown(root)} (or --trust for one run)"
    )


def name_in(root: Path, path: Path) -> str:
    """A path as a person knows it: from the project's root on, where it is in there."""
    return str(path.relative_to(root)) if path.is_relative_to(root) else shown(path)


def remember(work_dir: Path, trusted: bool, brought: Sequence[TrustItem] | None = None) -> Path:
    """Keep the answer for this project; the folder that it is for. Raises OSError.

    `brought` is what the person was shown. None: a yes to everything in the folder, whatever comes to be in it.
    """
    root = project_root(work_dir.resolve())
    files = None if brought is None else {name_in(root, one.path): one.mark for one in brought if one.mark}
    old = _said().get(root)
    if files is not None and old is not None and old.trusted and old.files:
        files = old.files | files
    _keep({**_said(), root: Answer(trusted, files if trusted else None)})
    return root


def forget(work_dir: Path) -> bool:
    """Take an answer back, so that it is asked again; False where there was none. Raises OSError."""
    said = _said()
    if said.pop(project_root(work_dir.resolve()), None) is None:
        return False
    _keep(said)
    return True


def answers() -> dict[Path, Answer]:
    """All that was said, by folder."""
    return dict(sorted(_said().items()))


def _answer(work_dir: Path, brought: Sequence[TrustItem]) -> bool | None:
    if os.environ.get(TRUST_VARIABLE) == "1":
        return True
    said = _said()
    root = project_root(work_dir)
    for folder in (root, *root.parents):
        if (answer := said.get(folder)) is not None:
            return None if answer.trusted and not _as_it_was(answer, folder, brought) else answer.trusted
    return None


def _as_it_was(answer: Answer, folder: Path, brought: Sequence[TrustItem]) -> bool:
    if answer.files is None:
        return True
    return all(not one.mark or answer.files.get(name_in(folder, one.path)) == one.mark for one in brought)


def _loosening(file: Path) -> str:
    """What of a project's configuration waits for a yes, for people; "" where it is only stricter."""
    try:
        return ", ".join(loosening_rules(load_config(file).config))
    except ConfigError:
        return ""  # it is told of where it is read for good


def _mark(file: Path) -> str:
    try:
        return hashlib.sha256(read_bytes(file, most=_MAX_BYTES)).hexdigest()
    except OSError:
        return "unreadable"


def _keep(said: dict[Path, Answer]) -> None:
    value = {
        str(folder): answer.trusted if answer.files is None else {"trusted": answer.trusted, "files": answer.files}
        for folder, answer in said.items()
    }
    store = _store()
    private_folder(store.parent)
    fresh = store.with_name(f".{store.name}.{os.getpid()}.new")
    try:
        descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with open(descriptor, "w", encoding="utf-8") as out:  # noqa: PTH123 - a descriptor, not a path
            json.dump(value, out, ensure_ascii=False, indent=2, sort_keys=True)
            out.flush()
            os.fsync(out.fileno())
        fresh.replace(store)
    finally:
        fresh.unlink(missing_ok=True)


def _store() -> Path:
    return paths.home() / "trusted.json"


def _said() -> dict[Path, Answer]:
    """The answers on disk. A file that cannot be read says nothing: then a person is asked again."""
    try:
        value: object = json_text.loads(_store().read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    if not isinstance(value, dict):
        return {}
    table = cast(dict[str, object], value)
    return {Path(folder): answer for folder, said in table.items() if (answer := _read(said)) is not None}


def _read(said: object) -> Answer | None:
    match said:
        case bool():
            return Answer(said)
        case dict():
            table = cast(dict[str, object], said)
            trusted, files = table.get("trusted"), table.get("files")
            if isinstance(trusted, bool) and isinstance(files, dict):
                return Answer(trusted, {name: str(mark) for name, mark in cast(dict[str, object], files).items()})
            return None
        case _:
            return None
