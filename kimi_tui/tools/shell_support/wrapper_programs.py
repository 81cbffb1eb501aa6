"""Unwraps programs that run other programs, such as `timeout`, `xargs` and `bash -c`."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import dropwhile, takewhile

from kimi_tui.permission.command_risk import CommandRisk, RiskKind
from kimi_tui.permission.programs.classifier import classify
from kimi_tui.permission.programs.options import Level
from kimi_tui.permission.subject import Pattern
from kimi_tui.tools.shell_support.builtins import assignment_risks, builtin_risks

Words = tuple[str | None, ...]


@dataclass(frozen=True, slots=True)
class InnerCommand:
    """A simple command within a wrapper."""

    words: Words


@dataclass(slots=True)
class UnwrappedCommand:
    """The commands that a wrapper would run: simple commands, or texts that are command lines.

    `replaced`: the wrapper itself has no further effects.
    """

    inner: list[InnerCommand | str] = field(default_factory=list[InnerCommand | str])
    risks: list[CommandRisk] = field(default_factory=list[CommandRisk])
    replaced: bool = False


SHELLS = frozenset({"bash", "sh", "dash", "zsh", "ksh", "ash", "fish"})
_READ_AS_BASH = frozenset({"bash", "sh", "dash", "ash"})
_RUN_OTHERS = frozenset(
    {
        *("parallel", "watch", "ssh", "script", "flock", "chroot", "unshare", "nsenter", "strace", "ltrace", "gdb"),
        *("su", "runuser", "systemd-run", "at", "batch", "crontab", "expect", "screen", "tmux", "busybox", "toybox"),
        *("dbus-run-session", "xvfb-run", "start-stop-daemon", "bwrap", "firejail", "proot", "ld.so", "entr", "socat"),
        *("vim", "vi", "nvim", "emacs", "ed", "ex", "nano", "less", "more", "man"),
    }
)
_RISKY_OPTIONS = (
    *("--output", "--exec", "--exec-path", "--exec-batch", "--upload-pack", "--receive-pack", "--ext-diff"),
    *("--textconv", "--to-command", "--use-compress-program", "--compress-program", "--checkpoint-action"),
    *("--open-files-in-pager", "--config-env", "--rsh", "--rsync-path", "--pre", "--hostname-bin", "--init-file"),
    *("--rcfile", "--eval", "--pager", "--editor", "--config", "--unsafe-paths"),
)

_COMPLETE_OPTIONS = frozenset({"--check", "--init", "--co", "--output"})
"""Options of some programs that are a risky one of others, or the beginning of one."""
_KNOWN_WHOLLY = frozenset({"git", "cargo", "kubectl", "oc", "helm"})
"""Programs of which each option that is not listed is dangerous."""


def unwrap(words: Words) -> UnwrappedCommand:
    """Return what these words run. Unknown options produce a risk."""
    if not words:
        return UnwrappedCommand()
    program = words[0]
    if program is None or isinstance(program, Pattern):
        return UnwrappedCommand(risks=[CommandRisk(RiskKind.UNKNOWN_PROGRAM)])
    name = program.rpartition("/")[2]
    unwrapped = _WRAPPERS[name](words) if name in _WRAPPERS else UnwrappedCommand()
    if name in SHELLS:
        unwrapped = _shell(words)
    elif name in _RUN_OTHERS:
        unwrapped.risks.append(CommandRisk(RiskKind.RUNS_OTHERS, name))
    # defence: wrapper-by-path
    if "/" in program:  # anyone may have written the file
        unwrapped.replaced = False
    unwrapped.risks.extend(builtin_risks(name, words))  # defence: evaluating-builtin
    unwrapped.risks.extend(_risky(name, words))
    return unwrapped


def _risky(name: str, words: Words) -> list[CommandRisk]:
    for word in words[1:]:
        if word is None:
            continue
        option = word.partition("=")[0]
        if option.startswith("--") and len(option) > 2 and any(risk.startswith(option) for risk in _RISKY_OPTIONS):
            if option in _COMPLETE_OPTIONS and _is_listed(words):
                continue
            return [CommandRisk(RiskKind.RISKY_OPTION, option)]
        if name == "git" and (word.startswith("-O") or "::" in word):
            return [CommandRisk(RiskKind.RISKY_OPTION, word)]
    return []


def _is_listed(words: Words) -> bool:
    """Whether the tables list all options of this command, and none is dangerous."""
    known = tuple(word for word in words if word is not None)
    found = classify(known)
    is_listed = found.level <= Level.HARMLESS or (known[0] in _KNOWN_WHOLLY and found.level < Level.DANGER)
    return len(known) == len(words) and is_listed  # defence: listed-options


def _after_options(words: Words, flags: str, valued: str, *, long: tuple[str, ...] = ()) -> Words | None:
    """Return the words after the wrapper's own options; None if one is unknown.

    `flags` are the letters of options without a value, `valued` of those with one (joined or as the next word). `long`
    are the long options, with a trailing `=` if the value is in the same word.
    """
    rest = words[1:]
    while rest:
        option = rest[0]
        if option is None:
            return None
        if option == "--":
            return rest[1:]
        if not option.startswith("-") or option == "-":
            return rest
        if option.startswith("--"):
            name, equals, _ = option.partition("=")
            if name + equals not in long:
                return None
            rest = rest[1:]
        elif option[1] in valued:
            rest = rest[2:] if len(option) == 2 else rest[1:]
        elif all(letter in flags for letter in option[1:]):
            rest = rest[1:]
        else:
            return None
    return rest


def _runs(
    flags: str = "", valued: str = "", *, skip: int = 0, long: tuple[str, ...] = (), risk: CommandRisk | None = None
) -> Callable[[Words], UnwrappedCommand]:
    """Make a wrapper that runs its words after the options and `skip` more. Without a risk it adds no effects."""

    def unwrap_it(words: Words) -> UnwrappedCommand:
        rest = _after_options(words, flags, valued, long=long)
        risks = [risk] if risk else []
        own_words = words[1:] if rest is None else words[1 : len(words) - len(rest[skip:])]
        if rest is None or any(word is None or isinstance(word, Pattern) for word in own_words):
            return UnwrappedCommand(risks=[*risks, CommandRisk(RiskKind.UNKNOWN_OPTION, words[0] or "")])
        inner = rest[skip:]
        if not inner:
            return UnwrappedCommand(risks=risks)
        return UnwrappedCommand([InnerCommand(inner)], risks, replaced=risk is None)

    return unwrap_it


def _nice(words: Words) -> UnwrappedCommand:
    if len(words) > 1 and words[1] is not None and words[1].lstrip("-").isdigit() and words[1].startswith("-"):
        words = (words[0], *words[2:])
    return _runs(valued="n", long=("--adjustment=",))(words)


def _command(words: Words) -> UnwrappedCommand:
    if len(words) > 1 and words[1] in ("-v", "-V"):
        return UnwrappedCommand()
    return _runs()(words)


def _exec(words: Words) -> UnwrappedCommand:
    return _runs("cl", "a")(words)


def _as_user(flags: str, valued: str, long: tuple[str, ...] = ()) -> Callable[[Words], UnwrappedCommand]:
    def unwrap_it(words: Words) -> UnwrappedCommand:
        unwrapped = _runs(flags, valued, long=long, risk=CommandRisk(RiskKind.OTHER_USER))(words)
        for inner in unwrapped.inner:
            if isinstance(inner, InnerCommand):  # `sudo A=1 x` sets A and runs x
                unwrapped.inner = [*_behind_assignments(inner.words)]
        return unwrapped

    return unwrap_it


def _behind_assignments(words: Words) -> Iterator[InnerCommand]:
    """Yield what runs behind assignments; a word known only at run time may be one, or the program."""
    rest = tuple(dropwhile(lambda word: word is not None and "=" in word, words))
    known_words = tuple(dropwhile(lambda word: word is None or "=" in word, rest))
    for inner in dict.fromkeys((rest, known_words)):  # defence: assignment-or-program
        if inner:
            yield InnerCommand(inner)


def _env(words: Words) -> UnwrappedCommand:
    rest = _after_options(
        words, "i0v", "uC", long=("--ignore-environment", "--null", "--debug", "--unset=", "--chdir=")
    )
    if rest is None:
        return UnwrappedCommand(risks=[CommandRisk(RiskKind.UNKNOWN_OPTION, "env")])
    risks = [] if rest == words[1:] else [CommandRisk(RiskKind.CHANGES_ENVIRONMENT)]
    for word in takewhile(lambda word: word is None or "=" in word, rest):
        risks = [*(risks or [CommandRisk(RiskKind.CHANGES_ENVIRONMENT)]), *assignment_risks(word or "")]
    return UnwrappedCommand([*_behind_assignments(rest)], risks, replaced=bool(rest) and not risks)


def _shell(words: Words) -> UnwrappedCommand:
    """Unwrap `bash -c TEXT`; a script file is an ordinary command; standard input is a risk."""
    name = (words[0] or "").rpartition("/")[2]
    login: list[CommandRisk] = []
    for index, word in enumerate(words[1:], 1):
        if word is None:
            return UnwrappedCommand(risks=[CommandRisk(RiskKind.UNKNOWN_SCRIPT, words[0] or "")])
        if word.startswith("--") or word[:1] == "+" or word in ("-o", "-O"):
            return UnwrappedCommand(risks=[CommandRisk(RiskKind.UNKNOWN_OPTION, words[0] or "")])
        if not word.startswith("-") or word == "-":
            return UnwrappedCommand(risks=[CommandRisk(RiskKind.INPUT_IS_RUN)] if word == "-" else login)
        letters = word[1:]
        if "l" in letters:
            login = [CommandRisk(RiskKind.LOGIN_SHELL)]
        if not set(letters) <= set("ceuxlvfn"):
            return UnwrappedCommand(risks=[CommandRisk(RiskKind.UNKNOWN_OPTION, words[0] or "")])
        if "c" in letters:
            text = words[index + 1] if len(words) > index + 1 else None
            if text is None or len(words) > index + 2 or name not in _READ_AS_BASH:
                risks = [CommandRisk(RiskKind.UNKNOWN_SCRIPT, f"{words[0]} -c")]
                return UnwrappedCommand([text] if text else [], risks)
            return UnwrappedCommand([text], login, replaced=not login)
    return UnwrappedCommand(risks=[CommandRisk(RiskKind.INPUT_IS_RUN)])


def _eval(words: Words) -> UnwrappedCommand:
    known_words = [word for word in words[1:] if word is not None]
    all_known = len(known_words) == len(words) - 1
    return UnwrappedCommand([" ".join(known_words)] if all_known and known_words else [], [CommandRisk(RiskKind.EVAL)])


def _find(words: Words) -> UnwrappedCommand:
    unwrapped = UnwrappedCommand()
    index = 1
    while index < len(words):
        word = words[index]
        index += 1
        if word in ("-delete", "-fprint", "-fprint0", "-fprintf", "-fls"):
            unwrapped.risks.append(CommandRisk(RiskKind.CHANGES_FILES, f"find {word}"))
        elif word in ("-exec", "-execdir", "-ok", "-okdir"):
            unwrapped.risks.append(CommandRisk(RiskKind.RUNS_LISTED, f"find {word}"))
            inner: list[str | None] = []
            while index < len(words) and words[index] not in (";", "+"):
                inner.append(words[index])
                index += 1
            if inner:
                unwrapped.inner.append(InnerCommand(tuple(inner)))
    return unwrapped


_WRAPPERS: dict[str, Callable[[Words], UnwrappedCommand]] = {
    "timeout": _runs(
        "v", "ks", skip=1, long=(*("--preserve-status", "--foreground", "--verbose"), *("--kill-after=", "--signal="))
    ),
    "nice": _nice,
    "nohup": _runs(),
    "time": _runs("p"),
    "stdbuf": _runs("", "ioe", long=("--input=", "--output=", "--error=")),
    "setsid": _runs("cfw", long=("--ctty", "--fork", "--wait")),
    "ionice": _runs("t", "cn", long=("--class=", "--classdata=", "--ignore")),
    "command": _command,
    "builtin": _runs(),
    "env": _env,
    "sudo": _as_user("EnHSkbA", "ugpChrtTU", ("--user=", "--group=", "--non-interactive", "--set-home")),
    "doas": _as_user("Ln", "uC"),
    "xargs": _runs(
        "0rtpxo",
        "nPILdsaE",
        long=(
            *("--null", "--no-run-if-empty", "--verbose", "--interactive", "--exit", "--open-tty", "--max-args="),
            *("--max-procs=", "--replace=", "--delimiter=", "--max-lines=", "--max-chars=", "--arg-file=", "--eof="),
        ),
        risk=CommandRisk(RiskKind.UNKNOWN_ARGUMENTS, "xargs"),
    ),
    "eval": _eval,
    "exec": _exec,
    "find": _find,
}
