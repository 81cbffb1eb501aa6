"""The private members of Textual that are used: no more than these, and each is still there.

A subclass may use what its base calls protected, so that the type checker says nothing; this list does.
"""

import ast
import importlib
import inspect
import pkgutil
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from textual.app import App
from textual.document._wrapped_document import WrappedDocument

import kimi_tui.ui.tui

USED_BY_SUBCLASSES = {
    "composer.cjk_wrap.CjkWrappedDocument": (
        "_line_index_to_offsets", "_offset_to_line_info", "_tab_width", "_width", "_wrap_offsets",
    ),
    "composer.prompt_area.PromptArea": ("_bindings", "_on_key", "_on_paste"),
    "main_screen.layout.PaneLayout": ("_compositor",),
    "terminal.app_base.TerminalApp": (
        "_close_messages_no_wait", "_driver", "_handle_exception", "_mouse_down_widget", "_return_code",
    ),
    "terminal.compositor.CroppingCompositor": ("_full_map", "_get_renders"),
    "terminal.driver.TerminalDriver": (
        "_app", "_auto_restart", "_debug", "_enable_mouse_pixels", "_file", "_run_input_thread",
        "_sigcont_application", "_sigtstp_application", "_writer_thread",
    ),
    "terminal.low_latency_screen.LowLatencyScreen": (
        "_compositor", "_compositor_refresh", "_dirty_widgets", "_layout_required", "_on_timer_update",
        "_repaint_required", "_scroll_required",
    ),
    "terminal.web_driver.BrowserDriver": ("_app", "_debug", "_input_reader", "_loop", "_on_meta", "_write"),
    "transcript.viewport.Viewport": ("_scroll_to",),
    "widgets.one_shot_screen.OneShotModal": ("_message_loop_exit",),
    "widgets.text_field.TextField": ("_on_key", "_on_paste"),
}  # fmt: skip
USED_OF_OTHERS = (
    (App, "_batch_count"),
    (App, "_exit"),
    (App, "_handle_exception"),
    (WrappedDocument, "_tab_width"),
)
"""Those with `# pyright: ignore[reportPrivateUsage]`."""
IMPORTED = {
    "composer.cjk_wrap": ("textual._wrap", "textual.document._wrapped_document"),
    "main_screen.layout": ("textual.widgets._toast",),
    "terminal.compositor": ("textual._compositor",),
    "terminal.driver": ("textual._xterm_parser",),
    "terminal.key_sequences": ("textual._ansi_sequences",),
    "terminal.web_driver": ("textual._xterm_parser", "textual.drivers._byte_stream"),
}
_PRIVATE = re.compile(r"_[a-z]\w*")


def modules() -> Iterator[tuple[str, str]]:
    """The name below `ui.tui` and the full name of each module."""
    start = f"{kimi_tui.ui.tui.__name__}."
    found = pkgutil.walk_packages(kimi_tui.ui.tui.__path__, start)
    return ((one.name.removeprefix(start), one.name) for one in found)


@cache
def text_of(module: str) -> str:
    file = importlib.import_module(module).__file__
    assert file is not None
    return Path(file).read_text("utf-8")


@cache
def tree_of(module: str) -> ast.Module:
    return ast.parse(text_of(module))


@cache
def source_of(one: type) -> str:
    return inspect.getsource(one)


def has_private(one: type, name: str) -> bool:
    """Whether Textual defines or sets `name` in one of the class's bases."""
    bases = [base for base in one.__mro__ if base.__module__.partition(".")[0] == "textual"]
    is_set = re.compile(rf"\bself\.{name}\b\s*(?::[^=\n]+)?=")
    return any(name in vars(base) or is_set.search(source_of(base)) for base in bases)


def used_in(node: ast.ClassDef) -> set[str]:
    named = {one.attr for one in ast.walk(node) if isinstance(one, ast.Attribute)}
    named |= {one.name for one in node.body if isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef)}
    return {name for name in named if _PRIVATE.fullmatch(name)}


def test_subclasses_use_these_private_members_of_textual_and_no_others() -> None:
    found: dict[str, tuple[str, ...]] = {}
    for name, module in modules():
        for node in ast.walk(tree_of(module)):
            ours = getattr(importlib.import_module(module), node.name, None) if isinstance(node, ast.ClassDef) else None
            if isinstance(node, ast.ClassDef) and isinstance(ours, type):
                used = sorted(member for member in used_in(node) if has_private(ours, member))
                found |= {f"{name}.{node.name}": tuple(used)} if used else {}
    assert found == USED_BY_SUBCLASSES


def test_these_private_modules_of_textual_are_imported_and_no_others() -> None:
    found: dict[str, set[str]] = {}
    for name, module in modules():
        for node in ast.walk(tree_of(module)):
            if isinstance(node, ast.ImportFrom) and node.module and node.module.partition(".")[0] == "textual":
                named = (
                    [node.module] if "._" in node.module else [f"{node.module}.{alias.name}" for alias in node.names]
                )
                found.setdefault(name, set()).update(one for one in named if "._" in one)
    assert {name: tuple(sorted(private)) for name, private in found.items() if private} == IMPORTED


@pytest.mark.parametrize(("owner", "name"), USED_OF_OTHERS)
def test_a_private_member_that_is_used_of_another_object_is_there(owner: type, name: str) -> None:
    assert has_private(owner, name)


def test_what_the_type_checker_is_told_to_pass_is_in_the_list() -> None:
    passed: set[str] = set()
    for _, module in modules():
        for line in text_of(module).splitlines():
            if "ignore[reportPrivateUsage]" in line:
                passed.update(re.findall(r"(?<!self)\.(_[a-z]\w*)", line))
    assert passed == {name for _, name in USED_OF_OTHERS}
