"""The main screen's layout: its widgets, their places by the terminal's size, and the zoom of one pane.

The first frame has the header, the composer and the hints; `mount_panes` adds the panes after it.
"""

from typing import TYPE_CHECKING, Literal

from textual import events
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.widgets._toast import ToastRack

from kimi_tui.ui.tui.accessibility import DisplayOptions
from kimi_tui.ui.tui.composer.composer import Composer
from kimi_tui.ui.tui.i18n.catalog import _
from kimi_tui.ui.tui.main_screen.column_width import ColumnWidth
from kimi_tui.ui.tui.main_screen.column_width_store import ColumnWidthStore, column_width_file, terminal_name
from kimi_tui.ui.tui.main_screen.dialog_dock import DialogDock
from kimi_tui.ui.tui.main_screen.footer import KeyFooter
from kimi_tui.ui.tui.main_screen.header import Header, HeaderFacts
from kimi_tui.ui.tui.main_screen.layout_css import Width, layout_for_size
from kimi_tui.ui.tui.main_screen.right_column import RightColumn
from kimi_tui.ui.tui.main_screen.welcome import Welcome
from kimi_tui.ui.tui.terminal.compositor import CroppingCompositor
from kimi_tui.ui.tui.terminal.low_latency_screen import LowLatencyScreen
from kimi_tui.ui.tui.widgets.hints_changed import HintsChanged

if TYPE_CHECKING:
    from kimi_tui.ui.tui.dialogs.docked_dialog import DockedDialog
    from kimi_tui.ui.tui.main_screen.divider import Divider
    from kimi_tui.ui.tui.main_screen.panes import Panes

PaneName = Literal["conversation", "flow", "todo", "approvals"]
PANES: tuple[PaneName, ...] = ("conversation", "flow", "todo", "approvals")
SHORT_ROWS = 28
"""With fewer rows, a dialog that would leave too few to the conversation replaces it."""
_LEAST_DIALOG_ROWS = 3
_MIN_CONVERSATION_ROWS = 6


