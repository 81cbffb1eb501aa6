"""Branch choice at a pending decision: the branches, the model's last message, and the reason for the pause."""

import time
from collections.abc import Callable, Sequence

from rich.style import Style
from textual.app import ComposeResult
from textual.content import Content
from textual.message import Message

from kimi_tui.flow.layout.cell_text import break_at_written, clean_label
from kimi_tui.flow.model.graph import NodeKind
from kimi_tui.flow.render.node_signs import KIND_SIGNS
from kimi_tui.ui.tui.dialogs.approval_body import ApprovalBody
from kimi_tui.ui.tui.dialogs.docked_dialog import SIDES, OptionsDialog
from kimi_tui.ui.tui.dialogs.option_list import Option, OptionList
from kimi_tui.ui.tui.i18n.catalog import N_, _
from kimi_tui.ui.tui.text.call_summary import one_line
from kimi_tui.ui.tui.text.sanitize import sanitize
from kimi_tui.ui.tui.text.wrap import wrap_text
from kimi_tui.ui.tui.widgets.hints_changed import Hint
from kimi_tui.wire.display import BriefBlock


class BranchDialog(OptionsDialog):
    """Asks for a branch; docked like the approval dialog, with the same key guard."""

    DEFAULT_CSS = """
    BranchDialog.-wordless > ApprovalBody { display: none; }
    BranchDialog.-wordless > OptionList { margin-top: 0; }
    """
    key_context = "branches"
    reach_label = N_("take a branch")

    class Chosen(Message):
        def __init__(self, node_id: str, label: str) -> None:
            self.node_id = node_id
            self.label = label
            super().__init__()

    def __init__(
        self,
        *,
        clock: Callable[[], float] = time.monotonic,
        id: str | None = None,  # noqa: A002
    ) -> None:
        super().__init__(clock=clock, id=id)
        self.node_id = ""
        self.labels: tuple[str, ...] = ()
        self.requested = False
        self._words = self._question = ""
        self._alone = False

    def compose(self) -> ComposeResult:
        yield ApprovalBody(id="why-asked")
        yield OptionList(id="branches")

    @property
    def is_open(self) -> bool:
        return bool(self.labels)

    def hints(self) -> tuple[Hint, ...]:
        return (
            (f"1…{len(self.labels)}", _("take a branch")),
            ("↑ ↓ Enter", _("choose")),
            *self._scroll_hints,
            ("Esc", _("later")),
        )

    def show(
        self,
        node_id: str,
        label: str,
        branches: Sequence[str],
        *,
        words: str = "",
        question: str = "",
        suggested: str = "",
        default: tuple[str, str] = ("", ""),
        requested: bool = False,
    ) -> None:
        """Ask which of `branches` to take at a node.

        `words` is the model's last text; `question` is always shown. `default` is the branch that is taken without an
        answer, and the time until then. `requested`: by the user, not caused by a pause.
        """
        self.requested = requested
        if (node_id, tuple(branches)) == (self.node_id, self.labels):
            return
        self.node_id, self.labels = node_id, tuple(branches)
        self.border_title = Content(
            f"{KIND_SIGNS[NodeKind.DECISION]} {sanitize(one_line(label))}  " + _("Choose a branch")
        )
        self._words, self._question = words, break_at_written(question)
        self._show_words()
        notes = {default[0]: _("without an answer within {time}", time=default[1])} if default[0] else {}
        if suggested:
            notes[suggested] = _("the model's choice")
        self.query_one(OptionList).show(
            [
                Option(
                    str(index),
                    str(index + 1),
                    one_line(clean_label(name)),
                    notes.get(name, ""),
                )
                for index, name in enumerate(branches)
            ]
        )
        self.guard.restart()
        self.add_class("-open")

    def fits(self, room: int) -> bool:
        question_rows = len(wrap_text(self._question, Style(), self.app.size.width - SIDES)) if self._question else 0
        return self._rows_around + question_rows <= room

    def stand_alone(self, alone: bool) -> None:
        if alone is not self._alone:
            self._alone = alone
            self._show_words()

    def _show_words(self) -> None:
        """Show the model's last words only if the conversation, which ends with them, is hidden."""
        body = self.query_one(ApprovalBody)
        words = "\n\n".join(filter(None, (self._words if self._alone else "", self._question)))
        self.set_class(not words, "-wordless")
        body.show((BriefBlock(text=words),) if words else ())

    def close(self) -> None:
        self.node_id, self.labels = "", ()
        self.ahead.leave()
        self.remove_class("-open")

    def take_answer(self, option_id: str) -> None:
        if (index := int(option_id)) < len(self.labels):
            self.post_message(self.Chosen(self.node_id, self.labels[index]))
