import pytest
from hypothesis import given
from hypothesis import strategies as st

from kimi_tui.errors import UsageError
from kimi_tui.flow.run.resume_request import ResumeRequest, read_resume_request

_words = st.text(st.characters(exclude_characters="=", exclude_categories=("Cs",)), min_size=1).filter(str.strip)
_requests = st.builds(
    ResumeRequest, _words, st.booleans(), st.dictionaries(_words, _words | _words.map("={}".format), max_size=3)
)


@given(_requests)
def test_a_request_is_read_back_from_the_command_that_it_writes(request: ResumeRequest) -> None:
    name, _, args = str(request).partition(" ")
    assert name == "/flow-resume"
    assert read_resume_request(args) == request


def test_without_a_run_the_latest_is_meant() -> None:
    assert str(ResumeRequest()) == "/flow-resume"
    assert read_resume_request("") == ResumeRequest()


@pytest.mark.parametrize("args", ["abc yes", "abc a=", "abc =yes", "abc new yes", "abc a=b new"])
def test_a_choice_needs_a_node_and_a_branch(args: str) -> None:
    with pytest.raises(UsageError, match="NODE=BRANCH"):
        read_resume_request(args)


def test_an_open_quote_is_named() -> None:
    with pytest.raises(UsageError, match="/flow-resume: No closing quotation"):
        read_resume_request("abc 'a=b")
