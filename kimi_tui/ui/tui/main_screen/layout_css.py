"""The main screen's responsive layout: which panes are side by side, and their widths."""

from typing import Literal

Width = Literal["wide", "medium", "narrow"]

LAYOUT = """
MainScreen { background: $background; layers: base above; }
#body { height: 1fr; }
#left { width: 1fr; }
#right { width: 52; }
#conversation { height: 1fr; border-top: solid $line; border-title-color: $muted; }
#conversation.-empty #transcript { display: none; }
#welcome { display: none; }
#conversation.-empty #welcome { display: block; }
.-covered #welcome { visibility: hidden; }
.-previews #welcome { visibility: visible; }
#conversation:focus-within { border-top: solid $primary; border-title-color: $primary; border-title-style: bold; }
FlowPane, TodoPane, ApprovalsPane, Composer { border-title-color: $muted; }
FlowPane:focus-within { border-top: solid $primary; border-title-color: $primary; border-title-style: bold; }
TodoPane:focus { border-top: solid $primary; border-title-color: $primary; border-title-style: bold; }
ApprovalsPane { border-title-color: $warning; }
ApprovalsPane:focus { border-top: solid $primary; border-title-style: bold; }
Composer:focus-within { border-title-color: $primary; }
#right { display: none; }
Divider { display: none; }
.-wide.-has-right #right, .-wide.-has-right Divider { display: block; }
.-medium #strip, .-narrow #strip { visibility: visible; }
.-wide.-has-right #strip, .-wide.-zoomed #strip { display: none; }
.-behind { display: none; }
.-alone #conversation { display: none; }
.-alone #strip { display: none; }
.-alone #left { align: left bottom; }
.-alone DockedDialog { max-height: 100%; }
.-alone PromptArea { max-height: 3; }
ToastRack { dock: top; align: right top; margin: 0; padding: 0 2 0 0; overflow: hidden; }
MainScreen > ToastRack { margin: 1 0 0 0; }
Toast { width: auto; max-width: 64; margin: 0; padding: 0 1; background: $panel; color: $foreground; }
Input:ansi > .input--cursor { background: ansi_default; color: ansi_default; text-style: reverse; }
Toast:ansi { border: round $line; padding: 0 1; }
MainScreen.-zoomed.-wide Divider { display: none; }
.-zoomed.-zoom-conversation #right { display: none; }
.-zoom-flow #left, .-zoom-todo #left, .-zoom-approvals #left { display: none; }
.-zoom-flow #right, .-zoom-todo #right, .-zoom-approvals #right { display: block; width: 100%; }
.-zoom-flow TodoPane, .-zoom-flow ApprovalsPane { display: none; }
.-zoom-todo FlowPane, .-zoom-todo ApprovalsPane { display: none; }
.-zoom-approvals FlowPane, .-zoom-approvals TodoPane { display: none; }
.-zoom-todo TodoPane, .-zoom-approvals ApprovalsPane { height: 1fr; max-height: 100%; }
"""
"""The style sheet of an app with this main screen."""


def layout_for_size(columns: int, rows: int) -> Width:
    """The layout for a terminal size."""
    if columns < 80 or rows < 20:
        return "narrow"
    return "medium" if columns < 120 else "wide"
