"""`kimi-tui flow ...`: list, show, check, run, runs, waiting, answer, resume, export.

Each subcommand imports its heavy dependencies itself.
"""

import argparse
import sys

from kimi_tui.cli.options import add_budget_options
from kimi_tui.errors import UsageError


def add_options(command: argparse.ArgumentParser) -> None:
    """Add the options of `flow`."""
    command.description = "Flows: the charts in skills."
    actions = command.add_subparsers(dest="action", metavar="ACTION", title="actions", required=True)

    lister = actions.add_parser("list", help="list the flows")
    lister.add_argument("--format", choices=["text", "json"], default="text")

    show = actions.add_parser("show", help="draw a flow's chart")
    show.add_argument("name", metavar="NAME", help="flow name, or a file with a chart")
    show.add_argument("--ascii", action="store_true", help="draw without box-drawing characters")
    show.add_argument("--compact", action="store_true", help="shorten labels")
    show.add_argument("--outline", action="store_true", help="list the steps and branches instead of drawing")
    show.add_argument("--width", metavar="N", type=int, help="maximum width in columns (default: the terminal's)")
    show.add_argument("--direction", choices=["TB", "LR"], help="direction: down or right (default: the chart's)")

    check = actions.add_parser("check", help="check charts; exit status 1 if one cannot run")
    check.add_argument(
        "paths", metavar="PATH", nargs="*", help="skills, charts (.mmd, .d2, .md), or folders containing them"
    )
    check.add_argument("--format", choices=["text", "json", "sarif"], default="text")
    check.add_argument("--explain", action="store_true", help="explain what runs without a model, loops and variables")

    run_ = actions.add_parser("run", help="run a flow")
    run_.add_argument("name", metavar="NAME", help="flow name; with --dry also a file with a chart")
    run_.add_argument("--arg", metavar="TEXT", default="", help="arguments for the flow")
    run_.add_argument("--dry", action="store_true", help="walk through the chart without a model; you make each choice")
    run_.add_argument(
        "--choices", metavar="FILE", help="with --dry: read choices from FILE, one per line: LABEL or NODE: LABEL"
    )
    run_.add_argument("--max-moves", metavar="N", type=int, help="with --dry: node limit")

    runs = actions.add_parser("runs", help="list the runs of this folder's sessions")
    runs.add_argument("session", metavar="SESSION", nargs="?", help="only this session (id or prefix)")
    runs.add_argument("-a", "--all", action="store_true", help="include the sessions of all folders")
    runs.add_argument("--format", choices=["text", "json"], default="text")

    waiting = actions.add_parser("waiting", help="list the questions that runs wait for")
    waiting.add_argument("-a", "--all", action="store_true", help="include the sessions of all folders")
    waiting.add_argument("--format", choices=["text", "json"], default="text")

    answer = actions.add_parser("answer", help="answer the question that a run waits for, without resuming it")
    answer.add_argument("run", metavar="RUN", help="run id or prefix")
    answer.add_argument("answer", metavar="NODE=LABEL", help="the branch to take at this node; or approve, reject")

    resume = actions.add_parser("resume", help="resume an interrupted run; with --choose without a screen")
    resume.add_argument("run", metavar="RUN", help="run id or prefix")
    resume.add_argument(
        "--choose", metavar="NODE=LABEL", action="append", default=[], help="take this branch at this node; repeatable"
    )

    export = actions.add_parser("export", help="export a run as a chart with its path, or as data")
    export.add_argument("run", metavar="RUN", help="run id or prefix")
    export.add_argument("--format", choices=["mermaid", "svg", "json", "md"], default="mermaid")
    export.add_argument("-o", "--output", metavar="FILE", help="write to FILE instead of stdout")
    export.add_argument("--force", action="store_true", help="replace FILE if it exists")

    for parser in (lister, show, run_):
        parser.add_argument(
            "--skills-dir",
            metavar="DIR",
            action="append",
            default=argparse.SUPPRESS,
            help="use DIR instead of the default skill folders",
        )
    for parser in (run_, resume):
        parser.add_argument(
            "-m", "--model", metavar="NAME", default=argparse.SUPPRESS, help="use this configured model"
        )
        parser.add_argument(
            "--trust", action="store_true", default=argparse.SUPPRESS, help="trust this folder for this run"
        )
        add_budget_options(parser, suppress_defaults=True)
        parser.add_argument(
            "--when-asked",
            choices=["approve", "refuse", "park"],
            default=argparse.SUPPRESS,
            help="without a screen: approve, refuse or wait (status 3) at calls that need approval",
        )
    for parser in (lister, show, check, run_, runs, waiting, answer, resume, export):
        parser.add_argument(
            "-w",
            "--work-dir",
            metavar="DIR",
            default=argparse.SUPPRESS,
            help="working directory (default: current)",
        )


def becomes_flow_option(options: argparse.Namespace) -> bool:
    """Convert `flow run NAME` without `--dry` to `--flow NAME`, with the TUI if possible, and `flow resume RUN` to its
    session and `/flow-resume`; return False for all else.
    """
    if options.action == "resume":
        _resume_in_its_session(options)
        return True
    if options.action != "run" or options.dry:
        return False
    if options.prompt_flow:
        raise UsageError("flow run cannot be combined with --prompt-flow")
    options.subcommand = None
    options.flow, options.prompt = options.name, options.arg.strip() or None
    options.print_ = options.print_ or bool(options.when_asked) or not (sys.stdin.isatty() and sys.stdout.isatty())
    return True


def _resume_in_its_session(options: argparse.Namespace) -> None:
    from kimi_tui.cli.commands.flow_runs import session_of_run
    from kimi_tui.flow.run.resume_request import ResumeRequest, read_choice

    if options.prompt_flow:
        raise UsageError("flow resume cannot be combined with --prompt-flow")
    choices: dict[str, str] = {}
    for choice in options.choose:
        try:
            choices.update([read_choice(choice)])
        except ValueError as error:
            raise UsageError(f"--choose {choice}: write NODE=LABEL") from error
    run_id, options.session = session_of_run(options)
    options.subcommand = None
    options.prompt = str(ResumeRequest(run_id, choices=choices))
    raises = any(cap is not None for cap in (options.max_cost, options.max_tokens, options.max_time))
    options.print_ = (
        options.print_ or bool(options.choose) or raises or not (sys.stdin.isatty() and sys.stdout.isatty())
    )


def run(options: argparse.Namespace) -> int:
    """Run the subcommand; returns the exit status. Raises KimiTuiError."""
    match options.action:
        case "check":
            from kimi_tui.cli.commands.flow_check import run_check

            return run_check(options)
        case "list" | "show":
            from kimi_tui.cli.commands.flow_show import run_list, run_show

            return run_list(options) if options.action == "list" else run_show(options)
        case "run":
            from kimi_tui.cli.commands.flow_dry_run import run_dry

            return run_dry(options)
        case "waiting":
            from kimi_tui.cli.commands.flow_runs import run_waiting

            return run_waiting(options)
        case "answer":
            from kimi_tui.cli.commands.flow_runs import run_answer

            return run_answer(options)
        case _:
            from kimi_tui.cli.commands.flow_runs import run_export, run_runs

            return run_export(options) if options.action == "export" else run_runs(options)
