"""The common steps of WriteFile and StrReplaceFile: read the old text, show the diff, ask for approval, write."""

import asyncio
from collections.abc import Callable, Sequence, Set
from dataclasses import dataclass, replace
from difflib import unified_diff

from kimi_tui.i18n import tr
from kimi_tui.interaction.approvals import Approvals, ProposedAction, Scope
from kimi_tui.paths import is_folder
from kimi_tui.tools.core.ask_approval import ask_approval
from kimi_tui.tools.core.permission_subject import denied_paths, file_subject, special_reasons
from kimi_tui.tools.core.tool import failed, ok
from kimi_tui.tools.file_support.client_editor import Buffers, Editor
from kimi_tui.tools.file_support.diff import CONTEXT_LINES, diff_blocks, text_with
from kimi_tui.tools.file_support.edit_observer import FileHistory
from kimi_tui.tools.file_support.read_approval import ask_to_read
from kimi_tui.tools.file_support.safe_open import FileRefusedError, check_writable, read_bytes, write_bytes
from kimi_tui.tools.file_support.text_encoding import MAX_EDIT_BYTES, TextEncoding, decode, shown_by_editor
from kimi_tui.tools.file_support.workspace import PathRefusedError, ResolvedPath, Workspace
from kimi_tui.wire.display import BriefBlock, DiffBlock, DisplayBlock
from kimi_tui.wire.parts import ToolReturnValue

INSIDE = tr("edit file")
OUTSIDE = tr("edit file outside of working directory")


@dataclass(frozen=True, slots=True)
class NewText:
    """The new content of a file, and the message after the edit."""

    text: str
    message: str


@dataclass(frozen=True, slots=True)
class EditResult:
    """The approved content of a file, with the result for the model and the display for the user."""

    content: bytes
    message: str
    display: tuple[DisplayBlock, ...]


_NOT_SEEN = " Commands do not see it: they have folders for temporary files of their own."


class EditRefusedError(ValueError):
    """An impossible change; the message is for the model."""


async def edit(
    path_text: str,
    change: Callable[[str | None], NewText],
    *,
    sender: str,
    workspace: Workspace,
    approvals: Approvals,
    history: FileHistory,
    editor: Editor,
) -> ToolReturnValue:
    """Edit one file. `change` gets its text, None for a new file, and may raise EditRefusedError."""
    try:
        resolved = workspace.resolve(path_text)
        async with workspace.lock(resolved.real):
            old_content, text, encoding = await asyncio.to_thread(_read, resolved)
            exists = old_content is not None
            async with editor.using_buffers() as usable:
                whole = usable if _is_whole(text) else None
                buffers, buffer_text = await _buffer_text(whole, resolved, exists=exists)
            if buffer_text is not None:
                text, encoding = shown_by_editor(buffer_text, encoding)
                old_content = encoding.encode(text)
            try:
                new = change(text)
            except EditRefusedError as error:
                return await _if_readable(approvals, resolved, failed(str(error)))
            content = encoding.encode(new.text)
            if content == old_content:
                unchanged = ok(message=f"`{resolved.shown}` holds that already; nothing was changed.")
                return await _if_readable(approvals, resolved, unchanged)
            old = text or ""
            blocks = await asyncio.to_thread(diff_blocks, resolved.shown, _shown(old), _shown(new.text))
            one_by_one = _shown(old) == old and _shown(new.text) == new.text
            choice: list[frozenset[int]] = []
            refused = await ask_approval(
                approvals,
                ProposedAction(
                    sender=sender,
                    action=INSIDE if resolved.inside else OUTSIDE,
                    description=tr("Edit file `{file}`", file=resolved.shown)
                    if old_content is not None
                    else tr("Create file `{file}`", file=resolved.shown),
                    display=blocks,
                    scope=None if resolved.instructs else edit_scope(resolved, workspace),
                    subject=file_subject(resolved, edit=True),
                    reasons=special_reasons(resolved),
                    force_ask=resolved.protected or resolved.sensitive,
                    hunks=len(blocks) if one_by_one else 0,
                ),
                on_selected_hunks=choice.append,
            )
            if refused is not None:
                return refused
            result = EditResult(content, new.message, blocks)
            if choice:
                result = await asyncio.to_thread(_in_part, resolved.shown, old, new.text, blocks, choice[0], encoding)
                # defence: refused-changes-tell-no-secrets
                if resolved.sensitive or denied_paths("ReadFile", resolved, approvals.policy):
                    result = replace(result, message=_count_of_changes(resolved.shown, blocks, choice[0]))
            history.before_edit(resolved.real, old_content, result.content)
            async with editor.using_buffers() as usable:
                if buffers is None or usable is None:
                    await asyncio.to_thread(write_bytes, resolved.real, result.content, expected=old_content)
                else:
                    await asyncio.to_thread(check_writable, resolved.real, exists=exists)
                    if await _buffer_text(buffers, resolved, exists=exists) != (buffers, buffer_text):
                        raise FileRefusedError(f"`{resolved.shown}` has changed meanwhile. Read it again.")
                    await buffers.write(resolved.real, result.content[len(encoding.mark) :].decode(encoding.encoding))
            note = _NOT_SEEN if not exists and workspace.is_hidden_from_commands(resolved.real) else ""
            return ok(message=f"{result.message}{note}", display=result.display)
    except (PathRefusedError, EditRefusedError) as error:
        return failed(str(error))
    except UnicodeError as error:
        return failed(f"`{path_text}` cannot be written in its encoding: {_reason(error)}.")
    except OSError as error:
        return failed(_why(path_text, error))


