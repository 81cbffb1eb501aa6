"""Writes the draft in the person's own editor, and reads the conversation there: Ctrl+G.

The screen is given up for as long as the editor runs, and nothing else runs meanwhile: that is why it has to wait for
a turn to end.
"""

import contextlib
import os
import shlex
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Generator, Mapping
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Any

from textual.app import SuspendNotSupported

from kimi_tui.ui.tui.i18n.catalog import _
from kimi_tui.ui.tui.terminal.shutdown import SIGNALS
from kimi_tui.ui.tui.transcript.word_selection import block_text

if TYPE_CHECKING:
    from kimi_tui.ui.tui.app import KimiTui

_KNOWN_EDITORS: tuple[tuple[str, ...], ...] = (("code", "--wait"), ("vim",), ("vi",), ("nano",))


def editor_command(configured: str, environ: Mapping[str, str]) -> list[str]:
    """The arguments that open an editor: the configured one, `$VISUAL`, `$EDITOR`, or one that is found; else none."""
    for line in (configured, environ.get("VISUAL", ""), environ.get("EDITOR", "")):
        with contextlib.suppress(ValueError):
            if words := shlex.split(line):
                return words
    found = next((known for known in _KNOWN_EDITORS if shutil.which(known[0])), ())
    return list(found)


def edit_in_editor(text: str, command: list[str]) -> str:
    """What the person made of the text. Raises OSError where the editor cannot be run or says that it failed."""
    with tempfile.TemporaryDirectory(prefix="kimi-tui-") as folder:
        file = Path(folder) / "message.md"
        file.write_text(text, "utf-8")
        with subprocess.Popen([*command, str(file)]) as editor, _signals_of(editor):
            status = editor.wait()
        if status:
            raise OSError(_("it ended with status {status}", status=status))
        return file.read_text("utf-8", "replace").rstrip("\n")


@contextlib.contextmanager
def _signals_of(editor: "subprocess.Popen[bytes]") -> Generator[None]:
    """A Ctrl+C is the editor's: we hear nothing of it. What is to end us ends the editor first, which holds us up."""
    handlers: dict[int, Any] = {number: signal.getsignal(number) for number in SIGNALS}

    def heard(number: int, frame: FrameType | None) -> None:
        if number == signal.SIGINT:  # not ignored, for an ignored signal would be ignored by the editor too
            return
        editor.send_signal(number)
        if callable(handlers[number]):
            handlers[number](number, frame)

    waker = signal.set_wakeup_fd(-1)
    for number in SIGNALS:
        signal.signal(number, heard)
    try:
        yield
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
        signal.set_wakeup_fd(waker)


def can_suspend(app: "KimiTui") -> bool:
    """Whether the screen may be given up now: while a turn runs, nothing would read what the model says."""
    engine = app.engine
    return engine is None or not engine.busy or (engine.runner is not None and engine.runner.paused is not None)


def edit_draft_in_editor(app: "KimiTui") -> None:
    """Give the draft to the editor and take back what it became."""
    composer = app.home.composer
    before = composer.pastes.expand(composer.text)
    after = _in_editor(app, before)
    if after is not None and after != before:
        composer.text = composer.pastes.recollapse(after)
    composer.prompt.focus()


def open_conversation_in_editor(app: "KimiTui") -> None:
    """Give the editor the block at the cursor, or the whole conversation; what is changed there changes nothing."""
    view = app.home.transcript
    _in_editor(app, block_text(view.block) if view.block is not None else view.markdown())


def _in_editor(app: "KimiTui", text: str) -> str | None:
    """What the text became in the editor; None, and the reason is told, where none could be opened."""
    if not can_suspend(app):
        app.tell(_("the editor can be opened when the turn has ended"))
        return None
    configured = app.host.config.default_editor if app.host is not None else ""
    command = editor_command(configured or "", os.environ)
    if not command:
        app.tell(_("no editor is known: set $VISUAL, $EDITOR or default_editor"), severity="warning")
        return None
    after, failed = None, None
    try:
        with app.suspend():  # what is raised within would leave the screen away
            try:
                after = edit_in_editor(text, command)
            except OSError as error:
                failed = error
    except SuspendNotSupported:
        app.tell(_("an editor cannot be opened from here"), severity="warning")
    if failed is not None:
        app.tell(f"{command[0]}: {failed.strerror or failed}", severity="warning")
    app.refresh()
    return after
