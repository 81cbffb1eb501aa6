"""The composer: the draft, and the messages queued during the running turn."""

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING

from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.message import Message
from textual.timer import Timer
from textual.widgets import TextArea

from kimi_tui.i18n import UserText
from kimi_tui.ui.tui.composer.completing_prompt import ALWAYS, IN_MENU, CompletingPrompt
from kimi_tui.ui.tui.composer.draft_store import Draft, DraftStore
from kimi_tui.ui.tui.composer.image_chips import ImageRefusedError
from kimi_tui.ui.tui.composer.input_history import InputHistory
from kimi_tui.ui.tui.composer.paste_chips import PasteChips
from kimi_tui.ui.tui.composer.prompt_area import PromptArea
from kimi_tui.ui.tui.composer.queue_list import QueuedList
from kimi_tui.ui.tui.i18n.catalog import _
from kimi_tui.ui.tui.widgets.hints_changed import Hint

if TYPE_CHECKING:
    from kimi_tui.wire.parts import UserInput

_DRAFT_S = 0.4
_COMMANDS = ("!", "/")


class Composer(CompletingPrompt):
    """Posts messages about the text; it never calls the engine."""

    DEFAULT_CSS = """
    Composer { height: auto; border-top: solid $line; }
    Composer:focus-within { border-top: solid $primary; }
    Composer > #write { height: auto; padding: 0 1; }
    Composer.-running #mark { color: $muted; }
    Composer.-running #mark.-spinning { color: $primary; }
    Composer.-shell { border-top: solid $warning; border-title-color: $warning; }
    Composer.-shell #mark { color: $warning; }
    """

    class Submitted(Message):
        """Enter: send the message, or queue it during a turn. `content` is the text with its images."""

        def __init__(self, text: str, content: "UserInput") -> None:
            self.text, self.content = text, content
            super().__init__()

    class Steered(Message):
        """Ctrl+S: steer the running turn; "" means the oldest queued message."""

        def __init__(self, text: str, content: "UserInput") -> None:
            self.text, self.content = text, content
            super().__init__()

    class Noted(Message):
        """A notice about pasted content, for the user."""

        def __init__(self, text: str) -> None:
            self.text = text
            super().__init__()

    class Scrolled(Message):
        """A key that scrolls the conversation: pageup, pagedown, ctrl+home, end or ctrl+end."""

        def __init__(self, key: str) -> None:
            self.key = key
            super().__init__()

    class EditQueued(Message):
        """Up in an empty composer with a queue: edit the last queued message. `times_set` is that of the text area."""

        def __init__(self, times_set: int) -> None:
            self.times_set = times_set
            super().__init__()

    class Emptied(Message):
        """The message was sent or cleared."""

    class Leave(Message):
        """Ctrl+D in an empty composer."""

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._drafts: DraftStore = DraftStore(None)
        self._draft_timer: Timer | None = None
        self._draft_problem = ""
        self.queued = QueuedList(id="queued")

    def compose(self) -> ComposeResult:
        yield self.queued
        yield self.menu
        with Horizontal(id="write"):
            yield self._mark
            yield self.prompt

    def on_mount(self) -> None:
        self.prompt.captures = ALWAYS
        self.prompt.fold = self._fold
        self.prompt.paste_clipboard = self._paste_clipboard
        self._update_title()

    def on_unmount(self) -> None:
        self.remember_left()
        self.save_draft()
        self._drafts.close()

    def set_history(self, history: InputHistory) -> None:
        """Use this history from now on; earlier inputs that are in no file move there."""
        self.remember_left()
        old, self.history = self.history, history
        self.images.restore(history.images)
        for text in () if old.is_stored else old.entries:
            self.remember(text)

    def set_drafts(self, drafts: DraftStore) -> None:
        """Use this store for the draft from now on; the current draft moves there. A stored draft is restored; if the
        composer has text, the stored draft goes into the history, where Up recalls it.
        """
        old = self._drafts
        if drafts.file == old.file:  # the same session is opened again
            return
        self._drafts = drafts
        draft = drafts.load(moved_from=old)
        self.images.restore(draft.images)
        if self._draft_text:
            unfolded = PasteChips()
            unfolded.restore(draft.pastes)
            for text in filter(None, (*draft.waiting, draft.text)):
                self.remember(unfolded.expand(text))
        elif draft.text or draft.waiting:
            self.pastes.restore(draft.pastes)
            if self._searching:
                self._text_before_search = draft.text
            else:
                self.text = draft.text
            self.put_before(draft.waiting)
        self.save_draft()
        old.save(Draft())

    def save_last_draft(self, more: str, drafts: DraftStore) -> None:
        """Write the draft of a composer that is closed, and what was typed after it. `drafts`: if it had no store."""
        if self._drafts.file is None:
            self._drafts = drafts
        self.save_draft(more)
        self._drafts.close()

    def save_draft(self, more: str = "") -> None:
        """Write the draft to its file now; `more` follows its text."""
        if self._draft_timer is not None:
            self._draft_timer.stop()
            self._draft_timer = None
        text = self._draft_text + more
        waiting = (*self.queued.steered, *self.queued.texts)
        images = self.images.chips_in("\n".join((*waiting, text)))
        cause = self._drafts.save(Draft(text, dict(self.pastes.texts), images, waiting))
        if cause and not self._draft_problem:
            words = _("the message is not kept if the program ends: {cause}", cause=cause)
            self.post_message(self.Noted(words))  # defence: draft-that-is-not-stored
        self._draft_problem = cause

    def show_turn(self, *, running: bool, working: bool) -> None:
        """Show whether a turn is running, and whether it works or waits for the user."""
        self.set_class(running, "-running")
        self._mark.set_spinning(working=working)

    def show_queue(self, texts: Sequence[str], steered: Sequence[str] = (), *, can_steer: bool = True) -> None:
        """Show the queued messages, and store them with the draft."""
        self.queued.show(texts, steered, can_steer=can_steer)
        self.save_draft()

    def _fold(self, text: str) -> str:
        """The text or chip to insert for a paste."""
        try:
            if (chips := self.images.from_paste(text)) is not None:
                return chips
        except ImageRefusedError as error:
            self.post_message(self.Noted(str(error)))
        return self.pastes.collapse(text)

    async def _paste_clipboard(self) -> None:
        """Paste the desktop's clipboard; without access to it, the text last copied in kimi-tui. Later keys wait."""
        from kimi_tui.ui.tui.composer.clipboard_reader import ClipboardTooLargeError, clipboard

        try:
            held = await asyncio.to_thread(clipboard)
        except ClipboardTooLargeError as error:
            self.post_message(self.Noted(str(error)))
            return
        if held.image:
            try:
                self.prompt.insert(self.images.add("clipboard.png", held.image) + " ")
            except ImageRefusedError as error:
                self.post_message(self.Noted(str(error)))
        elif text := held.text or self.app.clipboard:
            self.prompt.paste(text)
        elif held.tool:
            self.post_message(self.Noted(_("the clipboard is empty")))
        else:
            words = _("cannot read the clipboard: install wl-paste, xclip or pngpaste")
            self.post_message(self.Noted(words))

    def clear(self) -> bool:
        """Clear the draft; False if it was empty. Up recalls it."""
        if self._searching:
            self._close_menu()
            return True
        had = bool(self.text)
        self._remember_draft(self.text)
        self._close_menu()
        self.text = ""
        return had

    def begin_anew(self, text: str) -> None:
        """Write this text instead of the draft. Up recalls the draft."""
        if self._searching:
            self._close_menu()
        self.clear()  # defence: draft-before-a-command
        self.text = text

    def on_prompt_area_sent(self, event: PromptArea.Sent) -> None:
        event.stop()
        self._refresh_files()
        if (choice := self.menu.selected) is not None and (means := self._enter_action(choice)) != "send":
            self._take_choice(choice)
            if means == "complete":
                self._close_menu()
                return
        if self._searching:
            self.app.bell()
            return
        text = self.pastes.expand(self.text).strip()
        self._close_menu()
        if not text or text == "!":
            return
        self.remember(text)
        content = self.images.content(text)
        self.text = ""
        self.pastes.clear()
        self.save_draft()
        self.post_message(self.Submitted(text, content))

    def hints(self, *, running: bool, in_front: bool = True, flow_pane: UserText = "") -> tuple[Hint, ...]:
        """The keys that act while the composer has the focus; `in_front` is false while a dialog is open. `flow_pane`
        is what F3 shows, "" if nothing."""
        flow = (("F3", flow_pane),) if flow_pane else ()
        enter = ("Enter", _("queue") if running else _("send"))
        match self._enter_in_menu():
            case "search":
                return (("Enter", _("insert")), ("↑ ↓", _("choose")), ("Esc", _("back to your text")))
            case "unmatched":
                return (("Esc", _("back to your text")),)
            case "complete":
                return (("Enter", _("insert")), ("↑ ↓", _("choose")), ("Esc", _("close")))
            case "send":
                return (enter, ("Tab", _("insert")), ("↑ ↓", _("choose")), ("Esc", _("close")))
            case _ if running and in_front:
                return (enter, ("Ctrl+S", _("steer")), ("Esc", _("interrupt")), *flow,
                        ("Ctrl+P", _("palette")))  # fmt: skip
            case _ if running:
                return (enter, ("Esc", _("interrupt")))
            case _ if in_front:
                return (enter, ("Shift+Enter", _("newline")), ("/", _("commands")), ("@", _("files")),
                        *flow, ("Ctrl+P", _("palette")))  # fmt: skip
            case _:
                return (enter,)

    def on_prompt_area_pressed(self, event: PromptArea.Pressed) -> None:
        event.stop()
        if event.key == "tab":
            self._refresh_files()
        if (self.menu.is_open or self._searching) and event.key in IN_MENU:
            self._on_key_in_menu(event.key)
        elif self._searching and event.key in ("ctrl+s", "ctrl+d"):  # defence: keys-of-a-search
            self.app.bell()
        else:
            # a message may have been put back since
            was_empty = event.is_empty and event.times_set == self.prompt.times_set
            self._on_key_without_menu(event.key, was_empty=was_empty)

    def _on_key_without_menu(self, key: str, *, was_empty: bool) -> None:
        match key:
            case "up":
                self._show_older(was_empty)
            case "down":
                if self.history.walking and (text := self.history.newer(self._text_in_history)) is not None:
                    self.text = text if not self.history.walking else self.pastes.recall(text)
            case "ctrl+r":
                self._search()
            case "ctrl+s":
                text, self.text = self.pastes.expand(self.text).strip(), ""
                if text:
                    self.remember(text)
                    self.pastes.clear()
                self.post_message(self.Steered(text, self.images.content(text)))
            case "ctrl+d":
                self.post_message(self.Leave())
            case "pageup" | "pagedown" | "end" | "ctrl+home" | "ctrl+end":
                self.post_message(self.Scrolled(key))
            case _:
                pass

    def _show_older(self, was_empty: bool) -> None:
        if was_empty and self.queued.texts:
            self.post_message(self.EditQueued(self.prompt.times_set))
        elif (text := self.history.older("" if was_empty else self._text_in_history)) is not None:
            if was_empty:
                self.take_back(text)
            else:
                self.put_back(text)
            self._close_menu()

    @property
    def _text_in_history(self) -> str:
        """The text as the history has it: earlier inputs have their pastes in full."""
        return self.pastes.expand(self.text) if self.history.walking else self.text

    def put_back(self, text: str) -> None:
        """Put an earlier message back for editing: large pastes become chips again, and no menu opens."""
        self._dismissed_at = text = self.pastes.recall(text)
        self.text = text

    def take_back(self, text: str) -> None:
        """Put a message back into the composer, which was empty; letters typed since then continue it."""
        typed = self.text  # defence: letters-after-a-message-taken-back
        self.put_back(text)
        if typed:
            self.prompt.insert(typed)

    def put_before(self, texts: Sequence[str]) -> None:
        """Put returned messages before the draft; the cursor stays at its place in the draft."""
        texts = self._without_commands(texts)  # defence: commands-apart-from-messages
        if not texts:
            return
        back = "\n\n".join(map(self.pastes.recall, texts))
        if self._searching:
            self._text_before_search = "\n\n".join(filter(None, (back, self._text_before_search)))
        elif self.text:
            self.prompt.insert(back + "\n\n", (0, 0), maintain_selection_offset=True)
        else:
            self._dismissed_at = self.text = back

    def _without_commands(self, texts: Sequence[str]) -> Sequence[str]:
        """Move the texts to the history that Enter would make part of a command, or a command part of a message."""
        draft = self._draft_text
        kept = [text for text in texts if not text.startswith(_COMMANDS)]
        commands = [text for text in texts if text.startswith(_COMMANDS)]
        if draft.startswith(_COMMANDS):
            kept, commands = [], list(texts)
        elif not draft.strip() and not kept:
            kept, commands = commands[:1], commands[1:]
        for text in commands:
            self.remember(text)
        if commands:
            self.post_message(self.Noted(_("commands and messages are not joined; ↑ recalls the rest")))
        return kept

    def on_text_area_changed(self, event: TextArea.Changed) -> None:
        event.stop()
        self._update_title()
        if not self.text:
            self.post_message(self.Emptied())
        if self._draft_timer is None:
            self._draft_timer = self.set_timer(_DRAFT_S, self.save_draft)
        if self._searching:
            self._offer(self._found())
            self._update_title()
        else:
            self._complete()

    def on_text_area_selection_changed(self, event: TextArea.SelectionChanged) -> None:
        event.stop()
