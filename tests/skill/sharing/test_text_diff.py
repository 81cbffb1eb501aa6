import time

from kimi_tui.skill.sharing.skill_package import PackagedFile
from kimi_tui.skill.sharing.text_diff import folder_diff


def diff(old: dict[str, bytes], new: dict[str, bytes]) -> list[str]:
    sides = ({name: PackagedFile(content) for name, content in files.items()} for files in (old, new))
    return list(folder_diff(*sides))


def test_texts_are_compared_line_by_line_and_binaries_as_a_whole() -> None:
    assert diff({"a": b"1\n2\n", "b": b"\0"}, {"a": b"1\n3\n", "b": b"\0\0", "c": b"new\n"}) == [
        "--- a", "+++ a", "@@ -1,2 +1,2 @@", " 1", "-2", "+3",
        "b: binary, 1 -> 2 bytes",
        "--- /dev/null", "+++ c", "@@ -0,0 +1 @@", "+new",
    ]  # fmt: skip


def test_each_change_is_shown() -> None:
    assert diff({"a": b"1\n"}, {"a": b"1"}) == ["a: only the newline at the end of the file differs"]
    assert list(folder_diff({"a": PackagedFile(b"1")}, {"a": PackagedFile(b"1", executable=True)})) == [
        "a: now executable"
    ]
    assert diff({"a": b"same"}, {"a": b"same"}) == []


def test_large_versions_are_compared_soon() -> None:
    """Lines that are hard to match: the smallest difference takes quadratic time, 40 s for these."""
    old = b"\n".join(b"%d" % (number % 199) for number in range(20_000))
    new = b"\n".join(b"%d" % (number * 7 % 199) for number in range(20_000))
    begun = time.process_time()
    lines = diff({"a": b"same\n" + old}, {"a": b"same\n" + new})
    assert time.process_time() - begun < 5
    assert sum(line.startswith("+") for line in lines) > 10_000
