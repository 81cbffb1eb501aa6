"""The command of a node, with its variables passed as environment variables, so that no value becomes code.

A command without variables may contain anything. One with variables may contain only listed constructs, which treat the
value of a shell variable as data: no arithmetic, no `eval`, no other shell. Bash never parses a value as code:
`echo ${a.text}` runs as `echo "${KT_1}"`. A value that a program could take for an option is refused, unless `--` is
before it.
"""

import itertools
import re
import shlex
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from typing import TYPE_CHECKING

from kimi_tui.flow.model.variables import Variable, references
from kimi_tui.i18n import UserText, tr

if TYPE_CHECKING:
    from tree_sitter import Node, Parser

MAX_VARIABLES = 16
MAX_VALUE_BYTES = 64 * 1024
MAX_TEMPLATE_BYTES = 16 * 1024
PREFIX = "KT_"

_PLAIN = bytes(code if " " <= chr(code) <= "~" or code == 9 else ord("x") for code in range(256))
"""Non-ASCII bytes crash the parser; Bash treats them like letters."""
_ALLOWED = frozenset(
    {
        *("program", "list", "pipeline", "subshell", "compound_statement", "negated_command", "redirected_statement"),
        *("if_statement", "elif_clause", "else_clause", "while_statement", "do_group", "for_statement"),
        *("command", "command_name", "command_substitution", "file_redirect", "file_descriptor"),
        *("word", "number", "string", "string_content", "raw_string", "concatenation"),
        *("simple_expansion", "expansion", "variable_name", "special_variable_name"),
    }
)
_TOKENS = frozenset(
    {
        *(";", "&&", "||", "|", "|&", "&", "(", ")", "{", "}", "!", "$(", '"', "$", "${", "\n"),
        *("if", "then", "elif", "else", "fi", "while", "until", "do", "done", "for", "in"),
        *(">", ">>", "<", ">&", "&>", "&>>", "2>"),
    }
)
_PLAIN_EXPANSION = re.compile(r"\$\{[A-Za-z_][A-Za-z0-9_]*\}\Z")
_DESCRIPTOR = re.compile(r"\d*>&\s*[\w./-]+")
_STORES = re.compile(r"%[^A-Za-z%]*[hjlLtz]*n")
"""A directive of `printf` that sets the variable named by its argument."""
_LITERAL = re.compile(r"[A-Za-z0-9_./@%+:,=-]+\Z")
_SET_OPTIONS = re.compile(r"[-+][euxf]*o?|pipefail")
_OTHER_BUILTINS = frozenset(
    {
        *(".", "alias", "bg", "bind", "break", "builtin", "caller", "command", "compgen", "complete", "compopt"),
        *("continue", "coproc", "declare", "dirs", "disown", "enable", "eval", "exec", "export", "fc", "fg"),
        *("getopts", "hash", "help", "history", "jobs", "kill", "let", "local", "logout", "mapfile", "popd", "pushd"),
        *("read", "readarray", "readonly", "return", "shift", "shopt", "source", "suspend", "test", "times", "trap"),
        *("type", "typeset", "ulimit", "umask", "unalias", "unset", "wait", "[", "[[", "time", "function", "select"),
    }
)
_RUNS_ITS_ARGUMENTS = frozenset(
    {
        *("sh", "bash", "rbash", "dash", "ash", "zsh", "ksh", "mksh", "csh", "tcsh", "fish", "busybox", "pwsh"),
        *("env", "nice", "nohup", "timeout", "setsid", "stdbuf", "sudo", "doas", "su", "runuser", "chroot", "unshare"),
        *("xargs", "parallel", "watch", "script", "flock", "ssh", "find", "entr", "strace", "ltrace", "gdb", "expect"),
        *("perl", "ruby", "node", "nodejs", "deno", "bun", "php", "lua", "luajit", "tclsh", "awk", "gawk", "mawk"),
        *("nawk", "sed", "ed", "ex", "vi", "vim", "nvim", "emacs", "osascript", "make", "gmake", "m4", "bc", "dc"),
        *("at", "batch", "crontab", "systemd-run", "tmux", "screen", "docker", "podman", "kubectl", "psql", "sqlite3"),
    }
)
_SHELL = re.compile(r"(?:r?ba|da|a|z|r?k|mk|pdk|c|tc|fi|xon|pw)?sh(?:[0-9.-][\w.-]*)?|elvish|nu|nushell|busybox|toybox")
_CODE_OPTION = re.compile(r"(?:-[ce]|--?(?:eval|exec|execute|command))(?P<joined>[=\"'$].*)?", re.DOTALL)
"""An option whose value many programs run as code."""
_DATA_AFTER_OPTION = frozenset(
    {
        *("grep", "egrep", "fgrep", "zgrep", "rg", "echo", "wc", "head", "tail", "cut", "sort", "cmp", "uniq", "diff"),
        *("cc", "gcc", "g++", "clang", "clang++", "ping", "cat", "ls", "git switch", "git commit"),
    }
)
"""The programs for which the value after such an option is data."""
_WITHOUT_OPTIONS = frozenset({"echo", "printf"})
"""The builtins whose options run nothing and write nothing; the first operand of `printf` is a text of the chart."""
_MAY_BE_EMPTY = re.compile(r"\$(?:\w+|\{\w+\}|[^\w({])|[\"']")
"""What may add nothing to a word: a variable, a quote."""
_BEGUN = re.compile(r"[\w./@%+:,=~-]")
_NO_OPTION = re.compile(r"-(?:\s|--|[0-9]+(?:\.[0-9]+)?\Z|\Z)")
"""Values with a `-` that no program takes for an option that it has: an item of a list, a line, a negative number."""
_PYTHON = re.compile(r"(?:python|pypy|perl|ruby|lua|php|node|tclsh)[0-9.]*\Z")


