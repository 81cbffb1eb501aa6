"""Questions of the model to the user: one after the other, each with options and a free-text answer."""

import time
from collections.abc import Callable

from textual.app import ComposeResult
from textual.content import Content
from textual.message import Message
from textual.widgets import Input

from kimi_tui.ui.tui.dialogs.approval_body import ApprovalBody
from kimi_tui.ui.tui.dialogs.docked_dialog import OptionsDialog
from kimi_tui.ui.tui.dialogs.option_list import Option, OptionList
from kimi_tui.ui.tui.i18n.catalog import N_, _
from kimi_tui.ui.tui.i18n.translate import translate
from kimi_tui.ui.tui.text.call_summary import one_line
from kimi_tui.ui.tui.text.sanitize import sanitize
from kimi_tui.ui.tui.widgets.hints_changed import Hint, HintsChanged
from kimi_tui.ui.tui.widgets.text_field import TextField
from kimi_tui.ui.tui.widgets.type_ahead import write_message
from kimi_tui.wire.display import BriefBlock
from kimi_tui.wire.requests import Question, QuestionRequest

_OTHER, _DONE = "other", "done"


class QuestionDialog(OptionsDialog):
    """Asks the model's questions, docked above the composer. All answers are sent together, after the last question."""

    DEFAULT_CSS = """
    QuestionDialog > Input { display: none; border: none; height: 1; padding: 0 1; background: $panel; }
    QuestionDialog.-other > Input { display: block; margin-top: 1; }
    """

    key_context = "question"
    reach_label = N_("answer the question")
    confirm_keys = frozenset({"enter", "space"})

    class Answered(Message):
        """The answers by question; empty if the user declines to answer."""

        def __init__(self, request_id: str, answers: dict[str, str]) -> None:
            self.request_id = request_id
            self.answers = answers
            super().__init__()

    def __init__(
        self,
        *,
        clock: Callable[[], float] = time.monotonic,
        id: str | None = None,  # noqa: A002
    ) -> None:
        super().__init__(clock=clock, id=id)
        self.request: QuestionRequest | None = None
        self._at = 0
        self._answers: dict[str, str] = {}
        self._ticked: set[int] = set()
        self._replied = ""
        self._alone = False

    def compose(self) -> ComposeResult:
        yield ApprovalBody(id="question")
        yield OptionList(id="options")
        yield TextField(placeholder=_("your own answer (Enter sends)"), id="other", compact=True)

    @property
    def is_open(self) -> bool:
        return self.request is not None

    def hints(self) -> tuple[Hint, ...]:
        if self.has_class("-other"):
            return (("Enter", _("answer")), ("Esc", _("back to the list")))
        question = self._question
        several = question is not None and question.multi_select
        return (
            (f"1…{len(question.options) if question is not None else 0}", _("tick") if several else _("answer")),
            *((("d", _("done")),) if several else ()),
            ("o", _("another answer")),
            *self._scroll_hints,
            ("Esc", _("no answer")),
        )

    def show(self, request: QuestionRequest | None) -> None:
        """Show these questions, starting with the first; None closes the dialog."""
        if request is self.request or (
            request is not None and self.request is not None and request.id == self.request.id
        ):
            return
        self.return_words()
        self.request = request
        self._at, self._answers = 0, {}
        self.ahead.leave()
        self.set_class(request is not None, "-open")
        if request is not None:
            self._ask()

    def return_words(self) -> None:
        words = self.query_one(Input)
        if self.request is not None and self.request.id != self._replied and words.value.strip():
            write_message(self, words.value, take_focus=words.has_focus, apart=True)
        words.value = ""

    @property
    def _question(self) -> Question | None:
        return self.request.questions[self._at] if self.request is not None else None

    def _ask(self) -> None:
        question, request = self._question, self.request
        if question is None or request is None:
            return
        self._ticked = set()
        title = sanitize(translate(one_line(question.header))) or _("question")
        if len(request.questions) > 1:
            title += "  " + _("{at} of {count}", at=self._at + 1, count=len(request.questions))
        self.border_title = Content(title)
        self._show_text(question)
        self.remove_class("-other")
        self.query_one(Input).value = ""
        self._offer()
        self.guard.restart()
        self.post_message(HintsChanged())

    def _show_text(self, question: Question) -> None:
        """Show the question; show its plan only if the conversation, which contains it too, is hidden."""
        plan = question.body if self._alone else ""
        self.query_one(ApprovalBody).show((BriefBlock(text=translate(question.question)),), markdown=plan)

    def fits(self, room: int) -> bool:
        question = self._question
        return (question is None or not question.body) and super().fits(room)

    def stand_alone(self, alone: bool) -> None:
        if alone is not self._alone:
            self._alone = alone
            if (question := self._question) is not None and question.body:
                self._show_text(question)

    def _offer(self, *, keep_cursor: bool = False) -> None:
        question = self._question
        if question is None:
            return
        options: list[Option] = []
        for index, option in enumerate(question.options):
            tick = ("☑ " if index in self._ticked else "☐ ") if question.multi_select else ""
            words = tick + translate(one_line(option.label))
            options.append(Option(str(index), str(index + 1), words, translate(one_line(option.description))))
        other = translate(question.other_label) or _("Another answer…")
        options.append(Option(_OTHER, "o", other, translate(question.other_description)))
        if question.multi_select:
            options.append(Option(_DONE, "d", _("Done")))
        self.query_one(OptionList).show(options, keep_cursor=keep_cursor)

    def take_answer(self, option_id: str) -> None:
        question = self._question
        if question is None:
            return
        if option_id == _OTHER:
            self.add_class("-other")
            self.query_one(Input).focus()
        elif option_id == _DONE:
            self._answer(self._ticked_labels)
        elif question.multi_select:
            self._ticked ^= {int(option_id)}
            self._offer(keep_cursor=True)
        else:
            self._answer(question.options[int(option_id)].label)

    def on_input_submitted(self, event: Input.Submitted) -> None:
        event.stop()
        if text := event.value.strip():
            self._answer(", ".join(filter(None, (self._ticked_labels, text))))

    @property
    def _ticked_labels(self) -> str:
        """The ticked labels of a multiple-choice question."""
        question = self._question
        return ", ".join(question.options[index].label for index in sorted(self._ticked)) if question else ""

    def _answer(self, text: str) -> None:
        request, question = self.request, self._question
        if request is None or question is None:
            return
        if text:
            self._answers[question.question] = text
        if self._at + 1 < len(request.questions):
            self._at += 1
            self._ask()
            self.focus()
        else:
            self._reply(request, self._answers)

    def _reply(self, request: QuestionRequest, answers: dict[str, str]) -> None:
        self._replied = request.id
        self.post_message(self.Answered(request.id, answers))

    @property
    def writes(self) -> bool:
        return self.has_class("-other")

    def take_focus(self) -> None:
        """Focus the dialog, or the free-text input while the user writes in it."""
        self.screen.set_focus(self.query_one(Input) if self.has_class("-other") else self)

    def leave(self) -> bool:
        """Esc: close the free-text answer, or else decline to answer. False if no question is open."""
        if self.request is None or not self.has_focus_within:
            return False
        if self.has_class("-other"):
            self.remove_class("-other")
            self.focus()
        else:
            self._reply(self.request, {})
        return True
