"""Saves settings to the configuration: the theme and everything on the settings screen."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kimi_tui.config.yaml_editor import KeyPath, Value
    from kimi_tui.ui.tui.app import KimiTui


async def choose_theme(app: "KimiTui") -> None:
    from kimi_tui.ui.tui.screens.theme_picker import ThemePicker

    picker = ThemePicker(app.shelf.titles(), app.shelf.current, use=app.shelf.activate)
    if (theme := await app.push_screen_wait(picker)) is not None:
        await keep_theme(app, theme)


async def keep_theme(app: "KimiTui", theme: str) -> None:
    """Save the theme to the configuration too, if there is a configuration file."""
    host = app.host
    if host is not None and host.config_file is not None and host.config.theme != theme:
        await host.edit_config({("theme",): theme})


async def change_settings(app: "KimiTui") -> None:
    from kimi_tui.ui.tui.screens.settings import Settings

    if (host := app.host) is None:
        return

    async def change(changes: "Mapping[KeyPath, Value]") -> None:
        await host.edit_config(changes)
        app.shelf.activate(host.config.theme)
        app.home.transcript.thoughts = host.config.show_thinking_stream

    screen = Settings(lambda: host.config, host.config_file, change=change, themes=tuple(app.shelf.titles()))
    await app.push_screen_wait(screen)
