"""`kimi-tui flow runs`, `flow waiting` and `flow export`: the stored runs of sessions."""

import argparse
import contextlib
import shlex
import sys
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from kimi_tui import paths
from kimi_tui.cli.output import print_json, print_out, printable
from kimi_tui.cli.work_dir import resolve_work_dir
from kimi_tui.errors import KimiTuiError, SessionError, UsageError
from kimi_tui.export_file import export_file
from kimi_tui.flow.render.run_export import (
    flow_of_view,
    headline,
    to_json,
    to_markdown,
    to_mermaid,
    view_of_state,
    without_secrets,
)
from kimi_tui.flow.render.svg import to_svg
from kimi_tui.flow.run.journal import Journal, load_runs
from kimi_tui.flow.run.journal_records import ControlsChanged
from kimi_tui.flow.run.run_state import RunState
from kimi_tui.flow.run.run_view import RunView, fold_run_views
from kimi_tui.flow.run.spending import format_cost, spending_text
from kimi_tui.formats import token_count
from kimi_tui.session.session import sessions_dir
from kimi_tui.session.session_index import session_lock
from kimi_tui.text_safety import dump_json
from kimi_tui.timestamps import date_and_time
from kimi_tui.wire.recorder import read_recorded

if TYPE_CHECKING:
    from kimi_tui.session.redact import Redactor

_ID = 8


@dataclass(frozen=True, slots=True)
class _StoredRun:
    """A run and its session's folder."""

    run: RunState
    folder: Path


