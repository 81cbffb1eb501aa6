"""Options in another order and spelling: what a rule that asks or denies may be about."""

import pytest

from kimi_tui.permission.option_spelling import may_mean
from kimi_tui.permission.subject import Pattern


@pytest.mark.parametrize(
    ("pattern", "command", "may"),
    [
        ("rm -rf *", "rm -fr x", True),
        ("rm -rf *", "rm -r -f x", True),
        ("rm -rf *", "rm -Rf x", True),
        ("rm -rf *", "rm x -rfv", True),
        ("rm -rf *", "rm --recursive --force x", True),
        ("rm -rf *", "rm --rec -f x", True),
        ("rm -rf *", "rm -r x", False),
        ("rm -rf *", "rm -f x", False),
        ("rm -rf build", "rm -fr src", False),
        ("git push --force *", "git push -f", True),
        ("git push --force *", "git push origin main --force-with-lease", True),
        ("git push --force *", "git push origin main --forc", True),
        ("git push --force *", "git push origin +main", True),
        ("git push --force *", "git push -u origin main", False),
        ("git push --force *", "git commit -f", False),
        ("git commit --amend *", "git commit -am x", False),
        ("git commit --amend *", "git commit -m x --amend", True),
        ("git push origin main", "git push -u origin HEAD:main", True),
        ("git push origin main", "git push origin refs/heads/main", True),
        ("git push origin main", "git push origin side", False),
        ("git push origin main", "git push origin", False),
        ("kubectl -n prod *", "kubectl get pods -n prod", True),
        ("kubectl -n prod *", "kubectl --namespace=prod get pods", True),
        ("kubectl -n prod *", "kubectl -nprod get pods", True),
        ("kubectl -n prod *", "kubectl -n dev get pods", False),
        ("terraform apply -auto-approve", "terraform apply --auto-approve=true", True),
        ("npm publish *", "npm pub", True),
        ("npm publish *", "npm run publish", False),
        ("npm run deploy", "npm run test:deploy", False),
        ("pip install *", "pip3 install x", True),
        ("python3 *", "python x", False),
        ("docker run --privileged *", "docker run -p 80:80 x", False),
        ("docker run --privileged *", "docker run -it --privileged x", True),
        ("ls", "rm", False),
        ("npm run deploy", "npm run -w app deploy", True),
        ("npm run deploy", "npm run -s -w app deploy", True),
        ("npm run deploy", "npm run deploy -- --prod now", True),
        ("git push origin main", "git push origin side main", True),
        ("git push * main", "git push origin side HEAD:main", True),
        ("git push origin main", "git log push origin main", False),
        ("npm install left *", "npm install right left", True),
        ("git push", "git push origin", False),
        ("aws s3 rm *", "aws s3 --region x rm y", True),
        ("aws s3 rm *", "aws s3 ls --recursive x", False),
        ("git push *", "git commit -m push", False),
        ("git push *", "git stash push", False),
        ("make deploy *", "make test deploy", True),
        ("make deploy", "make -s build deploy", True),
        ("make deploy", "make test", False),
        ("mvn deploy *", "mvn clean deploy -q", True),
        ("just deploy-*", "just test deploy-all", True),
    ],
)
def test_options_count_in_any_order_and_spelling(pattern: str, command: str, may: bool) -> None:
    assert may_mean(pattern.split(), tuple(command.split())) is may


def test_a_word_that_is_known_only_at_run_time_may_be_any() -> None:
    assert may_mean(["rm", "-rf", "*"], ("rm", None, "x"))
    assert may_mean(["rm", "-rf", "*"], ("rm", "-fr", Pattern("*", "*")))
    assert may_mean(["rm", "-rf", "build"], ("rm", "-fr", Pattern("b*", "b*")))
    assert not may_mean(["rm", "-rf", "build"], ("rm", "-fr", Pattern("s*", "s*")))
    assert not may_mean(["git", "push", "--force", "*"], ("git", "add", None))
    assert not may_mean([], ("rm",))
