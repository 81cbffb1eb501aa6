"""The main screen: the content of its panes, set by the app and the controllers, and the keys at each focus."""

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar

from textual import events
from textual.binding import Binding, BindingType

from kimi_tui.i18n import UserText
from kimi_tui.ui.tui.composer.composer import Composer
from kimi_tui.ui.tui.i18n.catalog import _
from kimi_tui.ui.tui.keys.bindings import PANES, KeyContext
from kimi_tui.ui.tui.keys.pane_letters import BoundAction, PaneLetters
from kimi_tui.ui.tui.main_screen.footer import key_name
from kimi_tui.ui.tui.main_screen.header import HeaderFacts
from kimi_tui.ui.tui.main_screen.pane_navigation import PaneNavigation
from kimi_tui.ui.tui.terminal.key_sequences import TypedCharacter
from kimi_tui.ui.tui.text.call_summary import one_line
from kimi_tui.ui.tui.text.sanitize import sanitize
from kimi_tui.ui.tui.widgets.hints_changed import Hint
from kimi_tui.ui.tui.widgets.type_ahead import app_of

if TYPE_CHECKING:
    from kimi_tui.ui.tui.flow_pane.pane import FlowPane
    from kimi_tui.ui.tui.keys.keymap import KeyMap
    from kimi_tui.ui.tui.main_screen.find_bar import FindBar
    from kimi_tui.ui.tui.main_screen.status_line import StatusLine
    from kimi_tui.ui.tui.state.ui_state import UiState
    from kimi_tui.ui.tui.transcript.new_messages_badge import NewMessagesBadge
    from kimi_tui.ui.tui.transcript.view import Transcript
    from kimi_tui.ui.tui.widgets.type_ahead import TypedText
    from kimi_tui.wire.display import TodoItem
    from kimi_tui.wire.requests import ApprovalRequest


