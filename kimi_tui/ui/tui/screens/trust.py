"""The folder trust dialog, shown before a new folder's skills and servers are used."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from time import monotonic

from textual import events
from textual.app import ComposeResult
from textual.widgets import Static

from kimi_tui.paths import project_root, shown
from kimi_tui.permission.trust import TrustItem, name_in
from kimi_tui.ui.tui.i18n.catalog import N_, _, p_
from kimi_tui.ui.tui.i18n.translate import translate
from kimi_tui.ui.tui.text.sanitize import sanitize
from kimi_tui.ui.tui.text.styled_line import Line
from kimi_tui.ui.tui.text.wrap import wrap_text
from kimi_tui.ui.tui.themes.palette import Palette
from kimi_tui.ui.tui.widgets.key_bar import BarKey
from kimi_tui.ui.tui.widgets.key_guard import KeyGuard
from kimi_tui.ui.tui.widgets.modal_card import ModalCard
from kimi_tui.ui.tui.widgets.pick_list import ItemList, ListItem
from kimi_tui.ui.tui.widgets.text_viewer import TextViewer

_MEANING = {
    "skills": N_("instructions for the agent, and flows that it can run"),
    "MCP servers": N_("programs that run on your machine"),
    "commands in a flow": N_("a flow that can run commands on your machine"),
}


_BESIDE = 16
"""Maximum rows of everything except the project items."""


class TrustQuestion(ModalCard[bool]):
    """Asks whether to trust a folder. Returns the answer to store; None: not trusted now, and asked again next time.

    A key within half a second of the previous one is not an answer. Text that the user was writing goes into the
    message.
    """

    CSS = """
    TrustQuestion #about { height: auto; margin-bottom: 1; }
    TrustQuestion #items { height: auto; margin-bottom: 1; padding-left: 2; }
    TrustQuestion ItemList { height: auto; margin-bottom: 1; }
    """
    title_text = N_("do you trust this folder?")
    leave_word = N_("not now")

    def __init__(self, work_dir: Path, items: Sequence[TrustItem], *, clock: Callable[[], float] = monotonic) -> None:
        super().__init__()
        self.guard = KeyGuard(clock)
        self._root = project_root(work_dir)
        self._items = items

    def body(self) -> ComposeResult:
        about = _(
            "{folder} contains instructions or programs for the agent that are new or have changed. Anyone "
            "who can write to this folder could have created them.",
            folder=shown(self._root),
        )
        yield Static(sanitize(about), id="about", markup=False)
        yield TextViewer(id="items")
        yield ItemList(id="answers")

    def keys(self) -> Sequence[BarKey]:
        return (BarKey("↑ ↓", _("others")), BarKey("Enter", _("select"), "take"))

    def on_mount(self) -> None:
        super().on_mount()
        rows = [f"{name_in(self._root, one.path)} - {_meaning(one.what)}" for one in self._items]
        self.query_one(TextViewer).show(lambda width, palette: _hanging(rows, width, palette))
        answers = self.query_one(ItemList)
        answers.show(
            [
                ListItem(
                    "later",
                    _("Not now"),
                    detail=_("ignore them this time, and ask again"),
                    sign=" ",
                    role="muted",
                ),
                ListItem(
                    "no",
                    p_("trust", "No"),
                    detail=_("ignore them (don't ask again)"),
                    sign="n",
                    role="accent",
                ),
                ListItem(
                    "yes",
                    _("Yes, I trust it"),
                    detail=_("use them now and in future sessions"),
                    sign="y",
                    role="accent",
                ),
            ]
        )
        answers.focus()

    def on_resize(self, event: events.Resize) -> None:
        """Keep the answers visible, however long the list is."""
        self.query_one(TextViewer).styles.max_height = max(2, event.size.height - _BESIDE)

    def on_item_list_chosen(self, event: ItemList.Chosen) -> None:
        if event.key == "later":
            self.action_leave()
        else:
            self.action_answer(event.key == "yes")

    @property
    def forwards_text(self) -> bool:
        return True

    @property
    def letter_answers(self) -> Mapping[str, str]:
        return {"y": "yes", "1": "yes", "n": "no", "2": "no"}

    def take_letter(self, answer: str) -> None:
        self._give(answer == "yes")

    def key_guard(self) -> KeyGuard:
        return self.guard

    def action_take(self) -> None:
        self.query_one(ItemList).action_choose()

    def action_answer(self, answer: bool) -> None:
        if self.guard.accepts():
            self._give(answer)

    def _give(self, answer: bool) -> None:
        answers, viewer = self.query_one(ItemList), self.query_one(TextViewer)
        # defence: trust-of-what-was-seen
        if answer and self._items and viewer.refuse_unseen(answer_shown=answers.in_view("yes")):
            return
        self.dismiss(answer)

    def action_leave(self) -> None:
        if self.guard.accepts():
            self.dismiss(None)


def _meaning(what: str) -> str:
    return _(_MEANING[what]) if what in _MEANING else translate(what)


def _hanging(rows: Sequence[str], width: int, palette: Palette) -> list[Line]:
    out: list[Line] = []
    for row in rows:
        first, *rest = (runs for runs, _ends in wrap_text(row, palette.muted, max(8, width - 2)))
        out += [Line(first), *(Line((("  ", palette.muted), *runs)) for runs in rest)]
    return out
