"""File names that configure or start a program later: hooks, servers, agents, shells, editors.

Names are compared like on a lenient file system: case and character width are ignored, as are invisible characters and
trailing dots.
"""

import os
import re
import unicodedata
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from kimi_tui.paths import HARMLESS_IN_A_HOME, is_folder, real_path

# defence: folders-of-agents
_ACTS = frozenset({".git", ".kimi-tui", ".kimi", ".claude", ".agents", ".codex", ".mcp.json"})
_HARMLESS_HIDDEN = frozenset({
    ".babelrc", ".browserslistrc", ".bumpversion.cfg", ".clang-format", ".clang-tidy", ".clangd", ".cmake-format",
    ".codecov.yml", ".commitlintrc", ".coveragerc", ".dockerignore", ".editorconfig", ".eleventyignore",
    ".eslintignore", ".env.example", ".env.sample", ".env.template",
    ".flake8", ".gitignore", ".gitkeep", ".gcloudignore", ".hadolint.yaml", ".helmignore", ".ignore", ".jshintrc",
    ".keep", ".mailmap", ".markdownlint.json", ".markdownlint.yaml", ".node-version", ".npmignore", ".nvmrc", ".nycrc",
    ".prettierignore", ".prettierrc", ".prettierrc.json", ".prettierrc.yaml", ".prettierrc.yml", ".pylintrc",
    ".python-version", ".rgignore", ".ruby-version", ".rubocop.yml", ".rustfmt.toml", ".shellcheckrc", ".stylelintrc",
    ".stylelintrc.json", ".swcrc", ".terraform-version", ".terraformignore", ".yamllint", ".yamllint.yaml",
    ".changeset", ".storybook", ".well-known", ".vitepress", ".cache", ".ruff_cache",
    ".pytest_cache", ".mypy_cache", ".next", ".nuxt", ".svelte-kit", ".parcel-cache", ".turbo", ".tox", ".nox",
})  # fmt: skip
_INSTRUCTS = frozenset({
    "agents.md", "agents.override.md", "agent.md", "claude.md", "claude.local.md", "gemini.md", "kimi.md", "codex.md",
    "copilot-instructions.md", "skill.md", "mcp.json", "qwen.md", "crush.md", "iflow.md", "warp.md",
})  # fmt: skip
_OF_THE_SYSTEM = (Path("/etc"), Path("/var/spool/cron"), Path("/Library/LaunchAgents"), Path("/Library/LaunchDaemons"))
_OF_A_HOME = frozenset({"bin", "library"})

_SHORT = re.compile(r"[^.~]{1,6}~[0-9](?:\.[^.]{1,3})?")
"""A short name of Windows, `GIT~1`, by which a mounted file system may find `.git`."""

STARTED_LATER = tuple(sorted(_ACTS - {".git"}))
"""Names in a project that start programs for its user; `.git` is handled separately."""
STARTED_IN_A_PROJECT = (
    *STARTED_LATER,
    *(".vscode/settings.json", ".vscode/tasks.json", ".vscode/mcp.json", ".idea", ".zed", ".fleet", ".helix"),
    *(".cursor", ".gemini", ".windsurf", ".continue", ".roo", ".kiro", ".qwen", ".amazonq", ".factory", ".junie"),
    *(".trae", ".augment", ".goose", ".copilot", ".opencode", "opencode.json", "opencode.jsonc"),
    *(".agent", ".amp", ".grok", ".pi", ".rovodev", ".vibe"),
    *("crush.json", ".crush.json", ".aider.conf.yml", ".kilocode", ".cline", ".openhands", ".iflow", ".codebuddy"),
    # defence: settings-of-other-version-control
    *(".hg/hgrc", ".hg/hgrc-not-shared", ".hg/sharedpath", ".sl/config", ".sl/sharedpath", ".jj/repo/config.toml"),
    *(".jj/workspace-config.toml", "_darcs/prefs/defaults", ".pijul/config"),
    *(".bzr/branch/branch.conf", ".bzr/branch/location"),
    ".lfsconfig",  # defence: where-a-push-uploads-large-files
)
"""The same, files from which an editor runs programs as soon as they change, the settings by which other version
control than Git runs programs, and those that say where Git LFS uploads files; relative to the project."""
_FIRST_NAMES = {name.partition("/")[0] for name in STARTED_IN_A_PROJECT}
_INSTRUCTS_TOO = _INSTRUCTS | _FIRST_NAMES  # defence: instructions-without-a-dot
_NAMES_A_REPOSITORY = (".jj/repo",)
"""The same where they are files: they name the folder that holds the settings."""


