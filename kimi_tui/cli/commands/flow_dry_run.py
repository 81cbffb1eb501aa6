"""`kimi-tui flow run --dry`: walks a flow without a model, interactively or with scripted choices."""

import argparse
import asyncio
import sys
from pathlib import Path

from kimi_tui.cli.commands.flow_show import find_flow
from kimi_tui.cli.output import print_out, printable
from kimi_tui.config.budget import Budget, smallest
from kimi_tui.errors import UsageError
from kimi_tui.flow.layout.cell_text import clean_label, truncate
from kimi_tui.flow.model.graph import FlowNode
from kimi_tui.flow.run.dry_run import ChoiceScript, dry_run
from kimi_tui.flow.run.node_result import result_line
from kimi_tui.flow.run.turn_protocol import FlowOutcome
from kimi_tui.wire.codec import WireMessage
from kimi_tui.wire.flow_events import FlowDecision, FlowNodeBegin, FlowNodeEnd

_WIDTH = 72


def run_dry(options: argparse.Namespace) -> int:
    """Walk the flow; 0 if it reached END and, with a script, used all of its choices."""
    flow = find_flow(options)
    script = ChoiceScript(_read(options.choices), flow) if options.choices else None
    titles = {node.id: truncate(" ".join(clean_label(node.title).split()), _WIDTH) for node in flow.nodes.values()}

    def print_event(message: WireMessage) -> None:
        match message:
            case FlowNodeBegin():
                title = titles[message.node_id]
                print_out(
                    printable(f"{message.move:>3}  {message.node_id}  {title if title != message.node_id else ''}")
                )
                if (command := flow.nodes[message.node_id].settings.run) is not None:
                    print_out(printable(f"     $ {command}"))
            case FlowDecision():
                print_out(printable(f"     -> {message.choice}"))
            case FlowNodeEnd() if message.result:
                print_out(printable(f"     = {' '.join(result_line(message.result).split())}"))
            case _:
                pass

    if budget := smallest(Budget(options.max_cost, options.max_tokens, options.max_time), flow.settings.budget):
        print_out(f"budget: {budget}")
    outcome = asyncio.run(
        dry_run(
            flow,
            script or _ask,
            name=options.name,
            send=print_event,
            results=None if script is None else script.result,
            args=options.arg,
            max_moves=options.max_moves,
        )
    )
    unused = len(script.left) if script else 0
    print_out(_summary(outcome, unused))
    return 0 if outcome.status == "finished" and not unused else 1


def _summary(outcome: FlowOutcome, unused: int) -> str:
    moves = f"{outcome.moves} move{'' if outcome.moves == 1 else 's'}"
    text = f"END after {moves}" if outcome.status == "finished" else f"{outcome.status} after {moves}: {outcome.reason}"
    return printable(text + (f"; {unused} scripted choices were not used" if unused else ""))


def _ask(node: FlowNode, branches: tuple[str, ...]) -> str | None:
    """Ask for a branch on the terminal: by number, by name, or None to stop."""
    for number, branch in enumerate(branches, 1):
        print_out(printable(f"     {number}) {branch}"))
    while True:
        sys.stdout.write("     choice: ")
        sys.stdout.flush()
        line = sys.stdin.readline()
        if not line:
            print_out("\n")
            return None
        answer = line.strip()
        if answer.isdecimal() and 1 <= int(answer) <= len(branches) and answer not in branches:
            return branches[int(answer) - 1]
        if answer in branches:
            return answer
        matches = [branch for branch in branches if answer and branch.casefold().startswith(answer.casefold())]
        if len(matches) == 1:
            return matches[0]


def _read(name: str) -> str:
    try:
        return sys.stdin.read() if name == "-" else Path(name).read_text("utf-8-sig")
    except (OSError, UnicodeError) as error:
        raise UsageError(f"--choices {name}: {error}") from error
