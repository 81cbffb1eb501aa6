"""The resources that a server lists, by address."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from kimi_tui.mcp.pagination import pages
from kimi_tui.mcp.untrusted_text import one_line

if TYPE_CHECKING:
    from mcp import Client

MAX_RESOURCES = 500
MAX_PAGES = 20
MAX_URI = 2_000


@dataclass(frozen=True, slots=True)
class RemoteResource:
    """A resource, or with `is_template` a URI template (`note://{day}`). Name and description are the server's text."""

    uri: str
    name: str
    description: str
    is_template: bool = False


async def remote_resources(client: "Client") -> tuple[RemoteResource, ...]:
    """The resources and templates of a server, up to a limit."""
    if client.server_capabilities.resources is None:
        return ()
    resources: dict[str, RemoteResource] = {}
    async for page in pages(client.list_resources, MAX_PAGES):
        for each in page.resources:
            _take(resources, str(each.uri), each.title or each.name, each.description, is_template=False)
        if len(resources) >= MAX_RESOURCES:
            break
    templates = await client.list_resource_templates()
    for each in templates.resource_templates:
        _take(resources, each.uri_template, each.title or each.name, each.description, is_template=True)
    return tuple(resources.values())[:MAX_RESOURCES]


def _take(
    resources: dict[str, RemoteResource], uri: str, name: str, description: str | None, *, is_template: bool
) -> None:
    if uri and len(uri) <= MAX_URI and uri.isprintable():
        resource = RemoteResource(uri, one_line(name, limit=100), one_line(description or "", limit=200), is_template)
        resources.setdefault(uri, resource)