class MainScreen(PaneNavigation):
    """The app and the controllers set the content of the panes."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("i", "write", "Write the message", show=False)]
    write_key = "i"

    # Content

    @property
    def transcript(self) -> "Transcript":
        return self._panes.transcript

    @property
    def flow_pane(self) -> "FlowPane":
        return self._panes.flow_pane

    @property
    def facts(self) -> HeaderFacts:
        """What the header shows."""
        return self._header.facts

    @facts.setter
    def facts(self, facts: HeaderFacts) -> None:
        self._header.facts = facts

    @property
    def is_empty(self) -> bool:
        """Whether the welcome text is shown instead of the conversation."""
        return self._conversation.has_class("-empty")

    def show_turn(self, *, running: bool, working: bool, empty: bool) -> None:
        """Show whether a turn is running, whether it works, and whether the conversation is empty."""
        self._conversation.set_class(empty, "-empty")
        self.composer.show_turn(running=running, working=working)

    def use_keys(self, keymap: "KeyMap") -> None:
        """Name the user's keys."""
        self.write_key = keymap.first_key("write") or "Esc"
        self._welcome.use_keys(keymap)

    def show_server_problem(self, text: UserText) -> None:
        """Show a problem with the MCP servers in the welcome text; "" for none."""
        self._welcome.show_note(text, action="open_screen('mcp')")

    def follow_work(self, *, has_work: bool, chats: int) -> None:
        """Open or close the right column automatically, see `RightColumn`."""
        self.right_column.follow(has_work=has_work or self.flow_pane.shows_chart_on_request, chats=chats)
        self.update_layout()

    def show_todo(self, items: "Sequence[TodoItem]") -> None:
        self._panes.todo_pane.show(items)

    def show_approvals(
        self, requests: "Sequence[ApprovalRequest]", *, node: str, open_id: str | None, may_focus: bool
    ) -> None:
        """Show one pending approval in the dialog, see `DialogDock.show_approvals`, and the others in the list."""
        self.dialogs.show_approvals(requests, node=node, open_id=open_id, may_focus=may_focus)
        self.on_approval_dialog_request_changed()

    def on_approval_dialog_request_changed(self) -> None:
        """List the pending approvals that the dialog does not show."""
        dialog = self._panes.approval_dialog
        self._panes.approvals_pane.show([one for one in dialog.requests if one is not dialog.current])

    def show_status(self, state: "UiState") -> None:
        """Update the line that replaces the right column."""
        self._panes.status_line.show(state, self._panes.flow_pane.held_up)

    def show_column_key(self, key: str) -> None:
        """Name the key that opens the right column in the line that replaces it."""
        if self.panes_ready:
            self._panes.status_line.open_key = key

    def show_hints(self, hints: Sequence[Hint]) -> None:
        """Show the keys in the footer."""
        self._footer.show(hints)

    def show_note(self, text: UserText) -> None:
        """Show a note in place of the keys; "" restores them."""
        self._footer.show_note(text)

    def focus_scrub_bar(self) -> None:
        self._panes.scrub_bar.focus()

    def on_screen_resume(self) -> None:
        """Restart the key guard of an open dialog: another screen covered it until now."""
        if self.panes_ready and (dialog := self.current_dialog) is not None:
            dialog.guard.restart()

    def on_transcript_follow_changed(self, event: "Transcript.FollowChanged") -> None:
        self._panes.new_messages_badge.show(0 if event.following else event.unseen)

    def on_new_messages_badge_clicked(self, event: "NewMessagesBadge.Clicked") -> None:
        self.transcript.follow = True

    def on_status_line_clicked(self, event: "StatusLine.Clicked") -> None:
        self.action_drawer()

    def on_composer_emptied(self) -> None:
        """Apply the layout changes that were delayed while the user typed."""
        if self.panes_ready:
            self.update_layout()

    def on_composer_scrolled(self, event: Composer.Scrolled) -> None:
        match event.key:
            case "pageup":
                self.transcript.action_page_up()
            case "pagedown":
                self.transcript.action_page_down()
            case "ctrl+home":
                self.transcript.action_scroll_home()
            case _:
                self.transcript.action_scroll_end()

    def action_expand(self) -> None:
        self.transcript.toggle_all()

    # Search

    def action_find(self) -> None:
        """Open the find bar; in an approval, show the request on the full screen."""
        panes = self._panes
        if not (panes.approval_dialog.has_focus and panes.approval_dialog.open_fullscreen()):
            if self.has_class("-alone"):  # the conversation is hidden
                self.focus_work()
                return
            if not panes.find_bar.is_open:
                self.transcript.search_from_here()
            panes.find_bar.open()
            self._search(panes.find_bar.query_text)

    def on_find_bar_changed(self, event: "FindBar.Changed") -> None:
        self._search(event.query_text)

    def _search(self, query: str) -> None:
        self.transcript.search_for(query)
        self._panes.find_bar.count(*self.transcript.found)

    def on_find_bar_step(self, event: "FindBar.Step") -> None:
        (self.transcript.find_next if event.by > 0 else self.transcript.find_previous)()
        self._panes.find_bar.count(*self.transcript.found)

    @property
    def is_searching(self) -> bool:
        return self._panes.find_bar.is_open

    def clear_search(self) -> None:
        """Close the find bar and remove the marks."""
        if self.is_searching or self.transcript.found[1]:
            self._panes.find_bar.close()
            self.transcript.find("")

    def end_search(self) -> None:
        """Remove the search marks and focus the composer."""
        self.transcript.find("")
        self.composer.prompt.focus()

    def close_innermost(self) -> bool:
        """Close what Esc closes first: an input of a dialog, the find bar, a branch choice, a zoom that hides the
        conversation. False if none is open."""
        panes = self._panes
        if panes.approval_dialog.discard_comment() or panes.question_dialog.leave():
            return True
        if panes.find_bar.is_open:
            panes.find_bar.close()
            if self.transcript.display:
                self.transcript.focus()
            else:  # nothing was said yet
                self.focus_work()
        elif panes.branch_dialog.is_open and panes.branch_dialog.has_focus_within:
            self.dialogs.close_branches()
        elif self.zoomed not in (None, "conversation"):
            self.zoom(None)
        else:
            return False
        return True

    # The message

    @property
    def is_composer_focused_and_empty(self) -> bool:
        return self.composer.prompt.has_focus and not self.composer.text

    @property
    def selected_text(self) -> str:
        """The text selected in the conversation or else in the composer."""
        return self.transcript.selected_text() or self.composer.prompt.selected_text

    def write(self, text: str) -> None:
        """Insert typed text into the composer and focus it."""
        self.composer.prompt.paste(text)
        self.set_focus(self.composer.prompt)

    def on_typed_text(self, event: "TypedText") -> None:
        self.write_message(event.text, take_focus=event.take_focus)

    def write_message(self, text: str, *, take_focus: bool = True, apart: bool = False) -> None:
        """Write text typed in a dialog or on another screen into the message. Spaces alone do not start a message."""
        if not self.composer.display:
            self.app.bell()
            return
        if not text.strip(" ") and not self.composer.text:
            return
        prompt = self.composer.prompt
        if apart and self.composer.text:
            prompt.move_cursor(prompt.document.end)
            prompt.insert("\n\n")
        prompt.paste(text)
        if take_focus:
            self.set_focus(prompt)

    def on_paste(self, event: events.Paste) -> None:
        """Insert text pasted in a pane into the composer; it does not trigger the pane's keys."""
        if not self.in_pane:
            return
        event.stop()
        if isinstance(event, TypedCharacter):  # defence: typed-character-in-a-pane
            if not self.pane_letters.takes_letter(event.text, None, self._hold_s):
                why = _("{key} does nothing here", key=sanitize(event.text))
                self._show_letter_without_effect(event.text, why)
        elif self.composer.display:
            self.write(event.text)
        else:
            self.app.bell()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Disable writing in a recording, which accepts no input."""
        return action != "write" or self.composer.display

    def action_write(self) -> None:
        self.set_focus(self.composer.prompt)

    # Keys

    def on_key(self, event: events.Key) -> None:
        """Treat a letter in a pane only as a key of that pane; if it has no effect, the footer shows the reason."""
        if not event.is_printable or not event.character:
            if self.in_pane and self.pane_letters.takes_other(event):
                event.stop()
                event.prevent_default()
            return
        # the focused widget was removed: focus the one that gets this letter
        if self.focused is None and self.panes_ready:
            event.stop()
            self.focus_work()
            if self.focused is not None:
                self.focused.post_message(events.Key(event.key, event.character))
        elif self.in_pane and self.pane_letters.takes_letter(event.character, self._bound(event.key), self._hold_s):
            event.stop()
            event.prevent_default()
        elif (why := self._disabled_reason(event.key, event.character)) is not None:
            event.stop()
            event.prevent_default()
            self._show_letter_without_effect(event.character, why)

    def _show_letter_without_effect(self, letter: str, why: str) -> None:
        self.pane_letters.begin(letter)
        self.app.bell()
        self.show_note(why)

    @property
    def _hold_s(self) -> float:
        return app.answer_hold_s if (app := app_of(self)) is not None else 0.0

    @cached_property
    def pane_letters(self) -> PaneLetters:
        """Tells the keys of a pane from sentences."""
        return PaneLetters(self, self._panes.transcript.clock, self._show_stray)

    def _show_stray(self, text: str) -> None:
        self.app.bell()
        words, write = _("letters are keys here; “{text}” has no effect", text=one_line(text)), _("write a message")
        self.show_note(f"{words} · {self.write_key} {write}" if self.composer.display else words)

    def _bound(self, key: str) -> BoundAction | None:
        """The enabled action of a key at the focus."""
        if not self._acts(key):
            return None
        bound = self.active_bindings[key]
        return BoundAction(bound.binding.action, bound.node, self.focused)

    def _disabled_reason(self, key: str, letter: str) -> str | None:
        """Why a printable key does nothing at the current focus; None if it acts or types text."""
        if not self.in_pane or self._acts(key):
            return None
        if (dialog := self.current_dialog) is not None and key in dialog.keys and dialog.pointing:
            return dialog.pointing
        if self.flow_pane.has_focus_within and (why := self.flow_pane.why_not(key)):
            return f"{letter}: {why}"
        if not self.composer.display:
            return _("{key} does nothing here", key=letter)
        return _("{key} does nothing here; {write} focuses the message", key=letter, write=self.write_key)

    def _acts(self, key: str) -> bool:
        return (binding := self.active_bindings.get(key)) is not None and binding.enabled

    @property
    def key_context(self) -> KeyContext:
        """The key context of the focus."""
        if not self.panes_ready:
            return "composer"
        if (dialog := self.dialogs.focused) is not None:
            return dialog.key_context
        if self._panes.scrub_bar.has_focus:
            return "time"
        match self.focused_pane:
            case "conversation":
                return "conversation"
            case "approvals":
                return "approvals"
            case None:
                return "composer"
            case pane:
                return pane

    def hints(self, state: "UiState | None") -> tuple[Hint, ...]:
        """The keys for the footer; `state` is None until the panes are mounted."""
        context, help_key = self.key_context, ("F1", _("help"))
        if state is None:
            return (*self._beside_welcome(self.composer.hints(running=False)), help_key)
        current = self.current_dialog
        if self._panes.find_bar.has_focus_within:
            return (*self._panes.find_bar.hints(), help_key)
        if (dialog := self.dialogs.focused) is not None:
            hints = dialog.hints()
        elif context in PANES:
            hints = tuple(self._pane_hints(state, context))
        else:
            pane = self._panes.flow_pane
            flow = "" if pane.has_nothing else _("flow") if state.flow.run is not None else _("flows")
            hints = self.composer.hints(running=state.turn.running, in_front=current is None, flow_pane=flow)
            hints = self._beside_welcome(hints) if self.is_empty else hints
        is_covered = self.zoomed not in (None, "conversation")  # else the dialog itself names the key
        if current is not None and is_covered and not current.has_focus_within and context != "time":
            hints = (("F5", _(current.reach_label)), *hints)
        return (*hints, help_key)

    def _beside_welcome(self, hints: tuple[Hint, ...]) -> tuple[Hint, ...]:
        """The keys without those that the welcome text names."""
        return tuple(hint for hint in hints if hint[0] not in self._welcome.keys)

    def _pane_hints(self, state: "UiState", context: KeyContext) -> list[Hint]:
        """Hints for panes, where letters are keys: how to leave, and the keys that act now."""
        panes = self._panes
        zoomed = self.zoomed not in (None, "conversation") and self.focused_pane == self.zoomed
        hints: list[Hint] = [("Esc", _("back") if self._in_drawer else _("leave zoom"))] if zoomed else []
        if self.composer.display:
            hints.append(("i", _("write a message")))
        match context:
            case "time":
                own = panes.scrub_bar.hints()
            case "conversation":
                own = panes.transcript.hints()
            case "flow":
                own = panes.flow_pane.hints()
            case "approvals":
                own = panes.approvals_pane.hints()
            case _:
                own = ()
        hints += [(key, label) for key, label in own if (len(key) > 1 and key != "Space") or self._acts(key_name(key))]
        if zoomed or context == "time":
            return hints
        if self.can_zoom:
            hints.append(("F11", _("zoom")))
        if state.turn.running:
            hints.append(("Esc", _("interrupt")))
        elif self.zoomed:
            hints.append(("Esc", _("leave zoom")))
        return hints
