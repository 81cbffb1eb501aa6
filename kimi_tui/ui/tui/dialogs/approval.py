"""The approval dialog: docked above the composer, so that the conversation stays readable.

Invariant: the dialog accepts a key, whether held, pasted or typed ahead, only after half a second without a key or a
change.
"""

import time
from collections.abc import Callable, Sequence

from textual import events
from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.message import Message
from textual.screen import ModalScreen
from textual.widgets import Input, Static, TextArea

from kimi_tui.ui.tui.dialogs.approval_body import ApprovalBody
from kimi_tui.ui.tui.dialogs.approval_fullscreen import KEYS, LETTERS, ApprovalFullscreen
from kimi_tui.ui.tui.dialogs.approval_header import ApprovalHeader
from kimi_tui.ui.tui.dialogs.docked_dialog import DockedDialog
from kimi_tui.ui.tui.dialogs.edit_command import EditCommand, editable_command
from kimi_tui.ui.tui.dialogs.hunk_picker import HunkPicker, selectable_hunks
from kimi_tui.ui.tui.dialogs.option_list import Option, OptionList
from kimi_tui.ui.tui.i18n.catalog import N_, _
from kimi_tui.ui.tui.i18n.translate import translate
from kimi_tui.ui.tui.text.call_summary import one_line
from kimi_tui.ui.tui.widgets.hints_changed import Hint, HintsChanged
from kimi_tui.ui.tui.widgets.text_field import TextField
from kimi_tui.ui.tui.widgets.type_ahead import write_message
from kimi_tui.wire.display import BriefBlock, DisplayBlock
from kimi_tui.wire.events import ApprovalAnswer
from kimi_tui.wire.requests import ApprovalRequest

_BLANK_ROWS = 2
"""One above the text, one above the answers."""
_ROOMY_ROWS = 28
"""Rows of a terminal in which a dialog always has its blank rows."""


