"""The command line options and their valid combinations. It imports nothing slow."""

import argparse
import sys
from collections.abc import Callable, Iterable, Sequence
from importlib import import_module
from typing import Any, NoReturn

from kimi_tui import __version__
from kimi_tui.cli.kimi_cli_commands import INSTEAD
from kimi_tui.errors import UsageError

_COMMANDS = {
    "flow": "list, show, check, run and export flows",
    "permission": "explain permission decisions",
    "skill": "list skills; add, update and remove shared ones",
    "session": "list, show, rename, fork, archive, export and import sessions",
    "mcp": "add, list, test and authorize MCP servers",
    "acp": "serve an editor on stdin and stdout (Agent Client Protocol)",
    "web": "open the screen in a browser on this machine",
    "config": "print the JSON Schema of config.yaml, of the Wire or of stream-json",
    "info": "show program and protocol versions",
    "trust": "trust a folder: use its skills, MCP servers and rules",
    "docs": "print a page of the documentation",
    "doctor": "check terminal, configuration, models and tools",
    "migrate": "import Kimi CLI's settings: models, keys, hooks, MCP servers",
    "completion": "print a completion script for the shell",
}
"""The commands by name, each with its line of help. A command's options are in its module below `commands`."""


class Parser(argparse.ArgumentParser):
    """A parser whose errors are one line, printed by the caller."""

    def error(self, message: str) -> NoReturn:
        raise UsageError(f"{message} (see {self.prog} --help)")


class _Top(Parser):
    """The top-level parser. It reports an unknown option by name; argparse would take the option's value for a command,
    and report that.
    """

    def parse_args(  # pyright: ignore[reportIncompatibleMethodOverride]
        self, args: Sequence[str] | None = None, namespace: argparse.Namespace | None = None
    ) -> argparse.Namespace:
        argv = sys.argv[1:] if args is None else list(args)
        try:
            return super().parse_args(argv, namespace or argparse.Namespace())
        except UsageError:
            if unknown := self._unknown(argv):
                self.error(f"unknown option {unknown}")
            raise

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        if action.dest == "subcommand" and value in INSTEAD:
            raise UsageError(f"{value} is a Kimi CLI command; {INSTEAD[value]}")
        super()._check_value(action, value)

    def _unknown(self, argv: Sequence[str]) -> str:
        """Return the first unknown option before any command; "" if all are known."""
        for argument in argv:
            if argument == "--" or argument in _COMMANDS or argument in INSTEAD:
                break
            name = argument.partition("=")[0]
            if name.startswith("--") and name not in self._option_string_actions:
                return name
        return ""


def parser(names: Iterable[str] = _COMMANDS, *, in_full: bool = True) -> Parser:
    """Build the parser with these subcommands; unless `in_full`, each has only its one-line help."""
    top = _Top(
        prog="kimi-tui",
        usage="kimi-tui [OPTIONS] [COMMAND ...]",  # argparse would wrap forty options, with a pattern for each
        description="A full-screen terminal app for AI coding agents that follow flows.",
        allow_abbrev=False,
    )
    _add_options(top)

    commands = top.add_subparsers(
        dest="subcommand", metavar="COMMAND", title="commands", prog="kimi-tui", parser_class=Parser
    )
    for name in names:
        command = commands.add_parser(name, help=_COMMANDS[name])
        if in_full:
            import_module(f"kimi_tui.cli.commands.{name}").add_options(command)
            if name == "web":
                _add_session_options(command, suppress_defaults=True)
    return top


def _add_options(top: Parser) -> None:
    top.add_argument("-V", "--version", action="version", version=f"kimi-tui {__version__}")
    top.add_argument("--debug", action="store_true", help="write debug messages to the log file")
    top.add_argument("--verbose", dest="debug", action="store_true", help=argparse.SUPPRESS)
    # Draw into a browser page: `kimi-tui web` starts itself with this option.
    top.add_argument("--page", metavar="COLUMNSxROWS", type=_size, help=argparse.SUPPRESS)
    _add_session_options(top)
    _add_headless_options(top)