class CommandTemplateError(ValueError):
    """A command cannot use its variables; the message says why, and what to write."""

    def __init__(self, cause: UserText) -> None:
        self.cause = cause
        super().__init__(cause)


@dataclass(frozen=True, slots=True)
class _Slot:
    """A variable in the command: its place in the text with placeholders, and whether it is in double quotes.

    `program` is the program that takes the value for an option if it is spelled like one; "" if none does.
    """

    variable: Variable
    name: str
    start: int
    end: int
    quoted: bool = False
    program: str = ""


@dataclass(frozen=True, slots=True)
class BoundCommand:
    """A command ready to run: `shown` contains the values; Bash runs `line` with the variables in `env`."""

    shown: str
    line: str
    env: Mapping[str, str] = field(default_factory=dict[str, str])


@dataclass(frozen=True, slots=True)
class CommandTemplate:
    """A checked command. `text` has a placeholder `${KT_n}` for each variable."""

    text: str
    slots: tuple[_Slot, ...] = ()

    def bind(self, value_of: Callable[[Variable], str]) -> BoundCommand:
        """Insert the values. Raises CommandTemplateError for a value that cannot be passed to a command."""
        env: dict[str, str] = {}
        shown: list[str] = []
        line: list[str] = []
        here = 0
        for slot in self.slots:
            value = value_of(slot.variable)
            if "\0" in value:
                raise CommandTemplateError(tr("the value of `{variable}` contains a NUL character",
                    variable=slot.variable))  # fmt: skip
            if len(value.encode("utf-8", "replace")) > MAX_VALUE_BYTES:  # defence: bound-command-values
                raise CommandTemplateError(tr("the value of `{variable}` is longer than 64 KiB",
                    variable=slot.variable))  # fmt: skip
            value = value.encode("utf-8", "replace").decode()
            if slot.program and value.startswith("-") and not _NO_OPTION.match(value):  # defence: values-no-options
                raise CommandTemplateError(
                    tr("the value of `{variable}` begins with `-`, so `{program}` could take it for an option; "
                    "write `--` before the variable", variable=slot.variable, program=slot.program)
                )  # fmt: skip
            env[slot.name] = value
            between, literal = self.text[here : slot.start], self._literal(slot, value)
            shown += (between, f'"{literal}"' if slot.quoted else literal)
            line += (between, f"${{{slot.name}}}" if slot.quoted else f'"${{{slot.name}}}"')  # defence: values-as-data
            here = slot.end
        rest = self.text[here:]
        return BoundCommand("".join(shown) + rest, "".join(line) + rest, env)

    def _literal(self, slot: _Slot, value: str) -> str:
        """The value as a Bash word; always quoted next to other text, so that the two stay separate."""
        around = self.text[: slot.start][-1:] + self.text[slot.end :][:1]
        literal = shlex.quote(value)
        return f"'{value}'" if literal == value and around.strip() else literal  # defence: values-shown-apart


