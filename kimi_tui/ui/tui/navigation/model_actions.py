"""Switches the model, or sets one up as on first start."""

import asyncio
from typing import TYPE_CHECKING

from kimi_tui.ui.tui.i18n.catalog import _
from kimi_tui.ui.tui.navigation.session_actions import restart_session
from kimi_tui.ui.tui.navigation.settings_actions import keep_theme

if TYPE_CHECKING:
    from kimi_tui.ui.tui.app_protocols import ScreenHost
    from kimi_tui.ui.tui.screens.first_start import SetupWizard
    from kimi_tui.ui.tui.themes.theme_registry import ThemeRegistry


async def choose_model(host: "ScreenHost") -> None:
    from kimi_tui.llm.key_check import check_key
    from kimi_tui.llm.local_servers import find_local_servers
    from kimi_tui.ui.tui.screens.models import ModelPicker

    factory, engine = host.engine_factory, host.live_engine
    if factory is None or engine is None:
        return
    choice = await host.push_screen_wait(
        ModelPicker(factory.config, engine.models.key, find=find_local_servers, try_key=check_key)
    )
    if choice is None:
        return
    changes = dict(choice.changes) | ({("default_model",): choice.name} if choice.keep else {})
    if changes:
        await factory.edit_config(changes)
    factory.use_model(choice.name)
    if choice.changes:
        await restart_session(host)
    else:
        await engine.switch_model(choice.name)
        host.show_model()
    host.show_toast(
        _("model: {model} (also the default)", model=choice.name)
        if choice.keep
        else _("model: {model}", model=choice.name)
    )


async def make_wizard(themes: "ThemeRegistry", *, has_demo: bool = True) -> "SetupWizard":
    """Make the setup wizard for this machine, with Kimi CLI's settings, if there are any, and the local model
    servers.
    """
    from kimi_tui.config.kimi_import import find_kimi_cli_import
    from kimi_tui.llm.key_check import check_key
    from kimi_tui.llm.local_servers import find_local_servers
    from kimi_tui.ui.tui.screens.first_start import SetupWizard

    return SetupWizard(
        themes.titles(),
        themes.current,
        use_theme=themes.activate,
        find=find_local_servers,
        try_key=check_key,
        takeover=await asyncio.to_thread(find_kimi_cli_import),
        has_demo=has_demo,
    )


async def set_up(host: "ScreenHost") -> None:
    """Choose a theme and a model, or the demo."""
    from kimi_tui.mcp.config_editor import import_servers

    if (factory := host.engine_factory) is None:
        return
    choice = await host.push_screen_wait(await make_wizard(host.theme_registry))
    if choice is None:
        return
    if choice.demo:
        await keep_theme(host, choice.theme)
        if (prompt := factory.select_demo()) and await host.switch_session():
            host.submit(prompt)
        return
    await factory.edit_config({("theme",): choice.theme, **choice.changes})
    if choice.takeover is not None:
        await asyncio.to_thread(import_servers, choice.takeover.file.with_name("mcp.json"))
    factory.use_model(choice.model)
    await restart_session(host)
