"""`kimi-tui session`: list, show, rename, fork, archive, export and import sessions."""

import argparse
from typing import TYPE_CHECKING

from kimi_tui.errors import EXIT_FAILURE, EXIT_OK, SessionError, UsageError
from kimi_tui.formats import byte_count
from kimi_tui.timestamps import date_and_time, valid_timestamp

if TYPE_CHECKING:
    from pathlib import Path

    from kimi_tui.session.session_index import SessionEntry


def add_options(command: argparse.ArgumentParser) -> None:
    """Add the options of `session`."""
    actions = command.add_subparsers(dest="session_command", metavar="COMMAND", required=True)

    listing = actions.add_parser("list", help="list this folder's sessions, newest first")
    listing.add_argument("-a", "--all", action="store_true", help="include all folders")
    listing.add_argument("--archived", action="store_true", help="include archived sessions")
    listing.add_argument("--search", metavar="WORDS", help="search titles and your messages")
    listing.add_argument("--kimi", action="store_true", help="list Kimi CLI sessions that can be imported")
    listing.add_argument("--json", action="store_true", help="as JSON")
    show = actions.add_parser("show", help="show session details")
    rename = actions.add_parser("rename", help="rename a session")
    fork = actions.add_parser("fork", help="fork a session; prints the new id")
    archive = actions.add_parser("archive", help="hide a session from the list (nothing is deleted)")
    archive.add_argument("--undo", action="store_true", help="restore it")
    export = actions.add_parser("export", help="export a session to a file, without secrets")
    for parser in (show, rename, fork, archive, export):
        parser.add_argument("id", metavar="ID", help="session id or prefix")
    rename.add_argument("title", metavar="TITLE", nargs="+")
    export.add_argument("--format", choices=["md", "json", "zip"], help="default: from the file name, else md")
    export.add_argument("-o", "--output", metavar="FILE", help="default: a new file in the current folder")
    export.add_argument("--force", action="store_true", help="replace FILE if it exists")
    import_ = actions.add_parser("import", help="import an export or a Kimi CLI session; prints the new id")
    import_.add_argument("source", metavar="SOURCE", help="zip, session folder, or Kimi CLI session id")
    for parser in (listing, show, rename, fork, archive, export, import_):
        parser.add_argument("-w", "--work-dir", metavar="DIR", default=argparse.SUPPRESS, help="working directory")


def run(options: argparse.Namespace) -> int:
    """Run the subcommand; returns the exit status. Raises KimiTuiError."""
    from kimi_tui.cli.output import print_out, printable
    from kimi_tui.cli.work_dir import resolve_work_dir
    from kimi_tui.session import session_index

    work_dir = resolve_work_dir(options)
    match options.session_command:
        case "list":
            return _list(options, work_dir)
        case "import":
            from kimi_tui.session.importer import import_session

            session = import_session(_source(options.source), work_dir)
            print_out(printable(session.id))
            return 0
        case _:
            entry = session_index.find_session(options.id, work_dir)
    match options.session_command:
        case "show":
            _show(entry)
        case "rename":
            print_out(printable(session_index.rename(entry, " ".join(options.title))))
        case "fork":
            print_out(session_index.fork(entry.info.dir, entry.work_dir or work_dir, title=entry.info.title))
        case "archive":
            session_index.archive(entry, archived=not options.undo)
        case _:
            return _export(options, entry)
    return 0


