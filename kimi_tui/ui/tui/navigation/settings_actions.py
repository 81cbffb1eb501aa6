"""Saves settings to the configuration: the theme and everything on the settings screen."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kimi_tui.config.yaml_editor import KeyPath, Value
    from kimi_tui.ui.tui.app import KimiTui


async def choose_theme(app: "KimiTui") -> None:
    from kimi_tui.ui.tui.screens.theme_picker import ThemePicker

    picker = ThemePicker(app.theme_registry.titles(), app.theme_registry.current, use=app.theme_registry.activate)
    if (theme := await app.push_screen_wait(picker)) is not None:
        await keep_theme(app, theme)


async def keep_theme(app: "KimiTui", theme: str) -> None:
    """Save the theme to the configuration too, if there is a configuration file."""
    factory = app.engine_factory
    if factory is not None and factory.config_file is not None and factory.config.theme != theme:
        await factory.edit_config({("theme",): theme})


async def change_settings(app: "KimiTui") -> None:
    from kimi_tui.ui.tui.screens.settings import Settings

    if (factory := app.engine_factory) is None:
        return

    async def change(changes: "Mapping[KeyPath, Value]") -> None:
        await factory.edit_config(changes)
        app.theme_registry.activate(factory.config.theme)
        app.main_screen.transcript.thoughts = factory.config.show_thinking_stream

    screen = Settings(
        lambda: factory.config, factory.config_file, change=change, themes=tuple(app.theme_registry.titles())
    )
    await app.push_screen_wait(screen)
