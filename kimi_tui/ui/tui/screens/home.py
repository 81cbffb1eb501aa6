"""The one screen one lives in: conversation and composer at the left; flow, todo and approvals at the right.

The first frame has the header, the composer and the hints; the panes are made and brought in after it, by `furnish`.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

from textual import events
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.css.scalar import Scalar
from textual.widget import Widget
from textual.widgets._toast import ToastRack

from kimi_tui.ui.tui.column_share import ColumnShare, share_file, terminal_name
from kimi_tui.ui.tui.composer.composer import Composer
from kimi_tui.ui.tui.language import _
from kimi_tui.ui.tui.manners import Manners
from kimi_tui.ui.tui.panels.header import Header, HeaderFacts
from kimi_tui.ui.tui.panels.hints import Hint, Hints
from kimi_tui.ui.tui.panels.welcome import Welcome
from kimi_tui.ui.tui.screens.compositor import NarrowCompositor
from kimi_tui.ui.tui.screens.echo import EchoScreen
from kimi_tui.ui.tui.side import Side

if TYPE_CHECKING:
    from kimi_tui.ui.tui.dialogs.approval import ApprovalDialog
    from kimi_tui.ui.tui.dialogs.branches import BranchDialog
    from kimi_tui.ui.tui.dialogs.question import QuestionDialog
    from kimi_tui.ui.tui.divider import Divider
    from kimi_tui.ui.tui.flow.pane import FlowPane
    from kimi_tui.ui.tui.panels.strip import StripLine
    from kimi_tui.ui.tui.panels.todo import TodoPane
    from kimi_tui.ui.tui.panels.waiting import WaitingPane
    from kimi_tui.ui.tui.replay.bar import ScrubBar
    from kimi_tui.ui.tui.screens.finder import Finder
    from kimi_tui.ui.tui.screens.furniture import Furniture
    from kimi_tui.ui.tui.transcript.below import NewBelow
    from kimi_tui.ui.tui.transcript.view import Transcript

Width = Literal["wide", "medium", "narrow"]
PaneName = Literal["talk", "flow", "todo", "waiting"]
_LEAST_RIGHT, _LEAST_LEFT = 24, 40
_DRAWER_ROWS = 6  # less than that above a dialog is no drawer
PANES: tuple[PaneName, ...] = ("talk", "flow", "todo", "waiting")


LAYOUT = """
Home { background: $background; layers: base above; }
#body { height: 1fr; }
#left { width: 1fr; }
#right { width: 52; }
#talk { height: 1fr; border-top: solid $line; border-title-color: $muted; }
#talk.-empty #transcript { display: none; }
#welcome { display: none; }
#talk.-empty #welcome { display: block; }
#talk:focus-within { border-top: solid $primary; border-title-color: $primary; border-title-style: bold; }
FlowPane, TodoPane, WaitingPane, Composer { border-title-color: $muted; }
FlowPane:focus-within { border-top: solid $primary; border-title-color: $primary; border-title-style: bold; }
TodoPane:focus { border-top: solid $primary; border-title-color: $primary; border-title-style: bold; }
WaitingPane { border-title-color: $warning; }
WaitingPane:focus { border-top: solid $primary; border-title-style: bold; }
Composer:focus-within { border-title-color: $primary; }
#right { display: none; }
Divider { display: none; }
.-wide.-has-right #right, .-wide.-has-right Divider { display: block; }
.-medium #strip, .-narrow #strip { visibility: visible; }
.-wide #strip { display: none; }
.-drawer #right { display: block; dock: right; layer: above; background: $background; border-left: solid $line; }
.-medium.-drawer #right { width: 62%; }
.-narrow.-drawer #right, .-covering.-drawer #right { width: 100%; border-left: none; }
ToastRack { dock: top; align: right top; margin: 0; padding: 0 2 0 0; overflow: hidden; }
Home > ToastRack { margin: 1 0 0 0; }
Toast { width: auto; max-width: 64; margin: 0; padding: 0 1; background: $panel; color: $foreground; }
.-zoomed Divider { display: none; }
.-zoom-talk #right { display: none; }
.-zoom-flow #left, .-zoom-todo #left, .-zoom-waiting #left { display: none; }
.-zoom-flow #right, .-zoom-todo #right, .-zoom-waiting #right { display: block; width: 100%; }
.-zoom-flow TodoPane, .-zoom-flow WaitingPane { display: none; }
.-zoom-todo FlowPane, .-zoom-todo WaitingPane { display: none; }
.-zoom-waiting FlowPane, .-zoom-waiting TodoPane { display: none; }
.-zoom-todo TodoPane, .-zoom-waiting WaitingPane { height: 1fr; max-height: 100%; }
"""
"""The style sheet of the app whose first screen this is."""


def width_of(columns: int, rows: int) -> Width:
    """Which layout there is room for."""
    if columns < 80 or rows < 20:
        return "narrow"
    return "medium" if columns < 120 else "wide"


class Home(EchoScreen):
    """Composes the panes and sees to their room; what they show is given to them."""

    transcript: "Transcript"
    below: "NewBelow"
    finder: "Finder"
    approval: "ApprovalDialog"
    branch: "BranchDialog"
    question: "QuestionDialog"
    divider: "Divider"
    flow: "FlowPane"
    todo: "TodoPane"
    waiting: "WaitingPane"
    scrub: "ScrubBar"
    strip: "StripLine"

    def __init__(self, *, manners: Manners, place: str = "", hints: Sequence[Hint] = ()) -> None:
        """`place` and `hints` are what the header and the last line say from the first frame on."""
        super().__init__(id="home")
        self._compositor = NarrowCompositor()
        self._one_column = manners.plain
        self.furnished = False
        self.header = Header(id="header")
        self.welcome = Welcome(id="welcome")
        self.talk = Vertical(self.welcome, id="talk", classes="-empty")
        self.talk.border_title = " " + _("conversation") + " "
        self.composer = Composer(id="composer")
        self.right = Side(id="right")
        self.hints = Hints(id="hints")
        self.header.facts = HeaderFacts(place=place)
        self.hints.show(hints)
        self.zoomed: PaneName | None = None
        self._columns = ColumnShare(share_file(), terminal_name())
        self._share: float | None = None

    def compose(self) -> ComposeResult:
        self.make_room()
        yield self.header
        with Horizontal(id="body"):
            yield Vertical(self.talk, self.composer, id="left")
            yield self.right
        yield self.hints

    async def furnish(self, furniture: "Furniture") -> None:
        """Bring the other panes in. Nothing that is seen moves."""
        self.transcript, self.below, self.finder = furniture.transcript, furniture.below, furniture.finder
        self.approval, self.question, self.branch = furniture.approval, furniture.question, furniture.branch
        self.divider, self.scrub, self.strip = furniture.divider, furniture.scrub, furniture.strip
        self.flow, self.todo, self.waiting = furniture.flow, furniture.todo, furniture.waiting
        self._share = self._columns.load()
        with self.app.batch_update():
            await self.talk.mount(self.transcript, self.below, self.finder)
            await self.query_one("#left").mount(self.approval, self.question, self.branch, before=self.composer)
            await self.right.mount(self.flow, self.todo, self.waiting)
            await self.query_one("#body").mount(self.divider, before=self.right)
            await self.mount(self.scrub, self.strip, before=self.hints)
            self.furnished = True
            self.make_room()
        self.screen_layout_refresh_signal.subscribe(self, self._laid_out, immediate=True)

    # Room

    def on_mount(self) -> None:
        self.typed_into = self.composer.prompt
        self.typed_into.focus()

    def on_resize(self, event: events.Resize) -> None:
        self.make_room()

    @property
    def room(self) -> Width:
        return "narrow" if self._one_column else width_of(self.app.size.width, self.app.size.height)

    def make_room(self) -> None:
        """Give the panes the places that the terminal's size and what they hold ask for."""
        room = self.room
        for name in ("wide", "medium", "narrow"):
            self.set_class(name == room, f"-{name}")
        if not self.furnished:
            return
        filled = not self.flow.has_nothing or bool(self.todo.items) or bool(self.waiting.requests)
        self.set_class(filled, "-has-right")
        if room == "wide" and self.zoomed is None:
            self.remove_class("-drawer")
            columns = self.app.size.width
            self.right.styles.width = self._right_width(columns)
        else:
            self.right.styles.width = None
        for rack in self.query(ToastRack):
            # On the conversation's title line: what is clicked stands elsewhere.
            beside = self._right_width(self.app.size.width) if room == "wide" and filled and self.zoomed is None else 0
            rack.styles.padding = (0, beside + 2, 0, 0)
        if self.approval.is_open:
            self.approval.fit()
        self.flow.display = not self.flow.has_nothing or not filled
        self._leave_hidden()

    def _right_width(self, columns: int) -> int:
        """As the person put the border, else what suits most screens; both columns keep room to read in."""
        width = round(self._share * columns) if self._share is not None else max(40, min(64, columns * 37 // 100))
        return max(_LEAST_RIGHT, min(width, columns - _LEAST_LEFT))

    def _leave_hidden(self) -> None:
        """The focus stays in no pane that has no place on the screen any more."""
        hidden = self.room != "wide" and self.zoomed is None and not self.has_class("-drawer")
        if hidden and self.focused_pane not in (None, "talk"):
            self.focus_work()

    def on_descendant_focus(self, event: events.DescendantFocus) -> None:
        """Whoever goes to what the drawer hides wants it out of the way."""
        if self.has_class("-drawer") and self.focused_pane is None and self._drawer_rows < _DRAWER_ROWS:
            self.remove_class("-drawer")

    @property
    def _dialog(self) -> Widget | None:
        """What asks for an answer."""
        return next((one for one in (self.approval, self.question, self.branch) if one.is_open), None)

    @property
    def _drawer_rows(self) -> int:
        """The rows that a drawer can have and leave what asks for an answer whole."""
        if self.room != "medium":
            return 0
        dialog = self._dialog
        shown = dialog is not None and bool(dialog.region)
        return dialog.region.y - self.talk.region.y if dialog is not None and shown else self.app.size.height

    def _fit_drawer(self) -> None:
        """Let a drawer end where a dialog begins, or cover all of it where too little of the drawer is left."""
        dialog, rows = self._dialog, None
        drawer = self.has_class("-drawer")
        if drawer and dialog is not None and dialog.region and self._drawer_rows >= _DRAWER_ROWS:
            rows = self._drawer_rows
        self.set_class(drawer and dialog is not None and rows is None, "-covering")
        height = Scalar.from_number(rows) if rows is not None else None
        if self.right.styles.inline.get_rule("height", None) != height:
            self.right.styles.height = height

    def on_transcript_follow_changed(self, event: "Transcript.FollowChanged") -> None:
        self.below.show(0 if event.following else event.unseen)

    def on_new_below_clicked(self, event: "NewBelow.Clicked") -> None:
        self.transcript.follow = True

    def on_strip_line_clicked(self, event: "StripLine.Clicked") -> None:
        self.toggle_drawer()

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

    def on_finder_changed(self, event: "Finder.Changed") -> None:
        self.transcript.look_for(event.query_text)
        self.finder.count(*self.transcript.found)

    def on_finder_step(self, event: "Finder.Step") -> None:
        (self.transcript.find_next if event.by > 0 else self.transcript.find_previous)()
        self.finder.count(*self.transcript.found)

    def on_divider_moved(self, event: "Divider.Moved") -> None:
        self.share = (self.app.size.width - event.column - 1) / self.app.size.width

    def on_divider_dropped(self, event: "Divider.Dropped") -> None:
        self._columns.save(self._share)

    def on_divider_reset(self, event: "Divider.Reset") -> None:
        self.share = None
        self._columns.save(None)

    @property
    def share(self) -> float | None:
        """The right column's part of the width, None where it is left to us."""
        return self._share

    @share.setter
    def share(self, share: float | None) -> None:
        columns = self.app.size.width
        self._share = share
        if share is not None:
            self._share = max(_LEAST_RIGHT / columns, min(share, 1 - _LEAST_LEFT / columns))
        self.make_room()

    def action_widen(self, by: int) -> None:
        """Give the right column more of the width, or less."""
        columns = self.app.size.width
        if self.room == "wide" and self.zoomed is None and self.has_class("-has-right"):
            self.share = (self._right_width(columns) + by) / columns
            self._columns.save(self._share)

    def _laid_out(self, _screen: object) -> None:
        self._join()
        if self.has_class("-drawer") or self.right.styles.inline.has_rule("height"):
            self.call_later(self._fit_drawer)  # a change of the layout in the middle of one would be lost

    def _join(self) -> None:
        """Let the line between the columns, or the drawer's edge, meet the title lines beside it."""
        edge = self.divider if self.divider.display else self.right
        top = edge.region.y
        left = [pane.region.y - top for pane in (self.talk, self.composer) if pane.display and pane.region]
        right = [pane.region.y - top for pane in (self.flow, self.todo, self.waiting) if pane.display and pane.region]
        edge.join(left, right)

    # Panes

    def pane(self, name: PaneName) -> Widget:
        return {"talk": self.transcript, "flow": self.flow, "todo": self.todo, "waiting": self.waiting}[name]

    @property
    def focused_pane(self) -> PaneName | None:
        """The pane that has the focus, None where the composer or a dialog has it."""
        for node in self.focused.ancestors_with_self if self.furnished and self.focused is not None else ():
            if node is self.talk:
                return "talk"
            if node in (self.flow, self.todo, self.waiting):
                return next(name for name in PANES if self.pane(name) is node)
        return None

    def is_filled(self, name: PaneName) -> bool:
        match name:
            case "talk":
                return True
            case "flow":
                return not self.flow.has_nothing
            case "todo":
                return bool(self.todo.items)
            case "waiting":
                return bool(self.waiting.requests)

    def go_to(self, name: PaneName) -> bool:
        """Put the focus on a pane, opening the drawer where the pane lies in it. False where it is empty."""
        if not self.is_filled(name):
            return False
        if self.zoomed is not None and self.zoomed != name:
            self.zoom(name)
        if name != "talk" and self.room != "wide" and self.zoomed is None:
            self.add_class("-drawer")
        elif name == "talk":
            self.remove_class("-drawer")
        if name == "flow":
            self.flow.focus_inside()
        else:
            self.pane(name).focus()
        return True

    def zoom(self, name: PaneName | None) -> None:
        """Give one pane the whole screen, or none."""
        for one in PANES:
            self.set_class(one == name, f"-zoom-{one}")
        self.set_class(name is not None, "-zoomed")
        self.zoomed = name
        if name is not None:
            self.remove_class("-drawer")
            self.right.styles.width = None
        self.make_room()

    def toggle_drawer(self) -> None:
        """The right side, where there is no room for it beside the conversation."""
        if self.room != "wide":
            self.toggle_class("-drawer")
            if not self.has_class("-drawer"):
                self.focus_work()

    def focus_work(self) -> None:
        """The focus to what asks for an answer, else to the composer."""
        dialog = self._dialog
        if dialog is self.approval:
            self.approval.take_focus()
        else:
            (dialog or self.composer.prompt).focus()

    # Keys

    def on_key(self, event: events.Key) -> None:
        """A letter that means nothing where the focus is belongs to the message that is being written."""
        if not event.is_printable or not event.character:
            return
        bound = self.active_bindings.get(event.key)
        if self.focused_pane is None or bound is not None:
            return
        event.stop()
        event.prevent_default()
        self.composer.prompt.focus()
        self.composer.prompt.insert(event.character)

    def action_next_pane(self) -> None:
        filled: list[PaneName] = [name for name in PANES if self.is_filled(name)]
        here = self.focused_pane
        if here is None:
            self.go_to(filled[0])
        elif here == filled[-1]:
            self.composer.prompt.focus()
        else:
            self.go_to(filled[filled.index(here) + 1])

    def action_zoom(self) -> None:
        self.zoom(None if self.zoomed is not None else self.focused_pane or "talk")

    def action_drawer(self) -> None:
        self.toggle_drawer()

    def action_expand(self) -> None:
        self.transcript.toggle_all()

    def action_find(self) -> None:
        """Find in the conversation; in an approval, read the whole of it."""
        if not (self.approval.has_focus and self.approval.read_whole()):
            if not self.finder.is_open:
                self.transcript.look_from_here()
            self.finder.open()
