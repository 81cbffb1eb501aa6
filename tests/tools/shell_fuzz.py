"""`python -m tests.tools.shell_fuzz [--seconds N] [--seed N]`: command lines under our reading and under the real Bash.

Lines are run where only programs are found that write down how they were called. Each call has to be one of the
commands that were read. Without a risk, no file may come of the line, and no file may be open that was not read as
redirected to; lines that may run programs that were not read are left out.
"""

import argparse
import fcntl
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from kimi_tui.permission.subject import Pattern
from kimi_tui.tools.shell_support.command_parser import CommandLine, parse_command_line
from kimi_tui.tools.shell_support.globs import expand

BASH = shutil.which("bash") or "/bin/bash"
_STUBS = ("ls", "cat", "git", "rm", "a", "b", "x", "1", "in", "-p", "-x", "{ls", "if", "find", "sort", "touch", "EVIL")
_REAL = ("timeout", "nice", "nohup", "env", "stdbuf", "setsid", "bash", "sh", "dash")
_FILES = (
    "a",
    "b",
    "x1",
    "x2",
    "-delete",
    "--output=x",
    "-x",
    "in",
    ".env",
    ".en",
    "a b",
    "ls",
    "1",
    "[a",
    "a[1]",
    "é",
    "x",
)
_RECORD = """#!%s
{
printf '%%s\\0' "${0##*/}" "$@"
printf '\\1\\0'
for descriptor in 0 1 2; do
  for file in "$W"/* "$W"/.[!.]*; do
    [[ /proc/$$/fd/$descriptor -ef $file ]] && printf '%%s\\0' "${file##*/}"
  done
done
} >"$LOG/$$"
"""
_NOBODY = 65534
_END = 57
"""The pipe gets a descriptor from this one on, which no line can name. It is closed when all that a line started has
ended.
"""

