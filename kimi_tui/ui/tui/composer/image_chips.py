"""Images of a message: each is a named chip in the text, and is sent after the text.

Images are copied on paste, so that drafts survive the original file. The copies are stored in one folder by content
hash; those unused for a month are deleted.
"""

import base64
import contextlib
import hashlib
import re
import shlex
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

from kimi_tui import paths
from kimi_tui.atomic_file import replace_file
from kimi_tui.errors import KimiTuiError
from kimi_tui.formats import byte_count
from kimi_tui.paths import is_file, path_exists, private_folder
from kimi_tui.regular_file import read_bytes, read_start
from kimi_tui.ui.tui.i18n.catalog import _

if TYPE_CHECKING:
    from kimi_tui.wire.parts import UserInput

MAX_BYTES = 20 << 20
MAX_FILES = 20
_KEPT_S = 30 * 86_400.0
_LONGEST_PASTE = 8_000
_NAME = 60
_CHIP = re.compile(r"\[image: [^\]\n]{1,300}+\]")
_KINDS = {"image/png": ".png", "image/jpeg": ".jpg", "image/gif": ".gif", "image/webp": ".webp"}


class ImageRefusedError(KimiTuiError):
    """A file that cannot be attached as an image; the message is for the user."""


def image_folder() -> Path:
    return paths.home() / "cache" / "images"


def dropped_paths(text: str) -> list[Path]:
    """The files of a drag and drop as terminals paste them: quoted, escaped, as `file://`; empty for other text."""
    text = text.strip()
    if not text or len(text) > _LONGEST_PASTE:
        return []
    for words in ([text], text.splitlines(), _shell_words(text)):
        files = [_path(word.strip()) for word in words]
        found = [file for file in files if file is not None and is_file(file)]
        if found and len(found) == len(files) <= MAX_FILES:
            return found
    return []


def _shell_words(text: str) -> list[str]:
    try:
        return shlex.split(text)
    except ValueError:
        return []


def _path(word: str) -> Path | None:
    """An absolute path, or one in the home folder; None for anything else."""
    if len(word) > 1 and word[0] == word[-1] and word[0] in "'\"":
        word = word[1:-1]
    if word.startswith("file://"):
        try:
            parts = urlsplit(word)
        except ValueError:  # defence: paste-that-is-no-address
            return None
        word = unquote(parts.path) if parts.netloc in ("", "localhost") else ""
    if word.startswith("~/"):
        word = str(Path.home()) + word[1:]
    return Path(word) if word.startswith("/") and "\0" not in word else None


class ImageChips:
    """Maps chips to images. `unseen` returns the reason why the model cannot see images, None if it can."""

    def __init__(self, folder: Callable[[], Path] = image_folder) -> None:
        self._folder = folder
        self._files: dict[str, str] = {}
        self.unseen: Callable[[], str | None] = lambda: None

    def from_paste(self, text: str) -> str | None:
        """The chips for a paste that consists of image paths only, None for any other text.

        Raises ImageRefusedError for an image that cannot be attached.
        """
        from kimi_tui.tools.file_support.text_encoding import media_kind

        files = dropped_paths(text)
        starts = [_start(file) for file in files]
        if not files or any(media_kind(start) != "image" for start in starts):
            return None
        return " ".join(self.add(file.name, _content(file)) for file in files) + " "

    def add(self, name: str, content: bytes) -> str:
        """Store an image; return its chip. Raises ImageRefusedError."""
        from kimi_tui.tools.file_support.text_encoding import media_type

        name = _plain(name)
        if (why := self.unseen()) is not None:
            raise ImageRefusedError(why)
        if len(content) > MAX_BYTES:
            raise ImageRefusedError(_("{name} is larger than {most}", name=name, most=byte_count(MAX_BYTES)))
        mime = media_type(content[:64])
        if mime not in _KINDS:
            words = _("{name} is not a PNG, JPEG, GIF or WebP image; models do not accept it", name=name)
            raise ImageRefusedError(words)
        try:
            file = self._keep(content, _KINDS[mime])
        except OSError as error:
            words = _("{name} could not be saved: {why}", name=name, why=error.strerror or str(error))
            raise ImageRefusedError(words) from error
        return self._chip(name, file)

    def _keep(self, content: bytes, suffix: str) -> str:
        folder = self._folder()
        private_folder(folder)
        _delete_old(folder)
        file = folder / (hashlib.sha256(content).hexdigest()[:32] + suffix)
        if path_exists(file):
            file.touch()
        else:
            replace_file(file, content)
        return file.name

    def _chip(self, name: str, file: str) -> str:
        chip, number = f"[image: {name}]", 1
        while self._files.get(chip, file) != file:
            number += 1
            chip = f"[image: {name} #{number}]"
        self._files[chip] = file
        return chip

    def chips_in(self, text: str) -> dict[str, str]:
        """The chips in a text, and the image copies that they refer to."""
        return {chip: self._files[chip] for chip in _CHIP.findall(text) if chip in self._files}

    def restore(self, chips: Mapping[str, str]) -> None:
        """Restore the chips of an earlier session."""
        for chip, file in chips.items():
            if _CHIP.fullmatch(chip) and Path(file).name == file:
                self._files[chip] = file

    def chip_before(self, before: str) -> int:
        """The length of the chip at the end of `before`, 0 if there is none: Backspace deletes it whole."""
        start = before.rfind("[")
        return len(before) - start if start >= 0 and before[start:] in self._files else 0

    def content(self, text: str) -> "UserInput":
        """The content to send for a text: the text itself, or with its images after it. For a missing
        image, only its chip is sent."""
        from kimi_tui.wire.parts import ImageURLPart, MediaURL, TextPart

        chips = self.chips_in(text)
        if text.startswith(("/", "!")):
            for chip, file in chips.items():
                text = text.replace(chip, shlex.quote(str(self._folder() / file)))
            return text
        parts: list[ImageURLPart] = []
        for chip, file in chips.items():
            mime = next((mime for mime, suffix in _KINDS.items() if file.endswith(suffix)), None)
            with contextlib.suppress(OSError):
                data = base64.b64encode(read_bytes(self._folder() / file, most=MAX_BYTES)).decode("ascii")
                url = MediaURL(url=f"data:{mime};base64,{data}", id=chip[len("[image: ") : -1])
                parts.append(ImageURLPart(image_url=url))
        return (TextPart(text=text), *parts) if parts else text


def _start(file: Path) -> bytes:
    try:
        return read_start(file, 64)
    except OSError:
        return b""


def _content(file: Path) -> bytes:
    try:
        return read_start(file, MAX_BYTES + 1)
    except OSError as error:
        words = _("{name} cannot be read: {why}", name=_plain(file.name), why=error.strerror or str(error))
        raise ImageRefusedError(words) from error


def _plain(name: str) -> str:
    """A file's name, safe for use in a chip."""
    name = "".join("_" if char in "[]" or not char.isprintable() else char for char in name)
    return name if len(name) <= _NAME else f"{name[: _NAME - 12]}…{name[-11:]}"


def _delete_old(folder: Path) -> None:
    oldest = time.time() - _KEPT_S
    for file in folder.iterdir():
        with contextlib.suppress(OSError):
            if file.stat().st_mtime < oldest:
                file.unlink()
