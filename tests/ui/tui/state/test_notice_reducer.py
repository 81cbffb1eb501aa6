"""Messages that are a line or two in the conversation, and what stands there of them."""

import pytest

from kimi_tui.ui.tui.state.conversation import Conversation
from kimi_tui.ui.tui.state.items import (
    AssistantItem,
    ErrorItem,
    Item,
    NoticeItem,
    SeparatorItem,
    SideQuestionItem,
)
from kimi_tui.ui.tui.state.notice_reducer import NoticeEvent, NoticeReducer
from kimi_tui.wire.events import BtwBegin, BtwEnd, HookResolved, HookTriggered, Notification, PlanDisplay


def folded(*words: NoticeEvent) -> tuple[Item, ...]:
    talk = Conversation()
    fold = NoticeReducer(talk)
    for at, word in enumerate(words):
        fold.fold(word, float(at))
    return talk.items


def note(kind: str, title: str, body: str, severity: str = "info") -> Notification:
    return Notification.model_validate(
        {"id": "1", "category": "system", "type": kind, "source_kind": "system", "source_id": "soul", "title": title,
         "body": body, "severity": severity, "created_at": 0.0}
    )  # fmt: skip


def test_an_aside_is_one_card_with_its_question_and_its_answer() -> None:
    talk = Conversation()
    fold = NoticeReducer(talk)
    fold.fold(BtwBegin(id="b", question="why  yaml?"), 0.0)
    assert talk.items == (SideQuestionItem("why yaml?", running=True),)
    talk.stream("meanwhile", thinking=False, at=1.0)
    fold.fold(BtwEnd(id="b", response="Because."), 2.0)
    assert talk.items[0] == SideQuestionItem("why yaml?", "Because.")


def test_an_aside_that_gets_no_answer_says_so() -> None:
    asked = BtwBegin(id="b", question="why?")
    assert folded(asked, BtwEnd(id="b", response=" ")) == (SideQuestionItem("why?", " ", "no answer came"),)
    talk = Conversation()
    fold = NoticeReducer(talk)
    fold.fold(asked, 0.0)
    fold.interrupt()
    assert talk.items == (SideQuestionItem("why?", error="interrupted"),)


def test_an_answer_whose_question_was_taken_back_stands_alone() -> None:
    talk = Conversation()
    fold = NoticeReducer(talk)
    fold.fold(BtwBegin(id="b", question="why?"), 0.0)
    talk.truncate(0)
    fold.fold(BtwEnd(id="b", response="Because."), 1.0)
    assert talk.items == (SideQuestionItem("", "Because."),)


@pytest.mark.parametrize(
    ("message", "item"),
    [
        (note("X", "It failed", "no route to host", "error"), ErrorItem("It failed", "no route to host")),
        (
            note("ContextOverflowError", "It failed", "too long", "error"),
            ErrorItem("It failed", "too long", "Free space with /compact, or switch to a larger model with /model"),
        ),
        (note("X", "Mind", "the  gap", "warning"), NoticeItem("Mind · the gap", "warning")),
        (note("dmail", "Back to 3", "not again"), SeparatorItem("dmail", "Back to 3", detail="not again")),
        (note("answer", "/agents", "- coder\n- explore"), SideQuestionItem("/agents", "- coder\n- explore")),
    ],
)
def test_a_notification_is_what_its_type_and_severity_say(message: Notification, item: Item) -> None:
    assert folded(message) == (item,)


def test_a_plan_is_shown_with_its_file() -> None:
    plan = PlanDisplay(content="1. Do it.", file_path="/home/me/.kimi-tui/sessions/0b22371cb8218497/plans/a.md")
    assert folded(plan) == (NoticeItem("plan · a.md"), AssistantItem("1. Do it.", done=True))


def test_only_a_hook_that_blocks_is_told_of() -> None:
    began = HookTriggered(event="PreToolUse", target="Shell", hook_count=1)
    allowed = HookResolved(event="PreToolUse", target="Shell", action="allow", reason="", duration_ms=1)
    blocked = allowed.model_copy(update={"action": "block", "reason": "not on  Friday"})
    assert folded(began, allowed) == ()
    why = "a hook on PreToolUse blocked Shell: not on Friday"
    assert folded(began, blocked) == (NoticeItem(why, "warning"),)
