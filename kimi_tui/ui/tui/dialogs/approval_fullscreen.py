"""An approval request on the full screen, with the answers of its dialog.

Invariant: as in the dialog, a key is accepted only after half a second without a key or a change.
"""

from collections.abc import Callable, Mapping, Sequence

from textual import events
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content

from kimi_tui.ui.tui.dialogs.approval_body import SCROLL, ApprovalBody
from kimi_tui.ui.tui.dialogs.approval_header import ApprovalHeader
from kimi_tui.ui.tui.dialogs.option_list import Option, OptionList
from kimi_tui.ui.tui.i18n.catalog import _
from kimi_tui.ui.tui.keys.bindings import default_keys
from kimi_tui.ui.tui.widgets.key_guard import KeyGuard
from kimi_tui.ui.tui.widgets.one_shot_screen import OneShotModal
from kimi_tui.ui.tui.widgets.type_ahead import TypedText
from kimi_tui.wire.display import DisplayBlock
from kimi_tui.wire.requests import ApprovalRequest

KEYS = default_keys("approval", ("once", "session", "no", "why", "edit", "hunks"))
"""The answer of each key."""
LETTERS = {answer: key for key, answer in reversed(KEYS.items())}
"""The key that is shown for each answer."""


class ApprovalFullscreen(OneShotModal[str | None]):
    """Shows a request with its answers. Returns the id of the chosen answer, or None if closed.

    `options` returns the possible answers; its argument is whether all of the text has been on screen.
    """

    CSS = """
    ApprovalFullscreen > Vertical {
        background: $surface; padding: 0 1; border: round $warning;
        border-title-color: $warning; border-title-style: bold; border-subtitle-color: $muted;
    }
    ApprovalFullscreen ApprovalHeader { height: 1; }
    ApprovalFullscreen ApprovalBody { height: 1fr; margin: 1 0; background: $surface; }
    ApprovalFullscreen OptionList { height: auto; }
    """

    def __init__(
        self,
        request: ApprovalRequest,
        blocks: Sequence[DisplayBlock],
        options: Callable[[bool], list[Option]],
        *,
        node: str,
        clock: Callable[[], float],
    ) -> None:
        super().__init__()
        self._request, self._blocks, self._options, self._node = request, blocks, options, node
        self._guard = KeyGuard(clock)
        self._rows = OptionList()
        self._body = ApprovalBody()

    def compose(self) -> ComposeResult:
        with Vertical() as box:
            box.border_title = _("approval")
            head = ApprovalHeader()
            head.request, head.node = self._request, self._node
            yield head
            yield self._body
            yield self._rows

    def on_mount(self) -> None:
        self._body.can_focus = False
        self._body.show(self._blocks)
        self._rows.show(self._options(False))
        self._guard.restart()
        self.call_after_refresh(self._refresh)

    def _refresh(self) -> None:
        self._rows.show(self._options(self._body.all_seen), keep_cursor=True)
        if self._note is None:
            scrolls = self._body.max_scroll_y > 0
            keys = _("↑ ↓ PgUp PgDn scroll · Ctrl+F Esc back") if scrolls else _("Ctrl+F Esc back")
            self._frame.border_subtitle = Content(keys)

    def _scroll(self, by: int) -> None:
        self._body.scroll_relative(y=by, animate=False, immediate=True)
        self.call_after_refresh(self._refresh)

    def on_resize(self, event: events.Resize) -> None:
        self.call_after_refresh(self._refresh)

    def on_mouse_scroll_down(self) -> None:
        self.call_after_refresh(self._refresh)

    def on_key(self, event: events.Key) -> None:
        event.stop()
        event.prevent_default()
        key = event.key
        if key == "escape":
            self.dismiss(None)
        elif (by := SCROLL.get(key) or {"up": -1, "down": 1}.get(key)) is not None:
            self._scroll(by)

    @property
    def forwards_text(self) -> bool:
        return True

    @property
    def letter_answers(self) -> Mapping[str, str]:
        offered = {option.id for option in self._options(self._body.all_seen)}
        return {key: answer for key, answer in KEYS.items() if answer in offered}

    def take_letter(self, answer: str) -> None:
        self._take(answer, accepted=True)

    def key_guard(self) -> KeyGuard:
        return self._guard

    def forward_text(self, typed: TypedText) -> None:
        """Close the screen and write the text into the message."""
        self.dismiss(None)
        super().forward_text(typed)

    def action_find(self) -> None:
        """Close the screen; the same key opened it."""
        self.dismiss(None)

    def on_option_list_clicked(self, event: OptionList.Clicked) -> None:
        event.stop()
        self._take(event.option_id)

    def _take(self, option_id: str, *, accepted: bool = False) -> None:
        option = next((one for one in self._options(self._body.all_seen) if one.id == option_id), None)
        if option is None or not (accepted or self._guard.accepts()):
            return
        if option_id in ("once", "session") and self._body.refuse_unseen():  # defence: fullscreen-of-what-was-seen
            return
        if option.disabled:
            self.app.bell()
        else:
            self.dismiss(option_id)
