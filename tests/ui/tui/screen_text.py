"""What an app shows: the painted screen and the notifications. The one place that asks Textual for them."""

from textual.app import App
from textual.screen import Screen
from textual.strip import Strip


def app_strips(app: App[object]) -> list[Strip]:
    """The screen on top as it is painted, a strip a row."""
    return screen_strips(app.screen)


def screen_strips(screen: Screen[object]) -> list[Strip]:
    return screen._compositor.render_strips()


def app_rows(app: App[object]) -> list[str]:
    """The text of each row of the screen on top."""
    return [strip.text for strip in app_strips(app)]


def app_text(app: App[object]) -> str:
    return "\n".join(app_rows(app))


def notices(app: App[object]) -> list[str]:
    """The messages of the notifications that are shown."""
    return [note.message for note in app._notifications]
