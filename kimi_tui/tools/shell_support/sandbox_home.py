"""The entries of the user's home that a sandboxed command sees: an allow-list, so that keys and tokens stay hidden.

A list of visible entries is safe also for unknown tools; a list of secrets is not.
"""

import os
import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from pathlib import Path

from kimi_tui.paths import is_file, is_folder, path_exists, project_root, real_path
from kimi_tui.regular_file import read_bytes
from kimi_tui.tools.file_support.git_dirs import paths_named_by_user, user_git_files
from kimi_tui.tools.file_support.sensitive_names import is_sensitive

_PROGRAMS = (
    *(".pyenv", ".rustup", ".nvm", ".asdf", ".sdkman", ".rbenv", ".rvm", ".volta", ".fnm", ".goenv", ".jenv"),
    *(".nodenv", ".phpenv", ".pixi", ".juliaup", ".ghcup", ".opam", ".linuxbrew", ".npm-global/bin"),
    *(".npm-global/lib", ".local/bin", ".local/lib", ".local/include", ".local/opt", ".local/pipx"),
    *(".local/share/uv/python", ".local/share/uv/tools", ".local/share/gem/ruby", ".gem/ruby", ".dotnet/dotnet"),
    *(".dotnet/host", ".dotnet/packs", ".dotnet/sdk", ".dotnet/shared", ".dotnet/templates", ".dotnet/tools"),
    *(".local/share/pipx", ".local/share/pnpm", ".local/share/fnm", ".local/share/mise", ".local/share/nvm"),
    *(".local/share/pypoetry/venv", ".local/share/pdm/venv", ".local/share/virtualenvs", ".local/share/go"),
    *(".local/share/man", ".local/share/fonts"),
    *(".cargo/bin", ".cargo/env", ".bun/bin", ".bun/install", ".deno/bin", ".yarn/bin", ".cabal/bin"),
    *("go/bin", "go/pkg", "miniconda3", "anaconda3", "miniforge3", "mambaforge", "micromamba"),
)
_BESIDE_PROGRAMS = (
    *("lib", "lib32", "lib64", "libexec", "share", "include", "sbin", "bin", "shims", "condabin", "versions"),
    *("plugins", "jars", "boot"),
)
"""Folders that programs may need beside their own."""
_INSTALLATIONS = (("VERSION", "pkg/tool"), ("release", "lib"), ("conda-meta", "lib"), ("packages/flutter", "version"))
"""What Go, Java, Conda and Flutter have beside their programs: all of such a folder is theirs."""
_CACHES = (
    *(".cargo/registry", ".cargo/git", ".m2/repository", ".m2/wrapper", ".gradle/wrapper", ".gradle/jdks"),
    *(".ivy2/cache", ".nuget/packages", ".cache/pre-commit", ".cache/ms-playwright", ".cache/puppeteer"),
    *(".cache/huggingface/hub", ".cache/torch", ".cache/node-gyp", ".cache/electron", ".cache/Cypress"),
)
_SETTINGS = (
    *(".gitconfig", ".gitignore", ".gitignore_global", ".gitattributes", ".gitmessage", ".config/git/config"),
    *(".config/git/ignore", ".config/git/attributes", ".npmrc", ".yarnrc", ".yarnrc.yml", ".condarc", ".bazelrc"),
    *(".pip/pip.conf", ".config/pip/pip.conf", ".config/uv/uv.toml", ".cargo/config.toml", ".cargo/config"),
    ".config/pypoetry/config.toml",
    *(".m2/settings.xml", ".profile", ".bash_profile", ".bashrc", ".inputrc", ".tmux.conf", ".screenrc"),
    *(".ssh/known_hosts", ".ssh/config"),
)
"""Files that are visible unless they seem to hold a secret."""
_SECRET = re.compile(
    rb"pass(?:wd|word|phrase)?\W|pwd\W|token|secret|credential|_auth|authorization|extraheader|_pat\W|"
    rb"key\w*[ \t]*[=:]|private.?key|://(?!git@)[^/\s@]+@|/t/[\w-]+/|[A-Za-z0-9+_-]{32}",
    re.IGNORECASE,
)
_PUBLIC = re.compile(
    rb"^[ \t]*(?:signingkey[ \t]*=[^\n]*$|\[credential(?=[ \t\]])|credentialstore[ \t]*=[ \t]*\w+[ \t]*$|"
    rb"helper[ \t]*=[ \t]*(?:!?[\w./~-]{0,99}(?: --(?:file|socket|timeout)[ =][\w./~-]{1,99}| -device|"
    rb" auth git-credential)?)?[ \t]*$|"
    rb"email[ \t]*=[ \t]*[\w.+-]{1,99}@[\w.-]{1,99}[ \t]*$|defaultkeycommand[ \t]*=[ \t]*ssh-add -L[ \t]*$)",
    re.IGNORECASE | re.MULTILINE,
)
"""What Git's settings say of secrets without holding one: the key that Git signs with is named by its public half, and
a helper for credentials by its program.
"""
_HELPER = re.compile(rb"\bhelper[ \t]*=[ \t]*\S", re.IGNORECASE)
"""One with other words: among them may be a password, under any name."""
_HOOKS = ("pre-commit", "prepare-commit-msg", "commit-msg", "post-commit", "pre-push", "post-checkout", "post-merge")
_MAX_SETTINGS = 100_000


