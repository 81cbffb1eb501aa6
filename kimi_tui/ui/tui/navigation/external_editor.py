"""Edits the draft, or views the conversation, in the user's editor: Ctrl+G.

While the editor runs, the app is suspended and the event loop is blocked. So the editor opens only between turns.
"""

import contextlib
import errno
import os
import shlex
import signal
import subprocess
import tempfile
from collections.abc import Generator, Mapping
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Any

from textual.app import SuspendNotSupported

from kimi_tui.paths import find_program
from kimi_tui.ui.tui.i18n.catalog import _
from kimi_tui.ui.tui.terminal.shutdown import SIGNALS
from kimi_tui.ui.tui.transcript.word_selection import block_text

if TYPE_CHECKING:
    from kimi_tui.ui.tui.app_protocols import TerminalHost

_KNOWN_EDITORS: tuple[tuple[str, ...], ...] = (("code", "--wait"), ("vim",), ("vi",), ("nano",))


def editor_command(configured: str, environ: Mapping[str, str]) -> list[str]:
    """The editor's argv: the configured one, `$VISUAL`, `$EDITOR`, or an installed one; empty if none is found."""
    for line in (configured, environ.get("VISUAL", ""), environ.get("EDITOR", "")):
        with contextlib.suppress(ValueError):
            if words := shlex.split(line):
                return words
    found = next((known for known in _KNOWN_EDITORS if find_program(known[0], outside=[Path.cwd()])), ())
    return list(found)


class EditorFailedError(OSError):
    """An editor that ended with another status than 0; `saved` is the text that it saved before."""

    def __init__(self, status: int, saved: str) -> None:
        super().__init__(_("ended with status {status}", status=status))
        self.saved = saved


def edit_in_editor(text: str, command: list[str]) -> str:
    """The text after editing. Raises OSError if the editor cannot be started, EditorFailedError if it fails."""
    program = command[0]
    if "/" not in program:
        program = find_program(program, outside=[Path.cwd()]) or ""  # defence: editor-of-the-user
    if not program:
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), command[0])
    with tempfile.TemporaryDirectory(prefix="kimi-tui-") as folder:
        file = Path(folder) / "message.md"
        file.write_text(text, "utf-8")
        with subprocess.Popen([program, *command[1:], str(file)]) as editor, _editor_signals(editor):
            status = editor.wait()
        saved = file.read_text("utf-8", "replace").rstrip("\n")
        if status:
            raise EditorFailedError(status, saved)
        return saved


@contextlib.contextmanager
def _editor_signals(editor: "subprocess.Popen[bytes]") -> Generator[None]:
    """Leave Ctrl+C to the editor. Forward terminating signals to the editor first, because it blocks the app."""
    handlers: dict[int, Any] = {number: signal.getsignal(number) for number in SIGNALS}

    def on_signal(number: int, frame: FrameType | None) -> None:
        if number == signal.SIGINT:  # not SIG_IGN, which the editor would inherit
            return
        editor.send_signal(number)
        if callable(handlers[number]):
            handlers[number](number, frame)

    waker = signal.set_wakeup_fd(-1)
    for number in SIGNALS:
        signal.signal(number, on_signal)
    try:
        yield
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
        signal.set_wakeup_fd(waker)


def can_suspend(host: "TerminalHost") -> bool:
    """Whether the app can be suspended: not during a turn, because the model's output would not be read."""
    engine = host.engine
    return engine is None or not engine.busy or (engine.runner is not None and engine.runner.paused is not None)


def edit_draft_in_editor(host: "TerminalHost") -> None:
    """Open the draft in the editor and take the edited text back. Up recalls the text that a failed editor saved."""
    composer = host.main_screen.composer
    composer.end_search()  # defence: draft-in-the-editor
    before = composer.pastes.expand(composer.text)
    after, failed = _in_editor(host, before)
    if isinstance(failed, EditorFailedError) and failed.saved != before.rstrip("\n"):
        composer.remember(failed.saved)  # defence: text-of-a-failed-editor
        host.show_toast(_("Up recalls the text that the editor saved"))
    if after is not None and after != before:
        composer.text = composer.pastes.recollapse(after)
    composer.prompt.focus()


def open_conversation_in_editor(host: "TerminalHost") -> None:
    """Open the block at the cursor, or the whole conversation, in the editor; edits are discarded."""
    view = host.main_screen.transcript
    _in_editor(host, block_text(view.block) if view.block is not None else view.markdown())


def _in_editor(host: "TerminalHost", text: str) -> tuple[str | None, OSError | None]:
    """The text after editing; None, after reporting the reason, if no editor could be opened or if it failed."""
    if not can_suspend(host):
        host.show_toast(_("wait for the turn to end before opening the editor"))
        return None, None
    configured = host.engine_factory.config.default_editor if host.engine_factory is not None else ""
    command = editor_command(configured or "", os.environ)
    if not command:
        host.show_toast(_("no editor set: set $VISUAL, $EDITOR or default_editor"), severity="warning")
        return None, None
    after: str | None = None
    failed: OSError | None = None
    try:
        with host.suspend():  # an exception raised inside would leave the app suspended
            try:
                after = edit_in_editor(text, command)
            except OSError as error:
                failed = error
    except SuspendNotSupported:
        host.show_toast(_("no editor can be opened here"), severity="warning")
    if failed is not None:
        host.show_toast(f"{command[0]}: {failed.strerror or failed}", severity="warning")
    host.refresh()
    return after, failed
