"""The input field with its menu: completions of commands and files, and the search in the history."""

import asyncio
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Literal

from textual.containers import Vertical

from kimi_tui.ui.tui.composer.completion import (
    Completion,
    Trigger,
    command_choices,
    enter_action,
    file_choices,
    find_trigger,
)
from kimi_tui.ui.tui.composer.completion_menu import CompletionMenu
from kimi_tui.ui.tui.composer.image_chips import ImageChips
from kimi_tui.ui.tui.composer.input_history import InputHistory
from kimi_tui.ui.tui.composer.paste_chips import PasteChips
from kimi_tui.ui.tui.composer.prompt_area import PromptArea
from kimi_tui.ui.tui.composer.prompt_mark import PromptMark
from kimi_tui.ui.tui.engine_protocol import Command
from kimi_tui.ui.tui.i18n.catalog import _
from kimi_tui.ui.tui.widgets.hints_changed import HintsChanged

if TYPE_CHECKING:
    from kimi_tui.ui.tui.composer.file_index import FileIndex

_READ_S = 0.3
ALWAYS = frozenset({"ctrl+r", "ctrl+s"})
"""Keys that the input field leaves to the composer, with or without a menu."""
IN_MENU = frozenset({"up", "down", "tab", "escape", "ctrl+n", "ctrl+p", "pageup", "pagedown"})
"""Keys of an open menu."""


