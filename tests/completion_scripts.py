"""Makes the completion scripts below `kimi_tui/cli/completions` from the parser; `make docs` runs it.

They are files because shells run `kimi-tui completion SHELL` at every start: the program prints one without building
its parsers.
"""

import argparse
from collections.abc import Callable
from typing import NamedTuple

from kimi_tui.cli.commands.completion import NAMES_OF
from kimi_tui.cli.options import parser

_FILES, _FOLDERS = ("FILE",), ("DIR",)


def scripts() -> dict[str, str]:
    """The completion scripts by shell."""
    top = _level(parser(), (), "")
    writers: dict[str, Callable[[_Level], str]] = {"bash": _bash, "zsh": _zsh, "fish": _fish}
    return {shell: write(top) for shell, write in writers.items()}


class _Option(NamedTuple):
    names: tuple[str, ...]
    help: str
    choices: tuple[str, ...] = ()
    metavar: str | None = None


class _Level(NamedTuple):
    """A parser level: its options, the first positional choices, and its commands."""

    path: tuple[str, ...]
    help: str
    options: tuple[_Option, ...]
    words: tuple[str, ...]
    commands: tuple["_Level", ...] = ()

    def all(self) -> list["_Level"]:
        return [self, *(level for command in self.commands for level in command.all())]


def _level(parser: argparse.ArgumentParser, path: tuple[str, ...], help_text: str) -> _Level:
    options: list[_Option] = []
    choice_words: list[str] = []
    commands: list[_Level] = []
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):  # pyright: ignore[reportPrivateUsage]
            helps = {choice.dest: choice.help or "" for choice in action._choices_actions}
            inner: dict[str, argparse.ArgumentParser] = dict(action.choices)  # pyright: ignore[reportUnknownArgumentType]
            commands = [_level(subparser, (*path, name), helps.get(name, "")) for name, subparser in inner.items()]
        elif action.option_strings:
            if action.help == argparse.SUPPRESS:
                continue
            choices = tuple(str(choice) for choice in action.choices or ())
            metavar = None if action.nargs == 0 else str(action.metavar or action.dest)
            options.append(_Option(tuple(action.option_strings), action.help or "", choices, metavar))
        else:
            choice_words.extend(str(choice) for choice in action.choices or ())
    return _Level(path, help_text, tuple(options), tuple(choice_words), tuple(commands))


def _names(level: _Level) -> list[str]:
    return [name for option in level.options for name in option.names]


def _bash(top: _Level) -> str:
    cases = "\n".join(
        f'        "{" ".join(level.path)}") words="{" ".join(_words(level) + _names(level))}" ;;' for level in top.all()
    )
    command_names = "|".join(sorted({level.path[-1] for level in top.all() if level.path}))
    return f"""# bash completion for kimi-tui: eval "$(kimi-tui completion bash)"
_kimi_tui() {{
    local word="${{COMP_WORDS[COMP_CWORD]}}" before="${{COMP_WORDS[COMP_CWORD-1]}}" path="" words="" i
    case "$before" in
        {"|".join(_taking(top, _FOLDERS))}) COMPREPLY=($(compgen -d -- "$word")); return ;;
        {"|".join(_taking(top, _FILES))}) COMPREPLY=($(compgen -f -- "$word")); return ;;
{_bash_choices(top)}
{_bash_names()}
    esac
    for ((i = 1; i < COMP_CWORD; i++)); do
        case "${{COMP_WORDS[i]}}" in
            {command_names}) path="${{path:+$path }}${{COMP_WORDS[i]}}" ;;
        esac
    done
    case "$path" in
{cases}
    esac
    COMPREPLY=($(compgen -W "$words" -- "$word"))
}}
complete -o bashdefault -o default -F _kimi_tui kimi-tui
"""


def _bash_names() -> str:
    return "\n".join(
        f'        {name}) COMPREPLY=($(compgen -W "$({_choices_script(kind)})" -- "$word")); return ;;'
        for name, kind in NAMES_OF.items()
    )


def _choices_script(kind: str) -> str:
    """the shell command that prints the names; on failure it prints nothing."""
    return f"kimi-tui completion --of {kind} 2>/dev/null"


def _bash_choices(top: _Level) -> str:
    by_option = {name: option.choices for level in top.all() for option in level.options for name in option.names}
    return "\n".join(
        f'        {name}) COMPREPLY=($(compgen -W "{" ".join(choices)}" -- "$word")); return ;;'
        for name, choices in by_option.items()
        if choices
    )


