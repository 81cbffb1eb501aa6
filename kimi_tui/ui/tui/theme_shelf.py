"""The themes of one app: read when they are wanted, registered once."""

import logging

from textual.app import App

from kimi_tui.errors import ConfigError
from kimi_tui.ui.tui import themes

_log = logging.getLogger(__name__)


class ThemeShelf:
    """A file that is wrong is passed over, and logged."""

    def __init__(self, app: App[int]) -> None:
        self._app = app
        self._titles: dict[str, str] = {}

    def use(self, name: str) -> bool:
        """Show the app in the theme of that name; False where there is none."""
        path = themes.find_theme(name)
        if path is None:
            return False
        try:
            found = themes.load_theme(path)
        except ConfigError as error:
            _log.warning("the theme is passed over: %s", error)
            return False
        self._app.register_theme(found.theme)
        self._app.theme = found.theme.name
        return True

    def titles(self) -> dict[str, str]:
        """Every theme there is: its file's name to its title. The files are read the first time."""
        if not self._titles:
            for path in themes.find_themes():
                try:
                    self._titles[path.stem] = themes.load_theme(path).title
                except ConfigError as error:
                    _log.warning("a theme is passed over: %s", error)
        return self._titles