def _add_session_options(top: argparse.ArgumentParser, *, suppress_defaults: bool = False) -> None:
    """Add the options of a TUI session.

    With `suppress_defaults`, for options after a command, a missing one keeps the value set before the command.
    """
    first_action = len(top._actions)
    where = top.add_argument_group("where")
    where.add_argument("-w", "--work-dir", metavar="DIR", help="working directory (default: current)")
    where.add_argument("--add-dir", metavar="DIR", action="append", default=[], help="additional working directory")
    where.add_argument(
        "-C", "--continue", dest="continue_", action="store_true", help="resume the most recent session in this folder"
    )
    where.add_argument(
        "-S",
        "--session",
        "-r",
        "--resume",
        metavar="ID",
        nargs="?",
        const="",
        help="resume a session by id, or create it",
    )

    model = top.add_argument_group("model and limits")
    model.add_argument("-m", "--model", metavar="NAME", help="use this configured model")
    model.add_argument("--thinking", action=argparse.BooleanOptionalAction, default=None, help="enable thinking")
    model.add_argument("--config", metavar="TEXT", help="configuration as JSON, TOML or YAML text")
    model.add_argument("--config-file", metavar="FILE", help="configuration file (YAML, TOML or JSON)")
    agent = model.add_mutually_exclusive_group()
    agent.add_argument("--agent", metavar="NAME", help="built-in agent (default, okabe)")
    agent.add_argument("--agent-file", metavar="FILE", help="agent file (YAML)")
    model.add_argument(
        "--mcp-config-file",
        metavar="FILE",
        action="append",
        default=[],
        help="load MCP servers from FILE instead of mcp.json",
    )
    model.add_argument("--mcp-config", metavar="JSON", action="append", default=[], help="additional MCP servers")
    model.add_argument(
        "--max-steps-per-turn", metavar="N", type=_at_least(1), help="at most N requests to the model in one turn"
    )
    model.add_argument("--max-retries-per-step", metavar="N", type=_at_least(1), help="at most N tries of a request")
    model.add_argument(
        "--max-ralph-iterations",
        metavar="N",
        type=_at_least(-1),
        help="repeat the prompt until done, up to N times (-1: unlimited)",
    )

    add_budget_options(top)

    work = top.add_argument_group("session")
    work.add_argument("-p", "--prompt", "-c", "--command", metavar="TEXT", help="prompt")
    work.add_argument("--flow", metavar="NAME", help="run this skill's flow; --prompt sets its arguments")
    work.add_argument("--prompt-flow", metavar="FILE", help="chart for /begin to run (.mmd, .d2 or .md)")
    work.add_argument(
        "--skills-dir", metavar="DIR", action="append", default=[], help="use DIR instead of the default skill folders"
    )
    work.add_argument(
        "-y", "--yolo", "--yes", "--auto-approve", dest="yolo", action="store_true", help="approve every tool call"
    )
    work.add_argument(
        "--trust", action="store_true", help="trust this folder for this run: use its skills, MCP servers and rules"
    )
    work.add_argument("--afk", action="store_true", help="away mode: approve every tool call, dismiss questions")
    work.add_argument("--no-sandbox", action="store_true", help="run commands without a sandbox")
    work.add_argument("--plan", action="store_true", help="start in plan mode")
    work.add_argument("--replay", metavar="SESSION", help="replay a recorded session (id, folder or wire.jsonl)")
    work.add_argument("--speed", metavar="N", type=_speed, help="with --replay: playback speed")
    work.add_argument(
        "--demo", action="store_true", help="watch a demo: a real flow with real tools and a scripted model"
    )

    screen = top.add_argument_group("screen")
    screen.add_argument("--ascii", action="store_true", help="ASCII characters only")
    screen.add_argument("--reduced-motion", action="store_true", help="reduced motion")
    screen.add_argument("--plain", action="store_true", help="for screen readers: one column, no boxes, no motion")

    if suppress_defaults:
        for action in top._actions[first_action:]:
            action.default = argparse.SUPPRESS


def add_budget_options(top: argparse.ArgumentParser, *, suppress_defaults: bool = False) -> None:
    """Add the options for the budget of flow runs; `suppress_defaults` as for a session's options."""
    default = argparse.SUPPRESS if suppress_defaults else None
    budget = top.add_argument_group(
        "budget of each flow run", "Of several budgets (these, the flow's own, flows.budget) the smallest cap is used."
    )
    budget.add_argument(
        "--max-cost", metavar="USD", type=_cost, default=default, help="stop at this cost, by the model's prices"
    )
    budget.add_argument(
        "--max-tokens", metavar="N", type=_tokens, default=default, help="stop at this many tokens: 500000, 500k, 1.5m"
    )
    budget.add_argument(
        "--max-time", metavar="TIME", type=_time, default=default, help="stop after this working time: 90s, 10m, 2h"
    )


def _add_headless_options(top: argparse.ArgumentParser) -> None:
    group = top.add_argument_group("headless")
    group.add_argument("--print", dest="print_", action="store_true", help="print the answer to stdout and exit")
    group.add_argument("--wire", action="store_true", help="serve a client program on stdin and stdout (JSON-RPC)")
    group.add_argument("--acp", action="store_true", help=argparse.SUPPRESS)  # Kimi CLI's form of the command `acp`
    group.add_argument("--setup", action="store_true", help=argparse.SUPPRESS)  # an editor appends it to `--acp`
    group.add_argument(
        "--input-format", choices=["text", "stream-json"], help="of stdin: text (default), or a JSON message per line"
    )
    group.add_argument(
        "--output-format", choices=["text", "stream-json"], help="of stdout: text (default), or a JSON message per line"
    )
    group.add_argument("--final-message-only", action="store_true", help="print only the final message")
    group.add_argument("--quiet", action="store_true", help="--print --output-format text --final-message-only")
    group.add_argument(
        "--when-asked",
        choices=["approve", "refuse", "park"],
        help="what --print does with calls that need approval (default: approve); park: end with status 3",
    )
    group.add_argument("--flow-events", action="store_true", help="include flow events in stream-json output")


