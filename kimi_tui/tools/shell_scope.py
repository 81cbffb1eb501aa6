"""What "for this session" covers of a shell command: commands by their beginning, or exactly the same one.

A compound command is covered when each simple command in it is; one that leaves a doubt is never covered.
"""

import re
import shlex

from kimi_tui.approval import Scope
from kimi_tui.said import said
from kimi_tui.tools.shell_command import CommandLine

MAX_KEYS = 5
_MAX_SHOWN = 200
_PLAIN = re.compile(r"[A-Za-z0-9_.][A-Za-z0-9_.:@/+-]*")

_WITH_SUBCOMMANDS = frozenset(
    {
        *("git", "npm", "pnpm", "yarn", "bun", "deno", "npx", "bunx", "uvx", "pipx", "pip", "pip3", "uv", "poetry"),
        *("conda", "cargo", "rustup", "go", "docker", "podman", "docker-compose", "kubectl", "helm", "terraform"),
        *("gh", "glab", "aws", "gcloud", "az", "systemctl", "journalctl", "apt", "apt-get", "dnf", "brew", "dotnet"),
        *("bundle", "gem", "rails", "composer", "mix", "gradle", "mvn", "ruff", "hatch", "rye", "pdm", "nix"),
    }
)
_TWO_DEEP = frozenset(
    {
        *(("docker", "compose"), ("podman", "compose"), ("npm", "run"), ("pnpm", "run"), ("yarn", "run")),
        *(("bun", "run"), ("deno", "task"), ("uv", "run"), ("uv", "pip"), ("uv", "tool"), ("poetry", "run")),
        *(("hatch", "run"), ("rye", "run"), ("pdm", "run"), ("conda", "run"), ("bundle", "exec"), ("go", "tool")),
        *(("git", "stash"), ("git", "remote"), ("git", "config"), ("git", "submodule"), ("git", "worktree")),
        *(("docker", "exec"), ("docker", "run"), ("kubectl", "exec"), ("npm", "exec"), ("pnpm", "exec")),
    }
)
_ALL_TWO_DEEP = frozenset({"gh", "glab", "aws", "gcloud", "az"})
_INTERPRETERS = re.compile(r"(?:python|pypy|node|ruby|perl|php|lua|Rscript)[\d.]*|bash|sh|zsh|dash|ksh|ash|fish")
_EXACT = frozenset(
    {
        *("rm", "rmdir", "mv", "cp", "ln", "dd", "shred", "truncate", "install", "tee", "chmod", "chown", "chgrp"),
        *("kill", "pkill", "killall", "shutdown", "reboot", "halt", "mkfs", "mount", "umount", "fdisk", "parted"),
        *("curl", "wget", "scp", "rsync", "sftp", "nc", "ncat", "telnet", "awk", "gawk", "mawk", "sed", "sort", "tar"),
        *("make", "gmake", "just", "task", "ninja", "cmake", "sudo", "doas", "xargs", "zip", "7z", "sqlite3", "psql"),
        *("mysql", "redis-cli", "jq", "open", "xdg-open", "osascript", "pwsh", "powershell", "iptables", "useradd"),
    }
)


def scope_of(line: CommandLine) -> Scope | None:
    """The scope of a command line, None where a yes can only be for once."""
    if line.doubts or not line.commands:
        return None
    keys: dict[str, str] = {}
    for command in line.commands:
        known = [word for word in command.words if word is not None]
        if len(known) != len(command.words) or not known or not _PLAIN.fullmatch(known[0]):
            return None
        key, words = _key(known)
        keys[key] = words
    words = " or ".join(keys.values())
    if len(keys) > MAX_KEYS or len(words) > _MAX_SHOWN * 2:
        return None
    return Scope(tuple(keys), words)


def _key(words: list[str]) -> tuple[str, str]:
    beginning = _beginning(words)
    if beginning is not None:
        text = " ".join(beginning)
        return f"run command: {text}", said("commands that begin with `{words}`", words=text)
    text = shlex.join(words)
    return f"run exactly: {text}", said("exactly `{words}`", words=text)


def _beginning(words: list[str]) -> list[str] | None:
    """The words that say what kind of command it is; None where only all of them do."""
    program = words[0].rpartition("/")[2]
    if program in _EXACT:
        return None
    if _INTERPRETERS.fullmatch(program):
        if words[1:2] == ["-m"] and program.startswith(("python", "pypy")):
            return _plain(words, 3)
        return _plain(words, 2)
    if program in _WITH_SUBCOMMANDS:
        deep = program in _ALL_TWO_DEEP or (program, *words[1:2]) in _TWO_DEEP
        return _plain(words, 3 if deep else 2)
    return words[:1]


def _plain(words: list[str], count: int) -> list[str] | None:
    """The first words, where none of them (but `-m`) is an option or holds anything but plain characters."""
    head = words[:count]
    if len(head) < count or any(word != "-m" and not _PLAIN.fullmatch(word) for word in head[1:]):
        return None
    return head
