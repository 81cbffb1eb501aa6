"""The settings screen. Each change is written at once; comments in the file are kept."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType

from kimi_tui.config.schema import Config
from kimi_tui.config.yaml_editor import KeyPath, Value, read_table
from kimi_tui.errors import ConfigError
from kimi_tui.paths import shown
from kimi_tui.ui.tui.i18n.catalog import N_, _
from kimi_tui.ui.tui.i18n.translate import translate_lines
from kimi_tui.ui.tui.screens.settings_schema import SETTINGS, Setting, shown_value
from kimi_tui.ui.tui.widgets.filtered_list import FilteredList
from kimi_tui.ui.tui.widgets.key_bar import BarKey
from kimi_tui.ui.tui.widgets.modal_card import ModalCard
from kimi_tui.ui.tui.widgets.pick_list import ItemList, ListItem
from kimi_tui.ui.tui.widgets.pick_prompt import PickPrompt
from kimi_tui.ui.tui.widgets.text_prompt import TextPrompt

_MANY = 4
"""A setting with more choices than this opens a list; any other cycles through its choices."""
Change = Callable[[Mapping[KeyPath, Value]], Awaitable[object]]


class Settings(ModalCard[bool]):
    """Edits the settings. Returns whether one was changed.

    `change` writes the file and returns the new configuration.
    """

    CSS = """
    Settings { background: $background 85%; }
    Settings > #frame { padding: 0 1; }
    Settings ItemList { height: auto; margin-bottom: 1; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+d", "default", "Back to the default", show=False, priority=True)
    ]
    title_text = N_("settings")
    rows_beside = 7

    def __init__(
        self, config: Callable[[], Config], file: Path | None, *, change: Change, themes: Sequence[str] = ()
    ) -> None:
        super().__init__()
        self._config, self._file, self._change, self._themes = config, file, change, themes
        self._changed = False
        self._opened_on = ""

    def body(self) -> ComposeResult:
        yield FilteredList(_("setting"))

    def keys(self) -> Sequence[BarKey]:
        if self._file is None:
            return ()
        return (BarKey("Enter", _("change"), "take"), BarKey("Ctrl+D", _("back to the default"), "default"))

    def on_mount(self) -> None:
        super().on_mount()
        self._show()
        self.query_one(FilteredList).focus_line()
        self._opened_on = self.query_one(ItemList).key
        place = shown(self._file) if self._file else _("the settings are not stored in a file that can be edited here")
        self.set_status(_("{place} · some changes apply to new sessions only", place=place))

    def _show(self) -> None:
        table: Mapping[str, object] = {}
        try:
            if self._file is not None:
                table = read_table(self._file)
        except ConfigError as error:
            self.set_status(str(error))
        config = self._config()
        picks: list[ListItem] = []
        for group, settings in SETTINGS:
            picks.append(ListItem("", _(group)))
            for setting in settings:
                own = _is_set(table, setting.path)
                picks.append(
                    ListItem(
                        setting.key,
                        _(setting.description),
                        right=shown_value(setting.value(config)),
                        search_terms=setting.key,
                        sign="●" if own else " ",
                        role="accent" if own else "muted",
                    )
                )
        self.query_one(FilteredList).show(picks)

    def _setting(self, key: str) -> Setting | None:
        return next((one for _, settings in SETTINGS for one in settings if one.key == key), None)

    def on_item_list_moved(self, event: ItemList.Moved) -> None:
        """Show the key that the file has for the setting."""
        if event.key and event.key != self._opened_on:
            self._opened_on = ""
            self.set_status(event.key)

    def on_item_list_chosen(self, event: ItemList.Chosen) -> None:
        setting = self._setting(event.key)
        if setting is None or self._file is None:
            return
        value = setting.value(self._config())
        match setting.kind:
            case "switch":
                self._write({setting.path: not value})
            case "choice":
                choices = list(self._choices(setting))
                if len(choices) > _MANY:
                    self._pick(setting, choices, str(value))
                    return
                at = choices.index(str(value)) + 1 if str(value) in choices else 0
                if choices:
                    self._write({setting.path: choices[at % len(choices)]})
            case _:
                text = ", ".join(map(str, value)) if isinstance(value, tuple) else str(value)  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]

                def got(answer: str | None) -> None:
                    if answer is not None:
                        self._write({setting.path: setting.parsed(answer)})

                self.app.push_screen(TextPrompt(setting.key, about=_(setting.description), value=text), got)

    def _pick(self, setting: Setting, choices: Sequence[str], value: str) -> None:
        def got(answer: str | None) -> None:
            if answer is not None:
                self._write({setting.path: answer})

        self.app.push_screen(PickPrompt(_(setting.description), choices, value), got)

    def _choices(self, setting: Setting) -> Sequence[str]:
        match setting.key:
            case "theme":
                return self._themes
            case "default_model":
                return tuple(self._config().models)
            case _:
                return setting.choices

    def action_take(self) -> None:
        self.query_one(ItemList).action_choose()

    def action_default(self) -> None:
        setting = self._setting(self.query_one(ItemList).key)
        if setting is not None and self._file is not None:
            self._write({setting.path: None})

    def _write(self, changes: Mapping[KeyPath, Value]) -> None:
        self.run_worker(self._written(changes), group="change")

    async def _written(self, changes: Mapping[KeyPath, Value]) -> None:
        try:
            await self._change(changes)
        except ConfigError as error:
            self.set_status(f"{error.key or 'config'}: {translate_lines(error.cause)}")
            return
        self._changed = True
        if ("language",) in changes:
            self.set_status(_("the language changes after a restart"))
        else:
            self.set_status(_("written to {file}", file=shown(self._file)) if self._file else "")
        self._show()

    def action_leave(self) -> None:
        self.dismiss(self._changed or None)


def _is_set(table: Mapping[str, object], path: KeyPath) -> bool:
    node: object = table
    for step in path:
        if not isinstance(node, Mapping) or step not in node:
            return False
        node = node[step]  # pyright: ignore[reportUnknownVariableType]
    return True