def parse(argv: list[str] | None) -> argparse.Namespace:
    """Parse the options and check for conflicts. Raises UsageError; --help and --version exit."""
    arguments = sys.argv[1:] if argv is None else argv
    if arguments in (["--help"], ["-h"]):
        parser(in_full=False).parse_args(arguments)
    if arguments and arguments[0] in _COMMANDS:
        options = parser(arguments[:1]).parse_args(arguments)
    else:
        options = _parse_plain(arguments) or parser().parse_args(arguments)
    if options.subcommand in (None, "web"):
        _check(options)
        _check_replay(options)
    if options.subcommand == "web" and (options.print_ or options.wire or options.acp):
        raise UsageError("web shows the screen and cannot be combined with --print, --wire or --acp")
    return options


def _parse_plain(argv: list[str]) -> argparse.Namespace | None:
    """Parse a command line that has only options. Building the parsers of all commands takes longer than the rest of
    the start before the first frame. None if it has more than options, or an error.
    """
    plain = Parser(prog="kimi-tui", allow_abbrev=False, add_help=False)
    _add_options(plain)
    plain.set_defaults(subcommand=None)
    try:
        options, unknown = plain.parse_known_args(argv)
    except UsageError:
        return None
    return None if unknown else options


def _check_replay(options: argparse.Namespace) -> None:
    if options.speed is not None and options.replay is None:
        raise UsageError("--speed needs --replay")
    if options.replay is not None and (options.wire or options.acp or options.print_ or options.quiet):
        raise UsageError("--replay needs the screen and cannot be combined with --print, --wire or --acp")


def _check(options: argparse.Namespace) -> None:
    if sum((options.wire, options.acp, options.print_ or options.quiet)) > 1:
        raise UsageError("--wire, --acp and --print cannot be combined")
    if options.setup and not options.acp:
        raise UsageError("--setup needs acp")
    if options.quiet:
        if options.output_format not in (None, "text"):
            raise UsageError("--quiet prints text and cannot be combined with --output-format stream-json")
        options.print_ = options.final_message_only = True
    if options.continue_ and options.session is not None:
        raise UsageError("--continue and --session cannot be combined")
    if options.config is not None and options.config_file is not None:
        raise UsageError("--config and --config-file cannot be combined")
    _check_flow(options)
    if not options.print_:
        for name in ("input_format", "output_format", "final_message_only", "flow_events", "when_asked"):
            if getattr(options, name):
                raise UsageError(f"--{name.replace('_', '-')} needs --print")
    if options.flow_events and options.output_format != "stream-json":
        raise UsageError("--flow-events needs --output-format stream-json")
    if options.session == "" and (options.print_ or options.wire or options.acp):
        raise UsageError("--session needs an id when headless")
    if options.prompt is not None and not options.prompt.strip():
        raise UsageError("--prompt is empty")


def _check_flow(options: argparse.Namespace) -> None:
    if options.prompt_flow and options.max_ralph_iterations:
        raise UsageError("--prompt-flow and --max-ralph-iterations cannot be combined")
    if options.flow and options.prompt_flow:
        raise UsageError("--flow and --prompt-flow cannot be combined")
    if options.flow and (options.wire or options.acp):
        raise UsageError("--flow cannot be combined with --wire or --acp; the client sends /flow:NAME")


def _size(text: str) -> tuple[int, int]:
    columns, _, rows = text.partition("x")
    return int(columns), int(rows)


def _speed(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number") from None
    if not 0.05 <= value <= 1000:
        raise argparse.ArgumentTypeError(f"{text} is not between 0.05 and 1000")
    return value


def _cap(read: Callable[[str], float | int], text: str) -> Any:
    try:
        return read(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def _cost(text: str) -> float:
    from kimi_tui.config.budget import read_cost

    return _cap(read_cost, text)


def _tokens(text: str) -> int:
    from kimi_tui.config.budget import read_tokens

    return _cap(read_tokens, text)


def _time(text: str) -> float:
    from kimi_tui.config.budget import read_time

    return _cap(read_time, text)


def _at_least(minimum: int):
    def number(text: str) -> int:
        try:
            value = int(text)
        except ValueError:
            raise argparse.ArgumentTypeError(f"{text!r} is not a whole number") from None
        if value < minimum:
            raise argparse.ArgumentTypeError(f"{value} is less than {minimum}")
        return value

    return number
