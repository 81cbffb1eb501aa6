"""The one screen one lives in: conversation and composer at the left; flow, todo and approvals at the right.

The first frame has the header, the composer and the hints; the panes are made and brought in after it, by `furnish`.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar, Literal

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.css.scalar import Scalar
from textual.message import Message
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
from kimi_tui.ui.tui.screens.layout import Width, bounded, layout_of, right_width
from kimi_tui.ui.tui.screens.pane_letters import refusal_of
from kimi_tui.ui.tui.side import Side

if TYPE_CHECKING:
    from kimi_tui.ui.tui.dialogs.ahead import Typed
    from kimi_tui.ui.tui.dialogs.approval import ApprovalDialog
    from kimi_tui.ui.tui.dialogs.branches import BranchDialog
    from kimi_tui.ui.tui.dialogs.docked import Docked
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

PaneName = Literal["talk", "flow", "todo", "waiting"]
_DRAWER_ROWS = 6  # less than that above a dialog is no drawer
_CHART_ROWS = 8  # less than that is no chart
_AROUND_CHART = 4  # its title and its foot
PANES: tuple[PaneName, ...] = ("talk", "flow", "todo", "waiting")


class Home(EchoScreen):
    """Composes the panes and sees to their room; what they show is given to them."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("i", "write", "Write the message", show=False)]

    class Zoomed(Message):
        """A pane has the whole screen, or none has any more."""

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
        self.header = Header(counts=not manners.plain, id="header")
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
        self._lender: Widget | None = None
        self.write_key = "i"

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
        return "narrow" if self._one_column else layout_of(self.app.size.width, self.app.size.height)

    def make_room(self) -> None:
        """Give the panes the places that the terminal's size and what they hold ask for."""
        room, columns = self.room, self.app.size.width
        for name in ("wide", "medium", "narrow"):
            self.set_class(name == room, f"-{name}")
        if not self.furnished:
            return
        filled = not self.flow.has_nothing or bool(self.todo.items) or bool(self.waiting.requests)
        self.set_class(filled, "-has-right")
        if room == "wide" and self.zoomed is None:
            self.remove_class("-drawer")
            self.right.styles.width = right_width(columns, self._share)
        else:
            self.right.styles.width = None
        for rack in self.query(ToastRack):
            # On the conversation's title line: what is clicked stands elsewhere.
            beside = right_width(columns, self._share) if room == "wide" and filled and self.zoomed is None else 0
            rack.styles.padding = (0, beside + 2, 0, 0)
        if self.approval.is_open:
            self.approval.fit()
        self.flow.display = not self.flow.has_nothing or not filled
        self._leave_hidden()

    def _leave_hidden(self) -> None:
        """The focus stays in no pane that has no place on the screen any more."""
        hidden = self.room != "wide" and self.zoomed is None and not self.has_class("-drawer")
        if hidden and self.focused_pane not in (None, "talk"):
            self.focus_work()

    def on_descendant_focus(self, event: events.DescendantFocus) -> None:
        """Whoever goes to what the drawer or a zoom hides wants it out of the way."""
        if not self.furnished or (focused := self.focused) is None:
            return
        if not self.composer.display and self.composer in focused.ancestors_with_self:  # a recording is not written to
            self.scrub.focus()
        elif self.zoomed not in (None, "talk") and self.right not in focused.ancestors_with_self:
            self.zoom(None)
        if self.has_class("-drawer") and self.focused_pane is None and self._drawer_rows < _DRAWER_ROWS:
            self.remove_class("-drawer")

    def watch_focused(self, focused: Widget | None) -> None:
        if focused is None and self.furnished:
            self.call_after_refresh(self._keep_focus)

    def _keep_focus(self) -> None:
        """What had the focus is gone from the screen: keys go to where one works."""
        if self.focused is None and self.app.app_focus:
            self.focus_work()

    @property
    def asks(self) -> "Docked | None":
        """What asks for an answer."""
        return next((one for one in (self.approval, self.question, self.branch) if one.is_open), None)

    @property
    def _drawer_rows(self) -> int:
        """The rows that a drawer can have and leave what asks for an answer whole."""
        if self.room != "medium":
            return 0
        dialog = self.asks
        shown = dialog is not None and bool(dialog.region)
        return dialog.region.y - self.talk.region.y if dialog is not None and shown else self.app.size.height

    def _fit_drawer(self) -> None:
        """Let a drawer end where a dialog begins, or cover all of it where too little of the drawer is left."""
        dialog, rows = self.asks, None
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
        self._share = bounded(share, self.app.size.width) if share is not None else None
        self.make_room()

    def action_widen(self, by: int) -> None:
        """Give the right column more of the width, or less."""
        columns = self.app.size.width
        if self.room == "wide" and self.zoomed is None and self.has_class("-has-right"):
            self.share = (right_width(columns, self._share) + by) / columns
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
                return not self.talk.has_class("-empty")
            case "flow":
                return not self.flow.has_nothing
            case "todo":
                return bool(self.todo.items)
            case "waiting":
                return bool(self.waiting.requests)

    def go_to(self, name: PaneName) -> bool:
        """Put the focus on a pane, opening the drawer where the pane lies in it. False where it is empty.

        An empty conversation has nothing but what is to be written.
        """
        if not self.is_filled(name):
            if name == "talk":
                self.remove_class("-drawer")
                self.focus_work()
            return name == "talk"
        if self.zoomed is not None and self.zoomed != name:
            self.zoom(name)
        if name == "flow" and self.zoomed is None and self._too_low_for_chart:
            self.zoom("flow")
        elif name != "talk" and self.room != "wide" and self.zoomed is None:
            self.add_class("-drawer")
        elif name == "talk":
            self.remove_class("-drawer")
        if name == "flow":
            self.flow.focus_inside()
        else:
            self.pane(name).focus()
        return True

    @property
    def _too_low_for_chart(self) -> bool:
        """Whether what asks for an answer leaves a chart in the drawer too few rows to read it."""
        if self.room == "wide" or self.asks is None:
            return False
        others = len(self.waiting.requests) + bool(self.waiting.requests) + len(self.todo.items) + bool(self.todo.items)
        return self._drawer_rows - _AROUND_CHART - others < _CHART_ROWS

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
        self.post_message(self.Zoomed())

    def toggle_drawer(self) -> None:
        """The right side, where there is no room for it beside the conversation."""
        if self.room != "wide":
            self.toggle_class("-drawer")
            if not self.has_class("-drawer"):
                self.focus_work()

    def focus_work(self) -> None:
        """The focus to what asks for an answer, else to the composer."""
        if (dialog := self.asks) is not None:
            self.lend_focus(dialog)
        else:
            self.composer.prompt.focus()

    def lend_focus(self, dialog: "Docked") -> None:
        """Let a dialog have the focus until it is answered."""
        if not dialog.has_focus_within and self._dialog_of(self.focused) is None:
            self._lender = self.focused
        dialog.take_focus()

    def give_back_focus(self) -> None:
        """A dialog that had the focus is answered: to what else asks, else to where the person was before."""
        lender, self._lender = self._lender, None
        if self.asks is None and lender is not None and lender in self.focus_chain:
            lender.focus()
        else:
            self._lender = lender
            self.focus_work()

    def _dialog_of(self, widget: Widget | None) -> Widget | None:
        dialogs = (self.approval, self.question, self.branch)
        return next((one for one in dialogs if widget is not None and one in widget.ancestors_with_self), None)

    def on_typed(self, event: "Typed") -> None:
        """Letters for the message came to a dialog."""
        prompt = self.composer.prompt
        prompt.paste(event.text)
        if event.go_on:
            prompt.focus()

    # Keys

    @property
    def in_pane(self) -> bool:
        """Whether letters are the keys of a pane."""
        return self.focused_pane is not None or (self.furnished and self.scrub.has_focus)

    def on_key(self, event: events.Key) -> None:
        """A letter in a pane is the pane's and goes nowhere else; where it cannot act, that is said."""
        if not event.is_printable or not event.character:
            return
        if self.focused is None and self.furnished:  # what had the focus is gone: this letter is where the next goes
            event.stop()
            self.focus_work()
            if self.focused is not None:
                self.focused.post_message(events.Key(event.key, event.character))
        elif (why := refusal_of(self, event.key, event.character)) is not None:
            event.stop()
            event.prevent_default()
            self.app.bell()
            self.hints.say(why)

    def on_paste(self, event: events.Paste) -> None:
        """A text pasted in a pane is none of its keys: it goes into the message, whole."""
        if not self.in_pane:
            return
        event.stop()
        if self.composer.display:
            self.composer.prompt.focus()
            self.composer.prompt.paste(event.text)
        else:
            self.app.bell()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """A recording is not written to."""
        return action != "write" or self.composer.display

    def action_write(self) -> None:
        self.composer.prompt.focus()

    def action_next_pane(self) -> None:
        filled: list[PaneName] = [name for name in PANES if self.is_filled(name)]
        here = self.focused_pane
        if here is None and filled:
            self.go_to(filled[0])
        elif here not in filled or here == filled[-1]:
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
