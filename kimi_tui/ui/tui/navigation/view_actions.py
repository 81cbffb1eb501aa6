"""Opens the read-only screens: log, skills, background tasks, MCP servers."""

from typing import TYPE_CHECKING

from kimi_tui.paths import home

if TYPE_CHECKING:
    from kimi_tui.ui.tui.app_protocols import ScreenHost


async def show_log(host: "ScreenHost") -> None:
    from kimi_tui.ui.tui.screens.log import LogView

    await host.push_screen_wait(LogView(home() / "logs" / "kimi-tui.log"))


async def show_skills(host: "ScreenHost") -> None:
    """Show the skills; a chosen one is put into the composer, ready for its arguments."""
    from kimi_tui.ui.tui.screens.skills import Skills

    if (engine := host.live_engine) is not None:
        skills = engine.skills
        command = await host.push_screen_wait(Skills(lambda: skills.snapshot, listen=skills.listen))
        if command is not None:
            host.write_command(command)


async def show_tasks(host: "ScreenHost") -> None:
    from kimi_tui.ui.tui.screens.tasks import Tasks

    if (engine := host.live_engine) is not None:
        background = engine.services.background
        await host.push_screen_wait(
            Tasks(lambda: background.tasks, stop=lambda task_id: background.stop(task_id, "stopped by the user"))
        )


async def show_mcp(host: "ScreenHost") -> None:
    from kimi_tui.ui.tui.screens.mcp import McpStatus

    if (engine := host.live_engine) is not None:
        await host.push_screen_wait(McpStatus(engine.mcp.states, restart=engine.mcp.restart))


async def quit_app(host: "ScreenHost") -> None:
    """Quit; a screen action that opens no screen."""
    host.action_leave()