def _list(options: argparse.Namespace, work_dir: "Path") -> int:

    from kimi_tui import paths
    from kimi_tui.cli.output import print_json, print_out, printable
    from kimi_tui.cli.session_lookup import short_id
    from kimi_tui.session import session_index
    from kimi_tui.session.importer import kimi_cli_sessions

    if options.kimi:
        for entry in kimi_cli_sessions(None if options.all else work_dir):
            print_out(printable(f"{date_and_time(valid_timestamp(entry.stat().st_mtime))}  {entry}"))
        return 0
    sessions = session_index.find_sessions(None if options.all else work_dir, archived=options.archived)
    if options.search:
        sessions = [entry for entry in sessions if session_index.matches_query(entry, options.search)]
    if options.json:
        print_json([_as_json(entry) for entry in sessions])
        return 0
    for match in sessions:
        info = match.info
        where = f"  {paths.shown(match.work_dir)}" if options.all and match.work_dir is not None else ""
        away = " (archived)" if info.archived else ""
        when = date_and_time(info.updated_at)
        print_out(printable(f"{short_id(info.id):8}  {when}  {info.title or '(no title)'}{away}{where}"))
    if not sessions:
        print_out("No sessions." if options.all or options.search else "No sessions here; use --all for all folders.")
    return 0


def _as_json(entry: "SessionEntry") -> dict[str, object]:
    info = entry.info
    return {
        "id": info.id,
        "title": info.title,
        "updated_at": info.updated_at,
        "archived": info.archived,
        "work_dir": None if entry.work_dir is None else str(entry.work_dir),
        "dir": str(info.dir),
    }


def _show(entry: "SessionEntry") -> None:

    from kimi_tui import paths
    from kimi_tui.cli.output import print_out, printable
    from kimi_tui.session.session_index import is_open, user_texts

    info = entry.info
    prompts = [" ".join(text.split()) for text in user_texts(info.dir / "wire.jsonl")]
    size = sum(file.lstat().st_size for file in info.dir.rglob("*") if file.is_file())
    state = "open in another process" if is_open(info.dir) else "archived" if info.archived else "closed"
    lines = [
        f"id       {info.id} ({state})",
        f"title    {info.title or '(no title)'}",
        f"folder   {paths.shown(entry.work_dir) if entry.work_dir is not None else 'unknown'}",
        f"changed  {date_and_time(info.updated_at)}",
        f"path     {paths.shown(info.dir)} ({byte_count(size)})",
        f"prompts  {len(prompts)}",
        *(f"  {text[:100]}" for text in prompts[-10:]),
    ]
    print_out(printable("\n".join(lines)))


def _source(text: str) -> "Path":
    """Return a path, or the path of a Kimi CLI session given by id."""
    from pathlib import Path

    from kimi_tui.session.importer import kimi_cli_sessions

    path = Path(text).expanduser()
    if path.exists():
        return path
    entries = [entry for entry in kimi_cli_sessions() if entry.stem.startswith(text)]
    if len(entries) != 1:
        why = "no such file and no such Kimi CLI session" if not entries else "several sessions match"
        raise UsageError(f"{text}: {why}")
    return entries[0]


def _export(options: argparse.Namespace, entry: "SessionEntry") -> int:
    from datetime import datetime
    from pathlib import Path

    from kimi_tui.cli.error_output import print_error
    from kimi_tui.cli.output import print_out, printable
    from kimi_tui.config.loader import load_config
    from kimi_tui.secret_store import all_secrets
    from kimi_tui.session import exporter
    from kimi_tui.session.redact import Redactor

    target = Path(options.output).expanduser() if options.output else None
    export_format: exporter.Format = options.format or exporter.format_for_name(options.output or "")
    target = target or Path(exporter.default_name(entry.info.id, export_format, datetime.now()))
    file = Path(options.config_file).expanduser() if options.config_file else None
    redactor = Redactor(all_secrets(load_config(file, text=options.config).config.secrets))
    try:
        work_dir = str(entry.work_dir or "")
        exporter.export(entry.info.dir, target, export_format, redactor, work_dir=work_dir, replace=options.force)
    except FileExistsError as error:
        raise UsageError(f"{target}: {error.strerror}; --force replaces a regular file") from error
    except OSError as error:
        raise SessionError(f"{target}: {error.strerror or error}") from error
    print_out(printable(str(target)))
    unreadable = exporter.unreadable_files(entry.info.dir)  # defence: export-that-lacks-files
    for line in unreadable:
        print_error(line)
    return EXIT_FAILURE if unreadable else EXIT_OK
