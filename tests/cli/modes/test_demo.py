import os
import shutil
import subprocess
import sys
from pathlib import Path

from kimi_tui import paths
from kimi_tui.cli.engine_options import build_plan
from kimi_tui.cli.modes.demo import delete_demo, demo_plan
from kimi_tui.cli.options import parse
from kimi_tui.session.session import Session, sessions_dir


def test_the_demo_keeps_the_persons_theme_and_language():
    paths.home().mkdir(parents=True)
    (paths.home() / "config.yaml").write_text("theme: kimi-light\nlanguage: zh\n", "utf-8")
    config = demo_plan(parse(["--demo"]), interactive=True).config
    assert (config.theme, config.language) == ("kimi-light", "zh")
    assert config.default_model == "demo-script"


def test_a_demo_leaves_nothing_behind_that_could_be_gone_on_with():
    plan = demo_plan(parse(["--demo"]), interactive=False)
    session = Session.create(plan.work_dir)
    (session.dir / "wire.jsonl").write_text('{"message": {"type": "TurnBegin"}}\n')
    session.close()
    (plan.work_dir / "__pycache__").mkdir()
    (plan.work_dir / "__pycache__" / "busy.pyc").touch()
    (plan.work_dir / "busy.py").write_text("changed")
    assert delete_demo(plan.work_dir)
    assert not plan.work_dir.parent.exists()
    assert not sessions_dir(plan.work_dir).exists()


def test_a_demo_with_a_file_of_the_persons_own_keeps_its_folder():
    plan = demo_plan(parse(["--demo"]), interactive=False)
    (plan.work_dir / "mine.txt").write_text("mine")
    assert not delete_demo(plan.work_dir)
    assert (plan.work_dir / "mine.txt").read_text() == "mine"
    (plan.work_dir / "mine.txt").unlink()
    assert delete_demo(plan.work_dir)


def test_no_other_folder_is_put_away(tmp_path):
    (tmp_path / "project").mkdir()
    assert not delete_demo(tmp_path / "project")
    assert (tmp_path / "project").is_dir()


def test_the_demo_runs_without_a_sandbox_if_the_user_says_so(tmp_path: Path):
    plan = build_plan(parse(["--demo", "--no-sandbox"]), interactive=False)
    assert plan.permissions.sandbox.mode == "off"
    assert delete_demo(plan.work_dir)


def test_the_demo_runs_where_no_python_is_on_path(tmp_path: Path):
    for name in ("bash", "sh", "wc"):
        program = shutil.which(name)
        assert program is not None
        (tmp_path / name).symlink_to(program)
    done = subprocess.run(
        [sys.executable, "-m", "kimi_tui", "--demo", "--print", "--no-sandbox"],
        cwd=tmp_path, env={**os.environ, "PATH": str(tmp_path)}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert "all five tests pass" in done.stdout, done.stderr