def run_runs(options: argparse.Namespace) -> int:
    """Print the runs, latest first."""
    roots = [sessions_dir(resolve_work_dir(options))]
    entry = _runs_under(_session_roots() if options.all else roots, options.session or "")
    if not entry and options.session:
        entry = _runs_under(_session_roots(), options.session)
        if not entry:
            raise UsageError(f"no session {options.session!r} with a flow run")
    entry.sort(key=lambda each: each.run.started_at, reverse=True)
    if options.format == "json":
        print_json([_as_json(each) for each in entry])
        return 0
    if not entry:
        print_out("No flow runs in this folder; use --all for all folders.")
        return 0
    rows = [("run", "flow", "status", "moves", "steps", "spent", "started", "session"), *map(_row, entry)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    for row in rows:
        print_out(printable("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()))
    return 0


def run_waiting(options: argparse.Namespace) -> int:
    """Print the questions that runs wait for, oldest first, after the runs whose budget is used up."""
    from kimi_tui.flow.run.run_ending import how_to_raise, pending_budget
    from kimi_tui.soul.flows.user_questions import pending_question

    roots = _session_roots() if options.all else [sessions_dir(resolve_work_dir(options))]
    kept = sorted(_runs_under(roots), key=lambda each: each.run.updated_at)
    questions = [(each, question) for each in kept if (question := pending_question(each.run)) is not None]
    over = [(each, budget) for each in kept if (budget := pending_budget(each.run)) is not None]
    if options.format == "json":
        print_json(
            [
                {**asdict(pending), "flow": each.run.name, "session": each.folder.name}
                for each, pending in (*questions, *over)
            ]
        )
        return 0
    if not questions and not over:
        print_out("No run waits for an answer.")
    for each, budget in over:
        address = _address(each, kept)
        print_out(printable(f"{address}  {each.run.name}  {budget.node_id}: {budget.spent}"))
        print_out(printable(f"    {how_to_raise(address, budget)}"))
    for each, question in questions:
        text = question.question.strip().replace("\n", "\n    ")
        address = _address(each, kept)
        print_out(printable(f"{address}  {each.run.name}  {question.node_id}: {text}"))
        for choice in question.choices:
            answer = shlex.quote(f"{question.node_id}={choice}")
            print_out(printable(f"    kimi-tui flow resume {address} --choose {answer}"))
    return 0


def run_answer(options: argparse.Namespace) -> int:
    """Record the answer to a run's question. Raises UsageError if the run does not wait for it."""
    folder = _find(options.run, resolve_work_dir(options)).folder
    with session_lock(folder):
        run = _find(options.run, resolve_work_dir(options)).run  # what it waits for may have changed until the lock
        _answer(run, options.answer, folder / "flow.jsonl")
    address = run.run_id[:_ID] + (f"@{folder.name}" if "@" in options.run else "")
    print_out(printable(f"Answered. Continue with: kimi-tui flow resume {address}"))
    return 0


def _answer(run: RunState, text: str, journal_file: Path) -> None:
    """Append the answer NODE=LABEL to the journal. Raises UsageError, SessionError."""
    from kimi_tui.soul.flows.user_questions import answer_to, pending_question

    node_id, equals, label = text.partition("=")
    question = pending_question(run)
    if not equals:
        raise UsageError(f"{text}: write NODE=LABEL")
    if question is None or node_id != question.node_id:
        where = "no answer" if question is None else f"an answer at {question.node_id}"
        raise UsageError(f"run {run.run_id[:_ID]} waits for {where}")
    if label not in question.choices:
        raise UsageError(f"{node_id} has the choices {', '.join(question.choices)}, not {label!r}")
    record = answer_to(run, node_id, label) or ControlsChanged(
        run=run.run_id, at=time.time(), breakpoints=run.breakpoints, ask=run.ask,
        chosen={**run.chosen, node_id: label}, prompts=run.prompts,
    )  # fmt: skip
    with contextlib.closing(Journal(journal_file, on_trouble=_refuse)) as journal:
        journal.append(record)


def _refuse(error: OSError | None) -> None:
    """Raises SessionError: the answer cannot be written."""
    if error is not None:  # defence: answer-on-disk
        raise SessionError(f"the answer cannot be written: {error.strerror or error}") from error


def session_of_run(options: argparse.Namespace) -> tuple[str, str]:
    """Return the ids of the run that `options.run` names and of its session. Raises UsageError."""
    kept = _find(options.run, resolve_work_dir(options))
    return kept.run.run_id, kept.folder.name


def run_export(options: argparse.Namespace) -> int:
    """Print or write one run in the requested format, without secrets."""
    redactor = _redactor(options)
    picture = without_secrets(_picture(_find(options.run, resolve_work_dir(options))), redactor.text)
    match options.format:
        case "mermaid":
            text = to_mermaid(picture)
        case "md":
            text = to_markdown(picture)
        case "json":
            fields = redactor.value(to_json(picture))
            if options.output is None:
                print_json(fields)
                return 0
            text = dump_json(fields, indent=2) + "\n"
        case _:
            text = to_svg(flow_of_view(picture), picture)
    if options.format != "json":
        text = redactor.text(text)
    if options.output is None:
        print_out(text.removesuffix("\n"))
        return 0
    try:
        with export_file(Path(options.output).expanduser(), replace=options.force) as stream:
            stream.write(text.encode("utf-8", "replace"))
    except FileExistsError as error:
        raise UsageError(f"{options.output}: {error.strerror}; --force replaces a regular file") from error
    except OSError as error:
        raise KimiTuiError(f"{options.output}: {error.strerror}") from error
    sys.stderr.write(f"{printable(headline(picture))}: written to {options.output}\n")
    return 0


def _redactor(options: argparse.Namespace) -> "Redactor":
    from kimi_tui.config.loader import load_config
    from kimi_tui.secret_store import all_secrets
    from kimi_tui.session.redact import Redactor

    file = Path(options.config_file).expanduser() if options.config_file else None
    return Redactor(all_secrets(load_config(file, text=options.config).config.secrets))


def _session_roots() -> list[Path]:
    return sorted((paths.home() / "sessions").glob("*"))


def _runs_under(roots: list[Path], session: str = "") -> list[_StoredRun]:
    """Return the runs of the sessions whose id starts with `session`."""
    entry: list[_StoredRun] = []
    for journal in (file for root in roots for file in sorted(root.glob("*/flow.jsonl"))):
        if journal.parent.name.startswith(session):
            try:
                entry += (_StoredRun(run, journal.parent) for run in load_runs(journal))
            except OSError as error:
                sys.stderr.write(f"kimi-tui: {journal}: {error.strerror}\n")
    return entry


def _find(run_id: str, work_dir: Path) -> _StoredRun:
    """Find a run by id prefix: in this folder, otherwise in the sessions of any folder. Raises UsageError.

    A fork has the runs of its session too: `RUN@SESSION` names one of them.
    """
    prefix, _, session = run_id.strip().partition("@")
    prefix = prefix.lower()
    for roots in ([sessions_dir(work_dir)], _session_roots()):
        matches = [entry for entry in _runs_under(roots, session) if prefix and entry.run.run_id.startswith(prefix)]
        matches = [entry for entry in matches if entry.run.run_id == prefix] or matches
        if len({entry.run.run_id for entry in matches}) > 1:
            raise UsageError(
                f"{run_id} matches {', '.join(entry.run.run_id for entry in matches[:5])}: use a longer id prefix"
            )
        if len(matches) > 1:  # defence: run-of-a-fork
            names = " or ".join(_address(entry, matches) for entry in matches[:5])
            raise UsageError(f"{run_id} is in several sessions, since one was forked: write {names}")
        if matches:
            return matches[0]
    raise UsageError(f"no run {run_id!r}; list runs with `kimi-tui flow runs --all`")


def _address(entry: _StoredRun, among: list[_StoredRun]) -> str:
    """The short id of a run, with its session if a fork has the run too."""
    run_id = entry.run.run_id
    copies = [other for other in among if other.run.run_id == run_id]
    return run_id[:_ID] + (f"@{entry.folder.name}" if len(copies) > 1 else "")


def _picture(entry: _StoredRun) -> RunView:
    """Build the run's view from the session's Wire record, or from the journal if the record is lost."""
    recorded_messages = ((each.timestamp, each.message) for each in read_recorded(entry.folder / "wire.jsonl"))
    for picture in fold_run_views(recorded_messages):
        if picture.run_id == entry.run.run_id:
            return picture
    from kimi_tui.soul.flows.prompt_flow import flow_of_run

    return view_of_state(entry.run, flow_of_run(entry.run))


def _row(entry: _StoredRun) -> tuple[str, ...]:
    run = entry.run
    status = "interrupted" if run.status == "cancelled" else run.status or "open"
    return (
        run.run_id[:_ID],
        run.name,
        status if status == "finished" else f"{status} at {run.node_id}",
        str(run.moves),
        str(run.steps),
        _spent(run),
        date_and_time(run.started_at),
        entry.folder.name[:_ID],
    )


def _spent(run: RunState) -> str:
    """What a run has used of its budget; without one, its tokens and cost."""
    if run.budget:
        return spending_text(run.spent, run.budget)
    if not run.spent.replies:
        return "-"
    cost = "" if run.spent.unpriced else f", {format_cost(run.spent.cost)} usd"
    return f"{token_count(run.spent.tokens)} tokens{cost}"


def _as_json(entry: _StoredRun) -> dict[str, object]:
    run = entry.run
    return {
        "run_id": run.run_id,
        "name": run.name,
        "status": run.status,
        "reason": run.reason,
        "open": run.open,
        "node": run.node_id,
        "moves": run.moves,
        "max_moves": run.max_moves,
        "steps": run.steps,
        "tokens": run.spent.tokens,
        "cost": None if run.spent.unpriced else run.spent.cost,
        "cost_at_most": run.spent.at_most,
        "work_s": round(run.spent.seconds, 3),
        "budget": str(run.budget) or None,
        "visits": run.visits,
        "args": run.args,
        "started_at": run.started_at,
        "updated_at": run.updated_at,
        "session": entry.folder.name,
    }
