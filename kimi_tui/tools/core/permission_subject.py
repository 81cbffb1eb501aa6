"""The subject that permission rules match in a call: a parsed command line, or a file's real path."""

from typing import cast

from kimi_tui import json_text
from kimi_tui.permission.policy import Policy
from kimi_tui.permission.rule import EDITS, READS, Effect
from kimi_tui.permission.subject import (
    ArgumentsSubject,
    CommandSubject,
    FileSubject,
    PageSubject,
    Subject,
)
from kimi_tui.tools.file_support.workspace import ResolvedPath, Workspace
from kimi_tui.tools.shell_support.command_parser import CommandLine, parse_command_line
from kimi_tui.tools.shell_support.read_only import NO_RULES, analyse_reads
from kimi_tui.tools.web_support.fetcher import FetchError, host_of
from kimi_tui.wire.parts import JsonObject

_FILE_TOOLS = EDITS | READS | {"Edit", "Read"}


def command_subject(line: CommandLine, workspace: Workspace | None = None, policy: Policy = NO_RULES) -> CommandSubject:
    """Make the subject of a command line. Without a workspace no command counts as read-only. The rules of the policy
    for reading files apply to the files that the line reads.
    """
    reading = analyse_reads(line, workspace, policy)
    commands = tuple(command.words for command in line.commands)
    wrappers = tuple(command.words for command in line.wrappers)
    return CommandSubject(
        commands, line.risks, reading.why_not, reading.elsewhere, reading.secrets, reading.rule, wrappers
    )


def file_subject(resolved: ResolvedPath, *, edit: bool) -> FileSubject:
    return FileSubject(resolved.real, resolved.folder, edit, resolved.instructs)


def page_subject(url: str) -> PageSubject:
    """Make the subject of a page. Raises ValueError for an invalid page address."""
    try:
        return PageSubject(url, host_of(url))
    except FetchError as error:
        raise ValueError(f"{url!r}: {error}") from None


def denied_paths(tool: str, resolved: ResolvedPath, policy: Policy) -> bool:
    """Return whether a search skips this file because a rule denies it or requires approval."""
    return policy.decide(tool, file_subject(resolved, edit=False)).effect in (Effect.ASK, Effect.DENY)


def special_reasons(resolved: ResolvedPath) -> tuple[str, ...]:
    """List what is special about the file, for the approval dialog."""
    reasons = (
        (not resolved.inside, "the file is outside of the work dir"),
        (resolved.sensitive, "by its name the file holds secrets"),
        (resolved.protected, "the file is protected: something is started or set up by it later"),
        (resolved.instructs and not resolved.protected, "agents or tools do what the file says"),
    )
    return tuple(text for applies, text in reasons if applies)


def parse_subject(tool: str, text: str, workspace: Workspace, policy: Policy = NO_RULES) -> Subject:
    """Interpret `text` for this tool: a command line, a path, an address, or arguments as a JSON object. For a tool of
    ours the text may also be the value of one argument.

    Raises ValueError (PathRefusedError) for an unusable path, and for invalid arguments.
    """
    if tool == "Shell":
        return command_subject(parse_command_line(text), workspace, policy)
    if tool in _FILE_TOOLS:
        return file_subject(workspace.resolve(text), edit=tool in EDITS or tool == "Edit")
    if tool == "FetchURL":
        return page_subject(text)
    if tool == "Network":
        return page_subject(text if "://" in text else f"https://{text}/")
    return ArgumentsSubject(_arguments(tool, text))


def _arguments(tool: str, text: str) -> JsonObject:
    try:
        value: object = json_text.loads(text or "{}")
    except (ValueError, RecursionError):
        value = None
    if not isinstance(value, dict):
        if not tool.startswith("mcp__"):
            return {"": text}
        raise ValueError(f"{text!r}: the arguments of a tool of an MCP server are written as a JSON object")
    return cast(JsonObject, value)