def _zsh(top: _Level) -> str:
    functions = "\n".join(_zsh_function(level) for level in reversed(top.all()))
    return f"""#compdef kimi-tui
# zsh completion for kimi-tui: kimi-tui completion zsh > a file _kimi-tui in a folder of $fpath
{functions}
compdef _kimi_tui kimi-tui
"""


def _zsh_function(level: _Level) -> str:
    lines = [f"        {_zsh_option(option)} \\" for option in level.options]
    if level.commands:
        commands = " ".join(f'"{command.path[-1]}:{_plain(command.help)}"' for command in level.commands)
        cases = "\n".join(f"            {command.path[-1]}) {_zsh_name(command)} ;;" for command in level.commands)
        arguments = f"""        '1:command:->command' '*::argument:->argument'
    case $state in
        command) local -a commands=({commands}); _describe command commands ;;
        argument) case $words[1] in
{cases}
        esac ;;
    esac"""
    elif level.words:
        arguments = f"        '1:argument:({' '.join(level.words)})' '*:file:_files'"
    else:
        arguments = "        '*:file:_files'"
    return "\n".join([f"{_zsh_name(level)}() {{", "    local state", "    _arguments -C \\", *lines, arguments, "}"])


def _zsh_option(option: _Option) -> str:
    help_text = _plain(option.help).replace("[", "(").replace("]", ")")
    value = ""
    if option.choices:
        value = f":value:({' '.join(option.choices)})"
    elif (kind := _value_kind(option)) is not None:
        value = f":{kind}:($({_choices_script(kind)}))"
    elif option.metavar is not None:
        value = {"DIR": ":folder:_files -/", "FILE": ":file:_files"}.get(option.metavar, ":value: ")
    names = ",".join(option.names)
    group = f"{{{names}}}" if len(option.names) > 1 else names
    return f"{group}'[{help_text}]{value}'"


def _zsh_name(level: _Level) -> str:
    return "_".join(("_kimi_tui", *level.path)).replace("-", "_")


def _fish(top: _Level) -> str:
    lines = ["# fish completion for kimi-tui: kimi-tui completion fish | source", "complete -c kimi-tui -e"]
    for level in top.all():
        condition = _fish_condition(top, level)
        for command in level.commands:
            lines.append(f"complete -c kimi-tui -n '{condition}' -f -a {command.path[-1]} -d '{_plain(command.help)}'")
        lines.extend(f"complete -c kimi-tui -n '{condition}' -f -a {choice}" for choice in level.words)
        lines.extend(f"complete -c kimi-tui -n '{condition}' {_fish_option(option)}" for option in level.options)
    return "\n".join(lines) + "\n"


def _fish_condition(top: _Level, level: _Level) -> str:
    """a condition that is true if the words so far lead to `level`, and none of its commands follows yet."""
    parts = [f"__fish_seen_subcommand_from {name}" for name in level.path]
    inner = [command.path[-1] for command in level.commands]
    if inner:
        parts.append(f"not __fish_seen_subcommand_from {' '.join(inner)}")
    return "; and ".join(parts) or "true"


def _fish_option(option: _Option) -> str:
    parts = [f"-l {name[2:]}" if name.startswith("--") else f"-s {name[1:]}" for name in option.names]
    if option.choices:
        parts.append(f"-x -a '{' '.join(option.choices)}'")
    elif (kind := _value_kind(option)) is not None:
        parts.append(f"-x -a '({_choices_script(kind)})'")
    elif option.metavar == "DIR":
        parts.append("-x -a '(__fish_complete_directories)'")
    elif option.metavar == "FILE":
        parts.append("-r -F")
    elif option.metavar is not None:
        parts.append("-x")
    return f"{' '.join(parts)} -d '{_plain(option.help)}'"


def _value_kind(option: _Option) -> str | None:
    return next((NAMES_OF[name] for name in option.names if name in NAMES_OF), None)


def _words(level: _Level) -> list[str]:
    return [*(command.path[-1] for command in level.commands), *level.words]


def _taking(top: _Level, metavars: tuple[str, ...]) -> list[str]:
    with_value = {
        name for level in top.all() for option in level.options if option.metavar in metavars for name in option.names
    }
    return sorted(with_value)


def _plain(text: str) -> str:
    """text that is safe between quotes of any shell."""
    return "".join(char for char in " ".join(text.split()) if char not in "'\"`$\\:").replace("%%", "%")
