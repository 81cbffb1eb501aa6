"""What the first frame does without, loaded while it is looked at."""

from importlib import import_module

_MODULES = (
    "screens.furniture", "stage", "bridge", "turns", "flow_desk", "composer.files", "replay.machine", "replay.scene",
    "screens.help", "meanwhile",
)  # fmt: skip


def load_the_rest() -> None:
    """For a thread: it takes longer than a frame."""
    for name in _MODULES:
        import_module(f"kimi_tui.ui.tui.{name}")
