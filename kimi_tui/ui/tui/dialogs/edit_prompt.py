"""Edits a node's prompt for the rest of the run."""

from textual.content import Content

from kimi_tui.ui.tui.dialogs.edit_text import EditText
from kimi_tui.ui.tui.i18n.catalog import _
from kimi_tui.ui.tui.text.sanitize import sanitize


class EditPrompt(EditText):
    """Edits a node's prompt. Returns the text ("" restores the chart's prompt), or None if closed."""

    def __init__(self, title: str, text: str) -> None:
        about = _("For this run only; the file is not changed. Empty: use the chart's text.")
        super().__init__(Content(f"{sanitize(title)}  " + _("edit and run")), about, text)
