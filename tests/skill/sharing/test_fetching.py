"""Skills of strangers, from real repositories by the real Git."""

import random
from pathlib import Path

import pytest

from kimi_tui.errors import SkillInstallError
from kimi_tui.skill.sharing import git_repository
from kimi_tui.skill.sharing.fetching import fetch_skill
from kimi_tui.skill.sharing.source import read_source
from tests.skill.sharing.remotes import SKILL, Content, Link, Script, Submodule, commit

ONE = SKILL.format(name="one")


def fetched(tmp_path: Path, files: dict[str, Content], **options: str):
    return fetch_skill(read_source(commit(tmp_path / "remote", files), **options))


def test_the_files_of_one_skill_come_with_their_modes_and_the_commit(tmp_path: Path) -> None:
    files: dict[str, Content] = {
        "README.md": "x",
        "skills/one/SKILL.md": ONE,
        "skills/one/run": Script("#!/bin/sh\n"),
        "skills/one/l": Link("run"),
    }
    found = fetched(tmp_path, files)
    assert (found.path, len(found.commit or "")) == ("skills/one", 40)
    assert {name: file.executable for name, file in found.package.files.items()} == {
        "SKILL.md": False, "l": True, "run": True,
    }  # fmt: skip
    assert found.package.files["l"].content == b"#!/bin/sh\n"
    again = fetch_skill(read_source(f"file://{tmp_path}/remote", ref=found.commit, path="one"))
    assert again == found


def test_nothing_of_the_repository_or_the_environment_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The user has filters, hooks and templates; the repository asks for the filter, a submodule lies beside."""
    ran = tmp_path / "ran"
    hooks = tmp_path / "templates/hooks"
    hooks.mkdir(parents=True)
    for name in ("post-checkout", "reference-transaction", "post-index-change"):
        (hooks / name).write_text(f"#!/bin/sh\ntouch {ran}\n")
        (hooks / name).chmod(0o755)
    config = tmp_path / "gitconfig"
    config.write_text(
        f"[core]\n\thooksPath = {hooks}\n\tfsmonitor = touch {ran}\n[init]\n\ttemplateDir = {hooks.parent}\n"
        f'[filter "lfs"]\n\tsmudge = touch {ran}\n\tprocess = touch {ran}\n[submodule]\n\trecurse = true\n'
    )
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(config))
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "elsewhere"))
    monkeypatch.setenv("GIT_WORK_TREE", str(tmp_path))
    monkeypatch.setenv("GIT_ALLOW_PROTOCOL", "ext:file")
    found = fetched(
        tmp_path,
        {
            ".gitattributes": "* filter=lfs diff=x\n",
            ".gitmodules": f'[submodule "s"]\n\tpath = s\n\turl = ext::touch {ran}\n\tupdate = !touch {ran}\n',
            "s": Submodule(),
            "one/SKILL.md": ONE,
        },
    )
    assert list(found.package.files) == ["SKILL.md"]
    assert not ran.exists()


def test_a_rewritten_url_runs_no_other_protocol(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    config = tmp_path / "gitconfig"
    config.write_text(f'[protocol]\n\tallow = always\n[url "ext::touch {tmp_path}/ran "]\n\tinsteadOf = file://\n')
    url = commit(tmp_path / "remote", {"SKILL.md": ONE})
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(config))
    with pytest.raises(SkillInstallError, match="'ext' not allowed"):
        fetch_skill(read_source(url))
    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize(
    ("files", "cause"),
    [
        ({"SKILL.md": ONE, "s": Submodule()}, "submodule"),
        ({"SKILL.md": ONE, "l": Link("/etc/passwd")}, "link"),
        ({"one/SKILL.md": ONE, "other": "x", "one/l": Link("../other")}, "link"),
        ({"README.md": "x"}, "no SKILL.md"),
        ({"SKILL.md": b"x" * (9 << 20)}, "too large"),
    ],
)
def test_a_skill_that_is_not_plain_files_is_refused(tmp_path: Path, files: dict[str, Content], cause: str) -> None:
    with pytest.raises(SkillInstallError, match=cause):
        fetched(tmp_path, files)


def test_a_fetch_writes_no_more_than_its_bound(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(git_repository, "MAX_FETCHED_BYTES", 100_000)
    with pytest.raises(SkillInstallError):
        fetched(tmp_path, {"SKILL.md": ONE, "noise": random.Random(1).randbytes(200_000)})


def test_what_git_says_is_the_error(tmp_path: Path) -> None:
    with pytest.raises(SkillInstallError, match="Git failed: fatal:"):
        fetch_skill(read_source(f"file://{tmp_path}/nowhere"))
    url = commit(tmp_path / "remote", {"SKILL.md": ONE})
    with pytest.raises(SkillInstallError, match="couldn't find remote ref v9"):
        fetch_skill(read_source(url, ref="v9"))


def test_a_folder_is_a_source_too(tmp_path: Path) -> None:
    (tmp_path / "skills/one").mkdir(parents=True)
    (tmp_path / "skills/one/SKILL.md").write_text(ONE)
    found = fetch_skill(read_source(str(tmp_path)))
    assert (found.path, found.commit, list(found.package.files)) == ("skills/one", None, ["SKILL.md"])
