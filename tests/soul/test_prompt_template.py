import pytest
from hypothesis import given
from hypothesis import strategies as st

from kimi_tui.soul.prompt_template import TemplateError, fill


def test_variables_that_are_known_are_filled_once_and_others_stay():
    assert fill("${A} ${B} $A ${ c_d }", {"A": "${B}", "c_d": "e"}) == "${B} ${B} $A e\n"


@pytest.mark.parametrize(
    ("template", "filled"),
    [
        ("a{% if A %}b{% endif %}c", "abc"),
        ("a{% if B %}b{% endif %}c", "ac"),
        ("{% if NONE %}x{% else %}y{% endif %}", "y"),
        ("{%- if not B -%}x{%- endif -%}", "x"),
        ("{% if OS == 'Linux' %}l{% elif OS == \"macOS\" %}m{% else %}w{% endif %}", "m"),
        ("{% if OS != 'macOS' %}x{% elif A %}y{% elif OS %}z{% endif %}", "y"),
        ("{% if A %}{% if B %}1{% else %}2{% endif %}3{% endif %}", "23"),
        ("{% if B %}{% if A %}1{% else %}2{% endif %}3{% else %}4{% endif %}", "4"),
        ("{% if A %}\n- one\n{% endif %}\n- two", "- one\n- two"),
        ("{% if A %}${A}{% endif %}", "{% if %}"),
        ("{% raw %} {% for x in y %} {# #}", "{% raw %} {% for x in y %} {# #}"),
    ],
)
def test_text_is_left_out_where_a_condition_does_not_hold(template, filled):
    assert fill(template, {"A": "{% if %}", "B": " ", "OS": "macOS"}) == filled + "\n"


@pytest.mark.parametrize(
    ("template", "line"),
    [
        ("a\n{% if A %}", 2),
        ("{% endif %}", 1),
        ("{% if A %}\n{% else %}\n{% else %}{% endif %}", 3),
        ("\n\n{% if A and B %}{% endif %}", 3),
    ],
)
def test_a_template_that_cannot_be_read_says_at_which_line(template, line):
    with pytest.raises(TemplateError) as caught:
        fill(template, {})
    assert caught.value.line == line


@given(st.lists(st.sampled_from(["a", "\n", "${A}", "${B}", "{%", "%}", "{% if A %}", "{% else %}", "{% endif %}"])))
def test_any_template_is_filled_or_refused(pieces):
    try:
        filled = fill("".join(pieces), {"A": "x"})
    except TemplateError:
        return
    assert "${A}" not in filled
    assert "{% if A %}" not in filled
