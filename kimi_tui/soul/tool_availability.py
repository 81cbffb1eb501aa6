"""Selects the tools that an agent is offered: tools that would always refuse are omitted."""

from kimi_tui.interaction.questions import Questions
from kimi_tui.tools.core.toolset import Toolset
from kimi_tui.tools.read_media_file import MediaSupport
from kimi_tui.tools.web_support.web_settings import WebSettings

_MEDIA, _SEARCH, _QUESTION = "ReadMediaFile", "SearchWeb", "AskUserQuestion"


class ToolAvailability:
    """Selects the tools of one toolset. Media tools depend on the current model's capabilities."""

    def __init__(self, toolset: Toolset, media: MediaSupport, web: WebSettings, questions: Questions) -> None:
        self._toolset = toolset
        self._media = media
        self._media_tool = toolset.get(_MEDIA)
        if web.search is None:
            toolset.remove(_SEARCH)
        if not questions.possible:
            toolset.remove(_QUESTION)
        self.refresh()

    def refresh(self) -> None:
        """Offer the tools that the current model can use."""
        if self._media_tool is None:
            return
        if self._media.capabilities & {"image_in", "video_in"}:
            self._toolset.add(self._media_tool)
        else:
            self._toolset.remove(_MEDIA)
