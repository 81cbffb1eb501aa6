"""`make texts`: brings the Chinese catalogue up to date with the source, and compiles it.

New texts are put into the `.po` with no Chinese yet, texts that are gone leave it, and what is there stays as it is.
After a conflict in the catalogue: solve the `.po`, run this; the `.mo` is made anew.
"""

import io
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from babel.messages.catalog import Catalog, Message
from babel.messages.extract import extract_from_file
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po

from kimi_tui.skill.skill import Scope, read_skill
from kimi_tui.ui.tui.i18n.catalog import DOMAIN, ENGINE_CONTEXT, LOCALE

# The same texts make the same file, whenever they are compiled.
_ALWAYS = datetime(2026, 1, 1, tzinfo=UTC)
ROOT = Path(__file__).parents[1]
PO = Path(LOCALE).resolve() / "zh_CN" / "LC_MESSAGES" / f"{DOMAIN}.po"
MO = PO.with_suffix(".mo")
MARKS = {"_": None, "N_": None, "n_": (1, 2), "p_": ((1, "c"), 2)}
SAID = {"tr": None, "tr_n": (1, 2), "CommandInfo": (2,)}
TABLES = {"KeyBinding": (4,), "ScreenCommand": (2,), "Setting": (2,), "_loop": (2,)}
"""Rows of tables whose text is always shown translated, and its place in the row."""


def marked() -> Iterator[tuple[str, int, str | tuple[str, ...], str | None]]:
    """Every text that the source marks: file, line, text (or its plurals), meaning."""
    package = ROOT / "kimi_tui"
    for file in sorted((package / "ui" / "tui").rglob("*.py")):
        for line, text, _comments, meaning in extract_from_file("python", file, keywords=MARKS | TABLES):
            yield str(file.relative_to(ROOT)), line, text, meaning
    for file in sorted((ROOT / "skills").glob("*/SKILL.md")):
        skill = read_skill(file, Scope.BUNDLED)
        yield str(file.relative_to(ROOT)), 1, skill.description, ENGINE_CONTEXT
    for file in sorted((ROOT / "kimi_tui" / "soul" / "agents").glob("*/agent.yaml")):
        for line, text in enumerate(file.read_text("utf-8").splitlines(), 1):
            if text.strip().startswith("description: "):
                yield str(file.relative_to(ROOT)), line, text.partition(": ")[2], ENGINE_CONTEXT
    for file in below():
        for line, text, _comments, _meaning in extract_from_file("python", file, keywords=SAID):
            for form in (text,) if isinstance(text, str) else text:  # a form is looked for as it came: one or many
                yield str(file.relative_to(ROOT)), line, form, ENGINE_CONTEXT


def below() -> Iterator[Path]:
    """The source of all that is not a face: the layers below, and the command line that starts it."""
    package = ROOT / "kimi_tui"
    for file in sorted(package.rglob("*.py")):
        if file.relative_to(package).parts[0] not in ("ui", "i18n.py"):
            yield file


def catalogue() -> Catalog:
    with PO.open("rb") as file:
        return read_po(file, locale="zh_CN", domain=DOMAIN)


def texts_of(messages: Catalog) -> list[Message]:
    """Its texts, without the head."""
    return [message for message in messages if message.id]


def updated(old: Catalog) -> Catalog:
    """`old` with exactly the texts of the source."""
    new = Catalog(locale="zh_CN", domain=DOMAIN, fuzzy=False, charset="utf-8", creation_date=_ALWAYS)
    for _file, _line, text, meaning in marked():
        known = old.get(text, meaning)
        new.add(text, known.string if known else "", flags=known.flags if known else (), context=meaning)
    return new


def write(messages: Catalog) -> None:
    """Both files: the `.po` in alphabetical order under the head that it has, and the `.mo`."""
    head = PO.read_text("utf-8").partition("\n\n")[0]
    body = io.BytesIO()
    write_po(body, messages, no_location=True, omit_header=True, sort_output=True, ignore_obsolete=True, width=0)
    PO.write_text(f"{head}\n\n{body.getvalue().decode().strip()}\n", "utf-8")
    with MO.open("wb") as file:
        write_mo(file, messages)


def main() -> None:
    messages = updated(catalogue())
    write(messages)
    empty = [message for message in texts_of(messages) if not message.string or not all(message.string)]
    print(f"{len(texts_of(messages))} texts, {len(empty)} without Chinese")
    for message in empty:
        print(f"  {message.id}")


if __name__ == "__main__":
    main()
