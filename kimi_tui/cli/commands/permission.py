"""`kimi-tui permission`: explains decisions on calls rule by rule, and lists the rules."""

import argparse
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from kimi_tui.permission.explain import Explanation
    from kimi_tui.permission.settings import PermissionSettings
    from kimi_tui.tools.file_support.workspace import Workspace

_LEVELS = {
    "reads": "only reads",
    "harmless": "harmless: an approval for the session covers similar commands",
    "exact": "an approval covers exactly this command",
    "danger": "an approval covers exactly this command",
}
_MATCH_LABELS = {"yes": "matches", "part": "matches part", "perhaps": "may match", "no": "-"}


def add_options(command: argparse.ArgumentParser) -> None:
    """Add the options of `permission`."""
    actions = command.add_subparsers(dest="permission_command", metavar="COMMAND", required=True)
    check = actions.add_parser("check", help="explain the decision for a command (or another tool call)")
    subject_help = "a command line; with --tool: a path, a URL, text, or arguments as JSON"
    check.add_argument("call", metavar="COMMAND", help=subject_help)
    check.add_argument("--tool", metavar="NAME", default="Shell", help="tool name (default: Shell)")
    listing = actions.add_parser("list", help="list the active rules by source")
    for action in (check, listing):
        action.add_argument("--json", action="store_true", help="as JSON")
        for option, metavar in (("--work-dir", "DIR"), ("--config-file", "FILE"), ("--config", "TEXT")):
            action.add_argument(option, metavar=metavar, default=argparse.SUPPRESS, help=argparse.SUPPRESS)


def run(args: argparse.Namespace) -> int:
    """Print the requested information. Raises UsageError and ConfigError."""
    from dataclasses import asdict

    from kimi_tui.cli.output import print_json, print_out, printable
    from kimi_tui.tools.file_support.workspace import Workspace

    settings, work_dir, untrusted_files = _settings(args)
    if args.permission_command == "list":
        output = _list_json(settings, untrusted_files) if args.json else _list(settings, untrusted_files)
    else:
        checked = _checked(args, settings, Workspace(work_dir))
        output = asdict(checked) if args.json else _check(checked)
    if isinstance(output, str):
        print_out(printable(output).rstrip("\n"))
    else:
        print_json(output)
    return 0


def _settings(args: argparse.Namespace) -> "tuple[PermissionSettings, Path, tuple[str, ...]]":
    """Return the permission settings, their folder, and the project settings that are inactive without folder trust."""
    from pathlib import Path

    from kimi_tui.cli.engine_options import load_permissions
    from kimi_tui.cli.work_dir import resolve_work_dir
    from kimi_tui.config.loader import load_config
    from kimi_tui.paths import shown
    from kimi_tui.permission.trust import trust_state

    work_dir = resolve_work_dir(args)
    loaded = load_config(Path(args.config_file).expanduser() if args.config_file else None, text=args.config)
    trust = trust_state(work_dir)
    trusted = trust.active or args.trust
    untrusted_files = tuple(
        f"{shown(item.path)}: {item.what}: only after you trust the folder (kimi-tui trust)"
        for item in trust.items
        if item.loosens and not trusted
    )
    return load_permissions(loaded, work_dir, trusted=trusted), work_dir, untrusted_files


def _checked(args: argparse.Namespace, settings: "PermissionSettings", workspace: "Workspace") -> "Explanation":
    from dataclasses import replace

    from kimi_tui import paths
    from kimi_tui.errors import UsageError
    from kimi_tui.mcp.tool_names import tools_prefix
    from kimi_tui.permission.explain import explain
    from kimi_tui.permission.subject import ArgumentsSubject
    from kimi_tui.tools.core.permission_subject import parse_subject
    from kimi_tui.tools.core.protected_calls import protection_reason

    workspace.protected.add(paths.home())
    try:
        subject = parse_subject(args.tool, args.call, workspace, settings.policy())
        if args.tool == "ReadMcpResource" and isinstance(subject, ArgumentsSubject):
            subject = replace(subject, server_tools=tools_prefix(str(subject.arguments.get("server"))))
    except ValueError as error:
        raise UsageError(str(error)) from None
    protected = protection_reason(args.tool, args.call, workspace)
    confined = args.tool == "Shell" and _confines(settings, workspace, args.call)
    return explain(settings, args.tool, subject, protected=protected, confined=confined)


def _confines(settings: "PermissionSettings", workspace: "Workspace", command: str) -> bool:
    """Whether the command needs no approval in the sandbox of a session; tests the sandbox, if the settings allow
    that.
    """
    import asyncio

    from kimi_tui.tools.shell_support.command_parser import parse_command_line
    from kimi_tui.tools.shell_support.sandbox import Sandbox
    from kimi_tui.tools.shell_support.shown_remotes import shown_remotes

    if settings.sandbox.network or not settings.trusted:
        return False
    sandbox = Sandbox(settings.sandbox, workspace, trusted=True)
    asyncio.run(sandbox.works())
    return sandbox.confines_commands and not shown_remotes(parse_command_line(command)).any_moves


def _check(checked: "Explanation") -> str:
    lines = [f"{checked.outcome}: {checked.why}"]
    if checked.parts or checked.doubts:
        lines.append("")
    for part in checked.parts:
        lines.append(f"  {part.text}")
        lines.append(f"    {_LEVELS[part.level]}{f' ({part.why})' if part.why else ''}")
        if part.level == "reads" and part.reads:
            lines.append(f"    needs approval anyway: {part.reads}")
        if part.unnamed:
            lines.append(f"    a rule covers it only if its pattern contains `{part.unnamed}`")
        if len(checked.parts) > 1:
            lines += [f"    {effect}: {rule}" for effect, rule in part.rules] or ["    no rule"]
    lines += [f"  {risk}" for risk in checked.doubts]
    if checked.rules:
        lines += ["", "Rules for this tool:"]
        lines += [f"  {_MATCH_LABELS[match]:12}  {rule}"
                  for rule, match in checked.rules]  # fmt: skip
    lines += [f"  warning: {warning}" for warning in checked.warnings]
    lines += ["", f"mode {checked.mode}: {checked.in_mode}", f"unattended (--print, --afk): {checked.alone}"]
    return "\n".join(lines) + "\n"


def _list(settings: "PermissionSettings", untrusted_files: tuple[str, ...]) -> str:
    lines = [f"mode {settings.mode}"]
    lines += [f"{rule.effect:5}  {rule}  ({rule.origin})" for rule in settings.rules] or ["No rules."]
    return "\n".join((*lines, *untrusted_files, *settings.warnings)) + "\n"


def _list_json(settings: "PermissionSettings", untrusted_files: tuple[str, ...]) -> dict[str, object]:
    return {
        "mode": settings.mode,
        "rules": [{"effect": rule.effect, "rule": str(rule), "origin": rule.origin} for rule in settings.rules],
        "warnings": [*untrusted_files, *settings.warnings],
    }