class CompletingPrompt(Vertical):
    """The input field, and the menu above it. While the history is searched, the field has the searched words."""

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self.pastes, self.images = PasteChips(), ImageChips()
        self.history = InputHistory(None)
        self.files: FileIndex | None = None
        self.commands: Callable[[], Sequence[Command]] = tuple
        self._searching, self._text_before_search = False, ""
        self._title = ""
        self._trigger: Trigger | None = None
        self._dismissed_at: str | None = None
        self._files_pending = False
        self._enter_meaning = ""
        self.menu = CompletionMenu(id="menu")
        self._mark = PromptMark(id="mark")
        self.prompt = PromptArea(self.pastes, self.images, id="prompt")

    @property
    def text(self) -> str:
        return self.prompt.text

    @property
    def is_written(self) -> bool:
        """Whether the user is writing a message or searching the history."""
        return bool(self.text.strip()) or self._searching

    @text.setter
    def text(self, text: str) -> None:
        self.prompt.set_text(text)

    @property
    def _draft_text(self) -> str:
        """The message that is being written, also while the history is searched."""
        return self._text_before_search if self._searching else self.text

    def _update_title(self) -> None:
        shell = self.text.startswith("!") and not self._searching
        if self._searching:
            title = _("earlier messages") if self.menu.is_open else _("earlier messages: nothing found")
        else:
            title = _("shell command: runs here; the model sees it with your next message") if shell else _("message")
        if title != self._title:  # each change lays out the whole screen, and this runs at every key
            self._title = title
            self.set_class(shell, "-shell")
            self._mark.show_sign(shell=shell)
            self.border_title = f" {title} "

    def _enter_in_menu(self) -> Literal["", "send", "complete", "search", "unmatched"]:
        """What Enter does while a menu or the search takes keys; "" if none does."""
        if (choice := self.menu.selected) is None:
            return "unmatched" if self._searching else ""
        if self._searching:
            return "search"
        return "complete" if self._enter_action(choice) == "complete" else "send"

    def _update_hints(self) -> None:
        if (taken := self._enter_in_menu()) != self._enter_meaning:
            self._enter_meaning = taken
            self.post_message(HintsChanged())

    def _enter_action(self, choice: Completion) -> Literal["send", "run", "complete"]:
        if self._searching:
            return "complete"
        text = self.text.strip()
        if text == choice.insert.strip():
            return "send"
        if not choice.runs or any(char.isspace() for char in text):
            return "complete"
        return enter_action(text.removeprefix("/"), choice, self.commands(), moved=self.menu.moved)

    def _on_key_in_menu(self, key: str) -> None:
        match key:
            case "up" | "ctrl+p":
                self.menu.move(-1)
            case "down" | "ctrl+n":
                self.menu.move(1)
            case "pageup":
                self.menu.move(-min(8, self.menu.cursor))
            case "pagedown":
                self.menu.move(min(8, len(self.menu.choices) - 1 - self.menu.cursor))
            case "tab" if (choice := self.menu.selected) is not None:
                self._take_choice(choice)
                self._close_menu()
            case "escape":
                self._dismissed_at = self.text
                self._close_menu()
            case _:
                pass
        self._update_hints()

    def _search(self) -> None:
        """Search the history; during a search, select the next match. The draft is kept, and Esc restores it."""
        if self._searching:
            self.menu.move(1)
            return
        if not self.history.search(""):
            return
        self._searching, self._text_before_search = True, self.text
        self.text = ""
        self._offer(self._found())
        self._update_title()

    def _found(self) -> list[Completion]:
        return [Completion(text, "", text) for text in self.history.search(self.text.strip())]

    def _complete(self) -> None:
        """Open, update or close the menu for the text before the cursor."""
        self._trigger = None if self.text == self._dismissed_at else find_trigger(self.prompt.before_cursor)
        match self._trigger:
            case Trigger("command", query):
                self._offer(command_choices(query, self.commands()))
            case Trigger("file", query) if self.files is not None:
                self._offer_files(query, self.files)
            case _:
                self._offer([])

    def _offer_files(self, query: str, files: "FileIndex") -> None:
        """Search files at once if that is fast, else in a thread; until it ends, the menu shows the previous result."""
        if not files.is_large:
            self._offer(file_choices(query, files.search))
        if files.is_large or files.is_reading:
            self._files_pending = True
            self.prompt.captures |= {"tab"}
            self.run_worker(self._find_files(query, files), group="files", exclusive=True)

    async def _find_files(self, query: str, files: "FileIndex") -> None:
        trigger = self._trigger

        def is_current() -> bool:
            return self._files_pending and self._trigger == trigger

        while is_current():
            reading = files.is_reading
            found = await asyncio.to_thread(file_choices, query, partial(files.search, is_current=is_current))
            if is_current():
                self._offer(found)
                self._files_pending = reading
                await asyncio.to_thread(files.wait, _READ_S)

    def _refresh_files(self) -> None:
        """Update the menu to the current text before a choice is taken."""
        if self._files_pending and self.files is not None and self._trigger is not None:
            self._offer(file_choices(self._trigger.query, self.files.search))

    def _offer(self, choices: Sequence[Completion]) -> None:
        self._files_pending = False
        self.menu.show(choices)
        self.prompt.captures = ALWAYS | IN_MENU if choices or self._searching else ALWAYS
        self._update_hints()

    def _close_menu(self) -> None:
        if self._searching:
            self._searching = False
            self._dismissed_at = self.text = self._text_before_search
            self._text_before_search = ""
            self._update_title()
        self._offer([])

    def end_search(self) -> None:
        """End a search in the history, as Esc does: the draft is back."""
        if self._searching:
            self._close_menu()

    def remember(self, text: str) -> None:
        """Add the message and its images to the history, after the texts that were left there for it."""
        self.remember_left()
        self.history.add(text, self.images.chips_in(text))

    def remember_left(self) -> None:
        """Add the texts to the history that were left for another of its texts."""
        for text in map(self.pastes.expand, self.history.take_left()):
            self.history.add(text, self.images.chips_in(text))

    def _remember_draft(self, draft: str) -> None:
        """Add a draft that is about to be replaced to the history, where Up recalls it."""
        if text := draft.strip():
            self.remember(self.pastes.expand(text))

    def _take_choice(self, choice: Completion) -> None:
        if self._searching:
            self._remember_draft(self._text_before_search)  # defence: draft-before-a-search
            self._text_before_search = choice.insert
        elif self._trigger is not None:
            before = self.prompt.before_cursor
            self.prompt.replace_before_cursor(len(before) - self._trigger.start, choice.insert)
        self._trigger = None

    def on_completion_menu_chosen(self, event: CompletionMenu.Chosen) -> None:
        event.stop()
        self._take_choice(event.choice)
        self._close_menu()
        self.prompt.focus()