def read_command(command: str) -> CommandTemplate:
    """Check a command and find its variables. Raises CommandTemplateError."""
    text, slots = _with_placeholders(command)
    if not slots:
        return CommandTemplate(text)
    if len(slots) > MAX_VARIABLES:
        raise CommandTemplateError(tr("a command can have at most {most} variables", most=MAX_VARIABLES))
    if len(text.encode("utf-8", "replace")) > MAX_TEMPLATE_BYTES:
        raise CommandTemplateError(tr("a command with variables can have at most 16 KiB"))
    if PREFIX in re.sub(r"\$\{KT_\d+\}", "", text):
        raise CommandTemplateError(tr("names that start with `{prefix}` are reserved", prefix=PREFIX))
    checker = _Checker(text, slots)
    checker.check()
    quoted, programs = checker.quoted, checker.programs
    return CommandTemplate(
        text, tuple(replace(slot, quoted=slot.name in quoted, program=programs.get(slot.name, "")) for slot in slots)
    )


def _with_placeholders(command: str) -> tuple[str, list[_Slot]]:
    parts: list[str] = []
    slots: list[_Slot] = []
    here = length = 0
    for reference in references(command):
        before = command[here : reference.start]
        here = reference.end
        placed = "${"
        if reference.variable is not None:
            name = f"{PREFIX}{len(slots) + 1}"
            placed = f"${{{name}}}"
            start = length + len(before)
            slots.append(_Slot(reference.variable, name, start, start + len(placed)))
        parts += (before, placed)
        length += len(before) + len(placed)
    return "".join(parts) + command[here:], slots


