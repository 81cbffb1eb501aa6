"""Which tools an agent is offered: those that could only say no are left out."""

from kimi_tui.tools.core.toolset import Toolset
from kimi_tui.tools.read_media_file import MediaSupport
from kimi_tui.tools.web_support.web_settings import WebSettings

_MEDIA, _SEARCH = "ReadMediaFile", "SearchWeb"


class ToolAvailability:
    """Of one toolset. What the model cannot see it is not offered to look at, and the model may change."""

    def __init__(self, toolset: Toolset, media: MediaSupport, web: WebSettings) -> None:
        self._toolset = toolset
        self._media = media
        self._media_tool = toolset.get(_MEDIA)
        if web.search is None:
            toolset.remove(_SEARCH)
        self.refresh()

    def refresh(self) -> None:
        """Offer what the model of now can use."""
        if self._media_tool is None:
            return
        if self._media.capabilities & {"image_in", "video_in"}:
            self._toolset.add(self._media_tool)
        else:
            self._toolset.remove(_MEDIA)
