"""Saves settings to the configuration: the theme and everything on the settings screen."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kimi_tui.config.yaml_editor import KeyPath, Value
    from kimi_tui.ui.tui.app_protocols import ScreenHost


async def choose_theme(host: "ScreenHost") -> None:
    from kimi_tui.ui.tui.screens.theme_picker import ThemePicker

    picker = ThemePicker(host.theme_registry.titles(), host.theme_registry.current, use=host.theme_registry.activate)
    if (theme := await host.push_screen_wait(picker)) is not None:
        await keep_theme(host, theme)


async def keep_theme(host: "ScreenHost", theme: str) -> None:
    """Save the theme to the configuration file, if there is one."""
    factory = host.engine_factory
    if factory is not None and factory.config_file is not None and factory.config.theme != theme:
        await factory.edit_config({("theme",): theme})


async def change_settings(host: "ScreenHost") -> None:
    from kimi_tui.ui.tui.screens.settings import Settings

    if (factory := host.engine_factory) is None:
        return

    async def change(changes: "Mapping[KeyPath, Value]") -> None:
        await factory.edit_config(changes)
        host.theme_registry.activate(factory.config.theme)
        host.main_screen.transcript.thoughts = factory.config.show_thinking_stream

    screen = Settings(
        lambda: factory.config, factory.config_file, change=change, themes=tuple(host.theme_registry.titles())
    )
    await host.push_screen_wait(screen)
