"""Reasons to require approval of a call regardless of rules, mode and earlier answers.

Sessions and permission checks share them.
"""

from kimi_tui.permission.rule import EDITS, READS
from kimi_tui.tools.core.permission_subject import special_reasons
from kimi_tui.tools.file_support.workspace import Workspace
from kimi_tui.tools.shell_support.command_parser import parse_command_line
from kimi_tui.tools.shell_support.protected_paths import ask_reason


def protection_reason(tool: str, text: str, workspace: Workspace) -> tuple[str, ...]:
    """The reasons; empty if rules, mode and answers decide. Raises PathRefusedError as `Workspace.resolve` does."""
    if tool == "Shell":
        guarded = ask_reason(parse_command_line(text), workspace)
        return () if guarded is None else (guarded,)
    if tool in EDITS or tool in READS or tool in ("Edit", "Read"):
        resolved = workspace.resolve(text)
        if resolved.sensitive or (resolved.protected and tool in (*EDITS, "Edit")):
            return special_reasons(resolved)
    return ()
