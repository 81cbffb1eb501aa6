"""Accessibility options: ASCII only, reduced motion, plain (for screen readers)."""

from dataclasses import dataclass
from typing import Protocol, runtime_checkable


@dataclass(frozen=True, slots=True)
class DisplayOptions:
    """Accessibility options. `ascii`: ASCII glyphs and boxes. `motion` false: nothing animates or blinks.

    `plain`: for screen readers: one column, no boxes, no motion, and no clocks or counters. The environment sets
    `NO_COLOR`: see `no_color`.
    """

    ascii: bool = False
    motion: bool = True
    plain: bool = False

    @property
    def reduced_motion(self) -> bool:
        return self.plain or not self.motion

    def merged_with(self, *, ascii: bool, motion: bool, plain: bool) -> "DisplayOptions":  # noqa: A002 - the name of the option
        """These options combined with those of the command line."""
        return DisplayOptions(self.ascii or ascii, self.motion and motion, self.plain or plain)


@runtime_checkable
class HasDisplayOptions(Protocol):
    @property
    def display_options(self) -> DisplayOptions: ...


class HasApp(Protocol):
    @property
    def app(self) -> object: ...


def display_options_of(widget: HasApp) -> DisplayOptions:
    """The options of the widget's app; the defaults in an app without them."""
    app = widget.app
    return app.display_options if isinstance(app, HasDisplayOptions) else DisplayOptions()