class PaneLayout(LowLatencyScreen):
    """Conversation and composer on the left; flow, todo and approvals on the right.

    A zoomed pane fills the whole screen. In a terminal without room for two columns, the right column is a drawer: its
    panes are zoomed when they get the focus. In a wider terminal, `RightColumn` opens and closes the column; the status
    line replaces it while it is closed.
    """

    dialogs: DialogDock
    _panes: "Panes"

    def __init__(self, *, display_options: DisplayOptions, work_dir_label: str = "") -> None:
        """`work_dir_label` is the header's text from the first frame on."""
        super().__init__(id="home")
        self._compositor = CroppingCompositor()
        self._single_column = display_options.plain
        self.panes_ready = False
        self._header = Header(counts=not display_options.plain, id="header")
        self._header.facts = HeaderFacts(location=work_dir_label)
        self._welcome = Welcome(id="welcome")
        self._conversation = Vertical(self._welcome, id="conversation", classes="-empty")
        self._conversation.border_title = " " + _("conversation") + " "
        self.composer = Composer(id="composer")
        self._right_column = Vertical(id="right")
        self.right_column = RightColumn()
        self._footer = KeyFooter(id="hints")
        self.zoomed: PaneName | None = None
        self._column_width = ColumnWidth(ColumnWidthStore(column_width_file(), terminal_name()))
        self._in_drawer = self._dialog_scrolls = False

    def compose(self) -> ComposeResult:
        self.update_layout()
        yield self._header
        with Horizontal(id="body"):
            yield Vertical(self._conversation, self.composer, id="left")
            yield self._right_column
        yield self._footer

    async def mount_panes(self, panes: "Panes") -> None:
        """Mount the other panes. Nothing visible moves."""
        self._panes = panes
        dialogs = (panes.approval_dialog, panes.question_dialog, panes.branch_dialog)
        self.dialogs = DialogDock(self, *dialogs, arrange=self._arrange_for_dialog, focus_work=self.focus_work)
        self._column_width.load()
        with self.app.batch_update():
            await self._conversation.mount(panes.transcript, panes.new_messages_badge, panes.find_bar)
            await self.query_one("#left").mount(*dialogs, before=self.composer)
            await self._right_column.mount(panes.flow_pane, panes.todo_pane, panes.approvals_pane)
            await self.query_one("#body").mount(panes.divider, before=self._right_column)
            await self.mount(panes.scrub_bar, panes.status_line, before=self._footer)
            self.panes_ready = True
            self.update_layout()
        self.screen_layout_refresh_signal.subscribe(self, self._after_layout, immediate=True)

    def on_mount(self) -> None:
        self.input_widget = self.composer.prompt
        self.set_focus(self.input_widget)

    def on_resize(self, event: events.Resize) -> None:
        self.update_layout()  # defence: layout-at-resize

    @property
    def layout_size(self) -> Width:
        return "narrow" if self._single_column else layout_for_size(self.app.size.width, self.app.size.height)

    def is_filled(self, name: PaneName) -> bool:
        match name:
            case "conversation":
                return not self._conversation.has_class("-empty") and not self.has_class("-alone")
            case "flow":
                return not self._panes.flow_pane.has_nothing
            case "todo":
                return bool(self._panes.todo_pane.items)
            case "approvals":
                return bool(self._panes.approvals_pane.requests)

    def update_layout(self) -> None:
        """Arrange the panes by the terminal's size and by their content."""
        size_class, columns = self.layout_size, self.app.size.width
        for name in ("wide", "medium", "narrow"):
            self.set_class(name == size_class, f"-{name}")
        if not self.panes_ready:
            return
        has_right = self._update_right_column(wide=size_class == "wide")
        if size_class == "wide" and self._in_drawer:
            self.zoom(None)  # it fits beside the conversation now
            return
        in_columns = size_class == "wide" and self.zoomed is None
        width = self._column_width.of(columns) if in_columns else None
        self._right_column.styles.width = width
        for toast_rack in self.query(ToastRack):
            # They are on the conversation's title line; click targets are elsewhere.
            toast_rack.styles.padding = (0, ((width or 0) if has_right else 0) + 2, 0, 0)
        self.dialogs.place()

    def _update_right_column(self, *, wide: bool) -> bool:
        """Open or close the right column; True if it has something to show and room for it. While the user types,
        it stays as it is: their text would be wrapped anew."""
        panes, column = self._panes, self.right_column
        has_flows = self.is_filled("flow") and (column.shows_flows or not wide)
        filled = has_flows or self.is_filled("todo") or self.is_filled("approvals")
        is_open = column.update(filled=filled, hold=self.composer.is_written)
        panes.flow_pane.display = (has_flows or not filled) and self.zoomed in (None, "flow")
        panes.todo_pane.stack(self.zoomed == "todo" or (wide and not panes.flow_pane.display))
        self.set_class(filled and (is_open or not wide), "-has-right")
        panes.status_line.hide_shown_pane(self.zoomed)
        panes.status_line.fold(folded=wide and not is_open)
        return filled and is_open

    def toggle_right_column(self) -> None:
        """Open or close the right column as the user's choice."""
        has_work = self.is_filled("flow") and self.right_column.has_work
        self.right_column.toggle(follows_work=has_work or self.is_filled("todo") or self.is_filled("approvals"))
        self.update_layout()
        if self.right_column.chosen and not self.right_column.is_open:
            self._footer.show_note(_("the right column is still empty"))
        self.post_message(HintsChanged())

    def zoom(self, name: PaneName | None) -> None:
        """Zoom one pane to the whole screen, or none."""
        for pane in PANES:
            self.set_class(pane == name, f"-zoom-{pane}")
        self.set_class(name is not None, "-zoomed")
        self.zoomed, self._in_drawer = name, False
        self.update_layout()
        self.post_message(HintsChanged())

    @property
    def can_zoom(self) -> bool:
        """Whether a zoom would enlarge the focused pane."""
        return self.zoomed is None and self.layout_size == "wide" and self.has_class("-has-right")

    # Dialogs

    @property
    def current_dialog(self) -> "DockedDialog | None":
        """The dialog that is shown, if one is open."""
        return self.dialogs.current

    def focus_work(self) -> None:
        """Focus the open dialog, or else the composer."""
        if (dialog := self.current_dialog) is not None:
            self.dialogs.focus(dialog)
        else:
            self.set_focus(self.composer.prompt)

    def _arrange_for_dialog(self, dialog: "DockedDialog | None") -> None:
        """Make room for the dialog that is shown; with too few rows for both, it replaces the conversation."""
        panes, rows = self._panes, self.app.size.height
        others = (self._header, self._footer, self.composer, panes.scrub_bar, panes.status_line)
        room = rows - sum(widget.outer_size.height for widget in others if widget.display)
        is_visible = self.zoomed in (None, "conversation") and not panes.find_bar.has_focus_within
        has_room = rows >= SHORT_ROWS or dialog is None or dialog.fits(room - _MIN_CONVERSATION_ROWS)
        is_alone = is_visible and not has_room
        self.set_class(is_alone, "-alone")
        if dialog is None:
            return
        # The message stays in sight while it has the focus; the answers are in sight once the dialog has it.
        if is_alone and self.composer.has_focus_within:
            dialog.styles.max_height = max(_LEAST_DIALOG_ROWS, room)
        elif dialog.styles.inline.has_rule("max_height"):  # without that, each layout would request another one
            dialog.styles.max_height = None
        dialog.stand_alone(is_alone)
        dialog.fit(room - (0 if is_alone else _MIN_CONVERSATION_ROWS))
        if dialog.can_scroll_on != self._dialog_scrolls:
            self._dialog_scrolls = dialog.can_scroll_on
            self.post_message(HintsChanged())
        if is_alone and self.focused is not None and self._conversation in self.focused.ancestors:
            self.dialogs.focus(dialog)

    # The right column's width

    def on_divider_moved(self, event: "Divider.Moved") -> None:
        self._column_width.set(self.app.size.width - event.column - 1, self.app.size.width)
        self.update_layout()

    def on_divider_dropped(self, event: "Divider.Dropped") -> None:
        self._column_width.save()

    def on_divider_reset(self, event: "Divider.Reset") -> None:
        self._column_width.share = None
        self._column_width.save()
        self.update_layout()

    def action_widen(self, by: int) -> None:
        """Widen or narrow the right column."""
        columns = self.app.size.width
        if self.can_zoom:
            self._column_width.set(self._column_width.of(columns) + by, columns)
            self._column_width.save()
            self.update_layout()

    def _after_layout(self, _screen: object) -> None:
        self._join_borders()
        if self.current_dialog is not None:
            self.call_later(self.dialogs.place)  # Textual would lose a layout change made during a layout

    def _join_borders(self) -> None:
        """Join the divider to the adjacent title lines, and show with it which pane has the focus."""
        panes, top = self._panes, self._panes.divider.region.y
        framed = (self._conversation, self.composer, panes.flow_pane, panes.todo_pane, panes.approvals_pane)
        here = next((pane.region for pane in framed if pane.has_focus_within and pane.display), None)
        focused = range(here.y - top, here.bottom - top) if here is not None else range(0)
        sides = (self._conversation, self.composer), (panes.flow_pane, panes.todo_pane, panes.approvals_pane)
        left, right = ([pane.region.y - top for pane in side if pane.display and pane.region] for side in sides)
        panes.divider.join(left, right, focused=focused)