class ApprovalDialog(DockedDialog):
    """Shows the first pending request, or the one that the user opened."""

    DEFAULT_CSS = """
    ApprovalDialog { border: round $warning; border-title-color: $warning; }
    ApprovalDialog > ApprovalBody { margin-top: 1; }
    ApprovalDialog.-tight > OptionList, ApprovalDialog.-tight > ApprovalBody { margin-top: 0; }
    ApprovalDialog > #said { display: none; height: 1; margin-top: 1; }
    ApprovalDialog #said-head { width: auto; padding: 0 1 0 0; color: $warning; }
    ApprovalDialog #words { width: 1fr; border: none; height: 1; padding: 0 1; background: $panel; }
    ApprovalDialog.-why > #said, ApprovalDialog.-comment > #said { display: block; }
    ApprovalDialog.-tight > #said { margin-top: 0; }
    """

    key_context = "approval"
    reach_label = N_("answer the approval")

    class RequestChanged(Message):
        """Posted when another pending request is shown."""

    class Answered(Message):
        """Posted when the user answers.

        `edited` is the command to run instead of the requested one; `taken` are the changes to apply.
        """

        def __init__(
            self,
            request_id: str,
            response: ApprovalAnswer,
            feedback: str | None = None,
            *,
            edited: str | None = None,
            taken: Sequence[int] | None = None,
        ) -> None:
            self.request_id = request_id
            self.edited, self.taken = edited, taken
            self.response: ApprovalAnswer = response
            self.feedback = feedback
            super().__init__()

    def __init__(
        self,
        *,
        clock: Callable[[], float] = time.monotonic,
        id: str | None = None,  # noqa: A002
    ) -> None:
        super().__init__(clock=clock, id=id)
        self.requests: tuple[ApprovalRequest, ...] = ()
        self.current: ApprovalRequest | None = None
        self._open: ModalScreen[str | None] | None = None
        self._replied = ""
        self._is_tight = False
        """Whether the blank rows are left out. The class follows once a layout: each change of it requests another."""

    def compose(self) -> ComposeResult:
        yield ApprovalHeader(id="asked-by")
        yield ApprovalBody(id="asked")
        yield OptionList(id="answers")
        with Horizontal(id="said"):
            yield Static(id="said-head", markup=False)
            yield TextField(id="words", compact=True)

    @property
    def is_open(self) -> bool:
        return self.current is not None

    @property
    def offered_options(self) -> frozenset[str]:
        """The displayed answers."""
        return frozenset(option.id for option in self.query_one(OptionList).options)

    @property
    def enabled_options(self) -> frozenset[str]:
        """The answers that can be given now."""
        return frozenset(option.id for option in self.query_one(OptionList).options if not option.disabled)

    @property
    def keys(self) -> frozenset[str]:
        return frozenset(KEYS)

    @property
    def _keys(self) -> dict[str, str]:
        offered = self.offered_options
        return {key: answer for key, answer in KEYS.items() if answer in offered}

    def hints(self) -> tuple[Hint, ...]:
        if self.writes:
            return (
                ("Enter", _("send") if self.has_class("-why") else _("keep comment, then choose")),
                ("Esc", _("discard")),
            )
        return (
            ("↑ ↓", _("choose")),
            ("Tab", _("comment")),
            *((("← →", _("next approval")),) if len(self.requests) > 1 else ()),
            *self._scroll_hints,
            ("Ctrl+F", _("full screen")),
            ("Esc", _("interrupt")),
        )

    def show(self, requests: Sequence[ApprovalRequest], *, node: str = "", open_id: str | None = None) -> None:
        """Show these requests one at a time, by default the first. A change of the request restarts the key guard."""
        self.requests = tuple(requests)
        wanted = open_id or (self.current.id if self.current is not None else None)
        request = next((one for one in requests if one.id == wanted), requests[0] if requests else None)
        if request is None or self.current is None or request.id != self.current.id:
            self.return_words()
        if request is None:
            self.current = None
            self.ahead.leave()
            self.remove_class("-open", "-why", "-comment")
            self._close_screen()
            return
        place = next(index for index, one in enumerate(requests) if one.id == request.id)
        self.border_title = _("approval")
        if len(requests) > 1:
            self.border_title = _("approval {at} of {count}", at=place + 1, count=len(requests))
        if self.current is None or request.id != self.current.id:
            self.current = request
            self._close_screen()
            self.ahead.leave()
            self.guard.restart()  # defence: guard-next-dialog
            self.remove_class("-why", "-comment")
            head = self.query_one(ApprovalHeader)
            head.request, head.node = request, node
            head.redraw()
            self.query_one(ApprovalBody).show(_blocks(request))
            self.query_one(OptionList).show(self._options(request, seen=self.query_one(ApprovalBody).all_seen))
            self.add_class("-open")
            self.call_after_refresh(self._refresh)

    @property
    def _is_terminal_low(self) -> bool:
        return self.app.size.height < _ROOMY_ROWS

    @property
    def _blank_rows(self) -> int:
        return 0 if self._is_tight else _BLANK_ROWS

    def fits(self, room: int) -> bool:
        self._is_tight = self._is_terminal_low
        return super().fits(room)

    def fit(self, room: int) -> None:
        """Shrink the text; in a low terminal the blank rows go first, unless there is room for all."""
        writes = self.has_class("-why") or self.has_class("-comment")
        self._is_tight = self._is_terminal_low
        self._is_tight = self._is_terminal_low and (writes or not super().fits(room - _BLANK_ROWS))
        self.set_class(self._is_tight, "-tight")
        super().fit(room)

    def _options(self, request: ApprovalRequest, *, seen: bool) -> list[Option]:
        once = _("Yes, this once") if seen else _("Yes, this once (its end has not been on screen)")
        options = [Option("once", LETTERS["once"], once)]
        if request.scope is not None:
            if seen:
                options.append(
                    Option(
                        "session", LETTERS["session"], _("Yes, for this session:"), translate(one_line(request.scope))
                    )
                )
            else:
                words = _("for this session (scroll to the end first)")
                options.append(Option("session", LETTERS["session"], words, disabled=True))
        options.append(Option("no", LETTERS["no"], _("No")))
        options.append(Option("why", LETTERS["why"], _("No, and say why…")))
        if editable_command(request) is not None:
            options.append(Option("edit", LETTERS["edit"], _("Edit before running…")))
        if hunks := selectable_hunks(request):
            options.append(
                Option("hunks", LETTERS["hunks"], _("Choose which of {count} changes to accept…", count=len(hunks)))
            )
        return options

    def _refresh(self) -> None:
        """Called after painting: enable the answer for the session if all of the text has been on screen."""
        if self.current is not None:
            seen = self.query_one(ApprovalBody).all_seen
            before = self.enabled_options
            self.query_one(OptionList).show(self._options(self.current, seen=seen), keep_cursor=True)
            if self.enabled_options != before:
                self.post_message(HintsChanged())

    def open_fullscreen(self) -> bool:
        """Show the request on the full screen; False without a pending request."""
        request = self.current
        if request is None or self.writes:
            return False
        node = self.query_one(ApprovalHeader).node
        screen = ApprovalFullscreen(
            request, _blocks(request), lambda seen: self._options(request, seen=seen), node=node, clock=self._clock
        )
        self._open_screen(screen, lambda answer: self.take_answer(answer, seen=True))
        return True

    def _open_screen(self, screen: ModalScreen[str | None], done: Callable[[str], object]) -> None:
        """Open a screen about the current request; its result counts only if that request is still pending."""
        request = self.current

        def over(answer: str | None) -> None:
            self._open = None
            self.guard.restart()
            if self.current is not None and not isinstance(self.screen.focused, TextArea):  # they write a message
                self.focus()
            if answer is not None and request is self.current:
                done(answer)

        self._open = screen
        self.app.push_screen(screen, over)

    def _close_screen(self) -> None:
        if self._open is not None and self._open.is_current:
            if isinstance(self._open, EditCommand):
                self._open.abandon()
            else:
                self._open.dismiss(None)

    def on_approval_body_fully_viewed(self, event: ApprovalBody.FullyViewed) -> None:
        event.stop()
        self._refresh()

    def on_key(self, event: events.Key) -> None:
        key = event.key
        if self.current is None:
            return
        if self.writes:
            if key == "tab" and self.has_class("-comment"):
                event.stop()
                event.prevent_default()
                self._keep_comment()
            return
        if self.scroll_text(event):
            self.call_after_refresh(self._refresh)
        elif key in ("up", "down"):
            event.stop()
            self.query_one(OptionList).move(-1 if key == "up" else 1)
        elif key == "tab":
            event.stop()
            event.prevent_default()
            self._write("-comment", _("comment"), _("sent with your answer (Esc discards it)"))
        elif key in ("left", "right"):
            event.stop()
            self._open_next(-1 if key == "left" else 1)
        elif key == "enter" and self.ahead.holds:
            event.stop()
            self.ahead.settle()
        elif key == "enter":
            event.stop()
            chosen = self.query_one(OptionList).selected
            if self.guard.accepts() and chosen is not None:  # defence: nothing-chosen-at-first
                self.take_answer(chosen.id)
        else:
            if KEYS.get(key) == "session" and key not in self._keys:
                self.notify(_("this can only be approved once, not for the session"), timeout=4, markup=False)
            self.ahead.handle_key(event, self._keys, KEYS)

    def _open_next(self, by: int) -> None:
        """Show another pending request."""
        if self.current is not None and len(self.requests) > 1:
            at = self.requests.index(self.current) if self.current in self.requests else 0
            wanted = self.requests[(at + by) % len(self.requests)]
            self.show(self.requests, node=self.query_one(ApprovalHeader).node, open_id=wanted.id)
            self.post_message(self.RequestChanged())

    def _reply(
        self,
        request: ApprovalRequest,
        response: ApprovalAnswer,
        *,
        edited: str | None = None,
        taken: Sequence[int] | None = None,
    ) -> None:
        self._replied = request.id
        self.post_message(self.Answered(request.id, response, self._comment, edited=edited, taken=taken))

    def return_words(self) -> None:
        if self.current is not None and self.current.id != self._replied and (words := self._comment):
            write_message(self, words, take_focus=self._words.has_focus, apart=True)
        self._words.value = ""

    def take_answer(self, option_id: str, *, seen: bool | None = None) -> None:
        request = self.current
        if request is None:
            return
        body = self.query_one(ApprovalBody)
        approves = seen is None and option_id in ("once", "session")
        answers = self.query_one(OptionList)
        # defence: approval-of-what-was-seen
        if approves and body.refuse_unseen(answer_shown=answers.in_view(option_id)):
            return
        seen = body.all_seen if seen is None else seen
        match option_id:
            case "once":
                self._reply(request, "approve")
            case "session" if request.scope is not None and seen:  # defence: broad-answer-after-whole-text
                self._reply(request, "approve_for_session")
            case "no":
                self._reply(request, "reject")
            case "why":
                self._write("-why", _("no"), _("reason… (Enter send · Esc cancel)"))
            case "edit" if (command := editable_command(request)) is not None:
                self._open_screen(
                    EditCommand(command),
                    lambda text: self._reply(request, "approve", edited=text if text != command else None),
                )
            case "hunks" if selectable_hunks(request):
                self._open_screen(
                    HunkPicker(request, node=self.query_one(ApprovalHeader).node, clock=self._clock),
                    lambda taken: self._reply(request, "approve", taken=[*map(int, taken.split(","))]),
                )
            case _:
                self.app.bell()

    # Comment on the answer

    @property
    def _words(self) -> Input:
        return self.query_one("#words", Input)

    @property
    def writes(self) -> bool:
        """Whether the user is writing a comment on the answer."""
        # defence: keys-of-a-reason
        return self.has_class("-why") or (self.has_class("-comment") and self._words.has_focus)

    @property
    def _comment(self) -> str | None:
        return self._words.value.strip() or None

    def take_focus(self) -> None:
        """Focus the dialog, or the comment input while the user writes in it."""
        if self.has_class("-why"):
            self.screen.set_focus(self._words)
        elif not self._words.has_focus:
            super().take_focus()

    def _write(self, how: str, head: str, about: str) -> None:
        self.remove_class("-why", "-comment")
        self.add_class(how)
        if self._is_terminal_low:
            self.add_class("-tight")  # the comment takes a row of theirs
        self.query_one("#said-head", Static).update(head)
        self._words.placeholder = about
        self.refresh(layout=True)
        self._words.focus()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        event.stop()
        if self.has_class("-comment"):
            self._keep_comment()
        elif self.current is not None:
            self._reply(self.current, "reject")

    def _keep_comment(self) -> None:
        """Return to the answers; the comment stays visible."""
        if self._comment is None:
            self.remove_class("-comment")
            self.refresh(layout=True)
        self.guard.restart()
        self.focus()

    def discard_comment(self) -> bool:
        """Discard the comment; False if there is none."""
        if not (self.has_class("-why") or self.has_class("-comment")):
            return False
        self.remove_class("-why", "-comment")
        self._words.value = ""
        self.refresh(layout=True)
        self.guard.restart()
        self.focus()
        return True


def _blocks(request: ApprovalRequest) -> Sequence[DisplayBlock]:
    return request.display or (BriefBlock(text=request.description),)
