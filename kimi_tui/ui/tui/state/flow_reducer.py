"""The flow part of the UI state: the run, its current node, and the turn headers that name its nodes."""

import re
from dataclasses import replace

from kimi_tui.flow.run.branch_choice import match_choice
from kimi_tui.flow.run.node_prompts import shown_label
from kimi_tui.flow.run.pause_rules import TOOL_REJECTED
from kimi_tui.flow.run.run_view import RunView
from kimi_tui.formats import clock
from kimi_tui.ui.tui.i18n import labels
from kimi_tui.ui.tui.i18n.catalog import _, n_
from kimi_tui.ui.tui.i18n.translate import translate_lines
from kimi_tui.ui.tui.state.conversation import Conversation
from kimi_tui.ui.tui.state.deltas import Invalidated
from kimi_tui.ui.tui.state.items import AssistantItem, FlowHeaderItem, NoticeItem
from kimi_tui.ui.tui.text.call_summary import one_line
from kimi_tui.wire.codec import FlowEvent, WireMessage
from kimi_tui.wire.flow_events import (
    STOPPED_BY_USER,
    FlowBegin,
    FlowControls,
    FlowDecision,
    FlowEnd,
    FlowNodeBegin,
    FlowNodeEnd,
    FlowPaused,
    FlowResumed,
    FlowSpending,
)

# defence: blanks-before-a-choice
_CHOICE = re.compile(r"(?<!\s)\s*+<choice>((?:(?!</?choice>).)*)</choice>\s*\Z", re.IGNORECASE | re.DOTALL)


def label_of(begin: FlowBegin, node_id: str) -> str:
    """Return a node's one-line name; a short one only if it is unique."""
    texts = {node.id: shown_label(node.label, begin.args) for node in begin.nodes}
    text = texts.get(node_id, node_id)
    title = labels.node_title(text)
    if any(key != node_id and labels.node_title(other) == title for key, other in texts.items()):
        return one_line(text)
    return title


def full_label(begin: FlowBegin, node_id: str) -> str:
    """A node's label, in one line."""
    label = next((node.label for node in begin.nodes if node.id == node_id), node_id)
    return one_line(shown_label(label, begin.args))


def question_at(run: RunView, node_id: str) -> tuple[str, str]:
    """A one-line title of a node's choice, and the whole question if the title does not have all of it."""
    pause = run.paused if node_id == run.node_id else None
    if pause is None or pause.question is None:
        title, whole = label_of(run.begin, node_id), full_label(run.begin, node_id)
    else:
        title, whole = labels.node_title(pause.question), pause.question.strip()
    return title, whole if whole != title else ""


def default_at(run: RunView, node_id: str) -> tuple[str, str]:
    """The branch that is taken without an answer, and the time until then, as in the chart; empty without both."""
    node = run.nodes.get(node_id)
    settings = {} if node is None else node.settings
    if not {"ask", "timeout", "default"} <= settings.keys():
        return "", ""
    return match_choice(settings["default"], branches_of(run.begin, node_id)) or "", settings["timeout"]


def current_label(run: RunView) -> str:
    """The current node's one-line name."""
    return label_of(run.begin, run.node_id)


def move_count(run: RunView) -> str:
    """Return the current move of an active run, or the moves of an ended one."""
    return _("move {number}", number=run.moves) if run.active else n_("{count} move", "{count} moves", run.moves)


def run_times(run: RunView, now: float) -> str:
    """Return the working time, and the time that the run waited for the user: `0:53 · waited 0:54`."""
    waited_s = run.waited_s(now)
    work = clock(run.work_s(now))
    waited = _("waited {time}", time=clock(waited_s)) if waited_s >= 1 else ""
    return " · ".join(filter(None, (work, waited)))


def branches_of(begin: FlowBegin, node_id: str) -> tuple[str, ...]:
    """Return the labels the user can choose from at a node; empty if it is not a decision."""
    labels = [edge.label for edge in begin.edges if edge.src == node_id]
    return tuple(label for label in labels if label) if len(labels) > 1 else ()


def without_choice(text: str) -> str:
    """Return the model's text without the choice mark at its end."""
    return _CHOICE.sub("", text).strip()