CLOSED_WORDS = (
    *("a", "b", "x1", "-x", "--", "-", "--output=x", "-Oa", "12", "1", "2", "0", ".env", "a=b", "x=1", "/dev/null"),
    *(
        "'a b'",
        '"a b"',
        "''",
        '""',
        "'a'\"b\"",
        "a\\ b",
        "\\a",
        "\\-x",
        "'$(EVIL)'",
        '"\\$(EVIL)"',
        "\\`EVIL\\`",
        "'`'",
    ),
    *("a*", "x?", "x[12]", "[a]", "*", "-*", ".e*", "a\\*", "'a'*", "x{1,2}", "{a,b}", "{1..3}", "{}", "{", "}", "a{"),
    *("~", "~/a", "a=~/b", "~+", "~root", "#", "a#b", "!", "!!", "!a", "^a^b", "%1", "@", "+", "=", ",", ":", "%"),
    *("$x", "${x}", "$(EVIL)", "`EVIL`", "$((1))", "$'a'", '$"a"', "$", '"$"', "a$", "$1", "$[1]", "<(EVIL)"),
    *("if", "then", "fi", "do", "done", "in", "esac", "[[", "]]", "[", "]", "time", "coproc", "function", "a()"),
    *("'a[$(EVIL)]'", "'x[`EVIL`]'", "'$(EVIL)'", "-v", "-eq", "%n", "%d", "é", "'a\nb'", "\\\n", "a\\\nb", "\\"),
    *(
        "${x:-$(EVIL)}",
        '"${x:-`EVIL`}"',
        "${x@P}",
        "${!x}",
        "${x[$(EVIL)]}",
        "${x:$(EVIL)}",
        "$((a[$(EVIL)]))",
        "${",
        "$(",
    ),
    *(
        '"$(ls "a b")"',
        '"`ls \\`EVIL\\``"',
        "$(<in)",
        "$(ls <<a\nb\na\n)",
        "$(case a in a) EVIL;; esac)",
        "$(# )\nEVIL)",
    ),
    *(
        "@(a|b)",
        "!(a)",
        "+(EVIL)",
        "?(a)",
        "a[$(EVIL)]=1",
        "x=(a b)",
        "x=$(EVIL)",
        "x+=a",
        "$'\\x27'",
        "$'\\''",
        "$'a\\'b'",
    ),
    *(
        ">(EVIL)",
        "{a,{b,EVIL}}",
        "{a,$(EVIL)}",
        "'a' 'b'",
        '"a\'b"',
        "'a\"b'",
        '\\"',
        "\\'",
        "\u2003",
        "\u0085",
        "a\r",
        "\r",
    ),
    *(
        "${y@P}",
        "$a${y@P}",
        "$((x))",
        "$a$((x))",
        "${a:x}",
        "${x:-$((x))}",
        '"$a${y@P}"',
        "${a:-${y@P}}",
        "${!y}",
        "${y@A}",
    ),
    *(
        "${#x}",
        "${x%a}",
        "${x//a/$((x))}",
        '"${x^^}"',
        "${a[x]}",
        "$[x]",
        "$'\\$(EVIL)'",
        "${a-`EVIL`}",
        "x[$((x))]",
        "{a,$y}",
    ),
    *("a@{0}", "x^{b}", "@{u}", "a@{b,EVIL}", "a@{1..2}", "{a@{0},b}", "HEAD@{1}..x^{a}", "a@{b}@{c}", "@{a}"),
    *(
        "-exec EVIL ;",
        "-exec EVIL \\;",
        "-exec EVIL {} +",
        "-exec ls ';'",
        "-c EVIL",
        "-C EVIL",
        "-p x",
        "{EVIL,a}",
        "{EVIL,-p}",
    ),
)
PROGRAMS = (
    *("ls", "ls", "cat", "git grep", "'l's", "\\ls", "l\\s", '"ls"', "find .", "sort", "./a", "/bin/echo", "a", "1"),
    *("echo", "printf", "test", "[", "true", ":", "cd", "pwd", "type", "command", "builtin", "exec", "eval", "wait"),
    *("jobs", "let", "declare", "read", "unset", "export", "history", "compgen", "mapfile", "hash", "alias", "set"),
    *(
        "time",
        "time -p",
        "!",
        "timeout 5",
        "timeout -k 1 5",
        "nice",
        "nice -n 3",
        "nohup",
        "env",
        "stdbuf -o0",
        "setsid",
    ),
    *("[ -f a ]", "[ a =", "[ ! -e", "[ 1 -eq", "[ -v", "[ -n", "test -f"),
    *(
        "time !",
        "time -p !",
        "! time",
        "time --",
        "coproc",
        "[[ -v",
        "[[ a ==",
        "((",
        "select",
        "while",
        "until",
        "case a in",
        "f()",
    ),
    *(
        "printf -v x",
        "mapfile -C EVIL -c 1 x",
        "trap EVIL EXIT;",
        "hash -p ./a",
        "enable -f ./a",
        "read x",
        "x=a",
        "x= ls",
        "x=a[1]",
    ),
    *(
        "[ -\n",
        "[ a\n",
        "x=(a\n",
        "env -S",
        "env a=b",
        "env -i",
        "xargs",
        "xargs -n1",
        "sudo",
        "command --",
        "exec -a a",
        "builtin eval",
    ),
    *(
        "alias ls=EVIL;",
        "function f {",
        "source",
        "kill -l",
        "kill",
        "umask",
        "ulimit -a",
        "shift",
        "return",
        "exit",
        "break",
        "-p",
        "-v",
    ),
    *("command -v", "bash -c", "sh -c", "dash -c", "bash -c 'ls a'", "sh -c 'ls; cat a'", "{", "(", "if", "trap", "."),
)
REDIRECTIONS = (
    *("2>&1", ">/dev/null", "2>/dev/null", "</dev/null", "<in", "< in", "&>/dev/null", ">&2", "2>&-", "<&-", ">&-"),
    *("12>&1", "{a}>&1", "{a}>/dev/null", ">x", ">>x", ">|x", "<>in", "&>x", "&>>x", ">& x", "<&0", "<&0-", ">&1-"),
    *(
        "-x2>&1",
        "a2>&1",
        "2>&-1",
        "2>&1x",
        "3>&1",
        "<<<a",
        "<<a\na\n",
        "<<'a'\n$(EVIL)\na\n",
        "<<a \n\ta\n#$(EVIL)",
        "<<-'a'#b\n\ta\n",
        "2>&1>x",
        ">&1>/dev/null",
    ),
    *("'2'>&1", "\\2>&1", "2\\\n>&1", "2> &1", "2 >&1", ">/dev/nul?", "<.en?", "<i*", ">&'1'", ">&\u00b2", "1>&0x1"),
)
JOINTS = (
    *(
        " ; ",
        ";",
        " && ",
        "&&",
        " || ",
        "||",
        " | ",
        "|",
        " |& ",
        "|&",
        " & ",
        "&",
        "\n",
        " \\\n",
        ";;",
    ),
    *("; ;", "\n\n"),
    *(
        " #a\n",
        "#a\n",
        " ",
        "",
        "(",
        ")",
        " ( ",
        " ) ",
        "{ ",
        "; }",
        " }",
        "\r\n",
        "\t",
        "\v",
        "\f",
        "\u00a0",
        "\u2028",
    ),
)
GROUPS = (
    *("(%s)", "{ %s; }", "( %s )", "! %s", "{ %s\n}", "if %s; then ls; fi", "for x in a b; do %s; done"),
    *(
        "f() { %s; }; f",
        "function f { %s; }",
        "coproc %s",
        "coproc x { %s; }",
        "(( a )) && %s",
        "[[ a ]] && %s",
        "time { %s; }",
    ),
    *(
        "time ( %s )",
        "for ((;;)); do %s; break; done",
        "select x in a; do %s; done",
        "x=(%s)",
        "until %s; do break; done",
    ),
    *(
        "while %s; do break; done <in",
        "ls <(%s)",
        "ls `%s`",
        'ls "$(%s)" a',
        "if ls; then %s; else ls; fi",
        "cat <<-a\n\t$(%s)\n\ta\n",
    ),
    *(
        "cat <<a | ls\n%s\na\n",
        "cat <<a <<b\na\n%s\nb\n",
        "case a in (a|b) %s ;& *) ls;; esac",
        "[ $(%s) ]",
        "{ %s; } 2>&1 | ls",
    ),
    *("case a in a) %s;; esac", "cat <<a\n$(%s)\na\n", "cat <<'a'\n%s\na\n", "echo $(%s)", 'echo "$(%s)"', "x=$(%s)"),
)
CHARACTERS = " \t\n\\'\"`$(){}[]<>|&;*?!#~=-+%^,:.@/012aels"


