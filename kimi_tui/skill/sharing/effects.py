"""Lists what a shared skill can start after the user accepts it, for the approval question."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import PurePosixPath

from kimi_tui.errors import SkillInstallError
from kimi_tui.formats import byte_count
from kimi_tui.i18n import tr, tr_n
from kimi_tui.skill.frontmatter import FrontmatterError, read_frontmatter
from kimi_tui.skill.sharing.skill_package import PackagedFile, SkillPackage
from kimi_tui.skill.skill import SKILL_FILE, Skill
from kimi_tui.text_safety import is_safe

_SCRIPTS = re.compile(
    r"\.(sh|bash|zsh|fish|command|py|pyw|ipynb|rb|pl|php|[mc]?[jt]s|lua|r|tcl|awk|go|swift|kts|mk|ps1|bat|cmd|exe|so|dylib"
    r"|jar|applescript|scpt)"
)
_SCRIPT_NAMES = frozenset({"makefile", "justfile", "dockerfile", "rakefile", "taskfile.yml", "package.json"})
_MOST = 40


@dataclass(frozen=True, slots=True)
class Effect:
    """A title and its lines."""

    title: str
    lines: tuple[str, ...] = ()


def effects(skill: Skill, package: SkillPackage) -> list[Effect]:
    """Return the effects of the skill whose files are `package`, without empty ones; all commands are listed."""
    scripts = [name for name, file in package.files.items() if _is_script(name, file)]
    others = [name for name in package.files if name not in scripts and name != SKILL_FILE]
    found = (
        Effect(tr("Its flow runs these commands, subject to your rules and the sandbox:"), tuple(_commands(skill))),
        Effect(tr("It contains scripts that the agent may run:"), _bounded(_sized(scripts, package))),
        Effect(tr("It contains other files:"), _bounded(_sized(others, package))),
        Effect(
            tr("It requests features that kimi-tui does not offer to skills; these have no effect:"), _requests(skill)
        ),
        Effect(tr("Some files contain invisible characters:"), _bounded(_invisible(package))),
    )
    return [effect for effect in found if effect.lines]


def _commands(skill: Skill) -> Iterator[str]:
    for node in skill.flow.nodes.values() if skill.flow is not None else ():
        if node.settings.run is not None:
            yield f"{node.id}: {node.settings.run}"


def _is_script(name: str, file: PackagedFile) -> bool:
    path = PurePosixPath(name.lower())
    by_name = _SCRIPTS.fullmatch(path.suffix) is not None or path.name in _SCRIPT_NAMES
    return file.executable or by_name or file.content.startswith((b"#!", b"\x7fELF", b"MZ"))


def _sized(names: list[str], package: SkillPackage) -> Iterator[str]:
    return (f"{name} ({byte_count(len(package.files[name].content))})" for name in names)


def _requests(skill: Skill) -> tuple[str, ...]:
    lines: list[str] = []
    if skill.allowed_tools:
        lines.append(f"allowed-tools: {' '.join(skill.allowed_tools)}")
    try:
        fields = read_frontmatter(skill.text.split("\n")).fields
    except FrontmatterError as error:
        raise SkillInstallError(error.cause) from error
    return (*lines, *(key for key in ("hooks", "agent", "context") if key in fields))


def _invisible(package: SkillPackage) -> Iterator[str]:
    """Characters that could hide instructions from the reader; in texts only."""
    for name, file in package.files.items():
        if b"\0" in file.content:
            continue
        text = file.content.decode("utf-8-sig", "ignore")
        hidden = sorted({char for char in text if not is_safe(char) and char not in "\n\r\t\f"})
        if hidden:
            codes = ", ".join(f"U+{ord(char):04X}" for char in hidden[:8])
            yield f"{name}: {codes}{', ...' if len(hidden) > 8 else ''}"


def _bounded(lines: Iterator[str]) -> tuple[str, ...]:
    found = list(lines)
    rest = len(found) - _MOST
    return tuple(found) if rest <= 0 else (*found[:_MOST], tr_n("and {count} more", "and {count} more", rest))