def visible_entries(home: Path, folders: Iterable[Path], programs: Iterable[str]) -> tuple[Path, ...]:
    """Return the visible files and folders of a home: tools, caches and settings without secrets, the projects around
    `folders` (the workspace), and the entries that contain one of `programs` (the folders of PATH).
    """
    shown = list(_existing(home, (*_PROGRAMS, *_CACHES)))
    shown += [name for name in _existing(home, _SETTINGS) if _is_free_of_secrets(home / name)]
    found: dict[Path, None] = {home / name: None for name in shown}
    for folder in folders:
        if home in folder.parents:
            root = project_root(folder)
            found[root if home in root.parents else folder] = None
    for program in (*_program_folders(home, programs), *home.glob("sdk/go[0-9]*")):
        found[program] = None
    visible = [path for path in found if path_exists(path) and not _is_sensitive_entry(path, home)]
    return tuple(path for path in visible if not any(above in found for above in path.parents))


def visible_in_other_homes(home: Path, programs: Iterable[str]) -> Iterator[Path]:
    """Yield the visible entries of other homes below `/home` that contain one of `programs`."""
    homes = {Path(*Path(entry).parts[:3]) for entry in programs if entry.startswith("/home/")}
    for other in sorted(homes):
        if other == Path("/home/linuxbrew"):
            yield other
        elif other != home and other not in home.parents and is_folder(other):
            yield from visible_entries(other, (), programs)


def visible_for_git(home: Path, folders: Iterable[Path]) -> Iterator[Path]:
    """Yield the files and folders of the home that the user's settings of Git name: settings that they include, what
    they ignore, hooks. Git says nothing of one that is missing, and commits as somebody else or without the hook.
    """
    if not (settings := _settings_of_git(folders)):
        return
    for path in (*settings, *paths_named_by_user()):
        if home not in path.parents or ".." in path.parts:
            continue
        if is_folder(path):
            # defence: a-folder-of-hooks-holds-hooks
            if any(os.access(path / name, os.X_OK) for name in _HOOKS) and not _holds_projects(path):
                yield path
        elif is_file(path) and not is_sensitive(path) and _is_free_of_secrets(path):
            yield path


def git_settings_with_secrets(home: Path, folders: Iterable[Path]) -> Iterator[tuple[Path, bytes]]:
    """Yield the user's files of Git settings in the home that stay hidden, with their content."""
    for file in _settings_of_git(folders):
        if home in file.parents and ".." not in file.parts and is_file(file) and not is_sensitive(file):
            try:
                content = read_bytes(file, most=_MAX_SETTINGS)
            except OSError:
                continue
            if holds_a_secret(content):
                yield file, content


def _settings_of_git(folders: Iterable[Path]) -> tuple[Path, ...]:
    """Return the user's files of Git settings; none if commands can write one of them."""
    settings, written = user_git_files(), tuple(folders)
    # defence: settings-that-name-are-the-users
    written_ones = any(real_path(file).is_relative_to(folder) for file in settings for folder in written)
    return () if written_ones else settings


def _existing(home: Path, names: Iterable[str]) -> Iterator[str]:
    try:
        listed = {name.lower() for name in os.listdir(home)}  # noqa: PTH208 - for each command
    except OSError:
        listed = None
    for name in names:
        first = name.partition("/")[0]
        if (listed is None or first.lower() in listed) and path_exists(f"{home}/{name}"):
            yield name


def _is_sensitive_entry(path: Path, home: Path) -> bool:
    """Whether its name marks it as a secret; the settings that were read are judged by their content."""
    return path.relative_to(home).as_posix() not in _SETTINGS and is_file(path) and is_sensitive(path)


def _program_folders(home: Path, programs: Iterable[str]) -> Iterator[Path]:
    for entry in programs:
        if not entry.startswith(f"{home}/"):
            continue
        folder = Path(entry)
        if home not in folder.parents or not is_folder(folder) or _holds_projects(folder):
            continue
        yield folder
        parts = folder.relative_to(home).parts
        if parts[-1] in ("bin", "shims", "sbin", "scripts") and len(parts) > 1 and not parts[0].startswith("."):
            above = folder.parent
            if any(all(path_exists(above / name) for name in names) for names in _INSTALLATIONS):
                yield above
                continue
            # defence: projects-beside-programs
            beside = (above / name for name in _BESIDE_PROGRAMS)
            yield from (one for one in beside if is_folder(one) and not _is_project(one) and not _holds_projects(one))


def _is_project(folder: Path) -> bool:
    return os.path.lexists(folder / ".git")


def _holds_projects(folder: Path) -> bool:
    """Whether a folder in it is a repository: it is then more than a folder of programs."""
    try:
        with os.scandir(folder) as entries:
            return any(entry.is_dir(follow_symlinks=False) and _is_project(Path(entry.path)) for entry in entries)
    except OSError:
        return True


def _is_free_of_secrets(file: Path) -> bool:
    try:
        content = read_bytes(file, most=_MAX_SETTINGS)
    except OSError:
        return False
    return file.name == "known_hosts" or not holds_a_secret(content)


@lru_cache(maxsize=64)
def holds_a_secret(content: bytes) -> bool:
    """Whether settings seem to hold a password, a key or a token."""
    rest = _PUBLIC.sub(b"", content)
    return _SECRET.search(rest) is not None or _HELPER.search(rest) is not None  # defence: words-for-helpers
