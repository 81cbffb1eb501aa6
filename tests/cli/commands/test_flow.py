"""`kimi-tui flow ...` as a user types it."""

import io
import json
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import pytest

from kimi_tui.cli.main import main
from kimi_tui.flow.model.graph import Flow
from kimi_tui.flow.run.journal import Journal
from kimi_tui.jsonl import JsonlWriter
from kimi_tui.session.session import sessions_dir
from kimi_tui.wire.codec import WireMessage
from kimi_tui.wire.recorder import Recorder
from tests.flow.runner_harness import LOOP, RunnerHarness, flow_of

GOOD = "flowchart TD\n  BEGIN --> A[Do it]\n  A --> D{ok?}\n  D -->|yes| END\n  D -->|no| A\n"
BROKEN = "flowchart TD\n  BEGIN --> A\n  A --> END\n  A -->|no| A\n"
SKILL = "---\nname: demo\ndescription: Shows.\ntype: flow\n---\n\n# Demo\n\n- a list\n\n  ```mermaid\n{chart}\n  ```\n"

Kimi = Callable[..., tuple[int, str, str]]


@pytest.fixture
def kimi(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Kimi:
    """The program in an empty folder with an empty home; returns status, stdout and stderr."""
    monkeypatch.setenv("KIMI_TUI_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("HOME", str(tmp_path / "user"))
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")

    def run(*argv: str) -> tuple[int, str, str]:
        status = main(["flow", *argv])
        out, err = capsys.readouterr()
        return status, out, err

    return run


def write_skill(chart: str, folder: str = ".kimi-tui/skills/demo") -> Path:
    file = Path(folder, "SKILL.md")
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(SKILL.format(chart="".join(f"  {line}\n" for line in chart.splitlines()).rstrip()), "utf-8")
    return file


def test_check_names_the_file_s_own_line_and_column(kimi: Kimi) -> None:
    file = write_skill(BROKEN)
    status, out, err = kimi("check", str(file))
    assert status == 1
    assert out.startswith(f"{file}:14:7: error: `A` has 2 outgoing edges")
    assert err == "1 file, 1 error, 0 warnings\n"


def test_check_walks_folders_hidden_ones_too_and_leaves_other_markdown_alone(kimi: Kimi) -> None:
    write_skill(BROKEN)
    Path("README.md").write_text("```mermaid\nsequenceDiagram\n```\n", "utf-8")
    Path("good.mmd").write_text(GOOD, "utf-8")
    Path("node_modules").mkdir()
    Path("node_modules/x.mmd").write_text("nonsense", "utf-8")
    status, out, err = kimi("check", ".")
    assert (status, len(out.splitlines())) == (1, 1)
    assert err.startswith("3 files, 1 error")


def test_check_of_good_charts_says_nothing_on_stdout(kimi: Kimi) -> None:
    Path("good.mmd").write_text(GOOD, "utf-8")
    Path("good.md").write_text(f"# A chart\n\n```mermaid\n{GOOD}```\n", "utf-8")
    assert kimi("check", "good.mmd", "good.md")[:2] == (0, "")


def test_check_tells_all_that_is_wrong_and_warns_beside_it(kimi: Kimi, tmp_path: Path) -> None:
    file = tmp_path / "bad.mmd"
    file.write_text("flowchart TD\n  A{Go?} --> B\n  A --> C\n  B <--> END\n  C --> END\n", "utf-8")
    status, out, err = kimi("check", str(file))
    found = [line.removeprefix(f"{file}:").split(" ", 2)[:2] for line in out.splitlines()]
    assert status == 1
    assert [one for one in found if one[1] == "error:"] == [["1:1:", "error:"], ["3:5:", "error:"]]
    assert "this edge points both ways" in out
    assert err.startswith("1 file, 2 errors, ")


def test_check_warns_and_stays_at_status_0(kimi: Kimi) -> None:
    Path("warn.d2").write_text("BEGIN -> a: hello\na -> END\nx -> a\n", "utf-8")
    status, out, _ = kimi("check", "warn.d2")
    assert (status, out) == (0, "warn.d2:3:1: warning: `x` cannot be reached from BEGIN\n")


def test_check_without_paths_looks_at_the_skills_there_are(kimi: Kimi) -> None:
    write_skill(BROKEN)
    status, out, _ = kimi("check")
    assert status == 1
    assert "/.kimi-tui/skills/demo/SKILL.md:14:7: error" in out


def test_check_of_a_missing_path_is_a_usage_error(kimi: Kimi) -> None:
    status, out, err = kimi("check", "nope.mmd")
    assert (status, out, err) == (2, "", "kimi-tui: nope.mmd: no such file or folder\n")


def test_check_of_what_is_no_text_or_no_skill_is_an_error_with_a_place(kimi: Kimi) -> None:
    Path("a.mmd").write_bytes(b"flowchart\n\xff\n")
    Path("SKILL.md").write_text("---\nname: [\n---\n", "utf-8")
    Path("none.md").write_text("# nothing\n", "utf-8")
    status, out, _ = kimi("check", "a.mmd", "SKILL.md", "none.md")
    assert status == 1
    assert [line.split(": ")[0] for line in out.splitlines()] == ["a.mmd:2:1", "SKILL.md:3:1", "none.md:1:1"]


def test_check_spells_out_what_a_terminal_would_obey(kimi: Kimi) -> None:
    Path("esc.mmd").write_text("flowchart\n BEGIN --> A\n A --> END\n A --> B\x1b]52;c;x\x07\n", "utf-8")
    _, out, _ = kimi("check", "esc.mmd")
    assert "\x1b" not in out
    assert "\x07" not in out


def test_check_as_json_and_sarif(kimi: Kimi) -> None:
    Path("bad.mmd").write_text(BROKEN, "utf-8")
    status, out, _ = kimi("check", "--format", "json", "bad.mmd")
    (finding,) = json.loads(out)["findings"]
    assert status == 1
    assert (finding["file"], finding["line"], finding["column"], finding["severity"]) == ("bad.mmd", 3, 5, "error")
    _, out, _ = kimi("check", "--format", "sarif", "bad.mmd")
    sarif = json.loads(out)
    (result,) = sarif["runs"][0]["results"]
    assert (sarif["version"], result["level"], result["ruleId"]) == ("2.1.0", "error", "flow-error")
    location = result["locations"][0]["physicalLocation"]
    assert location == {"artifactLocation": {"uri": "bad.mmd"}, "region": {"startLine": 3, "startColumn": 5}}


def test_list_shows_flows_and_what_is_wrong_with_broken_ones(kimi: Kimi) -> None:
    write_skill(GOOD)
    write_skill(BROKEN, ".kimi-tui/skills/other")
    Path(".kimi-tui/skills/other/SKILL.md").write_text(
        Path(".kimi-tui/skills/other/SKILL.md").read_text("utf-8").replace("name: demo", "name: other"), "utf-8"
    )
    status, out, _ = kimi("list")
    lines = {line.split()[0]: line for line in out.splitlines()}
    assert status == 0
    assert "2 steps, Project. Shows." in lines["demo"]
    assert "SKILL.md:14:7: error: `A` has 2 outgoing edges" in lines["other"]
    listed = json.loads(kimi("list", "--format", "json")[1])
    assert {each["name"]: each["nodes"] for each in listed}["demo"] == 4


def test_show_draws_a_flow_or_a_file(kimi: Kimi) -> None:
    write_skill(GOOD)
    status, out, _ = kimi("show", "demo")
    assert status == 0
    assert all(word in out for word in ("BEGIN", "Do it", "ok?", "yes", "no", "END"))
    Path("good.mmd").write_text(GOOD, "utf-8")
    assert kimi("show", "good.mmd")[1] == out
    assert kimi("show", "--ascii", "good.mmd")[1].isascii()


def test_show_of_a_broken_flow_says_where(kimi: Kimi) -> None:
    write_skill(BROKEN)
    status, _, err = kimi("show", "demo")
    assert status == 2
    assert "SKILL.md:14:7: error" in err


def test_a_skill_that_lacks_the_type_is_called_so_and_not_unknown(kimi: Kimi) -> None:
    file = write_skill(GOOD)
    file.write_text(file.read_text("utf-8").replace("type: flow\n", ""), "utf-8")
    for action in (("show", "demo"), ("run", "demo", "--dry")):
        status, _, err = kimi(*action)
        assert status == 2
        assert err.endswith("SKILL.md: this skill is not a flow (type: flow)\n")


def test_an_unknown_flow_is_one_line_and_status_2(kimi: Kimi) -> None:
    write_skill(GOOD)
    for action in (("show", "nope"), ("run", "nope", "--dry")):
        status, out, err = kimi(*action)
        assert (status, out) == (2, "")
        assert err.startswith("kimi-tui: no flow named 'nope'. Available: ")
        assert "demo" in err


def test_a_dry_run_walks_by_a_script(kimi: Kimi) -> None:
    write_skill(GOOD)
    Path("choices.txt").write_text("# round once\nno\nD: yes\n", "utf-8")
    status, out, _ = kimi("run", "demo", "--dry", "--choices", "choices.txt")
    assert status == 0
    assert [line.split()[:2] for line in out.splitlines()] == [
        ["1", "A"], ["2", "D"], ["->", "no"], ["3", "A"], ["4", "D"], ["->", "yes"], ["END", "after"],
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("choices", "said"), [("no", "no choice is left"), ("yes\nno", "1 scripted choices"), ("x", "no branch")]
)
def test_a_script_that_does_not_fit_the_flow_is_status_1(kimi: Kimi, choices: str, said: str) -> None:
    write_skill(GOOD)
    Path("choices.txt").write_text(choices, "utf-8")
    status, out, _ = kimi("run", "demo", "--dry", "--choices", "choices.txt")
    assert status == 1
    assert said in out


def test_a_dry_run_asks_on_the_terminal(kimi: Kimi, monkeypatch: pytest.MonkeyPatch) -> None:
    write_skill(GOOD)
    monkeypatch.setattr(sys, "stdin", io.StringIO("what\n2\nY\n"))
    status, out, _ = kimi("run", "demo", "--dry")
    assert status == 0
    assert out.count("choice: ") == 3


def record_run(replies: list[str], flow: Flow | None = None) -> RunnerHarness:
    """A run of LOOP, or of `flow`, as a session in the current folder would keep it."""
    folder = sessions_dir(Path.cwd()) / "abc123"
    folder.mkdir(parents=True)
    recorder = Recorder(JsonlWriter(folder / "wire.jsonl"), clock=time.time)

    def record(_stage: RunnerHarness, message: WireMessage) -> None:
        recorder(message)

    return RunnerHarness(flow or flow_of(*LOOP), replies, path=folder / "flow.jsonl", on_message=record, text="")


async def test_runs_and_export_tell_what_a_session_kept(kimi: Kimi) -> None:
    assert "No flow runs" in kimi("runs")[1]
    stage = record_run(["ok", "<choice>no</choice>", "ok", "<choice>yes</choice>"])
    await stage.run()
    run_id = stage.runner.run_id
    status, out, _ = kimi("runs")
    assert status == 0
    assert out.splitlines()[1].split()[:5] == [run_id[:8], "test", "finished", "4", "4"]
    (listed,) = json.loads(kimi("runs", "abc", "--format", "json")[1])
    assert (listed["session"], listed["visits"]) == ("abc123", {"A": 2, "D": 2})
    assert "linkStyle 0,1,2,3" in kimi("export", run_id[:6])[1]
    assert "| A | 2 | 2 |" in kimi("export", run_id, "--format", "md")[1]
    assert json.loads(kimi("export", run_id, "--format", "json")[1])["moves"] == 4
    assert kimi("export", run_id, "--format", "svg", "-o", "run.svg")[0] == 0
    ElementTree.parse("run.svg")
    assert kimi("runs", "nope")[0] == 2
    assert kimi("export", "nope")[0] == 2


async def test_an_exported_run_has_no_keys_of_its_arguments(kimi: Kimi) -> None:
    token = f"ghp_{'a1B2c3D4' * 5}"
    flow = flow_of(*(line.replace("yes", token) for line in LOOP))
    step = replace(flow.nodes["A"], label=f"Upload the package with {token}.")
    stage = record_run(["ok", f"<choice>{token}</choice>"], replace(flow, nodes={**flow.nodes, "A": step}))
    await stage.run()
    for form in ("mermaid", "md", "json", "svg"):
        told = kimi("export", stage.runner.run_id, "--format", form)[1]
        assert "ghp_[redacted]" in told
        assert "a1B2c3D4" not in told


async def test_a_run_that_was_killed_shows_where_it_is(kimi: Kimi) -> None:
    stage = record_run(["ok", "hm"])
    await stage.until_paused()
    assert "open at D" in kimi("runs")[1]
    await stage.cancel()
    assert "interrupted at D" in kimi("runs", "--all")[1]


def test_two_runs_that_begin_alike_are_told_apart(kimi: Kimi) -> None:
    folder = sessions_dir(Path.cwd()) / "s"
    folder.mkdir(parents=True)
    journal = Journal(folder / "flow.jsonl")
    from tests.flow.run.test_journal import begun

    for run in ("aa1", "aa2"):
        journal.append(begun(run))
    journal.close()
    status, _, err = kimi("export", "aa")
    assert status == 2
    assert "aa1, aa2" in err


def test_the_check_starts_without_the_heavy_libraries() -> None:
    code = (
        "import sys; from kimi_tui.cli.main import main; main(['flow', 'check', 'nowhere']); "
        "print(sorted({'textual', 'openai', 'mcp', 'httpx'} & sys.modules.keys()))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=30, check=True)
    assert done.stdout == "[]\n"


def test_a_real_run_is_the_flow_option_with_all_that_was_said_before_it(kimi: Kimi) -> None:
    from kimi_tui.cli.commands.flow import becomes_flow_option
    from kimi_tui.cli.options import parse

    options = parse(["--model", "m", "--yolo", "-w", "x", "flow", "run", "demo", "--arg", "the parser"])
    assert becomes_flow_option(options)
    assert (options.flow, options.prompt, options.model, options.yolo, options.work_dir) == (
        "demo", "the parser", "m", True, "x",
    )  # fmt: skip
    assert options.subcommand is None
    status, _, err = kimi("run", "nope")
    assert status in (1, 2)
    assert err.startswith("kimi-tui: ")


@pytest.mark.parametrize("command", [["run", "demo"], ["resume", "RUN"]])
async def test_model_and_trust_may_stand_behind_the_subcommand(kimi: Kimi, command: list[str]) -> None:
    from kimi_tui.cli.commands.flow import becomes_flow_option
    from kimi_tui.cli.options import parse

    stage = record_run(["ok", "<choice>yes</choice>"])
    await stage.run()
    command = [stage.runner.run_id if word == "RUN" else word for word in command]
    options = parse(["flow", *command, "-m", "big", "--trust"])
    assert becomes_flow_option(options)
    assert (options.model, options.trust) == ("big", True)
    before = parse(["-m", "big", "--trust", "flow", *command])
    assert (before.model, before.trust) == ("big", True)
    without = parse(["flow", *command])
    assert (without.model, without.trust) == (None, False)


WIDE = "flowchart TD\nBEGIN --> A[Which of them]\n" + "".join(
    f"A -->|way {n}| B{n}[Go on with number {n}]\nB{n} --> END\n" for n in range(9)
)


def test_a_chart_that_does_not_fit_is_shown_as_its_outline(kimi: Kimi) -> None:
    Path("wide.mmd").write_text(WIDE, "utf-8")
    status, out, err = kimi("show", "wide.mmd", "--width", "60")
    assert (status, err) == (
        0,
        "the drawing is wider than 60 columns, so this is its outline; allow more with --width N\n",
    )
    assert out.startswith("○ BEGIN\n◇ Which of them\n  ╰ way 0:\n")
    assert max(map(len, out.splitlines())) <= 60
    status, out, err = kimi("show", "wide.mmd", "--width", "400")
    assert (status, err, "┌" in out) == (0, "", True)


def test_the_outline_can_be_asked_for(kimi: Kimi) -> None:
    Path("wide.mmd").write_text(WIDE, "utf-8")
    status, out, err = kimi("show", "wide.mmd", "--outline", "--ascii")
    assert (status, err) == (0, "")
    assert out.isascii()
    assert out.startswith("o BEGIN\n< Which of them\n  `- way 0:\n")


def test_a_chart_that_is_too_large_to_draw_is_shown_as_its_outline(kimi: Kimi) -> None:
    lines = [f"n{i} --> n{i + 1}\nn{i} -->|back| n{i // 2}" for i in range(1, 800)]
    text = "\n".join(["flowchart TD", "BEGIN --> n1", *lines, "n800 --> END"]).replace("--> n", "-->|on| n")
    Path("large.mmd").write_text(text, "utf-8")
    status, out, err = kimi("show", "large.mmd")
    assert status == 0
    assert err.endswith("; showing its outline\n")
    assert out.startswith("○ BEGIN\n")


def test_check_says_what_text_goes_with_which_node(kimi: Kimi) -> None:
    folder = Path("scout")
    folder.mkdir()
    chart = "```mermaid\nflowchart TD\nBEGIN --> B\nB --> END\n```\n"
    head = "---\nname: scout\ndescription: d\ntype: flow\n---\n"
    (folder / "SKILL.md").write_text(f"{head}Be quiet.\n\n{chart}\n## B\nLook.\n", "utf-8")
    status, out, err = kimi("check", "scout/SKILL.md")
    assert (status, err.strip()) == (0, "1 file, 0 errors, 0 warnings")
    assert out.splitlines() == [
        "scout/SKILL.md:6:1: note: sent with the first step: 9 characters",
        "scout/SKILL.md:14:1: note: sent with `B`: 10 characters",
    ]


CHART = "flowchart TD\nBEGIN --> B\nB --> END\n"
TOLD = ["sent with the first step: 9 characters", "sent with `B`: 10 characters"]


def test_check_and_show_of_plain_markdown_say_what_text_goes_with_which_node(kimi: Kimi) -> None:
    Path("plan.md").write_text(f"Be quiet.\n\n```mermaid\n{CHART}```\n\n## B\nLook.\n", "utf-8")
    status, out, err = kimi("check", "plan.md")
    assert (status, err.strip()) == (0, "1 file, 0 errors, 0 warnings")
    assert out.splitlines() == [f"plan.md:1:1: note: {TOLD[0]}", f"plan.md:9:1: note: {TOLD[1]}"]
    status, out, err = kimi("show", "plan.md")
    assert (status, err.splitlines()) == (0, TOLD)
    assert "told" not in out


def test_check_and_show_of_a_chart_file_say_what_its_comments_tell(kimi: Kimi) -> None:
    Path("plan.mmd").write_text(f"{CHART}%% B: look\n", "utf-8")
    assert kimi("check", "plan.mmd")[1] == "plan.mmd:4:1: note: sent with `B`: 4 characters\n"
    assert kimi("show", "plan.mmd")[2] == "sent with `B`: 4 characters\n"


def test_check_of_plain_markdown_warns_of_text_that_is_cut(kimi: Kimi) -> None:
    Path("plan.md").write_text(f"{'x' * 20_000}\n\n```mermaid\n{CHART}```\n", "utf-8")
    status, out, err = kimi("check", "plan.md")
    assert (status, err.strip()) == (0, "1 file, 0 errors, 1 warning")
    assert "plan.md:1:1: warning: this text has 20000 characters" in out


async def test_a_run_is_resumed_in_its_session_with_the_choices_of_the_user(kimi: Kimi) -> None:
    from kimi_tui.cli.commands.flow import becomes_flow_option
    from kimi_tui.cli.options import parse

    stage = record_run(["ok", "<choice>yes</choice>"])
    await stage.run()
    run = stage.runner
    options = parse(["flow", "resume", run.run_id[:8], "--choose", "A=so be it", "--choose", "B=no"])
    assert becomes_flow_option(options)
    assert (options.subcommand, options.session, options.print_) == (None, "abc123", True)
    assert options.prompt == f"/flow-resume {run.run_id} 'A=so be it' B=no"
    assert kimi("resume", "none")[0] == 2
    assert kimi("resume", run.run_id[:8], "--choose", "A")[0] == 2


def test_check_names_a_flow_without_a_chart_and_metadata_that_set_nothing(kimi: Kimi) -> None:
    front = "---\nname: demo\ndescription: Shows.\ntype: flow\nmetadata: 2 usd\n---\n"
    Path("demo").mkdir()
    Path("demo", "SKILL.md").write_text(f"{front}Do it.\n")
    status, out, _ = kimi("check", ".")
    assert status == 1
    assert "demo/SKILL.md:4:1: error: is a flow without a chart; add a fenced `mermaid` or `d2` block" in out
    assert "demo/SKILL.md:5:1: warning: `metadata` must be a mapping of `key: value`; ignored" in out


def test_check_names_mistyped_keys_of_the_frontmatter(kimi: Kimi) -> None:
    front = "---\nname: demo\ndescripton: Shows.\n{kind}: flow\nmetadata:\n  budgt: 2 usd\n---\n\n"
    text = front + f"```mermaid\n{GOOD}```\n"
    for folder, kind in (("flow", "type"), ("mistyped", "typ")):
        Path(folder).mkdir()
        Path(folder, "SKILL.md").write_text(text.replace("{kind}", kind))
    status, out, _ = kimi("check", ".")
    assert status == 0
    assert "flow/SKILL.md:3:1: warning: unknown key `descripton`; did you mean `description`?" in out
    assert "flow/SKILL.md:6:3: warning: unknown key `budgt`; did you mean `budget`?" in out
    assert "mistyped/SKILL.md:4:1: warning: unknown key `typ`; did you mean `type`?" in out
    named = kimi("check", "mistyped/SKILL.md")[1]
    assert "mistyped/SKILL.md:4:1: warning: unknown key `typ`" in named
