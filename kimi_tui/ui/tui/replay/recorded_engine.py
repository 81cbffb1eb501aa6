"""A recorded session in place of an engine: accepts no input and takes no lock."""

from collections.abc import Callable, Sequence
from pathlib import Path

from kimi_tui.errors import UsageError
from kimi_tui.flow.run.runner import FlowRunner
from kimi_tui.flow.run.turn_protocol import TurnResult
from kimi_tui.interaction.approvals import Approvals
from kimi_tui.interaction.questions import Questions
from kimi_tui.paths import is_file
from kimi_tui.session.session import sessions_dir
from kimi_tui.session.state import read_state
from kimi_tui.soul.session_replay import Replay
from kimi_tui.tools.core.progress import ToolProgress
from kimi_tui.ui.tui.engine_protocol import Command, FlowSkill
from kimi_tui.ui.tui.i18n.catalog import _
from kimi_tui.ui.tui.state.view_clock import Timed
from kimi_tui.ui.tui.text.call_summary import one_line
from kimi_tui.ui.tui.text.styled_line import cut
from kimi_tui.wire.channel import Wire
from kimi_tui.wire.parts import UserInput
from kimi_tui.wire.recorder import read_recorded

_WIDEST = 38


class _NoSkills:
    def flows(self) -> Sequence[FlowSkill]:
        return ()

    def listen(self, listener: Callable[[object], None]) -> Callable[[], None]:
        return lambda: None


class RecordedEngine:
    """Implements the engine protocol; its actions have no effect. `messages` is the recording."""

    def __init__(self, file: Path, messages: list[Timed]) -> None:
        self.file = file
        self.messages = messages
        self.wire = Wire()
        self.approvals = Approvals(self.wire)
        self.questions = Questions(self.wire)
        self.progress = ToolProgress()
        self.skills = _NoSkills()
        self.runner: FlowRunner | None = None
        self.work_dir = file.parent
        self.secrets: Sequence[str] = ()
        state = read_state(file.parent / "state.json")
        self.title = state.shown_title
        self.session_id = file.parent.name
        self.model_name = _("a recording")
        self.model_note = ""
        self.accepts_images = False
        self.live = self.flows = None
        self.busy = False

    @property
    def heading(self) -> str:
        """The header's title: the session's title, or a file's name."""
        named = self.title or (self.session_id if self.file.name == "wire.jsonl" else self.file.name)
        return cut(one_line(named), _WIDEST)

    def commands(self) -> Sequence[Command]:
        return ()

    def resources(self) -> Sequence[str]:
        return ()

    async def loaded(self) -> None:
        """Returns at once: there is nothing to load."""

    async def prompt(self, user_input: UserInput) -> TurnResult:
        raise UsageError(_("this is a recording; you cannot send messages"))

    async def run_shell_line(self, command: str) -> None:
        raise UsageError(_("this is a recording; nothing can run here"))

    def cancel(self) -> None:
        """Does nothing: there is no turn."""

    def steer(self, user_input: UserInput) -> bool:
        return False

    def stop_flow(self, reason: str | None = None) -> None:
        """Does nothing: there is no flow."""

    def replay(self) -> Replay:
        """Empty: the recording is played, not resumed."""
        return Replay(())

    async def aclose(self) -> None:
        """Does nothing: there is nothing to release."""


def find_recording(name: str, work_dir: Path) -> Path:
    """The recording named by a session id (or its prefix), a session folder or a file. Raises UsageError."""
    path = Path(name).expanduser()
    if is_file(path):
        return path
    if is_file(path / "wire.jsonl"):
        return path / "wire.jsonl"
    here = sessions_dir(work_dir)
    for roots in ([here], sorted(here.parent.glob("*"))):
        found = [file for root in roots for file in sorted(root.glob("*/wire.jsonl")) if file.parent.name == name]
        found = found or [
            file for root in roots for file in sorted(root.glob("*/wire.jsonl")) if file.parent.name.startswith(name)
        ]
        if len(found) > 1:
            raise UsageError(f"--replay {name}: {len(found)} sessions match; use a longer id prefix")
        if found:
            return found[0]
    raise UsageError(f"--replay {name}: no such file, and no session with this id or prefix")


def load(file: Path) -> RecordedEngine:
    """Load the recording. Raises UsageError if it cannot be read or is empty."""
    try:
        messages: list[Timed] = [(one.timestamp, one.message) for one in read_recorded(file)]
    except OSError as error:
        raise UsageError(f"--replay {file}: {error.strerror or error}") from error
    if not messages:
        raise UsageError(f"--replay {file}: the recording is empty")
    return RecordedEngine(file, messages)