class FlowReducer:
    """Follows one run after the other. `turn_keys` maps each node to the headers of its turns in the conversation."""

    def __init__(self, conversation: Conversation) -> None:
        self._talk = conversation
        self.run: RunView | None = None
        self.in_node = self._left = False
        self._header: int | None = None
        self.turn_keys: dict[str, list[int]] = {}

    @property
    def is_current(self) -> bool:
        """Whether a run is active, or no message followed its end."""
        return self.run is not None and (self.run.active or not self._left)

    def leave(self) -> None:
        """Record that the conversation continues without the run."""
        self._left = True

    @property
    def pausing(self) -> bool:
        """Whether the run will pause after the current turn."""
        return self.run is not None and self.run.pausing

    def fold(self, message: FlowEvent, at: float) -> None:
        """Apply one event. The caller has closed the open text."""
        if isinstance(message, FlowBegin):
            self._begin_run(message, at)
            return
        run = self.run
        if run is None or not run.apply(message, at):
            return
        match message:
            case FlowNodeBegin():
                self._enter_node(run, message)
            case FlowDecision():
                branch = one_line(message.choice)
                self._open_header(run, message.node_id)
                if message.by_default:
                    self._set_header_note(_("no answer in time: {branch}", branch=branch))
                elif message.by == "user":
                    self._set_header_note(_("you chose {branch}", branch=branch))
                else:
                    self._set_header_note(_("chose {branch}", branch=branch))
                    self._hide_choice()
            case FlowNodeEnd():
                self.in_node = False
                if message.status != "done":
                    self._set_header_note(_(labels.NODE_ENDED[message.status]))
            case FlowPaused():
                self.in_node = False
                if message.suggested is not None:
                    self._hide_choice()
                self._note_pause(run, message, at)
            case FlowResumed() | FlowControls() | FlowSpending():
                pass
            case FlowEnd():
                self._left = False
                self._end_run(run, message, at)
        self._talk.add_delta(Invalidated("node"))

    def _note_pause(self, run: RunView, message: FlowPaused, at: float) -> None:
        """Say why the run is paused; a gate is in the header of its node already, and a used up budget in a notice."""
        if message.reason == "user" and message.detail and run.waits_for_budget(at):
            return
        why = "" if message.detail == TOOL_REJECTED else message.detail or ""  # the state shows that already
        if message.reason != "choice" or why:
            place = current_label(run) + (f" ({translate_lines(one_line(why))})" if why else "")
            state = _(labels.PAUSED[message.reason])
            self._talk.append(NoticeItem(_("flow {state} · {place}", state=state, place=place), "warning"))

    def forget(self, key: int) -> None:
        """Remove references to the items from `key` on."""
        if self._header is not None and self._header >= key:
            self._header = None
        self.turn_keys = {node: [one for one in keys if one < key] for node, keys in self.turn_keys.items()}

    def cut_off(self, at: float) -> None:
        """Mark the run as interrupted, because the recording ends within it; it may be resumed."""
        if self.run is None or not self.run.active:
            return
        self.run.cut(at, _("interrupted"))
        self.in_node = False
        self._talk.add_delta(Invalidated("node"))

    def count(self, message: WireMessage, at: float) -> None:
        """Count a step's usage, or a wait for the user, for the current node."""
        if self.run is not None and self.run.apply(message, at):
            self._talk.add_delta(Invalidated("node"))

    def _begin_run(self, message: FlowBegin, at: float) -> None:
        self.in_node = self._left = False
        if self.run is None or not self.run.apply(message, at):
            self.run = RunView.from_begin(message, at)
            self.turn_keys = {}
        note = _("continues at {node}", node=current_label(self.run)) if message.resumed_at else ""
        self._header = None
        self._talk.append(FlowHeaderItem(message.begin_id, message.name, kind="begin", flow=message.name, note=note))
        self._talk.add_delta(Invalidated("flow"))

    def _enter_node(self, run: RunView, message: FlowNodeBegin) -> None:
        without_choice, self.in_node = self.in_node, True
        if message.attempt > 1:
            if without_choice:  # the node did not end in between
                text = _("asked again: no branch in the answer (attempt {number})", number=message.attempt)
            else:
                text = _("tried again (attempt {number})", number=message.attempt)
            self._talk.append(NoticeItem(text))
            return
        node = run.nodes[message.node_id]
        item = FlowHeaderItem(message.node_id, current_label(run), node.visits, node.kind, run.name)
        self._header = self._talk.append(item)
        self.turn_keys.setdefault(message.node_id, []).append(self._header)

    def _open_header(self, run: RunView, node_id: str) -> None:
        """Add a header for a decision at a node that had no turn: the choice is not that of the previous node."""
        last = self._talk[self._header] if self._header is not None else None
        if not (isinstance(last, FlowHeaderItem) and last.node_id == node_id) and node_id in run.nodes:
            node = run.nodes[node_id]
            item = FlowHeaderItem(node_id, label_of(run.begin, node_id), max(1, node.visits), node.kind, run.name)
            self._header = self._talk.append(item)

    def _set_header_note(self, text: str) -> None:
        if self._header is not None and isinstance(item := self._talk[self._header], FlowHeaderItem):
            self._talk.replace(self._header, replace(item, note=text))

    def _hide_choice(self) -> None:
        """Remove the model's choice mark from its text: the header shows the choice."""
        last = len(self._talk) - 1
        if last >= 0 and isinstance(item := self._talk[last], AssistantItem):
            rest = _CHOICE.sub("", item.text)
            if rest != item.text:
                self._talk.replace(last, replace(item, text=rest or f"→ {self._assistant_text(item.text)}"))

    @staticmethod
    def _assistant_text(text: str) -> str:
        found = _CHOICE.search(text)
        return found[1].strip() if found else ""

    def _end_run(self, run: RunView, message: FlowEnd, at: float) -> None:
        self.in_node = False
        end_id = run.node_id if message.status == "finished" else run.end_id
        state, why = _(labels.ENDED[message.status]), translate_lines(one_line(message.reason or ""))
        moves = n_("{count} move", "{count} moves", message.moves)
        told_by_state = message.reason in (message.status, STOPPED_BY_USER)
        words = (state, moves, run_times(run, at), "" if told_by_state else why)
        note = " · ".join(filter(None, words))
        self._talk.append(FlowHeaderItem(end_id, run.name, kind="end", flow=run.name, note=note))
