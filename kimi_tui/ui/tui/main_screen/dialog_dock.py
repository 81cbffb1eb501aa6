"""The dialogs docked above the composer: one at a time is shown, and has the focus until it is answered."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from textual.screen import Screen
from textual.widget import Widget

if TYPE_CHECKING:
    from kimi_tui.ui.tui.dialogs.approval import ApprovalDialog
    from kimi_tui.ui.tui.dialogs.branch_choice import BranchDialog
    from kimi_tui.ui.tui.dialogs.docked_dialog import DockedDialog
    from kimi_tui.ui.tui.dialogs.question import QuestionDialog
    from kimi_tui.wire.requests import ApprovalRequest, QuestionRequest


class DialogDock:
    """Shows one open dialog at a time.

    Invariant: it is the one in which the user is writing, or else the first of approval, question, branch.

    `arrange` makes room on the screen for the dialog; `focus_work` focuses it, or else the composer.
    """

    def __init__(
        self,
        screen: Screen[None],
        approval: "ApprovalDialog",
        question: "QuestionDialog",
        branch: "BranchDialog",
        *,
        arrange: Callable[["DockedDialog | None"], None],
        focus_work: Callable[[], None],
    ) -> None:
        self._screen, self._arrange, self._focus_work = screen, arrange, focus_work
        self._approval, self._question, self._branch = approval, question, branch
        self._all = (approval, question, branch)
        self._focus_before: Widget | None = None

    @property
    def current(self) -> "DockedDialog | None":
        """The dialog that is shown, if one is open."""
        open_ones = [dialog for dialog in self._all if dialog.is_open]
        written = (dialog for dialog in open_ones if dialog.writes and dialog.has_focus_within)
        return next(written, open_ones[0] if open_ones else None)

    @property
    def focused(self) -> "DockedDialog | None":
        return next((dialog for dialog in self._all if dialog.has_focus_within), None)

    def place(self) -> None:
        """Show the first of the open dialogs."""
        current = self.current
        for dialog in self._all:
            dialog.set_class(dialog is not current, "-behind")
        self._arrange(current)

    # Content

    def show_approvals(
        self, requests: "Sequence[ApprovalRequest]", *, node: str, open_id: str | None, may_focus: bool
    ) -> None:
        """Show these requests, `open_id` first, and focus the dialog if `may_focus`. `node` is the label of the flow's
        current node."""
        had_focus = self._approval.has_focus_within
        self._approval.show(requests, node=node, open_id=open_id)
        self.place()
        if requests and may_focus:
            self.focus(self._approval)
        elif not requests and (had_focus or self._screen.focused is None):
            self.restore_focus()

    def show_question(self, request: "QuestionRequest | None", *, may_focus: bool) -> None:
        """Show a question, or none; a new one is focused if `may_focus`."""
        had_focus, was_open = self._question.has_focus_within, self._question.is_open
        self._question.show(request)
        self.place()
        if self._question.is_open and not was_open and may_focus and self.current is self._question:
            self.focus(self._question)
        elif had_focus and not self._question.is_open:
            self.restore_focus()

    def show_branches(
        self,
        node_id: str,
        label: str,
        branches: Sequence[str],
        *,
        words: str,
        question: str,
        suggested: str,
        default: tuple[str, str],
        may_focus: bool,
    ) -> None:
        """Show the branches of a node that waits for a choice; a new choice is focused if `may_focus`."""
        was_open = self._branch.is_open
        self._branch.show(
            node_id, label, branches, words=words, question=question, suggested=suggested, default=default
        )
        self.place()
        if not was_open and may_focus and self.current is self._branch:
            self.focus(self._branch)

    def ask_for_branch(
        self, node_id: str, label: str, branches: Sequence[str], question: str, default: tuple[str, str]
    ) -> None:
        """Show the branches at the user's request; if another dialog is open, focus that one instead."""
        if self.current is not None and self.current is not self._branch:
            self.focus(self.current)
            return
        self._branch.show(node_id, label, branches, question=question, default=default, requested=True)
        self.place()
        self.focus(self._branch)

    def close_branches(self, *, unless_requested: bool = False) -> None:
        """Close the branch dialog, if it is open."""
        if not self._branch.is_open or (unless_requested and self._branch.requested):
            return
        had_focus = self._branch.has_focus_within
        self._branch.close()
        self.place()
        if had_focus:
            self.restore_focus()

    def return_words(self) -> None:
        """Move what the user writes in the dialogs into the message."""
        for dialog in self._all:
            dialog.return_words()

    # Focus

    def focus(self, dialog: "DockedDialog") -> None:
        """Focus a dialog until it is answered."""
        if self.focused is None:
            self._focus_before = self._screen.focused
        dialog.take_focus()

    def restore_focus(self) -> None:
        """After a dialog is answered, focus the next open dialog, or else restore the earlier focus."""
        earlier, self._focus_before = self._focus_before, None
        if self.current is None and earlier is not None and earlier in self._screen.focus_chain:
            self._screen.set_focus(earlier)
        else:
            self._focus_before = earlier
            self._focus_work()
