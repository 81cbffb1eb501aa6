"""Modules imported in a thread after the first frame."""

from importlib import import_module

_MODULES = (
    "kimi_tui.ui.tui.main_screen.panes",
    "kimi_tui.ui.tui.session.presenter",
    "kimi_tui.ui.tui.session.wire_bridge",
    "kimi_tui.ui.tui.session.turn_queue",
    "kimi_tui.ui.tui.session.flow_controller",
    "kimi_tui.ui.tui.composer.file_index",
    "kimi_tui.ui.tui.replay.time_travel",
    "kimi_tui.ui.tui.replay.presenter_adapter",
    "kimi_tui.ui.tui.screens.help",
    "kimi_tui.ui.tui.session.pending_steers",
)


def preload() -> None:
    """Import the modules; call this in a thread, because it takes longer than a frame."""
    for name in _MODULES:
        import_module(name)
