"""Reads a server's paginated lists."""

from collections.abc import AsyncIterator, Awaitable
from typing import Protocol, TypeVar


class _Page(Protocol):
    @property
    def next_cursor(self) -> str | None: ...


P = TypeVar("P", bound=_Page)
P_co = TypeVar("P_co", bound=_Page, covariant=True)


class _ListPage(Protocol[P_co]):
    def __call__(self, *, cursor: str | None) -> Awaitable[P_co]: ...


async def pages(list_page: _ListPage[P], limit: int) -> AsyncIterator[P]:
    """Yield a list's pages, at most `limit`; the caller stops when it has enough."""
    cursor: str | None = None
    for _ in range(limit):
        page = await list_page(cursor=cursor)
        yield page
        cursor = page.next_cursor
        if cursor is None:
            return
