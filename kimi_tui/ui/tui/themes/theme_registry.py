"""The themes of one app: read on demand, registered once, reloaded when their files change."""

import asyncio
import logging
from collections.abc import Callable
from pathlib import Path

from textual.app import App

from kimi_tui.errors import ConfigError
from kimi_tui.paths import home
from kimi_tui.ui.tui.themes import theme
from kimi_tui.ui.tui.themes.theme import ThemeFile
from kimi_tui.ui.tui.themes.theme_loader import load_theme

_log = logging.getLogger(__name__)
_LOOK_MS = 400


class ThemeRegistry:
    """The themes by file name. An invalid file is logged and ignored; a theme shown before keeps its last valid form.

    `current` is the file name, without suffix, of the active theme.
    """

    def __init__(self, app: App[int]) -> None:
        self._app = app
        self._titles: dict[str, str] = {}
        self._shown: ThemeFile | None = None
        self._good: dict[str, ThemeFile] = {}  # themes shown so far, by file name

    @property
    def current(self) -> str:
        return self._shown.path.stem if self._shown is not None else theme.DEFAULT_THEME

    def activate(self, name: str) -> bool:
        """Activate the theme of that name; False if there is none."""
        path, found = theme.find_theme(name), self._good.get(name)
        try:
            found = load_theme(path) if path is not None else found
        except ConfigError as error:
            _log.warning("the theme is ignored: %s", error)
        if found is None:
            return False
        self._show(found)
        return True

    def load_initial(self, name: str) -> None:
        """Activate that theme, or else the first readable theme of ours."""
        if not self.activate(name) and not self.activate(theme.DEFAULT_THEME):
            self._show(load_theme(theme.bundled("themes") / f"{theme.DEFAULT_THEME}.yaml"))

    def titles(self) -> dict[str, str]:
        """Display names of all themes by file name. The files are read the first time."""
        if not self._titles:
            self.reload()
        return self._titles

    def reload(self) -> list[str]:
        """Read every file again and refresh the active theme; returns the errors, each starting with file and line."""
        errors: list[str] = []
        self._titles = {}
        for path in theme.find_themes():
            try:
                found = load_theme(path)
            except ConfigError as error:
                _log.warning("a theme is ignored: %s", error)
                errors.append(str(error))
                continue
            self._titles[path.stem] = found.title
        for name, found in self._good.items():
            self._titles.setdefault(name, found.title)
        path = theme.find_theme(self.current)
        if path is not None and self._shown is not None:
            try:
                found = load_theme(path)
            except ConfigError:
                return errors
            if found.theme != self._shown.theme:
                self._show(found)
        return errors

    async def watch(self, report: Callable[[str], None]) -> None:
        """Reload the user's themes on each change, until cancelled; `report` gets the errors."""
        folder = home() / "themes"
        try:
            await asyncio.to_thread(folder.mkdir, parents=True, exist_ok=True, mode=0o700)
        except OSError:
            return
        from watchfiles import awatch  # pyright: ignore[reportUnknownVariableType]

        for problem in await asyncio.to_thread(_problems_in, folder):
            report(problem)
        async for _ in awatch(folder, debounce=_LOOK_MS, step=_LOOK_MS, recursive=False):
            for problem in self.reload():
                report(problem)

    def _show(self, found: ThemeFile) -> None:
        is_active = self._app.theme == found.theme.name
        before, self._shown = self._shown, found
        self._good[found.path.stem] = found
        if is_active and before is not None and before.theme == found.theme:
            return  # else every widget would be styled again
        self._app.register_theme(found.theme)
        self._app.theme = found.theme.name
        if is_active:  # the name now stands for a different theme
            self._app.mutate_reactive(App.theme)


def _problems_in(folder: Path) -> list[str]:
    errors: list[str] = []
    for path in theme.find_themes((folder,)):
        try:
            load_theme(path)
        except ConfigError as error:
            errors.append(str(error))
    return errors
