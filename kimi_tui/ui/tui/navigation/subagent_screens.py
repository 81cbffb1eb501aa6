"""Live screens for running subagents."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kimi_tui.ui.tui.app_protocols import SubagentHost
    from kimi_tui.ui.tui.screens.subagent import SubagentScreen


class SubagentScreens:
    """Opens the screens for one app, and updates them with new messages and output."""

    def __init__(self, host: "SubagentHost") -> None:
        self._host = host

    def open(self, item_id: int) -> None:
        """Show the full conversation of the card's subagent."""
        from kimi_tui.ui.tui.screens.subagent import SubagentScreen, subagent_items

        host, engine = self._host, self._host.live_engine
        state = host.presenter.shown_state
        subagents, key = subagent_items(state), host.presenter.transcript_sync.key_of(item_id)
        clicked = state.conversation[key] if key is not None else None
        index = next((at for at, item in enumerate(subagents) if item is clicked), None)
        if index is None or not host.on_main_screen:
            return
        stop = engine.running_subagents.stop if engine is not None and state is host.presenter.state else None
        host.push_screen(
            SubagentScreen(
                lambda: subagent_items(state),
                index,
                clock=host.view_clock,
                motion=not host.display_options.reduced_motion,
                thoughts=host.main_screen.transcript.thoughts,
                stop=stop,
            )
        )

    def follow(self) -> None:
        """Update the open screens with new messages; one that is being mounted reads them itself."""
        for screen in self._views():
            screen.follow()

    def append_output(self, call_id: str, text: str) -> None:
        """Append tool output to the open screen of its subagent."""
        for screen in self._views():
            screen.tail(call_id, text)

    def _views(self) -> "list[SubagentScreen]":
        if self._host.on_main_screen:
            return []
        from kimi_tui.ui.tui.screens.subagent import SubagentScreen

        screens = [screen for screen in self._host.screen_stack if isinstance(screen, SubagentScreen)]
        return [screen for screen in screens if screen.is_mounted]  # defence: screen-without-its-widgets
