"""The focus between the panes: keys and commands that move it, and its place after a pane is hidden."""

from textual import events
from textual.widget import Widget

from kimi_tui.ui.tui.i18n.catalog import _
from kimi_tui.ui.tui.main_screen.layout import PANES, PaneLayout, PaneName


class PaneNavigation(PaneLayout):
    """Moves the focus between the panes. Invariant: the focus is on a visible pane, a dialog or the composer."""

    def _pane(self, name: PaneName) -> Widget:
        panes = self._panes
        return {
            "conversation": panes.transcript,
            "flow": panes.flow_pane,
            "todo": panes.todo_pane,
            "approvals": panes.approvals_pane,
        }[name]

    @property
    def focused_pane(self) -> PaneName | None:
        """The focused pane, None if the composer or a dialog has the focus."""
        for node in self.focused.ancestors_with_self if self.panes_ready and self.focused is not None else ():
            if node is self._conversation:
                return "conversation"
            for name in PANES[1:]:
                if node is self._pane(name):
                    return name
        return None

    @property
    def in_pane(self) -> bool:
        """Whether letters act as keys of a pane."""
        return self.focused_pane is not None or (self.panes_ready and self._panes.scrub_bar.has_focus)

    def go_to(self, name: PaneName) -> bool:
        """Focus a pane; it is zoomed if it does not fit beside the conversation.

        False if it is empty. With an empty conversation, only the composer can be focused.
        """
        if not self.is_filled(name):
            if name == "conversation":
                self.focus_work()
            return name == "conversation"
        if name != "conversation" and not self._is_shown(name):
            self.right_column.visited = True
            self.update_layout()
        if name == "flow":
            self._panes.flow_pane.focus_inside()
        else:
            self.set_focus(self._pane(name))
        if name == "conversation" and self.zoomed not in (None, "conversation"):
            self.zoom(None)
        elif name != "conversation" and (self.layout_size != "wide" or self.zoomed is not None) and self.zoomed != name:
            self.zoom(name)
            self._in_drawer = self.layout_size != "wide"
        return True

    # Hidden panes

    def update_layout(self) -> None:
        super().update_layout()
        pane = self.focused_pane
        if pane is not None and (not self._is_shown(pane) or (pane == "conversation" and self.has_class("-alone"))):
            self.focus_work()

    def _is_shown(self, name: PaneName) -> bool:
        """Whether a pane with content has its place on the screen now."""
        if self.zoomed is not None or name == "conversation":
            return self.zoomed in (None, name)
        return self.layout_size == "wide" and self.has_class("-has-right") and self._pane(name).display

    def on_descendant_focus(self, event: events.DescendantFocus) -> None:
        """Leave the zoom when a hidden widget gets the focus."""
        if not self.panes_ready or (focused := self.focused) is None:
            return
        self.call_after_refresh(self._join_borders)
        if not self.composer.display and self.composer in focused.ancestors_with_self:  # a recording accepts no input
            self.set_focus(self._panes.scrub_bar)
        elif self.zoomed not in (None, "conversation") and self._right_column not in focused.ancestors_with_self:
            self.zoom(None)
        else:
            self.dialogs.place()

    def watch_focused(self, before: Widget | None, focused: Widget | None) -> None:
        if focused is None and self.panes_ready:
            panes = (self._conversation, *map(self._pane, PANES[1:]))
            was_pane = before is not None and any(pane in before.ancestors_with_self for pane in panes)
            self.call_after_refresh(self._keep_focus, was_pane)

    def _keep_focus(self, was_pane: bool) -> None:
        """After the focused widget was removed, focus the dialog or the composer; after a pane, the conversation."""
        if self.focused is not None or not self.app.app_focus:
            return
        if (
            was_pane
            and self.current_dialog is None
            and self.is_filled("conversation")
            and self.zoomed in (None, "conversation")
        ):
            self.set_focus(self._panes.transcript)
        else:
            self.focus_work()

    # Keys

    def action_next_pane(self) -> None:
        """Focus the next pane; in a wide terminal, the next of those that are shown."""
        is_wide = self.layout_size == "wide"
        left_out: tuple[PaneName, ...] = ()
        if is_wide and not self.has_class("-has-right"):
            left_out = PANES[1:]
        elif is_wide and not self.right_column.shows_flows:
            left_out = ("flow",)
        filled: list[PaneName] = [name for name in PANES if self.is_filled(name) and name not in left_out]
        current = self.focused_pane
        if current is None and filled:
            self.go_to(filled[0])
        elif current not in filled or current == filled[-1]:
            self.set_focus(self.composer.prompt)
        else:
            self.go_to(filled[filled.index(current) + 1])

    def action_zoom(self) -> None:
        if self.zoomed is not None and not self._in_drawer:
            self.zoom(None)
        elif self.can_zoom:
            self.zoom(self.focused_pane or "conversation")
        else:
            self._footer.show_note(_("the pane already fills the screen"))

    def action_drawer(self) -> None:
        """Open or close the right column; if it is a drawer, its first pane gets the focus."""
        if self.layout_size == "wide" and self.zoomed in (None, "conversation"):
            self.toggle_right_column()
        elif self.zoomed not in (None, "conversation"):
            self.zoom(None)
        else:
            next((name for name in PANES[1:] if self.go_to(name)), None)
