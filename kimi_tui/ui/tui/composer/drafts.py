"""The draft of a work dir, kept beside its history so that a crash, a quit or a restart does not lose it."""

import contextlib
import json
import logging
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Draft:
    """What is written, the texts that its chips stand for, and the copies of its pictures by their chips."""

    text: str = ""
    pastes: Mapping[int, str] = field(default_factory=dict[int, str])
    images: Mapping[str, str] = field(default_factory=dict[str, str])


class DraftFile:
    """One draft in a file only the person can read; no file while nothing is written.

    A write replaces the file whole, so that it never holds half a draft.
    """

    def __init__(self, file: Path | None) -> None:
        self._file = file
        self._kept = ""

    def load(self) -> Draft:
        """The draft there is; an empty one where there is none, or it cannot be read."""
        if self._file is None:
            return Draft()
        try:
            self._kept = self._file.read_text("utf-8")
            row = json.loads(self._kept)
            text, pastes, images = row["text"], row["pastes"], row.get("images", {})
            if isinstance(text, str):
                return Draft(
                    text,
                    {int(number): str(paste) for number, paste in pastes.items()},
                    {str(chip): str(file) for chip, file in images.items()},
                )
        except FileNotFoundError:
            pass
        except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
            _log.warning("the draft cannot be read: %s", error)
        return Draft()

    def save(self, draft: Draft) -> None:
        """Keep this one in place of the last."""
        if self._file is None:
            return
        fields = {"text": draft.text, "pastes": draft.pastes}
        row = json.dumps(fields | ({"images": draft.images} if draft.images else {})) if draft.text.strip() else ""
        if row == self._kept:
            return
        beside = self._file.with_name(f"{self._file.name}.{os.getpid()}")
        try:
            if row:
                self._file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
                beside.touch(0o600)
                beside.write_text(row, "utf-8")
                beside.replace(self._file)
            else:
                self._file.unlink(missing_ok=True)
            self._kept = row
        except OSError as error:
            _log.warning("the draft cannot be kept: %s", error)
            with contextlib.suppress(OSError):
                beside.unlink(missing_ok=True)
