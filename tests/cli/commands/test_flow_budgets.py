"""Budgets on the command line: checked, shown, walked dry, listed, waiting and exported."""

import json
from pathlib import Path

import pytest

from kimi_tui.cli.engine_options import read_budget_options
from kimi_tui.cli.main import main
from kimi_tui.cli.options import parse
from kimi_tui.config.budget import Budget
from kimi_tui.errors import UsageError
from kimi_tui.flow.run.run_meter import BudgetSetup
from kimi_tui.session.session import sessions_dir
from kimi_tui.wire.parts import TokenUsage
from tests.cli.commands.test_flow import GOOD, Kimi, kimi, write_skill  # noqa: F401 - a fixture
from tests.flow.runner_harness import RunnerHarness, flow_of


def with_budget(budget: str) -> Path:
    file = write_skill(GOOD)
    text = file.read_text("utf-8").replace("type: flow\n", f'type: flow\nmetadata:\n  budget: "{budget}"\n')
    file.write_text(text, "utf-8")
    return file


async def stored_run(session: str = "abc123") -> RunnerHarness:
    """A run without a user that has used 120 of 100 tokens."""
    folder = sessions_dir(Path.cwd()) / session
    folder.mkdir(parents=True)
    flow = flow_of("BEGIN -> A", "A -> B", "B -> END")
    text = "flowchart TD\nBEGIN --> A --> B --> END\n"
    made = RunnerHarness(
        flow, path=folder / "flow.jsonl", interactive=False, text=text, budget=BudgetSetup(Budget(tokens=100))
    )

    def spend() -> str:
        made.runner.meter.record("m", TokenUsage(input_other=100, output=20, input_cache_read=7), estimated=False)
        return "done"

    made.script.replies = [spend]
    await made.run()
    return made


def test_check_names_the_place_of_a_wrong_budget_and_what_to_write(kimi: Kimi) -> None:  # noqa: F811
    file = with_budget("two dollars")
    status, out, _ = kimi("check", str(file))
    assert status == 1
    assert f"{file}:6:3: error: `budget`: write a budget like `2 usd, 500k tokens, 1h`" in out
    status, out, _ = kimi("check", str(with_budget("2 usd, 1h")))
    assert (status, "budget" in out) == (0, False)


def test_show_and_a_dry_run_say_the_budget(kimi: Kimi) -> None:  # noqa: F811
    with_budget("2 usd, 500k tokens")
    assert kimi("show", "demo")[1].endswith("budget: 2 usd, 500k tokens\n")
    Path("choices").write_text("yes\n", "utf-8")
    status, out, _ = kimi("run", "demo", "--dry", "--choices", "choices", "--max-tokens", "100k", "--max-time", "1h")
    assert (status, out.splitlines()[0]) == (0, "budget: 2 usd, 100k tokens, 1h")


async def test_runs_waiting_and_exports_tell_the_spend(kimi: Kimi) -> None:  # noqa: F811
    made = await stored_run()
    short = made.runner.run_id[:8]
    assert "120 of 100 tokens" in kimi("runs")[1]
    (row,) = json.loads(kimi("runs", "--format", "json")[1])
    assert (row["tokens"], row["cost"], row["budget"]) == (120, None, "100 tokens")
    out = kimi("waiting")[1].splitlines()
    assert out == [f"{short}  test  B: 120 of 100 tokens", f"    kimi-tui flow resume {short} --max-tokens 200"]
    (waits,) = json.loads(kimi("waiting", "--format", "json")[1])
    assert (waits["node_id"], waits["spent"], waits["raised"]) == ("B", "120 of 100 tokens", "--max-tokens 200")
    assert json.loads(kimi("export", short, "--format", "json")[1])["spending"]["tokens"] == 120
    assert "Budget: 120 of 100 tokens" in kimi("export", short, "--format", "md")[1]
    assert "%% Budget: 120 of 100 tokens" in kimi("export", short)[1]


def test_the_options_are_read_before_and_after_the_command() -> None:
    options = parse(["flow", "run", "x", "--max-cost", "$2", "--max-tokens", "1.5m", "--max-time", "90s"])
    assert read_budget_options(options) == Budget(2.0, 1_500_000, 90.0)
    assert read_budget_options(parse(["--max-tokens", "500k", "flow", "resume", "x"])) == Budget(tokens=500_000)
    assert read_budget_options(parse(["-p", "x"])) == Budget()


@pytest.mark.parametrize("said", [["--max-cost", "lots"], ["--max-tokens", "0"], ["--max-time", "1"]])
def test_a_wrong_cap_is_refused_with_what_to_write(said: list[str]) -> None:
    with pytest.raises(UsageError, match=r"argument --max-\w+: .*like"):
        parse(said)


def test_the_help_says_that_the_smallest_cap_is_used(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["flow", "run", "--help"])
    assert "the smallest cap is used" in " ".join(capsys.readouterr().out.split())
