"""How the screen behaves for people and terminals that need it otherwise: signs of ASCII, no motion, plain."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class DisplayOptions:
    """`ascii`: signs and boxes of ASCII. `motion` false: nothing turns or blinks.

    `plain`: for screen readers: one column, no boxes, no motion, and nothing that changes with the clock alone.
    `NO_COLOR` is the environment's: see `colourless`.
    """

    ascii: bool = False
    motion: bool = True
    plain: bool = False

    @property
    def reduced_motion(self) -> bool:
        return self.plain or not self.motion

    def merged_with(self, *, ascii: bool, motion: bool, plain: bool) -> "DisplayOptions":  # noqa: A002 - the name of the option
        """These, and what the command line asks for."""
        return DisplayOptions(self.ascii or ascii, self.motion and motion, self.plain or plain)
