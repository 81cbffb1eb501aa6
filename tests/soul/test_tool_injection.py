import pytest

from kimi_tui.soul.tool_injection import ToolLoadError, make_tool, tool_class
from kimi_tui.tools.core.tool import Params, Tool, ok


class Lamp:
    pass


class Nothing(Params):
    pass


class Light(Tool[Nothing]):
    name = "Light"
    description = "Lights up."
    params = Nothing

    def __init__(self, lamp: Lamp, colour: str = "white") -> None:
        self.lamp, self.colour = lamp, colour

    async def call(self, params):
        return ok()


class Bare(Light):
    def __init__(self) -> None:
        pass


class Perhaps(Light):
    def __init__(self, lamp: Lamp | None = None) -> None:
        self.lamp = lamp


class Broken(Light):
    def __init__(self) -> None:
        raise OSError("no socket")


class Nameless(Tool[Nothing]):
    params = Nothing


class Greedy(Light):
    def __init__(self, something) -> None:
        pass


def test_a_tool_gets_what_its_constructor_names_by_type():
    lamp = Lamp()
    made = make_tool(Light, {Lamp: lamp})
    assert made.lamp is lamp
    assert made.colour == "white"
    assert isinstance(make_tool(Bare, {}), Bare)
    assert make_tool(Perhaps, {Lamp: lamp}).lamp is lamp
    assert make_tool(Perhaps, {}).lamp is None


def test_what_is_not_to_be_had_is_a_load_error_that_names_tool_and_type():
    with pytest.raises(ToolLoadError, match=r"Light: its constructor asks for lamp: Lamp"):
        make_tool(Light, {})
    with pytest.raises(ToolLoadError, match=r"Greedy: .*no annotation"):
        make_tool(Greedy, {})


def test_a_tool_that_breaks_while_it_is_made_is_a_load_error_with_its_cause():
    with pytest.raises(ToolLoadError, match="Broken: cannot be created: OSError: no socket"):
        make_tool(Broken, {})


def test_a_module_that_breaks_while_it_is_imported_is_a_load_error(tmp_path, monkeypatch):
    (tmp_path / "torn_tools.py").write_text("def (")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(ToolLoadError, match="cannot be imported: SyntaxError"):
        tool_class("torn_tools:Lamp")


def test_a_tool_is_named_as_module_and_class():
    assert tool_class("kimi_tui.tools.shell:Shell").name == "Shell"


@pytest.mark.parametrize(
    ("name", "cause"),
    [
        ("Shell", "write it as module:Class"),
        ("no.such.module:X", "cannot be imported"),
        ("kimi_tui.tools.shell:Nope", "has no tool class Nope"),
        ("json:JSONDecoder", "has no tool class"),
        (f"{__name__}:Nameless", "the tool lacks name, call"),
    ],
)
def test_a_name_that_is_no_tool_is_a_load_error(name, cause):
    with pytest.raises(ToolLoadError, match=cause):
        tool_class(name)
