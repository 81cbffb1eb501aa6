"""What `@` offers."""

from pathlib import Path

from kimi_tui.ui.tui.composer.files import FileIndex


def test_the_first_search_in_a_small_folder_has_its_files(tmp_path: Path) -> None:
    for name in ("notes.md", "नाम 🇨🇳.txt"):
        (tmp_path / name).touch()
    assert FileIndex(tmp_path).search("", 10) == ["notes.md", "नाम 🇨🇳.txt"]
