"""Pictures: dropped, pasted or on the clipboard, a chip in the text and a part of what is sent."""

import asyncio
import base64
import os
from pathlib import Path

import pytest
from textual import events

from kimi_tui.ui.tui.composer.clipboard_reader import ClipboardContent, clipboard
from kimi_tui.ui.tui.composer.draft_store import Draft, DraftStore, draft_file
from kimi_tui.ui.tui.composer.image_chips import MAX_BYTES, ImageChips, ImageRefusedError, dropped_paths
from kimi_tui.ui.tui.composer.input_history import InputHistory
from kimi_tui.ui.tui.state.items import UserItem
from kimi_tui.wire.events import TurnBegin
from kimi_tui.wire.parts import ImageURLPart, MediaURL, TextPart
from tests.ui.tui.fake_engine import FakeEngine, make_app
from tests.ui.tui.screen_text import notices
from tests.ui.tui.test_screen import ready

PNG = b"\x89PNG\r\n\x1a\n" + b"\0" * 60
JPEG = b"\xff\xd8\xff\xe0" + b"\0" * 60


def picture(folder: Path, name: str, content: bytes = PNG) -> Path:
    file = folder / name
    file.write_bytes(content)
    return file


def url(content: bytes, mime: str = "image/png") -> str:
    return f"data:{mime};base64,{base64.b64encode(content).decode()}"


@pytest.fixture
def images(tmp_path: Path) -> ImageChips:
    return ImageChips(lambda: tmp_path / "kept")


def test_every_form_in_which_a_terminal_pastes_a_dropped_file_is_read(tmp_path: Path) -> None:
    one, two = picture(tmp_path, "my shot (1).png"), picture(tmp_path, "b.png")
    escaped = str(one).replace(" ", r"\ ").replace("(", r"\(").replace(")", r"\)")
    quoted = "file://" + str(one).replace(" ", "%20")
    for text in (str(one), f"'{one}'", f'"{one}" ', escaped, quoted, f"{quoted}\r\n"):
        assert dropped_paths(text) == [one], text
    for text in (f"{one}\n{two}\n", f"{escaped} {two}", f"'{one}' '{two}'"):
        assert dropped_paths(text) == [one, two], text


def test_what_is_no_drop_stays_text(tmp_path: Path) -> None:
    one = picture(tmp_path, "a.png")
    for text in ("", "a.png", f"see {one}", f"{one} {tmp_path}/none.png", "it's", "file://elsewhere/a.png", "/\0"):
        assert dropped_paths(text) == [], text


async def test_a_paste_that_looks_like_an_address_and_is_none_stays_text(tmp_path: Path) -> None:
    app, _ = make_app(FakeEngine(tmp_path))
    async with app.run_test() as pilot:
        await ready(pilot)
        for text in ("file://[x", "file://℀/a.png", "a\nfile://[::1/b.png"):
            app.main_screen.composer.text = ""
            app.main_screen.composer.prompt.post_message(events.Paste(text))
            await pilot.pause()
            assert app.main_screen.composer.text == text


def test_what_counts_is_what_a_file_holds(images: ImageChips, tmp_path: Path) -> None:
    assert images.from_paste(str(picture(tmp_path, "photo.txt", JPEG))) == "[image: photo.txt] "
    assert images.from_paste(str(picture(tmp_path, "notes.png", b"plain words"))) is None
    with pytest.raises(ImageRefusedError, match="not a PNG"):
        images.from_paste(str(picture(tmp_path, "a.tiff", b"II*\x00" + b"\0" * 60)))


def test_a_picture_that_is_too_large_is_refused(images: ImageChips, tmp_path: Path) -> None:
    file = picture(tmp_path, "huge.png")
    with file.open("ab") as out:
        out.truncate(MAX_BYTES + 1)
    with pytest.raises(ImageRefusedError, match="larger than 20 MiB"):
        images.from_paste(str(file))


def test_equal_names_get_numbers_and_equal_pictures_one_chip(images: ImageChips) -> None:
    assert images.add("a.png", PNG) == "[image: a.png]"
    assert images.add("a.png", PNG + b"1") == "[image: a.png #2]"
    assert images.add("a.png", PNG) == "[image: a.png]"
    assert images.add("od]d\n.png", PNG) == "[image: od_d_.png]"