class _Checker:
    """Walks the tree of a command with placeholders; only listed constructs may be in it."""

    def __init__(self, text: str, slots: list[_Slot]) -> None:
        self._text = text
        self._bytes = text.encode("utf-8", "replace")
        self._names = {slot.name: str(slot.variable) for slot in slots}
        self._found: set[str] = set()
        self.quoted: set[str] = set()
        """The placeholders within double quotes."""
        self.programs: dict[str, str] = {}
        """The programs of the placeholders whose value could be an option."""

    def check(self) -> None:
        """Check the command. Raises CommandTemplateError."""
        root = _parser().parse(self._bytes.translate(_PLAIN)).root_node
        if root.has_error:
            raise CommandTemplateError(tr("the command cannot be parsed, so its variables cannot be placed safely"))
        waiting = [root]
        while waiting:
            node = waiting.pop()
            self._check_node(node)
            waiting.extend(node.children)
        for name, variable in self._names.items():
            if name not in self._found:  # defence: values-at-known-places
                raise CommandTemplateError(_not_here(variable))

    def _check_node(self, node: "Node") -> None:
        kind = node.type
        if not node.is_named:
            if kind not in _TOKENS:
                raise CommandTemplateError(_not_with_variables(self._source(node)))
            return
        if kind not in _ALLOWED:
            raise CommandTemplateError(_not_with_variables(self._source(node)))
        match kind:
            case "command":
                self._check_command(node)
            case "expansion":
                self._check_expansion(node)
            case "file_redirect" if any(child.type == ">&" for child in node.children):
                if not _DESCRIPTOR.fullmatch(self._source(node)):  # defence: redirection-expanded-twice
                    raise CommandTemplateError(_not_with_variables(self._source(node)))
            case "variable_name" if self._source(node) in self._names and not _within(node, "expansion"):
                raise CommandTemplateError(_not_here(self._names[self._source(node)]))
            case _:
                pass

    def _check_expansion(self, node: "Node") -> None:
        source = self._source(node).lstrip()  # the parser counts blanks before it in
        if not _PLAIN_EXPANSION.match(source):
            raise CommandTemplateError(_not_with_variables(source))
        name = source[2:-1]
        if name not in self._names:
            return
        word, parent = node, node.parent
        while parent is not None and parent.type in ("string", "concatenation"):
            if parent.type == "string":
                self.quoted.add(name)
            word, parent = parent, parent.parent
        if parent is None or parent.type != "command":  # an argument, not a name, a file or a value of a variable
            raise CommandTemplateError(_not_here(self._names[name]))
        self._found.add(name)
        program = parent.child_by_field_name("name")
        arguments = parent.children_by_field_name("argument")
        ended = any(self._source(one) == "--" for one in arguments if one.end_byte <= word.start_byte)
        begun = _MAY_BE_EMPTY.sub("", self._source(word).lstrip().partition(f"${{{name}}}")[0])
        if program is not None and self._source(program) not in _WITHOUT_OPTIONS and not (ended or _BEGUN.match(begun)):
            self.programs[name] = self._source(program)

    def _check_command(self, node: "Node") -> None:
        name_node = node.child_by_field_name("name")
        name = "" if name_node is None else self._source(name_node)
        if not _LITERAL.match(name) or "=" in name:
            raise CommandTemplateError(tr("write the program name in `{command}` without variables or quotes",
                command=_short(self._source(node))))  # fmt: skip
        program = name.rsplit("/", 1)[-1]
        arguments = [self._source(argument) for argument in node.children_by_field_name("argument")]
        evaluates = program in _RUNS_ITS_ARGUMENTS or _PYTHON.match(program) is not None
        evaluates = evaluates or self._passes_code(program, arguments)  # defence: values-not-run-by-programs
        if evaluates or name in _OTHER_BUILTINS:
            raise CommandTemplateError(
                tr("`{program}` may run its arguments as code, so this command takes no variables; use a script that "
                "reads them as arguments", program=program)
            )  # fmt: skip
        if name == "printf" and not (arguments and arguments[0][:1] in ("'", '"') and "$" not in arguments[0]):
            raise CommandTemplateError(tr("the format of `printf` must be a quoted string without variables"))
        if name == "printf" and (arguments[0][1:2] == "-" or _STORES.search(arguments[0])):
            raise CommandTemplateError(tr("the format of `printf` must be a quoted string without variables"))
        if name == "set" and not all(_SET_OPTIONS.fullmatch(argument) for argument in arguments):
            raise CommandTemplateError(_not_with_variables(self._source(node)))

    def _passes_code(self, program: str, arguments: list[str]) -> bool:
        """Whether a shell is started, or a variable follows an option that many programs run as code."""
        if any(_SHELL.fullmatch(word.strip("'\"").rsplit("/", 1)[-1]) for word in (program, *arguments)):
            return True
        if {program, f"{program} {arguments[0]}" if arguments else ""} & _DATA_AFTER_OPTION:
            return False
        for word, following in itertools.pairwise([*arguments, ""]):
            option = _CODE_OPTION.fullmatch(word.strip("'\""))
            if option is not None and PREFIX in (option["joined"] or following):
                return True
        return False

    def _source(self, node: "Node") -> str:
        return self._bytes[node.start_byte : node.end_byte].decode("utf-8", "replace")


def _within(node: "Node", kind: str) -> bool:
    return node.parent is not None and node.parent.type == kind


def _not_here(variable: str) -> UserText:
    return tr(
        "`{variable}` must be an argument of a program, outside of single quotes; quotes around it are not needed",
        variable=variable,
    )


def _not_with_variables(source: str) -> UserText:
    return tr("`{part}` is not allowed in a command with variables; put it in a script", part=_short(source))


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= 40 else line[:39] + "…"


@cache
def _parser() -> "Parser":
    import tree_sitter_bash
    from tree_sitter import Language, Parser

    return Parser(Language(tree_sitter_bash.language()))