def any_line(rng: random.Random) -> str:
    """A line: mostly plain, with something nasty here and there, and sometimes a few characters changed."""
    nasty = rng.choice((0.0, 0.1, 0.3, 0.8))
    parts: list[str] = []
    for number in range(rng.choice((1, 1, 2, 3))):
        if number:
            parts.append(rng.choice(JOINTS if rng.random() < nasty else JOINTS[:13]))
        parts.append(_command(rng, nasty))
    line = "".join(parts)
    for _ in range(rng.choice((0, 0, 0, 1, 2))):
        at = rng.randrange(len(line) + 1)
        line = line[:at] + rng.choice(CHARACTERS) + line[at + rng.choice((0, 1)) :]
    if rng.random() < 0.05:
        line = f"{rng.choice(('bash', 'sh', 'dash'))} -c {_in_quotes(line)}"
    return line


def _command(rng: random.Random, nasty: float) -> str:
    words = [rng.choice(PROGRAMS if rng.random() < max(nasty, 0.3) else PROGRAMS[:14])]
    for _ in range(rng.choice((0, 1, 1, 2, 3, 4))):
        kind = rng.random()
        if kind < 0.3:
            words.append(rng.choice(REDIRECTIONS if rng.random() < nasty else REDIRECTIONS[:11]))
        elif kind < 0.4:
            words.append("".join(rng.choices(CLOSED_WORDS, k=rng.choice((2, 2, 3)))))
        else:
            words.append(rng.choice(CLOSED_WORDS if rng.random() < nasty else CLOSED_WORDS[:28]))
    between = " " if rng.random() < 0.9 else rng.choice(("", "  ", "\t", " \\\n", "\\\n"))
    command = between.join(words)
    while rng.random() < 0.08:
        command = rng.choice(GROUPS if rng.random() < max(nasty, 0.3) else GROUPS[:7]) % command
    return command


