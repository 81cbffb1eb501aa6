"""The session's MCP servers: status, cause and tools."""

from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import ClassVar

from rich.style import Style
from textual.app import ComposeResult
from textual.binding import Binding, BindingType

from kimi_tui.errors import KimiTuiError
from kimi_tui.flow.render.chart_style import Role
from kimi_tui.mcp.server_state import ServerState
from kimi_tui.paths import shown
from kimi_tui.ui.tui.i18n.catalog import N_, _, n_
from kimi_tui.ui.tui.i18n.translate import translate_lines
from kimi_tui.ui.tui.text.styled_line import Line
from kimi_tui.ui.tui.text.wrap import wrap_text
from kimi_tui.ui.tui.themes.palette import Palette
from kimi_tui.ui.tui.widgets.key_bar import BarKey
from kimi_tui.ui.tui.widgets.list_detail import ListDetail
from kimi_tui.ui.tui.widgets.modal_frame import ModalFrame
from kimi_tui.ui.tui.widgets.pick_list import ItemList, ListItem
from kimi_tui.ui.tui.widgets.text_viewer import TextViewer

_EVERY_S = 1.0
_SIGNS: dict[str, tuple[str, Role]] = {
    "connected": ("✓", "success"),
    "pending": ("○", "muted"),
    "connecting": ("◐", "accent"),
    "failed": ("✗", "error"),
    "unauthorized": ("?", "warning"),
    "untrusted": ("!", "warning"),
    "disabled": ("·", "muted"),
}

_WORDS: dict[str, str] = {
    "connected": N_("connected"),
    "pending": N_("pending"),
    "connecting": N_("connecting"),
    "failed": N_("failed"),
    "unauthorized": N_("unauthorized"),
    "untrusted": N_("untrusted"),
    "disabled": N_("disabled"),
}


class McpStatus(ModalFrame[None]):
    """Shows the MCP servers; updated while it is open."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("ctrl+r", "restart", "Start again", show=False, priority=True)]
    title_text = N_("MCP servers")

    def __init__(
        self, states: Callable[[], Sequence[ServerState]], *, restart: Callable[[str], Awaitable[object]]
    ) -> None:
        super().__init__()
        self._states, self._restart = states, restart
        self._seen: tuple[str, Sequence[ServerState]] = ("", ())

    def body(self) -> ComposeResult:
        servers = ItemList(at_once=False, empty=_("no MCP servers configured (kimi-tui mcp add)"), id="servers")
        yield ListDetail(servers, TextViewer(id="about"))

    def keys(self) -> Sequence[BarKey]:
        state = self._selected
        may_start = state is not None and state.status not in ("disabled", "untrusted")
        return (
            *((BarKey("Ctrl+R", _("restart"), "restart"),) if may_start else ()),
            *((BarKey("Tab", _("tools"), "app.focus_next"),) if state is not None and state.tools else ()),
        )

    def on_mount(self) -> None:
        super().on_mount()
        self.query_one(ItemList).focus()
        self.refresh_status()
        self.set_interval(_EVERY_S, self.refresh_status)

    def refresh_status(self) -> None:
        """Refresh the status."""
        picks: list[ListItem] = []
        for state in self._states():
            sign, role = _SIGNS[state.status]
            tools = _(_WORDS[state.status])
            if state.status == "connected":
                tools = n_("{count} tool", "{count} tools", len(state.tools))
            picks.append(ListItem(state.name, state.name, right=tools, detail=state.place, sign=sign, role=role))
        self.query_one(ItemList).show(picks)
        self.fit_rows(len(picks), bare=not picks)
        self._about()

    def on_item_list_moved(self, event: ItemList.Moved) -> None:
        self._about()

    @property
    def _selected(self) -> ServerState | None:
        key = self.query_one(ItemList).key
        return next((one for one in self._states() if one.name == key), None)

    def _about(self) -> None:
        state = self._selected
        seen = ("" if state is None else state.name, (state,) if state is not None else ())
        if seen == self._seen:
            return
        self._seen = seen
        self.query_one(ListDetail).keep_height()
        self.query_one(TextViewer).show(
            lambda width, palette: _lines(state, width, palette) if state is not None else []
        )
        self.show_keys()

    def action_restart(self) -> None:
        if key := self.query_one(ItemList).key:
            self.run_worker(self._again(key), group="change")

    async def _again(self, name: str) -> None:
        try:
            await self._restart(name)
        except KimiTuiError as error:
            self.set_status(str(error))
        self.refresh_status()


def _lines(state: ServerState, width: int, palette: Palette) -> list[Line]:
    sign, role = _SIGNS[state.status]
    lines = [
        Line(((state.name, palette.heading), (f"  {sign} {_(_WORDS[state.status])}", palette.of_role(role)))),
        *(Line(row) for row, _ in wrap_text(state.place, palette.muted, width)),
        *(Line(row) for row, _ in wrap_text(_("from {file}", file=shown_origin(state.origin)), palette.muted, width)),
        Line(),
    ]
    for text, ink in ((state.cause, palette.warning), *((note, palette.muted) for note in state.notes)):
        if text:
            lines += [*(Line(row) for row, _ in wrap_text(translate_lines(text), ink, width)), Line()]
    if not state.tools:
        lines.pop()
    for tool in state.tools:
        lines.append(Line(((tool.name, palette.base + Style(bold=True)),)))
        about = wrap_text(" ".join((tool.description or "").split()), palette.muted, max(8, width - 2))
        lines += [Line((("  ", palette.base), *row)) for row, _ in about[:3]]
    return lines


def shown_origin(origin: str) -> str:
    """Return the origin for display: a file path with the home folder as `~`, or an option."""
    return shown(Path(origin)) if origin.startswith("/") else origin
