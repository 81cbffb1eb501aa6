"""Opens the read-only screens: log, skills, background tasks, MCP servers."""

from typing import TYPE_CHECKING

from kimi_tui.paths import home

if TYPE_CHECKING:
    from kimi_tui.ui.tui.app import KimiTui


async def show_log(app: "KimiTui") -> None:
    from kimi_tui.ui.tui.screens.log import LogView

    await app.push_screen_wait(LogView(home() / "logs" / "kimi-tui.log"))


async def show_skills(app: "KimiTui") -> None:
    """Show the skills; a chosen one is put into the composer, ready for its arguments."""
    from kimi_tui.ui.tui.screens.skills import Skills

    if (engine := app.session_controller.live_engine) is not None:
        skills = engine.skills
        command = await app.push_screen_wait(Skills(lambda: skills.snapshot, listen=skills.listen))
        if command is not None:
            app.write_command(command)


async def show_tasks(app: "KimiTui") -> None:
    from kimi_tui.ui.tui.screens.tasks import Tasks

    if (engine := app.session_controller.live_engine) is not None:
        background = engine.services.background
        await app.push_screen_wait(
            Tasks(lambda: background.tasks, stop=lambda task_id: background.stop(task_id, "stopped by the user"))
        )


async def show_mcp(app: "KimiTui") -> None:
    from kimi_tui.ui.tui.screens.mcp import McpStatus

    if (engine := app.session_controller.live_engine) is not None:
        await app.push_screen_wait(McpStatus(engine.mcp.states, restart=engine.mcp.restart))


async def quit_app(app: "KimiTui") -> None:
    """Quit; a screen action that opens no screen."""
    app.action_leave()