def test_what_is_sent_is_the_text_and_each_picture_once_behind_it(images: ImageChips) -> None:
    one, two = images.add("a.png", PNG), images.add("b.jpg", JPEG)
    content = images.content(f"compare {one} with {two}, and {one} again")
    assert content == (
        TextPart(text="compare [image: a.png] with [image: b.jpg], and [image: a.png] again"),
        ImageURLPart(image_url=MediaURL(url=url(PNG), id="a.png")),
        ImageURLPart(image_url=MediaURL(url=url(JPEG, "image/jpeg"), id="b.jpg")),
    )
    assert images.content("[image: none.png]") == "[image: none.png]"


def test_a_command_and_a_shell_line_get_the_path_instead(images: ImageChips, tmp_path: Path) -> None:
    chip = images.add("a.png", PNG)
    (kept,) = (tmp_path / "kept").iterdir()
    assert images.content(f"!file {chip}") == f"!file {kept}"


def test_copies_are_the_persons_alone_and_go_after_a_month(images: ImageChips, tmp_path: Path) -> None:
    images.add("a.png", PNG)
    (old,) = (tmp_path / "kept").iterdir()
    assert (old.stat().st_mode & 0o777, old.parent.stat().st_mode & 0o777) == (0o600, 0o700)
    os.utime(old, (0, 0))
    images.add("b.jpg", JPEG)
    assert [file.suffix for file in (tmp_path / "kept").iterdir()] == [".jpg"]


def test_history_and_draft_bring_pictures_back_after_a_restart(images: ImageChips, tmp_path: Path) -> None:
    text = f"look at {images.add('a.png', PNG)}"
    InputHistory(tmp_path / "h").add(text, images.chips_in(text))
    DraftStore(tmp_path / "d").save(Draft(text, {}, images.chips_in(text)))
    for known in (InputHistory(tmp_path / "h").images, DraftStore(tmp_path / "d").load().images):
        later = ImageChips(lambda: tmp_path / "kept")
        later.restore(known)
        assert later.content(text) == images.content(text)
    ImageChips().restore({"[image: x]": "../../secret.png"})


def test_a_draft_or_history_that_names_a_file_elsewhere_is_not_believed(images: ImageChips, tmp_path: Path) -> None:
    picture(tmp_path, "secret.png")
    images.restore({"[image: x]": "../secret.png", "x": "a.png"})
    assert images.content("[image: x]") == "[image: x]"


async def test_a_dropped_picture_is_a_chip_that_is_sent_and_goes_as_one(tmp_path: Path) -> None:
    engine = FakeEngine(tmp_path)
    app, _ = make_app(engine)
    async with app.run_test() as pilot:
        await ready(pilot)
        prompt = app.main_screen.composer.prompt
        for _ in range(2):
            prompt.post_message(events.Paste(str(picture(tmp_path, "shot.png"))))
            await pilot.pause()
        assert prompt.text == "[image: shot.png] [image: shot.png] "
        await pilot.press("backspace", "backspace", "enter")
        await pilot.pause()
        image = ImageURLPart(image_url=MediaURL(url=url(PNG), id="shot.png"))
        assert engine.prompts == [(TextPart(text="[image: shot.png]"), image)]
        engine.say(TurnBegin(user_input=engine.prompts[0]))
        await pilot.pause()
        await pilot.pause()
        assert app.presenter.state.conversation[0] == UserItem("[image: shot.png]")
        await pilot.press("up")
        assert prompt.text == "[image: shot.png]"


async def test_a_model_that_takes_no_pictures_gets_the_path_and_the_person_a_word(tmp_path: Path) -> None:
    engine = FakeEngine(tmp_path, accepts_images=False)
    app, _ = make_app(engine)
    async with app.run_test() as pilot:
        await ready(pilot)
        file = picture(tmp_path, "shot.png")
        app.main_screen.composer.prompt.post_message(events.Paste(str(file)))
        await pilot.pause()
        await pilot.pause()
        assert app.main_screen.composer.text == str(file)
        assert any("moon-2 does not accept images" in note for note in notices(app))


async def test_a_picture_for_a_model_that_cannot_see_it_any_more_is_given_back(tmp_path: Path) -> None:
    engine = FakeEngine(tmp_path)
    app, _ = make_app(engine)
    async with app.run_test() as pilot:
        await ready(pilot)
        app.main_screen.composer.prompt.paste(str(picture(tmp_path, "shot.png")))
        engine.accepts_images = False
        await pilot.press("enter")
        await pilot.pause()
        assert engine.prompts == []
        assert app.main_screen.composer.text == "[image: shot.png]"


