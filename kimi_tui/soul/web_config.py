"""Builds the settings of the web tools from the configuration."""

from kimi_tui.config.schema import ServiceConfig, Services
from kimi_tui.tools.web_support.web_settings import SearchKind, WebService, WebSettings

_MOONSHOT = "https://api.moonshot.ai/v1/search"
_BRAVE = "https://api.search.brave.com"
_TAVILY = "https://api.tavily.com"


def web_settings(services: Services) -> WebSettings:
    """Return the first configured search service, and the fetch service, if any."""
    configured: list[tuple[SearchKind, WebService | None]] = [
        ("moonshot", _service(services.moonshot_search, _MOONSHOT)),
        ("searxng", _service(services.searxng)),
        ("brave", _service(services.brave, _BRAVE)),
        ("tavily", _service(services.tavily, _TAVILY)),
    ]
    kind, search = next((candidate for candidate in configured if candidate[1] is not None), configured[0])
    fetch = _service(services.moonshot_fetch)
    return WebSettings(search=search, search_kind=kind, fetch=fetch, allow_private=services.allow_private)


def _service(config: ServiceConfig | None, base_url: str = "") -> WebService | None:
    if config is None or not (config.base_url or base_url):
        return None
    return WebService(config.base_url or base_url, config.api_key.get_secret_value(), config.custom_headers)