def started_in(project: Path) -> tuple[str, ...]:
    """Return the names that `STARTED_IN_A_PROJECT` explains, for this project; they need not exist."""
    # defence: repositories-elsewhere
    files = tuple(name for name in _NAMES_A_REPOSITORY if _is_no_folder(f"{project}/{name}"))
    return (*STARTED_IN_A_PROJECT, *files)


def _is_no_folder(path: str) -> bool:
    return os.path.lexists(path) and not is_folder(path)


def starts_programs(parts: Sequence[str]) -> bool:
    """Whether a name on the path marks a file that starts programs, or that configures kimi-tui."""
    # defence: short-names
    return any(name in _ACTS or _SHORT.fullmatch(name) is not None for name in map(plain, parts))


def linked_from_guarded_name(real: Path, folder: Path) -> bool:
    """Whether a guarded name, beside the file or above it in its workspace folder, is a link to the file."""
    for above in real.parents:
        for name in _ACTS:
            link = above / name
            if os.path.islink(link) and real.is_relative_to(real_path(link)):  # noqa: PTH114 - never raises
                return True
        if above == folder:
            break
    return False


def instructs_agents(parts: Sequence[str]) -> bool:
    """Whether a project file instructs an agent or a tool, judged by the names on its path.

    Hidden names count unless known to be harmless: `.vscode`, `.husky`, `.envrc`, `.github` and future ones.
    """
    return any(
        name in _INSTRUCTS_TOO or (name.startswith(".") and name not in _HARMLESS_HIDDEN and name not in (".", ".."))
        for name in map(plain, parts)
    )


def linked_from_instructing_name(real: Path, folder: Path) -> bool:
    """Whether a link beside the file or above it in its workspace folder, with a name by which an agent or a tool reads
    instructions, leads to the file.
    """
    for above in real.parents:
        with suppress(OSError), os.scandir(above) as entries:
            for entry in entries:
                if (
                    entry.is_symlink()
                    and instructs_agents((entry.name,))
                    and real.is_relative_to(real_path(entry.path))
                ):
                    return True
        if above == folder:
            break
    return False


def starts_programs_for_user(real: Path, folder: Path | None, home: Path) -> bool:
    """Whether a file outside the project starts programs: hidden in the user's home, or a system setting.

    `folder` is its workspace folder; files in a workspace folder inside the home count as ordinary work.
    """
    for place in _OF_THE_SYSTEM:
        if real.is_relative_to(place):
            return folder is None or not folder.is_relative_to(place)
    if not real.is_relative_to(home) or real == home:
        return False
    if folder is not None and folder != home and folder.is_relative_to(home):
        return False
    first = plain(real.relative_to(home).parts[0])
    return first in _OF_A_HOME or (first.startswith(".") and first not in HARMLESS_IN_A_HOME)


def plain(name: str) -> str:
    """Normalise a name as the most lenient file system compares it."""
    if name.isascii():
        return name.lower().rstrip(". ") or name
    seen = "".join(char for char in unicodedata.normalize("NFKC", name) if unicodedata.category(char) != "Cf")
    return unicodedata.normalize("NFKC", seen.casefold()).rstrip(". ") or name