async def _if_readable(approvals: Approvals, resolved: ResolvedPath, value: ToolReturnValue) -> ToolReturnValue:
    """Return what tells something of the file's content, or the refusal to read the file."""
    return await ask_to_read(approvals, resolved, sender="ReadFile") or value  # defence: edits-tell-no-secrets


def _in_part(
    path: str, old: str, new: str, changes: Sequence[DiffBlock], selected: Set[int], encoding: TextEncoding
) -> EditResult:
    text = text_with(old, new, selected)
    brief = BriefBlock(text=f"You took {len(selected)} of {len(changes)} changes")
    return EditResult(
        encoding.encode(text), selection_message(path, changes, selected), (brief, *diff_blocks(path, old, text))
    )


def selection_message(path: str, changes: Sequence[DiffBlock], selected: Set[int]) -> str:
    """Return the message for the model: the changes that the user selected, and the full text of the rejected ones."""
    rows = [_count_of_changes(path, changes, selected)]
    for number, change in enumerate(changes):
        old_lines, new_lines = change.old_text.split("\n"), change.new_text.split("\n")
        where = f"Change {number + 1}, from line {change.old_start}"
        if number in selected:
            rows.append(f"{where}: made.")
        else:
            diff = [*unified_diff(old_lines, new_lines, lineterm="", n=CONTEXT_LINES)][3:]
            rows += [f"{where}: refused; the file holds the old text there. This was not made:", *diff]
    return "\n".join(rows)


def _count_of_changes(path: str, changes: Sequence[DiffBlock], selected: Set[int]) -> str:
    return (
        f"Edited `{path}` in part: of the {len(changes)} changes the user took {len(selected)} and refused the others."
    )


def edit_scope(resolved: ResolvedPath, workspace: Workspace) -> Scope:
    """Return the top-level folder within the workspace, or the file alone outside it."""
    if resolved.folder is not None:
        within = resolved.real.relative_to(resolved.folder)
        if len(within.parts) > 1 or resolved.folder != workspace.work_dir:
            top = resolved.folder / within.parts[0] if len(within.parts) > 1 else resolved.folder
            folder_label = f"{top.name}/" if resolved.folder == workspace.work_dir else f"{top}/"
            return Scope((f"edit under: {top}",), tr("edits under `{folder}`", folder=folder_label))
    return Scope((f"edit: {resolved.real}",), tr("edits of `{file}`", file=resolved.shown))


def _read(resolved: ResolvedPath) -> tuple[bytes | None, str | None, TextEncoding]:
    try:
        content = read_bytes(resolved.real, most=MAX_EDIT_BYTES)
    except FileNotFoundError:
        if not is_folder(resolved.real.parent):
            raise EditRefusedError(f"The folder of `{resolved.given}` does not exist.") from None
        return None, None, TextEncoding()
    try:
        text, encoding = decode(content)
    except ValueError:
        raise EditRefusedError(f"`{resolved.given}` is a binary file.") from None
    return content, text, encoding


async def _buffer_text(
    buffers: Buffers | None, resolved: ResolvedPath, *, exists: bool
) -> tuple[Buffers | None, str | None]:
    """Return the buffers to edit, None for the disk, and their current text, None for a new file.

    An editor has the files of the workspace; a file that it cannot read is edited on disk.
    """
    if buffers is None or not buffers.writes or not resolved.inside:
        return None, None
    text = await buffers.read(resolved.real)
    if exists:
        return (buffers, text) if text is not None else (None, None)
    return buffers, text or None


def _is_whole(text: str | None) -> bool:
    """Whether the editor's text is lossless: it has no byte outside its encoding."""
    return text is None or text.isascii() or not any("\udc80" <= char <= "\udcff" for char in text)


def _reason(error: UnicodeError) -> str:
    return error.reason if isinstance(error, UnicodeEncodeError | UnicodeDecodeError) else str(error)


def _shown(text: str) -> str:
    """Return text that is valid in JSON: bytes that are not UTF-8 are marked."""
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def _why(path_text: str, error: OSError) -> str:
    if error.strerror is None:
        return str(error)
    return f"`{path_text}` cannot be changed: {error.strerror}."