async def test_a_queued_picture_can_be_taken_back_and_sent(tmp_path: Path) -> None:
    engine = FakeEngine(tmp_path)
    app, _ = make_app(engine)
    async with app.run_test() as pilot:
        await ready(pilot)
        app.submit("one")
        await pilot.pause()
        app.main_screen.composer.prompt.paste(str(picture(tmp_path, "shot.png")))
        await pilot.press("enter")
        await pilot.pause()
        assert app.main_screen.composer.queued.texts == ("[image: shot.png]",)
        await pilot.press("up", "enter")
        engine.end_turn()
        await pilot.pause()
        await pilot.pause()
        assert isinstance(engine.prompts[1], tuple)
    assert not draft_file(tmp_path, "s").exists()


def tool(folder: Path, name: str, script: str) -> None:
    file = folder / name
    file.write_text(f"#!/bin/sh\n{script}\n")
    file.chmod(0o755)


def test_the_clipboard_is_asked_by_the_tool_that_is_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    shot = picture(tmp_path, "shot.png")
    tool(tmp_path, "wl-paste", f'case "$*" in --list-types) echo image/png;; *image/png) cat {shot};; esac')
    tool(tmp_path, "xclip", 'case "$*" in *TARGETS) echo UTF8_STRING; echo image/png;; *) printf words;; esac')
    assert clipboard({"WAYLAND_DISPLAY": "w"}, "linux") == ClipboardContent("wl-paste", image=PNG)
    assert clipboard({"DISPLAY": ":0"}, "linux") == ClipboardContent("xclip", text="words")
    assert clipboard({}, "linux") == ClipboardContent()


async def test_ctrl_v_makes_the_clipboards_picture_a_chip(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    monkeypatch.setenv("WAYLAND_DISPLAY", "w")
    shot = picture(tmp_path, "shot.png")
    tool(tmp_path, "wl-paste", f'case "$*" in --list-types) echo image/png;; *) cat {shot};; esac')
    app, _ = make_app(FakeEngine(tmp_path))
    async with app.run_test() as pilot:
        await ready(pilot)
        await pilot.press("ctrl+v")
        assert app.main_screen.composer.text == "[image: clipboard.png] "


async def test_keys_after_ctrl_v_wait_for_a_slow_clipboard(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    monkeypatch.setenv("WAYLAND_DISPLAY", "w")
    os.mkfifo(tmp_path / "clipboard")
    tool(tmp_path, "wl-paste", f'case "$*" in --list-types) echo text/plain;; *) cat {tmp_path}/clipboard;; esac')
    engine = FakeEngine(tmp_path)
    app, _ = make_app(engine)
    async with app.run_test() as pilot:
        await ready(pilot)
        app.main_screen.composer.prompt.burst_gap_s = 0.0
        for key in ("ctrl+v", "x", "enter"):
            app.post_message(events.Key(key, key if key == "x" else None))
        await asyncio.to_thread((tmp_path / "clipboard").write_text, "pasted ")
        async with asyncio.timeout(10):
            while not engine.prompts:
                await pilot.pause()
        assert engine.prompts == ["pasted x"]


async def test_ctrl_v_takes_no_endless_clipboard(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    monkeypatch.setenv("WAYLAND_DISPLAY", "w")
    tool(tmp_path, "wl-paste", 'case "$*" in --list-types) echo text/plain;; *) exec yes;; esac')
    app, _ = make_app(FakeEngine(tmp_path))
    async with app.run_test() as pilot:
        await ready(pilot)
        await pilot.press("ctrl+v")
        await pilot.pause()
        assert any("the clipboard's content is larger than" in note for note in notices(app))
        assert app.main_screen.composer.text == ""


def test_the_largest_picture_that_is_attached_is_sent(tmp_path: Path) -> None:
    chips = ImageChips(lambda: tmp_path / "kept")
    chip = chips.add("big.png", PNG.ljust(MAX_BYTES, b"\0"))
    assert [type(part) for part in chips.content(chip)] == [TextPart, ImageURLPart]


async def test_ctrl_v_says_what_is_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("WAYLAND_DISPLAY", "DISPLAY"):
        monkeypatch.delenv(name, raising=False)
    app, _ = make_app(FakeEngine(tmp_path))
    async with app.run_test() as pilot:
        await ready(pilot)
        await pilot.press("ctrl+v")
        await pilot.pause()
        assert any("wl-paste, xclip or pngpaste" in note for note in notices(app))
        app.copy_to_clipboard("copied here")
        await pilot.press("ctrl+v")
        assert app.main_screen.composer.text == "copied here"
