"""The main screen: conversation and composer on the left; flow, todo and approvals on the right.

The first frame has the header, the composer and the hints; `mount_panes` adds the panes after it.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar, Literal

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.message import Message
from textual.widget import Widget
from textual.widgets._toast import ToastRack

from kimi_tui.ui.tui.accessibility import DisplayOptions
from kimi_tui.ui.tui.composer.composer import Composer
from kimi_tui.ui.tui.i18n.catalog import _
from kimi_tui.ui.tui.main_screen.column_width_store import ColumnWidthStore, column_width_file, terminal_name
from kimi_tui.ui.tui.main_screen.dialog_dock import DialogDock
from kimi_tui.ui.tui.main_screen.footer import Hint, KeyFooter
from kimi_tui.ui.tui.main_screen.header import Header, HeaderFacts
from kimi_tui.ui.tui.main_screen.layout_css import Width, clamp_share, layout_for_size, right_column_width
from kimi_tui.ui.tui.main_screen.welcome import Welcome
from kimi_tui.ui.tui.terminal.compositor import CroppingCompositor
from kimi_tui.ui.tui.terminal.echo_screen import LowLatencyScreen

if TYPE_CHECKING:
    from kimi_tui.ui.tui.dialogs.approval import ApprovalDialog
    from kimi_tui.ui.tui.dialogs.branch_choice import BranchDialog
    from kimi_tui.ui.tui.dialogs.docked_dialog import DockedDialog
    from kimi_tui.ui.tui.dialogs.question import QuestionDialog
    from kimi_tui.ui.tui.dialogs.type_ahead import TypedText
    from kimi_tui.ui.tui.flow_pane.pane import FlowPane
    from kimi_tui.ui.tui.main_screen.approvals_pane import ApprovalsPane
    from kimi_tui.ui.tui.main_screen.divider import Divider
    from kimi_tui.ui.tui.main_screen.find_bar import FindBar
    from kimi_tui.ui.tui.main_screen.panes import Panes
    from kimi_tui.ui.tui.main_screen.scrub_bar import ScrubBar
    from kimi_tui.ui.tui.main_screen.status_line import StatusLine
    from kimi_tui.ui.tui.main_screen.todo_pane import TodoPane
    from kimi_tui.ui.tui.transcript.new_messages_badge import NewMessagesBadge
    from kimi_tui.ui.tui.transcript.view import Transcript

PaneName = Literal["talk", "flow", "todo", "waiting"]
PANES: tuple[PaneName, ...] = ("talk", "flow", "todo", "waiting")
_RIGHT_PANES = PANES[1:]
SHORT_ROWS = 28
"""With fewer rows, an open dialog stands alone."""
_MIN_CONVERSATION_ROWS = 6


class MainScreen(LowLatencyScreen):
    """Composes and arranges the panes; their content comes from outside."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("i", "write", "Write the message", show=False)]

    class Zoomed(Message):
        """A pane entered or left the zoom; or the text of an open dialog has a new size."""

    transcript: "Transcript"
    new_messages_badge: "NewMessagesBadge"
    find_bar: "FindBar"
    approval_dialog: "ApprovalDialog"
    branch_dialog: "BranchDialog"
    question_dialog: "QuestionDialog"
    divider: "Divider"
    dialogs: DialogDock
    flow_pane: "FlowPane"
    todo_pane: "TodoPane"
    approvals_pane: "ApprovalsPane"
    scrub_bar: "ScrubBar"
    status_line: "StatusLine"

    def __init__(
        self, *, display_options: DisplayOptions, work_dir_label: str = "", hints: Sequence[Hint] = ()
    ) -> None:
        """`place` and `hints` are the texts of header and footer from the first frame on."""
        super().__init__(id="home")
        self._compositor = CroppingCompositor()
        self._single_column = display_options.plain
        self.panes_ready = False
        self.header = Header(counts=not display_options.plain, id="header")
        self.welcome = Welcome(id="welcome")
        self.conversation = Vertical(self.welcome, id="talk", classes="-empty")
        self.conversation.border_title = " " + _("conversation") + " "
        self.composer = Composer(id="composer")
        self.right_column = Vertical(id="right")
        self.footer = KeyFooter(id="hints")
        self.header.facts = HeaderFacts(location=work_dir_label)
        self.footer.show(hints)
        self.zoomed: PaneName | None = None
        self._columns = ColumnWidthStore(column_width_file(), terminal_name())
        self._share: float | None = None
        self.write_key = "i"
        self.in_drawer = self._dialog_scrolls = False

    def compose(self) -> ComposeResult:
        self.update_layout()
        yield self.header
        with Horizontal(id="body"):
            yield Vertical(self.conversation, self.composer, id="left")
            yield self.right_column
        yield self.footer

    async def mount_panes(self, panes: "Panes") -> None:
        """Mount the other panes. Nothing visible moves."""
        self.transcript, self.new_messages_badge, self.find_bar = (
            panes.transcript,
            panes.new_messages_badge,
            panes.find_bar,
        )
        self.approval_dialog, self.question_dialog, self.branch_dialog = (
            panes.approval_dialog,
            panes.question_dialog,
            panes.branch_dialog,
        )
        self.dialogs = DialogDock(
            self,
            approval=panes.approval_dialog,
            question=panes.question_dialog,
            branch=panes.branch_dialog,
            arrange=self._arrange_for_dialog,
            focus_work=self.focus_work,
        )
        self.divider, self.scrub_bar, self.status_line = panes.divider, panes.scrub_bar, panes.status_line
        self.flow_pane, self.todo_pane, self.approvals_pane = panes.flow_pane, panes.todo_pane, panes.approvals_pane
        self._share = self._columns.load()
        with self.app.batch_update():
            await self.conversation.mount(self.transcript, self.new_messages_badge, self.find_bar)
            await self.query_one("#left").mount(
                self.approval_dialog, self.question_dialog, self.branch_dialog, before=self.composer
            )
            await self.right_column.mount(self.flow_pane, self.todo_pane, self.approvals_pane)
            await self.query_one("#body").mount(self.divider, before=self.right_column)
            await self.mount(self.scrub_bar, self.status_line, before=self.footer)
            self.panes_ready = True
            self.update_layout()
        self.screen_layout_refresh_signal.subscribe(self, self._after_layout, immediate=True)

    # Layout

    def on_mount(self) -> None:
        self.input_widget = self.composer.prompt
        self.set_focus(self.input_widget)

    def on_resize(self, event: events.Resize) -> None:
        self.update_layout()  # defence: layout-at-resize

    @property
    def layout_size(self) -> Width:
        return "narrow" if self._single_column else layout_for_size(self.app.size.width, self.app.size.height)

    def update_layout(self) -> None:
        """Arrange the panes by the terminal's size and by their content."""
        size_class, columns = self.layout_size, self.app.size.width
        for name in ("wide", "medium", "narrow"):
            self.set_class(name == size_class, f"-{name}")
        if not self.panes_ready:
            return
        filled = not self.flow_pane.has_nothing or bool(self.todo_pane.items) or bool(self.approvals_pane.requests)
        self.set_class(filled, "-has-right")
        if size_class == "wide" and self.in_drawer:
            self.zoom(None)  # it fits beside the conversation now
            return
        in_columns = size_class == "wide" and self.zoomed is None
        self.right_column.styles.width = right_column_width(columns, self._share) if in_columns else None
        for toast_rack in self.query(ToastRack):
            # They are on the conversation's title line; click targets are elsewhere.
            toast_rack.styles.padding = (
                0,
                (right_column_width(columns, self._share) if in_columns and filled else 0) + 2,
                0,
                0,
            )
        self.dialogs.place()
        self.flow_pane.display = not self.flow_pane.has_nothing or not filled
        self._leave_hidden_pane()

    def _leave_hidden_pane(self) -> None:
        """Move the focus out of panes that are hidden now."""
        pane = self.focused_pane
        shown = (
            pane is None
            or pane == self.zoomed
            or (self.zoomed is None and (self.layout_size == "wide" or pane == "talk"))
        )
        if not shown or (pane == "talk" and self.has_class("-alone")):
            self.focus_work()

    def on_descendant_focus(self, event: events.DescendantFocus) -> None:
        """Leave the zoom when a hidden widget gets the focus."""
        if not self.panes_ready or (focused := self.focused) is None:
            return
        if not self.composer.display and self.composer in focused.ancestors_with_self:  # a recording accepts no input
            self.set_focus(self.scrub_bar)
        elif self.zoomed not in (None, "talk") and self.right_column not in focused.ancestors_with_self:
            self.zoom(None)
        else:
            self.dialogs.place()

    def on_screen_resume(self) -> None:
        """An open dialog was behind another screen until now."""
        if self.panes_ready and (dialog := self.current_dialog) is not None:
            dialog.guard.restart()

    def watch_focused(self, before: Widget | None, focused: Widget | None) -> None:
        if focused is None and self.panes_ready:
            panes = (self.conversation, self.flow_pane, self.todo_pane, self.approvals_pane)
            was_pane = before is not None and any(pane in before.ancestors_with_self for pane in panes)
            self.call_after_refresh(self._keep_focus, was_pane)

    def _keep_focus(self, was_pane: bool) -> None:
        """The focused widget was removed: focus the composer or the dialog; for a pane, another pane."""
        if self.focused is not None or not self.app.app_focus:
            return
        if was_pane and self.current_dialog is None and self.is_filled("talk") and self.zoomed in (None, "talk"):
            self.set_focus(self.transcript)
        else:
            self.focus_work()

    @property
    def current_dialog(self) -> "DockedDialog | None":
        """The dialog that is shown, if one is open."""
        return self.dialogs.current

    def _arrange_for_dialog(self, dialog: "DockedDialog | None") -> None:
        """Make room for the dialog that is shown; in a low terminal it replaces the conversation."""
        is_visible = self.zoomed in (None, "talk") and not self.find_bar.has_focus_within
        hides_conversation = dialog is not None and is_visible and self.app.size.height < SHORT_ROWS
        self.set_class(hides_conversation, "-alone")
        if dialog is None:
            return
        others = (self.header, self.footer, self.composer, self.scrub_bar, self.status_line)
        other_rows = sum(one.outer_size.height for one in others if one.display)
        dialog.fit(self.app.size.height - other_rows - (0 if hides_conversation else _MIN_CONVERSATION_ROWS))
        if dialog.can_scroll_on != self._dialog_scrolls:
            self._dialog_scrolls = dialog.can_scroll_on
            self.post_message(self.Zoomed())
        if hides_conversation and self.focused_pane == "talk":
            self.dialogs.focus(dialog)

    def on_transcript_follow_changed(self, event: "Transcript.FollowChanged") -> None:
        self.new_messages_badge.show(0 if event.following else event.unseen)

    def on_new_messages_badge_clicked(self, event: "NewMessagesBadge.Clicked") -> None:
        self.transcript.follow = True

    def on_status_line_clicked(self, event: "StatusLine.Clicked") -> None:
        self.action_drawer()

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

    def on_find_bar_changed(self, event: "FindBar.Changed") -> None:
        self.transcript.look_for(event.query_text)
        self.find_bar.count(*self.transcript.found)

    def on_find_bar_step(self, event: "FindBar.Step") -> None:
        (self.transcript.find_next if event.by > 0 else self.transcript.find_previous)()
        self.find_bar.count(*self.transcript.found)

    def on_divider_moved(self, event: "Divider.Moved") -> None:
        self.share = (self.app.size.width - event.column - 1) / self.app.size.width

    def on_divider_dropped(self, event: "Divider.Dropped") -> None:
        self._columns.save(self._share)

    def on_divider_reset(self, event: "Divider.Reset") -> None:
        self.share = None
        self._columns.save(None)

    @property
    def share(self) -> float | None:
        """The right column's share of the width, None for the default."""
        return self._share

    @share.setter
    def share(self, share: float | None) -> None:
        self._share = clamp_share(share, self.app.size.width) if share is not None else None
        self.update_layout()

    def action_widen(self, by: int) -> None:
        """Widen or narrow the right column."""
        columns = self.app.size.width
        if self.layout_size == "wide" and self.zoomed is None and self.has_class("-has-right"):
            self.share = (right_column_width(columns, self._share) + by) / columns
            self._columns.save(self._share)

    def _after_layout(self, _screen: object) -> None:
        self._join_borders()
        if self.current_dialog is not None:
            self.call_later(self.dialogs.place)  # Textual would lose a layout change made during a layout

    def _join_borders(self) -> None:
        """Join the divider to the adjacent title lines."""
        divider = self.divider
        top = divider.region.y
        left = [pane.region.y - top for pane in (self.conversation, self.composer) if pane.display and pane.region]
        right = [
            pane.region.y - top
            for pane in (self.flow_pane, self.todo_pane, self.approvals_pane)
            if pane.display and pane.region
        ]
        divider.join(left, right)

    # Panes

    def pane(self, name: PaneName) -> Widget:
        return {
            "talk": self.transcript,
            "flow": self.flow_pane,
            "todo": self.todo_pane,
            "waiting": self.approvals_pane,
        }[name]

    @property
    def focused_pane(self) -> PaneName | None:
        """The focused pane, None if the composer or a dialog has the focus."""
        for node in self.focused.ancestors_with_self if self.panes_ready and self.focused is not None else ():
            if node is self.conversation:
                return "talk"
            if node in (self.flow_pane, self.todo_pane, self.approvals_pane):
                return next(name for name in PANES if self.pane(name) is node)
        return None

    def is_filled(self, name: PaneName) -> bool:
        match name:
            case "talk":
                return not self.conversation.has_class("-empty") and not self.has_class("-alone")
            case "flow":
                return not self.flow_pane.has_nothing
            case "todo":
                return bool(self.todo_pane.items)
            case "waiting":
                return bool(self.approvals_pane.requests)

    def go_to(self, name: PaneName) -> bool:
        """Focus a pane; it is zoomed if it does not fit beside the conversation.

        False if it is empty. With an empty conversation, only the composer can be focused.
        """
        if not self.is_filled(name):
            if name == "talk":
                self.focus_work()
            return name == "talk"
        if name == "flow":
            self.flow_pane.focus_inside()
        else:
            self.set_focus(self.pane(name))
        if name == "talk" and self.zoomed not in (None, "talk"):
            self.zoom(None)
        elif name != "talk" and (self.layout_size != "wide" or self.zoomed is not None) and self.zoomed != name:
            self.zoom(name)
            self.in_drawer = self.layout_size != "wide"
        return True

    def zoom(self, name: PaneName | None) -> None:
        """Zoom one pane to the whole screen, or none."""
        for one in PANES:
            self.set_class(one == name, f"-zoom-{one}")
        self.set_class(name is not None, "-zoomed")
        self.zoomed, self.in_drawer = name, False
        self.update_layout()
        self.post_message(self.Zoomed())

    def close_innermost(self) -> bool:
        """Close what Esc closes first: an input of a dialog, the find bar, a branch choice, a zoom that hides the
        conversation. False if none is open."""
        if self.approval_dialog.leave_why() or self.question_dialog.leave():
            return True
        if self.find_bar.is_open:
            self.find_bar.close()
            self.transcript.focus()
        elif self.branch_dialog.is_open and self.branch_dialog.has_focus_within:
            self.dialogs.close_branches()
        elif self.zoomed not in (None, "talk"):
            self.zoom(None)
        else:
            return False
        return True

    def end_search(self) -> None:
        """Remove the search marks and focus the composer."""
        self.transcript.find("")
        self.composer.prompt.focus()

    @property
    def is_composer_focused_and_empty(self) -> bool:
        return self.composer.prompt.has_focus and not self.composer.text

    @property
    def selected_text(self) -> str:
        """The text selected in the conversation or else in the composer."""
        return self.transcript.selected_text() or self.composer.prompt.selected_text

    def focus_work(self) -> None:
        """Focus the open dialog, or else the composer."""
        if (dialog := self.current_dialog) is not None:
            self.dialogs.focus(dialog)
        else:
            self.set_focus(self.composer.prompt)

    def write(self, text: str) -> None:
        """Insert typed text into the composer and focus it."""
        self.composer.prompt.paste(text)
        self.set_focus(self.composer.prompt)

    def on_typed_text(self, event: "TypedText") -> None:
        """Take type-ahead text from a dialog into the composer. A space alone starts no message."""
        if not event.text.strip(" ") and not self.composer.text:
            return
        prompt = self.composer.prompt
        prompt.paste(event.text)
        if event.go_on:
            self.set_focus(prompt)

    # Keys

    @property
    def in_pane(self) -> bool:
        """Whether letters are keys of a pane."""
        return self.focused_pane is not None or (self.panes_ready and self.scrub_bar.has_focus)

    def on_key(self, event: events.Key) -> None:
        """A letter in a pane is the pane's key and goes nowhere else; if it cannot act, the footer shows why."""
        if not event.is_printable or not event.character:
            return
        # the focused widget was removed: focus the one that gets this letter
        if self.focused is None and self.panes_ready:
            event.stop()
            self.focus_work()
            if self.focused is not None:
                self.focused.post_message(events.Key(event.key, event.character))
        elif (why := self._disabled_reason(event.key, event.character)) is not None:
            event.stop()
            event.prevent_default()
            self.app.bell()
            self.footer.say(why)

    def _disabled_reason(self, key: str, letter: str) -> str | None:
        """Why a printable key does nothing at the current focus; None if it acts or types text."""
        if not self.in_pane:
            return None
        binding = self.active_bindings.get(key)
        if binding is not None and binding.enabled:
            return None
        if (dialog := self.current_dialog) is not None and key in dialog.keys and dialog.pointing:
            return dialog.pointing
        if self.flow_pane.has_focus_within and (why := self.flow_pane.why_not(key)):
            return f"{letter}: {why}"
        if not self.composer.display:
            return _("{key} does nothing here", key=letter)
        return _("{key} does nothing here; {write} focuses the message", key=letter, write=self.write_key)

    def on_paste(self, event: events.Paste) -> None:
        """Text pasted in a pane goes into the composer as a whole, not to the pane's keys."""
        if not self.in_pane:
            return
        event.stop()
        if self.composer.display:
            self.set_focus(self.composer.prompt)
            self.composer.prompt.paste(event.text)
        else:
            self.app.bell()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """A recording accepts no input."""
        return action != "write" or self.composer.display

    def action_write(self) -> None:
        self.set_focus(self.composer.prompt)

    def action_next_pane(self) -> None:
        filled: list[PaneName] = [name for name in PANES if self.is_filled(name)]
        current = self.focused_pane
        if current is None and filled:
            self.go_to(filled[0])
        elif current not in filled or current == filled[-1]:
            self.set_focus(self.composer.prompt)
        else:
            self.go_to(filled[filled.index(current) + 1])

    @property
    def can_zoom(self) -> bool:
        """Whether a zoom would enlarge the focused pane."""
        return self.zoomed is None and self.layout_size == "wide" and self.has_class("-has-right")

    def action_zoom(self) -> None:
        name = self.focused_pane or "talk"
        if self.zoomed is not None and not self.in_drawer:
            self.zoom(None)
        elif self.can_zoom:
            self.zoom(name)
        else:
            self.footer.say(_("the pane already fills the screen"))

    def action_drawer(self) -> None:
        """Focus the first pane on the right if it is in the drawer; again: go back."""
        if self.layout_size == "wide":
            return
        if self.zoomed not in (None, "talk"):
            self.zoom(None)
        else:
            next((name for name in _RIGHT_PANES if self.go_to(name)), None)

    def action_expand(self) -> None:
        self.transcript.toggle_all()

    def action_find(self) -> None:
        """Open the find bar; in an approval, show the request on the full screen."""
        if not (self.approval_dialog.has_focus and self.approval_dialog.open_fullscreen()):
            if self.has_class("-alone"):  # the conversation is hidden
                self.focus_work()
                return
            if not self.find_bar.is_open:
                self.transcript.look_from_here()
            self.find_bar.open()
