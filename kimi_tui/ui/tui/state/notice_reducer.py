"""Reducer for messages that only add a line or two to the conversation: side questions, plans, hooks, notices."""

from dataclasses import replace
from pathlib import Path

from kimi_tui.ui.tui.i18n import labels
from kimi_tui.ui.tui.i18n.catalog import _
from kimi_tui.ui.tui.i18n.translate import translate, translate_lines
from kimi_tui.ui.tui.state.conversation import Conversation
from kimi_tui.ui.tui.state.items import (
    AssistantItem,
    ErrorItem,
    NoticeItem,
    NoticeLevel,
    SeparatorItem,
    SideQuestionItem,
)
from kimi_tui.ui.tui.text.call_summary import one_line
from kimi_tui.wire.events import BtwBegin, BtwEnd, HookResolved, HookTriggered, Notification, PlanDisplay

NoticeEvent = BtwBegin | BtwEnd | PlanDisplay | HookTriggered | HookResolved | Notification


class NoticeReducer:
    """Adds notices, side questions and their answers to the conversation."""

    def __init__(self, conversation: Conversation) -> None:
        self._talk = conversation
        self._asides: dict[str, int] = {}

    def fold(self, message: NoticeEvent, at: float) -> None:
        if isinstance(message, HookTriggered) or (isinstance(message, HookResolved) and message.action == "allow"):
            return
        self._talk.close(at)
        match message:
            case BtwBegin():
                self._asides[message.id] = self._talk.append(SideQuestionItem(one_line(message.question), running=True))
            case BtwEnd():
                self._answer(message)
            case PlanDisplay():
                self._talk.append(NoticeItem(_("plan · {file}", file=Path(message.file_path).name)))
                self._talk.append(AssistantItem(message.content, done=True))
            case HookResolved():
                blocked = _("a hook on {event} blocked {target}", event=message.event, target=message.target)
                why = one_line(message.reason or "")
                words = _("{what}: {why}", what=blocked, why=why) if why else blocked
                self._talk.append(NoticeItem(words, "warning"))
            case Notification():
                self._talk.append(_item_of(message))

    def interrupt(self) -> None:
        """End the open side question: it will get no answer."""
        for aside, key in self._asides.items():
            item = self._talk[key] if key < len(self._talk) else None
            if isinstance(item, SideQuestionItem) and item.running:
                self._answer(BtwEnd(id=aside, error=_("interrupted")))

    def _answer(self, message: BtwEnd) -> None:
        key = self._asides.get(message.id, len(self._talk))
        answer = message.response or ""
        error = message.error or ("" if answer.strip() else _("no answer came"))
        if key < len(self._talk) and isinstance(item := self._talk[key], SideQuestionItem):
            self._talk.replace(key, replace(item, answer=answer, error=error, running=False))
        else:  # the question was removed with the step it came in
            self._talk.append(SideQuestionItem("", answer, error))


def _item_of(message: Notification) -> SideQuestionItem | SeparatorItem | ErrorItem | NoticeItem:
    match message:
        case Notification(type="answer"):
            return SideQuestionItem(one_line(message.title), translate_lines(message.body))
        case Notification(type="dmail"):
            return SeparatorItem("dmail", translate(one_line(message.title)), detail=message.body)
        case Notification(severity="error"):
            title, cause = translate(one_line(message.title)), translate_lines(message.body)
            return ErrorItem(title, cause, labels.error_hint(message.type))
        case _:
            text = " · ".join(
                filter(None, (translate(one_line(message.title)), translate_lines(one_line(message.body))))
            )
            return NoticeItem(text, _notice_level(message.severity))


def _notice_level(severity: str) -> NoticeLevel:
    match severity.lower():
        case "success":
            return "success"
        case "warning" | "warn" | "error" | "critical":
            return "warning"
        case _:
            return "info"
