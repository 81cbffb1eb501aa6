"""The prompt of a node, to be edited for the rest of the run."""

from textual.content import Content

from kimi_tui.ui.tui.dialogs.edit_text import EditText
from kimi_tui.ui.tui.i18n.catalog import _
from kimi_tui.ui.tui.text.sanitize import sanitize


class EditPrompt(EditText):
    """Gives back the text ("" for the chart's own again), or None where it was left."""

    def __init__(self, title: str, text: str) -> None:
        about = _("For this run only; the file stays. Empty: the chart's own text.")
        super().__init__(Content(f"◆ {sanitize(title)}  " + _("edit and run")), about, text)
