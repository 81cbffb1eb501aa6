"""The GitHub Action: its steps run in Bash with the variables that GitHub sets, and its SARIF is what GitHub reads."""

import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any, cast

import pytest

from kimi_tui.yaml_text import reader
from tests.scripted_config import write_scripted_config

ROOT = Path(__file__).parent.parent
ACTION: dict[str, Any] = reader("safe").load((ROOT / "action.yml").read_text("utf-8"))
STEPS: dict[str, dict[str, Any]] = {step["name"]: step for step in ACTION["runs"]["steps"]}
BAD = "flowchart TD\nA([BEGIN]) --> B[x]\n"
GOOD = f"{BAD}B --> E([END])\n"


class Runner:
    """A job in `folder`, with the program where the step Install puts it."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.temp = folder, folder / "temp"
        self.work = folder / "work space"
        self.work.mkdir()
        program = self.temp / "kimi-tui/bin/kimi-tui"
        program.parent.mkdir(parents=True)
        program.write_text(f'#!/bin/sh\nPYTHONPATH={shlex.quote(str(ROOT))} exec {sys.executable} -m kimi_tui "$@"\n')
        program.chmod(0o755)
        (folder / "script.txt").write_text("text: Done.\n")
        write_scripted_config(folder / "home", folder / "script.txt")

    def run(self, step: str, **inputs: str) -> tuple[int, dict[str, str], str]:
        """Run a step with these inputs, the others at their defaults; returns status, outputs and the log."""
        env = {**os.environ, "RUNNER_TEMP": str(self.temp), "KIMI_TUI_HOME": str(self.folder / "home")}
        for name in ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY"):
            env[name] = str(self.folder / name)
            Path(env[name]).write_text("")
        for variable, value in STEPS[step].get("env", {}).items():
            name = re.fullmatch(r"\$\{\{ inputs\.([\w-]+) \}\}", value)
            assert name is not None
            env[variable] = inputs.get(name[1].replace("-", "_"), str(ACTION["inputs"][name[1]].get("default", "")))
        script = self.folder / "step.sh"
        script.write_text(STEPS[step]["run"])
        done = subprocess.run(
            ["bash", "--noprofile", "--norc", "-e", "-o", "pipefail", str(script)],
            cwd=self.work, env=env, capture_output=True, text=True, timeout=60,
        )  # fmt: skip
        lines = Path(env["GITHUB_OUTPUT"]).read_text().splitlines()
        return done.returncode, dict(line.split("=", 1) for line in lines), done.stdout + done.stderr


@pytest.fixture
def runner(tmp_path: Path) -> Runner:
    return Runner(tmp_path)


def test_no_input_is_text_of_a_script() -> None:
    for step in STEPS.values():
        assert "${{" not in step["run"], step["name"]
        assert all(re.fullmatch(r"\$\{\{ inputs\.[\w-]+ \}\}", value) for value in step.get("env", {}).values())
    used = re.findall(r"inputs\.([\w-]+)", (ROOT / "action.yml").read_text("utf-8"))
    assert set(used) == set(ACTION["inputs"])


def test_check_writes_sarif_with_paths_in_the_repository(runner: Runner) -> None:
    (runner.work / "a b.mmd").write_text(BAD)
    (runner.work / "good.mmd").write_text(GOOD)
    status, outputs, log = runner.run("Check", paths="a b.mmd\ngood.mmd\n")
    assert (status, outputs) == (1, {"status": "1", "sarif": "kimi-tui.sarif"})
    assert "a b.mmd:2:" in log
    sarif = json.loads((runner.work / "kimi-tui.sarif").read_text())
    check_sarif(sarif)
    assert sarif["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "a%20b.mmd"
    status, outputs, _ = runner.run("Check", paths="good.mmd", sarif="out.sarif")
    assert (status, outputs) == (0, {"status": "0", "sarif": "out.sarif"})
    check_sarif(json.loads((runner.work / "out.sarif").read_text()))


@pytest.mark.parametrize(
    "inputs",
    [
        {"paths": "$(touch ran)"}, {"paths": "; touch ran"}, {"paths": "--format=json\n`touch ran`"}, {"paths": ""},
        {"sarif": "x\nstatus=0"}, {"sarif": "-x"}, {"sarif": ""}, {"sarif": "$(touch ran)"},
    ],
)  # fmt: skip
def test_no_input_of_check_is_code_or_another_output(runner: Runner, inputs: dict[str, str]) -> None:
    (runner.work / "x.mmd").write_text(BAD)
    status, outputs, _ = runner.run("Check", **inputs)
    assert status in (1, 2)
    assert outputs.get("status", "2") == str(status)
    assert not (runner.work / "ran").exists()


def test_run_gives_the_answer_and_keeps_its_budget(runner: Runner) -> None:
    folder = runner.work / ".kimi-tui/skills/say"
    folder.mkdir(parents=True)
    chart = "flowchart TD\nA([BEGIN]) --> B[Say ${ARGS}] --> E([END])\n"
    (folder / "SKILL.md").write_text(f"---\nname: say\ndescription: d\ntype: flow\n---\n```mermaid\n{chart}```\n")
    status, outputs, log = runner.run("Run", flow="say", prompt="$(touch ran) `touch ran` \"'; touch ran")
    assert (status, outputs["status"]) == (0, "0"), log
    assert Path(outputs["answer"]).read_text().strip() == "Done."
    assert not (runner.work / "ran").exists()


def test_the_own_flow_of_the_documentation_runs_its_command_by_the_rule_beside_it_and_not_without(
    runner: Runner,
) -> None:
    page = (ROOT / "kimi_tui/docs/headless.md").read_text("utf-8")
    [job] = [block for block in re.findall(r"```yaml\n(.*?)```", page, re.S) if "command: run" in block]
    [rule] = [block for block in re.findall(r"```yaml\n(.*?)```", page, re.S) if "permissions:\n  allow" in block]
    [skill] = re.findall(r"````markdown\n(---\nname: ci-check.*?)````", page, re.S)
    given = reader("safe").load(job)["jobs"]["agent"]["steps"][1]["with"]
    assert (given.pop("command"), set(given)) == ("run", {"flow", "trust"})
    file = runner.work / ".kimi-tui/skills/ci-check/SKILL.md"
    file.parent.mkdir(parents=True)
    file.write_text(skill)
    test = "import unittest\nclass T(unittest.TestCase):\n    def test(self):\n        open('ran', 'w').close()\n"
    (runner.work / "test_it.py").write_text(test)
    status, _, log = runner.run("Run", **given)
    assert (status, "the user is away" in log) == (1, True), log
    (runner.work / ".kimi-tui/config.yaml").write_text(rule)
    assert runner.run("Run", flow=given["flow"])[0] == 1
    assert not (runner.work / "ran").exists()
    status, _, log = runner.run("Run", **given)
    assert status == 0, log
    assert (runner.work / "ran").exists()


@pytest.mark.parametrize(
    ("inputs", "cause"),
    [
        ({}, "flow is empty"),
        ({"flow": "x", "max_tokens": "", "max_time": ""}, "needs a budget"),
        ({"flow": "x", "max_tokens": "5 --yolo"}, "--max-tokens"),
        ({"flow": "x", "when_asked": "always"}, "--when-asked"),
        ({"flow": "--yolo"}, "--yolo"),
    ],
)
def test_wrong_inputs_of_run_are_errors(runner: Runner, inputs: dict[str, str], cause: str) -> None:
    status, _, log = runner.run("Run", **inputs)
    assert status != 0
    assert cause in log


def check_sarif(value: object) -> None:
    """What the schema of SARIF 2.1.0 and GitHub's code scanning require of the parts that are used."""
    sarif = cast(dict[str, Any], value)
    assert {*sarif} <= {"$schema", "version", "runs"}
    assert sarif["version"] == "2.1.0"
    for run in sarif["runs"]:
        assert {*run} <= {"tool", "results", "columnKind"}
        assert run["columnKind"] in ("utf16CodeUnits", "unicodeCodePoints")
        driver = run["tool"]["driver"]
        assert isinstance(driver["name"], str)
        rules = [rule["id"] for rule in driver["rules"]]
        assert len(rules) == len(set(rules))
        for result in run["results"]:
            assert result["ruleId"] in rules
            assert result["level"] in ("none", "note", "warning", "error")
            assert isinstance(result["message"]["text"], str)
            for location in result["locations"]:
                place = location["physicalLocation"]
                assert not re.search(r"[^!#$&-;=?-\[\]_a-z~%A-Z]", place["artifactLocation"]["uri"])
                assert min(place["region"]["startLine"], place["region"]["startColumn"]) >= 1