def _in_quotes(text: str) -> str:
    return "'" + text.replace("'", "'\\''") + "'"


@dataclass(frozen=True, slots=True)
class Call:
    words: tuple[str, ...]
    open: tuple[str, ...]


class Range:
    """A scratch folder with the recording programs, in which lines are run: with root's rights, as a user who can write
    nowhere else, since a line may redirect to `/null`.
    """

    def __init__(self, root: Path) -> None:
        self._root = root
        self._user = _NOBODY if os.geteuid() == 0 else None
        self.work = root / "work"
        self.home = root / "home"
        self._log = root / "log"
        programs = root / "bin"
        for folder in (self.work, self._log, programs, self.home):
            folder.mkdir()
        for name in _STUBS:
            (programs / name).write_text(_RECORD % BASH)
            (programs / name).chmod(0o755)
        for name in _REAL:
            if real := shutil.which(name):
                (programs / name).symlink_to(real)
        self._env = {"PATH": str(programs), "W": str(self.work), "LOG": str(self._log), "HOME": str(self.home)}
        self._env |= {"x": "a[$(EVIL)]", "y": "$(EVIL)"}
        self._before: list[tuple[str, int, int]] = []
        self._reset()

    def _reset(self) -> None:
        shutil.rmtree(self.work)
        shutil.rmtree(self.home)
        self.work.mkdir()
        self.home.mkdir()
        for one in self._root.iterdir():
            if one.is_file():
                one.unlink()
        for name in _FILES:
            (self.work / name).write_text("")
        shutil.copy(self._root / "bin" / "a", self.work / "a")
        if self._user is not None:
            for one in (self._root, self.work, self.home, self._log, *self.work.iterdir()):
                os.chown(one, self._user, self._user)
        self._before = self._listing()

    def run(self, line: str) -> tuple[list[Call], list[str]]:
        """What was called, and the files that came, went or changed; those are put back."""
        reading, writing = os.pipe()
        end = fcntl.fcntl(writing, fcntl.F_DUPFD_CLOEXEC, _END)
        try:
            process = subprocess.Popen(
                [BASH, "-c", line],
                cwd=self.work,
                env=self._env | {"LC_ALL": "C.UTF-8"},
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                pass_fds=(end,),
                start_new_session=True,
                user=self._user,
                group=self._user,
                extra_groups=None if self._user is None else (),
            )
        finally:
            os.close(writing)
            os.close(end)
        with os.fdopen(reading, "rb") as all_ended:
            try:
                process.wait(5)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
            all_ended.read()
        calls = [_call(file) for file in sorted(self._log.iterdir())]
        for file in self._log.iterdir():
            file.unlink()
        after = self._listing()
        if after != self._before:
            changed = sorted({name for name, _, _ in set(after) ^ set(self._before)})
            self._reset()
            return calls, changed
        return calls, []

    def as_written(self, words: tuple[str, ...]) -> tuple[str, ...]:
        """With folders that a tilde may stand for as a tilde."""
        names = {str(self.home): "~", str(self.work): "~+", "/root": "~root"}
        for folder, tilde in names.items():
            words = tuple(re.sub(r"~[+-]?\d+", "~+", word).replace(folder, tilde) for word in words)
        return words

    def _listing(self) -> list[tuple[str, int, int]]:
        found: list[tuple[str, int, int]] = []
        for folder in (self.work, self.home, self._root):
            found += [
                (one.name, one.stat().st_size, one.stat().st_mtime_ns) for one in folder.iterdir() if one.is_file()
            ]
        return sorted(found)


