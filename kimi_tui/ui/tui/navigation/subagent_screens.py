"""Live screens for running subagents."""

from typing import TYPE_CHECKING

from kimi_tui.ui.tui.main_screen.screen import MainScreen

if TYPE_CHECKING:
    from kimi_tui.ui.tui.app import KimiTui
    from kimi_tui.ui.tui.screens.subagent import SubagentScreen


class SubagentScreens:
    """Opens the screens for one app, and updates them with new messages and output."""

    def __init__(self, app: "KimiTui") -> None:
        self._app = app

    def open(self, item_id: int) -> None:
        """Show the full conversation of the card's subagent."""
        from kimi_tui.ui.tui.screens.subagent import SubagentScreen, subagent_items

        app, engine = self._app, self._app.session_controller.live_engine
        state = app.presenter.shown_state
        subagents, key = subagent_items(state), app.presenter.transcript_sync.key_of(item_id)
        clicked = state.conversation[key] if key is not None else None
        index = next((at for at, item in enumerate(subagents) if item is clicked), None)
        if index is None or not isinstance(app.screen, MainScreen):
            return
        stop = engine.roster.stop if engine is not None and state is app.presenter.state else None
        app.push_screen(
            SubagentScreen(
                lambda: subagent_items(state),
                index,
                clock=app.view_clock,
                motion=not app.display_options.reduced_motion,
                thoughts=app.main_screen.transcript.thoughts,
                stop=stop,
            )
        )

    def follow(self) -> None:
        """Update the open screens with new messages."""
        for screen in self._views():
            screen.follow()

    def append_output(self, call_id: str, text: str) -> None:
        """Append tool output to the open screen of its subagent."""
        for screen in self._views():
            screen.tail(call_id, text)

    def _views(self) -> "list[SubagentScreen]":
        if isinstance(self._app.screen, MainScreen):
            return []
        from kimi_tui.ui.tui.screens.subagent import SubagentScreen

        return [screen for screen in self._app.screen_stack if isinstance(screen, SubagentScreen)]
