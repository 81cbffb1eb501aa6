import pytest

from kimi_tui.soul.inject import ToolLoadError, make_tool, tool_class
from kimi_tui.tools.tool import Params, Tool, ok


class Lamp:
    pass


class Nothing(Params):
    pass


class Light(Tool[Nothing]):
    name = "Light"
    params = Nothing

    def __init__(self, lamp: Lamp, colour: str = "white") -> None:
        self.lamp, self.colour = lamp, colour

    async def call(self, params):
        return ok()


class Bare(Light):
    def __init__(self) -> None:
        pass


class Greedy(Light):
    def __init__(self, something) -> None:
        pass


def test_a_tool_gets_what_its_constructor_names_by_type():
    lamp = Lamp()
    made = make_tool(Light, {Lamp: lamp})
    assert made.lamp is lamp
    assert made.colour == "white"
    assert isinstance(make_tool(Bare, {}), Bare)


def test_what_is_not_to_be_had_is_a_load_error_that_names_tool_and_type():
    with pytest.raises(ToolLoadError, match=r"Light: its constructor asks for lamp: Lamp"):
        make_tool(Light, {})
    with pytest.raises(ToolLoadError, match=r"Greedy: .*no annotation"):
        make_tool(Greedy, {})


def test_a_tool_is_named_as_module_and_class():
    assert tool_class("kimi_tui.tools.shell:Shell").name == "Shell"


@pytest.mark.parametrize(
    ("name", "cause"),
    [
        ("Shell", "write it as module:Class"),
        ("no.such.module:X", "cannot be imported"),
        ("kimi_tui.tools.shell:Nope", "has no tool class Nope"),
        ("json:JSONDecoder", "has no tool class"),
    ],
)
def test_a_name_that_is_no_tool_is_a_load_error(name, cause):
    with pytest.raises(ToolLoadError, match=cause):
        tool_class(name)