@contextmanager
def scratch_range() -> Generator[Range]:
    """A range in a folder of its own, which every user can enter; it is deleted at the end."""
    with tempfile.TemporaryDirectory(prefix="kimi-tui-shell-fuzz-", ignore_cleanup_errors=True) as folder:
        Path(folder).chmod(0o755)
        yield Range(Path(folder))


def _call(file: Path) -> Call:
    *fields, _ = file.read_bytes().decode("utf-8", "surrogateescape").split("\0")
    at = fields.index("\1") if "\1" in fields else len(fields)
    return Call(tuple(fields[:at]), tuple(fields[at + 1 :]))


def difference(line: str, read: CommandLine, place: Range) -> str | None:
    """What Bash did of a line that was not read in it. With risks, only its programs and words are compared."""
    files = {name for file in read.files for name in (file, Path(file).name)}
    calls, changed = place.run(line)
    expected = [_as_run(command.words, place, changed) for command in read.commands]
    if changed and not read.risks:
        return f"it changed {changed}"
    for call in calls:
        if not any(_is_run(place.as_written(call.words), words) for words in expected):
            return f"it called {call.words}, which is none of {[command.words for command in read.commands]}"
        for name in call.open:
            if (
                not read.risks and name not in files and name != call.words[0]
            ):  # a program of ours is a script, which Bash opens
                return f"{name} is open"
    return None


def _as_run(words: tuple[str | None, ...], place: Range, made: list[str]) -> list[str | frozenset[str] | None]:
    """The words as a program gets them: its name alone, for a pattern the words of which any may come, None for any.

    A pattern may name the files `made` by the line too.
    """
    given: list[str | frozenset[str] | None] = []
    for number, word in enumerate(words):
        if word is None:
            given.append(None)
        elif isinstance(word, Pattern):
            given.append(frozenset(place.as_written((word, *expand(word.spelled, place.work).paths, *made))))
        else:
            given.extend(place.as_written((word.rpartition("/")[2] if number == 0 else word,)))
    return given


def _is_run(ran: tuple[str, ...], words: list[str | frozenset[str] | None]) -> bool:
    if not words:
        return not ran
    first, rest = words[0], words[1:]
    if isinstance(first, str):
        return ran[:1] == (first,) and _is_run(ran[1:], rest)
    if first is None:
        return any(_is_run(ran[count:], rest) for count in range(len(ran) + 1))
    most = next((count for count, word in enumerate(ran) if word not in first), len(ran))
    return any(_is_run(ran[count:], rest) for count in range(1, most + 1))


def runnable(line: str) -> bool:
    """Nothing that reaches beyond the scratch folder though it leaves no risk."""
    return "\0" not in line and not any(word in line for word in ("kill", "suspend", "ulimit"))


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.tools.shell_fuzz")
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, default=None)
    options = parser.parse_args()
    seed = options.seed if options.seed is not None else random.SystemRandom().randrange(1 << 32)
    rng = random.Random(seed)
    until = time.monotonic() + options.seconds
    made = ran = doubtful = 0
    found: list[tuple[str, str]] = []
    seen: set[str] = set()
    with scratch_range() as place:
        os.environ["HOME"] = str(place.home)  # our reading expands a tilde too
        while time.monotonic() < until:
            line = any_line(rng)
            made += 1
            if line in seen or not runnable(line):
                continue
            seen.add(line)
            read = parse_command_line(line)
            if read.unread:
                continue
            ran += not read.risks
            doubtful += bool(read.risks)
            if (why := difference(line, read, place)) is not None:
                found.append((line, why))
                print(f"{line!r}\n    {why}")
                sys.stdout.flush()
    print(f"seed {seed}: {made} lines made, {ran} without risks and {doubtful} others run, {len(found)} differences")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
