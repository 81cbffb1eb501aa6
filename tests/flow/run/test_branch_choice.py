import pytest

from kimi_tui.flow import match_choice, parse_choice


@pytest.mark.parametrize(
    ("text", "choice"),
    [
        ("<choice>yes</choice>", "yes"),
        ("I think <choice> yes </choice>.", "yes"),
        ("<choice>no</choice> or rather <choice>yes</choice>", "yes"),
        ("<choice>\nyes\n</choice>", "yes"),
        ("<choice></choice>", ""),
        ("<choice>a < b</choice>", "a < b"),
        ("<choice>a<b></choice><choice>c", "a<b>"),
        ("<choice><choice>yes</choice></choice>", "yes"),
        ("<CHOICE>yes</Choice>", "yes"),
        ("yes", None),
        ("", None),
        ("<choice>继续</choice>", "继续"),
        ("<think>perhaps <choice>no</choice></think><choice>yes</choice>", "yes"),
        ("<choice>yes</choice><think>or <choice>no</choice>?</think>", "yes"),
        ("<think>perhaps <choice>no</choice></think>", None),
        ("perhaps <choice>no</choice></think>\nHm.", None),
        ("<think>perhaps <choice>no</choice>", None),
    ],
)
def test_the_last_choice_of_a_message_is_taken_trimmed(text, choice):
    assert parse_choice(text) == choice


def test_a_message_of_open_tags_is_read_in_no_time():
    assert parse_choice("<choice>" * 50_000 + "yes</choice>") == "yes"


@pytest.mark.parametrize(
    ("choice", "label"),
    [
        ("Yes", "Yes"),
        (" Yes ", "Yes"),
        ("yes", "Yes"),
        ("YES!", "Yes"),
        ('"Yes"', "Yes"),
        ("**Yes**", "Yes"),
        ("`yes`.", "Yes"),
        ("“Yes”", "Yes"),
        ("「Yes」", "Yes"),
        ("Yes。", "Yes"),
        ("《Yes》！", "Yes"),
        ("Ｙｅｓ", "Yes"),
        ("try  again", "Try again"),
        ("重试。", "重试"),
        ("【重试】", "重试"),
        ("maybe", None),
        ("Yes, please", None),
        ("", None),
        ("...", None),
    ],
)
def test_a_choice_that_differs_in_case_or_outer_punctuation_alone_is_taken(choice, label):
    assert match_choice(choice, ["Yes", "No", "Try again", "重试"]) == label


def test_an_equal_label_goes_before_a_near_one():
    assert match_choice("yes", ["Yes", "yes"]) == "yes"


def test_a_near_miss_of_two_labels_is_none():
    assert match_choice("YES", ["Yes", "yes"]) is None


def test_labels_of_punctuation_alone_are_matched_only_exactly():
    assert match_choice("+", ["+", "-"]) == "+"
    assert match_choice("*", ["+", "-"]) is None


def test_signs_that_tell_labels_apart_are_not_lost():
    assert match_choice("c", ["C", "C++"]) is None
    assert match_choice("C++", ["C", "C++"]) == "C++"


@pytest.mark.parametrize(
    ("choice", "labels", "label"),
    [
        ("x < 3", ["x < 3", "x >= 3"], "x < 3"),
        ("Yes，go", ["Yes, go", "No"], "Yes, go"),
        ("< 3", ["> 3", "other"], None),
        ("→ Yes", ["yes", "no"], "yes"),
    ],
)
def test_signs_and_widths_tell_labels_apart_as_a_reader_would(choice, labels, label):
    assert match_choice(choice, labels) == label


def test_a_message_of_open_thoughts_is_read_in_no_time():
    assert parse_choice("<think>" * 50_000 + "<choice>yes</choice>") is None
