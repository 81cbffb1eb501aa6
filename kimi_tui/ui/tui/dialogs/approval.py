"""The approval dialog: docked above the composer, the conversation stays readable.

Invariant: no key, held or pasted or typed ahead, answers before the dialog has stood still for half a second.
"""

import time
from collections.abc import Callable, Sequence

from textual import events
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.message import Message
from textual.screen import ModalScreen
from textual.widgets import Input

from kimi_tui.ui.tui.dialogs.asked_by import AskedBy
from kimi_tui.ui.tui.dialogs.body import AskedBody
from kimi_tui.ui.tui.dialogs.edit_command import EditCommand, command_of
from kimi_tui.ui.tui.dialogs.guard import Guard
from kimi_tui.ui.tui.dialogs.options import Option, OptionRows
from kimi_tui.ui.tui.dialogs.whole import KEYS, SCROLL, WholeRequest
from kimi_tui.ui.tui.headline import one_line
from kimi_tui.wire.display import BriefBlock, DisplayBlock
from kimi_tui.wire.events import ApprovalAnswer
from kimi_tui.wire.requests import ApprovalRequest


class ApprovalDialog(Vertical, can_focus=True):
    """Shows the first request of those that wait, or the one that was opened."""

    DEFAULT_CSS = """
    ApprovalDialog {
        display: none; height: auto; background: $surface; padding: 0 1;
        border: round $warning; border-title-color: $warning; border-title-style: bold;
        border-subtitle-color: $muted;
    }
    ApprovalDialog.-open { display: block; }
    ApprovalDialog > OptionRows { margin-top: 1; }
    ApprovalDialog > AskedBody { margin-top: 1; background: $surface; }
    ApprovalDialog.-tight > OptionRows, ApprovalDialog.-tight > AskedBody { margin-top: 0; }
    ApprovalDialog > Input { display: none; border: none; height: 1; padding: 0 1; background: $panel; }
    ApprovalDialog.-why > Input { display: block; margin-top: 1; }
    """

    class Answered(Message):
        """`edited` is the command to run in place of the one that was asked for."""

        def __init__(
            self,
            request_id: str,
            response: ApprovalAnswer,
            feedback: str | None = None,
            *,
            edited: str | None = None,
        ) -> None:
            self.request_id = request_id
            self.edited = edited
            self.response: ApprovalAnswer = response
            self.feedback = feedback
            super().__init__()

    class Typed(Message):
        """The person writes a message: `text` belongs to the composer."""

        def __init__(self, text: str) -> None:
            self.text = text
            super().__init__()

    def __init__(
        self,
        *,
        clock: Callable[[], float] = time.monotonic,
        id: str | None = None,  # noqa: A002
    ) -> None:
        super().__init__(id=id)
        self.guard = Guard(clock)
        self.requests: tuple[ApprovalRequest, ...] = ()
        self.current: ApprovalRequest | None = None
        self._swallowed = ""
        self._clock = clock
        self._aside: ModalScreen[str | None] | None = None

    def compose(self) -> ComposeResult:
        yield AskedBy(id="asked-by")
        yield AskedBody(id="asked")
        yield OptionRows(id="answers")
        yield Input(placeholder="why not? enter sends, esc takes it back", id="why", compact=True)

    @property
    def is_open(self) -> bool:
        return self.current is not None

    def show(self, requests: Sequence[ApprovalRequest], *, node: str = "", open_id: str | None = None) -> None:
        """Ask for these, the first one first. A dialog that shows another request than before waits anew."""
        self.requests = tuple(requests)
        wanted = open_id or (self.current.id if self.current is not None else None)
        request = next((one for one in requests if one.id == wanted), requests[0] if requests else None)
        if request is None:
            self.current = None
            self.remove_class("-open", "-why")
            self._leave_aside()
            return
        place = next(index for index, one in enumerate(requests) if one.id == request.id)
        self.border_title = "approval" if len(requests) == 1 else f"approval {place + 1} of {len(requests)}"
        self.border_subtitle = "tab next · ctrl+f whole screen" if len(requests) > 1 else "ctrl+f whole screen"
        if self.current is None or request.id != self.current.id:
            self.current = request
            self._leave_aside()
            self._swallowed = ""
            self.guard.restart()
            self.remove_class("-why")
            self.query_one("#why", Input).value = ""
            head = self.query_one(AskedBy)
            head.request, head.node = request, node
            head.redraw()
            self.query_one(AskedBody).show(_blocks(request))
            self.query_one(OptionRows).show(self._options(request, seen=self.query_one(AskedBody).all_seen))
            self.add_class("-open")
            self.call_after_refresh(self._look_again)
        elif self.has_class("-why"):
            self.query_one("#why", Input).focus()
        self.fit()

    def fit(self) -> None:
        """Let the text give way, so that every answer stays on screen."""
        rows = self.app.size.height
        tight = rows < 24
        self.set_class(tight, "-tight")
        talk = 1 if rows < 20 else 2 if tight else 4
        around = 5 + talk  # header, strip, hints, composer, and a little of the conversation
        frame = 3 if tight else 5
        answers = len(self.query_one(OptionRows).options) + 1
        self.query_one(AskedBody).give_room(max(2, min(24, rows - around - frame - answers)))

    def _options(self, request: ApprovalRequest, *, seen: bool) -> list[Option]:
        options = [Option("once", "y", "Yes, this once")]
        if request.scope is not None:
            if seen:
                options.append(Option("session", "a", "Yes, for this session:", one_line(request.scope)))
            else:
                words = "for this session: page down to its end first"
                options.append(Option("session", "a", words, withheld=True))
        options.append(Option("no", "n", "No"))
        options.append(Option("why", "f", "No, and say why…"))
        if command_of(request) is not None:
            options.append(Option("edit", "e", "Edit it before it runs…"))
        return options

    def _look_again(self) -> None:
        """The text has been painted: the broad answer may be given if all of it was."""
        if self.current is not None:
            seen = self.query_one(AskedBody).all_seen
            self.query_one(OptionRows).show(self._options(self.current, seen=seen), keep_cursor=True)

    def read_whole(self) -> bool:
        """Show the request on the whole screen; False where none is asked."""
        request = self.current
        if request is None or self.has_class("-why"):
            return False
        node = self.query_one(AskedBy).node
        screen = WholeRequest(
            request, _blocks(request), lambda seen: self._options(request, seen=seen), node=node, clock=self._clock
        )
        self._open_aside(screen, lambda answer: self._take(answer, seen=True))
        return True

    def _open_aside(self, screen: ModalScreen[str | None], done: Callable[[str], object]) -> None:
        """A screen about the request of now; what it gives back counts while that request still waits."""
        request = self.current

        def over(answer: str | None) -> None:
            self._aside = None
            self.guard.restart()
            self.focus()
            if answer is not None and request is self.current:
                done(answer)

        self._aside = screen
        self.app.push_screen(screen, over)

    def _leave_aside(self) -> None:
        if self._aside is not None and self._aside.is_current:
            self._aside.dismiss(None)

    def on_asked_body_seen_whole(self, event: AskedBody.SeenWhole) -> None:
        event.stop()
        self._look_again()

    def on_key(self, event: events.Key) -> None:
        if self.current is None or self.has_class("-why"):
            return
        key = event.key
        if key in SCROLL:
            event.stop()
            self.query_one(AskedBody).scroll_relative(y=SCROLL[key], animate=False, immediate=True)
            self.call_after_refresh(self._look_again)
        elif key in ("up", "down"):
            event.stop()
            self.query_one(OptionRows).move(-1 if key == "up" else 1)
        elif key == "tab" and len(self.requests) > 1:
            event.stop()
            event.prevent_default()
            at = self.requests.index(self.current) if self.current in self.requests else 0
            self.show(
                self.requests,
                node=self.query_one(AskedBy).node,
                open_id=self.requests[(at + 1) % len(self.requests)].id,
            )
        elif key in KEYS:
            event.stop()
            if self.guard.passes():
                self._take(KEYS[key])
            else:
                self._swallowed += event.character or ""
        elif key == "enter":
            event.stop()
            chosen = self.query_one(OptionRows).selected
            if self.guard.passes() and chosen is not None:
                self._take(chosen.id)
        elif event.is_printable and event.character:
            event.stop()
            text, self._swallowed = self._swallowed + event.character, ""
            self.guard.restart()
            self.post_message(self.Typed(text))

    def on_paste(self, event: events.Paste) -> None:
        if not self.has_class("-why"):
            event.stop()
            self.guard.restart()
            self.post_message(self.Typed(event.text))

    def on_option_rows_clicked(self, event: OptionRows.Clicked) -> None:
        event.stop()
        if self.guard.passes():
            self._take(event.option_id)

    def _take(self, option_id: str, *, seen: bool | None = None) -> None:
        request = self.current
        if request is None:
            return
        seen = self.query_one(AskedBody).all_seen if seen is None else seen
        match option_id:
            case "once":
                self.post_message(self.Answered(request.id, "approve"))
            case "session" if request.scope is not None and seen:
                self.post_message(self.Answered(request.id, "approve_for_session"))
            case "no":
                self.post_message(self.Answered(request.id, "reject"))
            case "why":
                self.add_class("-why")
                self.query_one("#why", Input).focus()
            case "edit" if (command := command_of(request)) is not None:
                self._open_aside(
                    EditCommand(command),
                    lambda text: self.post_message(
                        self.Answered(request.id, "approve", edited=text if text != command else None)
                    ),
                )
            case _:
                self.app.bell()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        event.stop()
        if self.current is not None:
            self.post_message(self.Answered(self.current.id, "reject", event.value.strip() or None))

    def leave_why(self) -> bool:
        """Take back the wish to say why; False where it was not there."""
        if not self.has_class("-why"):
            return False
        self.remove_class("-why")
        self.guard.restart()
        self.focus()
        return True


def _blocks(request: ApprovalRequest) -> Sequence[DisplayBlock]:
    return request.display or (BriefBlock(text=request.description),)
