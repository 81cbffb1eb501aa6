"""The pages of the documentation, which ship with the package: `kimi_tui/docs/TOPIC.md`."""

from difflib import get_close_matches
from pathlib import Path

from kimi_tui.errors import UsageError
from kimi_tui.i18n import tr

FOLDER = Path(__file__).parent / "docs"
INDEX = "index"
"""The page that links the others."""


def topics() -> tuple[str, ...]:
    """The names of the pages, without the index."""
    return tuple(sorted(file.stem for file in FOLDER.glob("*.md") if file.stem != INDEX))


def page(topic: str = INDEX) -> str:
    """Return a page as Markdown; case and the ending `.md` are ignored. Raises UsageError for an unknown topic."""
    known, name = topics(), topic.strip().lower().removesuffix(".md")
    if name not in (*known, INDEX):
        near = get_close_matches(name, known, n=1)
        if near:
            raise UsageError(tr("no page {topic!r}; did you mean {near}?", topic=topic, near=near[0]))
        names = ", ".join(f"`{one}`" for one in known)
        raise UsageError(tr("no page {topic!r}. Available: {names}", topic=topic, names=names))
    return (FOLDER / f"{name}.md").read_text("utf-8")
