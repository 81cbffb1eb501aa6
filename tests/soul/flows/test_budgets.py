"""Budgets of flow runs: each reply is counted as the service counts it, and nothing starts when a cap is used up."""

import asyncio
import json
from dataclasses import replace
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from pydantic import SecretStr

from kimi_tui.config.budget import Budget
from kimi_tui.config.schema import Config, Flows, LoopControl, ModelConfig, ProviderConfig
from kimi_tui.errors import EXIT_WAITING, BudgetError, BudgetReachedError, UsageError
from kimi_tui.flow.run.journal import load_runs
from kimi_tui.flow.run.journal_records import ReplyReceived, load_record
from kimi_tui.soul.agent_spec import agent_file
from kimi_tui.soul.assemble import EngineConfig
from kimi_tui.ui.print.json_schema import stream_json_schema
from kimi_tui.ui.print.runner import Output, answer
from kimi_tui.wire.events import CompactionEnd, Notification, StepRetry, SubagentEvent
from kimi_tui.wire.flow_events import FlowEnd, FlowNodeBegin, FlowNodeEnd, FlowPaused, FlowSpending
from kimi_tui.wire.parts import TextPart, TokenUsage
from tests.llm.servers import Answer, Drop, Hold, OpenAIServer, SeenRequest, chat_chunk, chat_reply, sse, status
from tests.soul.release_flow import write_skill
from tests.soul.scripted_engine import engine_on, plan, tool_call
from tests.soul.test_soul import until

REPORT = "I did it, and this is how I did it and how I checked that it was done. " * 4
LINE = """---
name: line
description: Goes straight on.
type: flow
METADATA---
```mermaid
flowchart TD
  B([BEGIN]) --> one[Do one.] --> two[Do two.] --> three[Do three.] --> E([END])
```
"""


class CountingServer(OpenAIServer):
    """A service that counts what it charges: of each answer, the last usage that it sent."""

    def __init__(self) -> None:
        super().__init__()
        self.charged: list[TokenUsage] = []

    def respond(self, request: SeenRequest) -> Answer:
        answer = super().respond(request)
        if (usage := last_usage(answer)) is not None:
            self.charged.append(usage)
        return answer

    @property
    def total(self) -> TokenUsage:
        return sum(self.charged, TokenUsage())


def last_usage(answer: Answer) -> TokenUsage | None:
    if isinstance(answer.chunks, bytes):
        return None
    told: dict[str, Any] | None = None
    for chunk in answer.chunks:
        if isinstance(chunk, bytes) and chunk.startswith(b"data: {"):
            told = json.loads(chunk.removeprefix(b"data: ")).get("usage") or told
    if told is None:
        return None
    cached = told.get("prompt_tokens_details", {}).get("cached_tokens", 0)
    return TokenUsage(
        input_other=told["prompt_tokens"] - cached, output=told["completion_tokens"], input_cache_read=cached
    )


def usage(prompt: int, output: int, cached: int = 0) -> dict[str, Any]:
    details = {"prompt_tokens_details": {"cached_tokens": cached}} if cached else {}
    return {"prompt_tokens": prompt, "completion_tokens": output, "total_tokens": prompt + output, **details}


def cut_short(end: type[Hold] | type[Drop], text: str, prompt: int, output: int) -> Answer:
    """An answer that stops within, of a service that tells its count with each chunk."""
    chunk = chat_chunk({"content": text}, usage=usage(prompt, output))
    answer = sse(chunk, done=False)
    assert not isinstance(answer.chunks, bytes)
    return replace(answer, chunks=[*answer.chunks, end()])


def on_server(server: OpenAIServer, made: EngineConfig, **loop: Any) -> EngineConfig:
    """The same plan with the model behind the server."""
    model = ModelConfig(provider="p", model="m", max_context_size=100_000, input_price=1.0, output_price=2.0)
    provider = ProviderConfig(type="openai_legacy", base_url=server.base_url, api_key=SecretStr("k"))
    config = Config(models={"s": model}, providers={"p": provider}, loop_control=LoopControl(**loop))
    return replace(made, config=config)


def with_line(made: EngineConfig, metadata: str = "", **fields: Any) -> EngineConfig:
    table = f"metadata:\n  {metadata}\n" if metadata else ""
    write_skill(made.work_dir, "line", LINE.replace("METADATA", table))
    return replace(made, **fields)


def priced(made: EngineConfig, **prices: float) -> EngineConfig:
    model = made.config.models["s"].model_copy(update=prices)
    return replace(made, config=made.config.model_copy(update={"models": {"s": model}}))


def of_usage(text: str, tokens: int = 100, cached: int = 0) -> str:
    return f"{text}\nusage: input_other={tokens - 10} output=10 input_cache_read={cached}"


async def test_spend_is_the_service_s_own_count_to_the_token(tmp_path):
    """Turns that finish, fail, are cancelled and are retried; a compaction; a subagent; side questions do not count."""
    async with CountingServer() as server:
        server.add(
            chat_reply(calls=[("t1", "Task", _TASK)], usage=usage(1000, 21)),
            chat_reply(calls=[("s1", "ReadFile", {"path": "x"})], usage=usage(300, 7)),
            cut_short(Drop, "half a rep", 311, 5),
            status(429, {"error": {"message": "slow down"}}, retry_after="0"),
            chat_reply(REPORT, usage=usage(402, 90, cached=200)),
            chat_reply("one is done", usage=usage(1403, 11, cached=1000)),
            status(400, {"error": {"message": "no"}}),
            cut_short(Hold, "two beg", 1501, 3),
            chat_reply("two is done", usage=usage(90_007, 13)),
            chat_reply("a summary", usage=usage(1207, 41)),
            chat_reply("three is done", usage=usage(801, 9)),
        )
        made = on_server(server, with_line(plan(tmp_path)), max_retries_per_step=3)
        async with engine_on(made) as (engine, received):
            run = asyncio.create_task(engine.prompt("/flow:line"))
            await until(lambda: received.of(FlowPaused))
            assert received.of(FlowPaused)[0].reason == "failed"
            await engine.prompt("/flow continue")
            raw: list[str] = []
            engine.wire.listen(lambda message: raw.append(message.text) if isinstance(message, TextPart) else None)
            await until(lambda: "two beg" in raw)
            engine.cancel()
            await until(lambda: len(received.of(FlowPaused)) == 2)
            counted = server.total
            server.answers.insert(0, chat_reply("beside the run", usage=usage(77, 7)))
            await engine.prompt("/btw what?")
            server.charged.pop()
            assert server.total == counted
            await engine.prompt("/flow continue")
            assert (await run).stop == "finished"
            assert received.of(StepRetry) or received.of(SubagentEvent)
            assert received.of(CompactionEnd)
            journal = engine.session.dir / "flow.jsonl"
        assert not server.answers
        (stored,) = load_runs(journal)
        assert stored.spent.usage == server.total
        assert (stored.spent.replies, stored.spent.estimated) == (len(server.charged), 0)
        assert stored.spent.tokens == server.total.input_other + server.total.output


_TASK = {"description": "do it", "subagent_name": "coder", "prompt": "find it"}


async def test_without_a_user_the_run_ends_at_the_cap_and_goes_on_with_a_higher_one(tmp_path):
    replies = (of_usage("text: one is done"), of_usage("text: two is done"), of_usage("text: three is done"))
    made = with_line(plan(tmp_path, *replies, interactive=False, auto_approve=True), budget=Budget(tokens=150))
    async with engine_on(made) as (engine, received):
        result = await engine.prompt("/flow:line")
        assert result.stop == "cancelled"
        assert result.waits_for is not None
        assert (result.waits_for.node_id, result.waits_for.budget) == ("three", "150 tokens")
        assert result.waits_for.raised == "--max-tokens 300"
        assert [one.node_id for one in received.of(FlowNodeBegin)] == ["one", "two"]
        assert received.of(FlowSpending)[-1].tokens == 200
        titles = [one.title for one in received.of(Notification)]
        assert "The flow's budget is used up" in titles
        session, history = engine.session.id, len(engine.context.history)
    (tmp_path / "script.json").write_text(json.dumps([replies[2]]), "utf-8")
    async with engine_on(replace(made, session_id=session, budget=Budget(tokens=1000))) as (engine, received):
        assert (await engine.prompt("/flow-resume")).stop == "finished"
        assert len(engine.context.history) == history + 2
        (stored,) = load_runs(engine.session.dir / "flow.jsonl")
        assert (stored.spent.tokens, stored.budget, stored.status) == (300, Budget(tokens=1000), "finished")


@pytest.mark.parametrize("as_json", [True, False])
async def test_a_printed_run_ends_with_what_it_has_spent_and_how_to_go_on(tmp_path, capsys, as_json):
    replies = (of_usage("text: one is done"), of_usage("text: two is done"))
    made = with_line(plan(tmp_path, *replies, interactive=False, auto_approve=True), budget=Budget(tokens=100))
    async with engine_on(made) as (engine, _):
        assert await answer(engine, "/flow:line", Output(json=as_json)) == EXIT_WAITING
        out, err = capsys.readouterr()
        (stored,) = load_runs(engine.session.dir / "flow.jsonl")
    assert "kimi-tui: The flow's budget is used up: 100 of 100 tokens" in err
    assert "kimi-tui: the budget of the flow is used up: 100 of 100 tokens" in err
    assert f"kimi-tui flow resume {stored.run_id[:8]} --max-tokens 200" in err
    if as_json:
        lines = [json.loads(line) for line in out.splitlines()]
        assert any(line.get("title") == "The flow's budget is used up" for line in lines)
        assert lines[-1] == {
            "type": "waiting",
            "questions": [],
            "budget": {
                "run": stored.run_id,
                "node": "two",
                "budget": "100 tokens",
                "spent": "100 of 100 tokens",
                "resume": f"kimi-tui flow resume {stored.run_id} --max-tokens 200",
            },
        }
        Draft202012Validator(stream_json_schema()).validate(lines[-1])


async def test_a_subagent_made_in_the_run_counts_too(tmp_path):
    create = tool_call("CreateSubagent", "c1", name="reader", system_prompt="You read.")
    task = tool_call("Task", "t1", description="do it", subagent_name="reader", prompt="find it")
    replies = (of_usage(create), of_usage(task), of_usage(f"text: {REPORT}"), "text: x", "text: y", "text: z")
    made = with_line(plan(tmp_path, *replies, agent_file=agent_file("okabe")))
    async with engine_on(made) as (engine, received):
        assert (await engine.prompt("/flow:line")).stop == "finished"
        assert received.of(SubagentEvent)
        (stored,) = load_runs(engine.session.dir / "flow.jsonl")
        assert (stored.spent.replies, stored.spent.estimated) == (6, 3)


async def test_a_turn_that_the_cap_cuts_short_keeps_its_calls_and_goes_on_in_its_context(tmp_path):
    call = of_usage(tool_call("Shell", command="echo paid > kept"))
    made = with_line(plan(tmp_path, call, interactive=False, auto_approve=True, yolo=True), budget=Budget(tokens=100))
    async with engine_on(made) as (engine, received):
        result = await engine.prompt("/flow:line")
        assert result.waits_for is not None
        assert (tmp_path / "work" / "kept").exists()
        assert [one.status for one in received.of(FlowNodeEnd)] == ["cancelled"]
        session = engine.session.id
        assert engine.context.history[-1].role == "tool"
    (tmp_path / "script.json").write_text(json.dumps(["text: one", "text: two", "text: three"]), "utf-8")
    async with engine_on(replace(made, session_id=session, budget=Budget(tokens=100_000))) as (engine, _):
        assert (await engine.prompt("/flow-resume")).stop == "finished"
        again = [message.text for message in engine.context.history if message.role == "user"][1]
        assert again.startswith("The budget of this flow was used up in the middle of this step.")
        assert again.endswith("Do one.")


async def test_with_a_user_the_turn_is_held_and_goes_on_when_the_budget_is_raised(tmp_path):
    calls = (of_usage(tool_call("Shell", command="true")), of_usage("text: one"), of_usage("text: two"), "text: three")
    made = with_line(plan(tmp_path, *calls, yolo=True), budget=Budget(tokens=100))
    async with engine_on(made) as (engine, received):
        run = asyncio.create_task(engine.prompt("/flow:line"))
        await until(lambda: engine.runner is not None and engine.runner.waits_for_budget)
        assert received.of(FlowSpending)[-1].held
        with pytest.raises(UsageError, match="write a budget like"):
            await engine.prompt("/flow budget lots")
        await engine.prompt("/flow budget 1k tokens")
        assert (await run).stop == "finished"
        assert [one.node_id for one in received.of(FlowNodeBegin)] == ["one", "two", "three"]
        assert [one.attempt for one in received.of(FlowNodeBegin)] == [1, 1, 1]
        assert not received.of(FlowPaused)


async def test_esc_in_a_held_turn_pauses_and_the_node_runs_again_with_a_higher_budget(tmp_path):
    calls = (of_usage(tool_call("Shell", command="true")), "text: one", "text: two", "text: three")
    made = with_line(plan(tmp_path, *calls, yolo=True), budget=Budget(tokens=100))
    async with engine_on(made) as (engine, received):
        run = asyncio.create_task(engine.prompt("/flow:line"))
        await until(lambda: engine.runner is not None and engine.runner.meter.held)
        engine.cancel()
        await until(lambda: received.of(FlowPaused))
        assert (received.of(FlowPaused)[0].reason, received.of(FlowSpending)[-1].held) == ("cancelled", False)
        await engine.prompt("/flow continue")
        await until(lambda: len(received.of(FlowPaused)) == 2)
        await engine.prompt("/flow budget 1m tokens")
        assert (await run).stop == "finished"
        assert [one.node_id for one in received.of(FlowNodeBegin)] == ["one", "one", "two", "three"]


async def test_with_a_user_the_run_is_held_between_nodes_and_only_a_higher_budget_goes_on(tmp_path):
    made = with_line(plan(tmp_path, of_usage("text: one"), "text: two", "text: three"), budget=Budget(tokens=100))
    async with engine_on(made) as (engine, received):
        run = asyncio.create_task(engine.prompt("/flow:line"))
        await until(lambda: received.of(FlowPaused))
        assert received.of(FlowPaused)[0].node_id == "two"
        with pytest.raises(Exception, match="the budget is used up"):
            await engine.prompt("/flow continue")
        with pytest.raises(Exception, match="this cap is already used up"):
            await engine.prompt("/flow budget 50 tokens")
        await engine.prompt("/flow budget 1m tokens")
        assert (await run).stop == "finished"


async def test_a_held_run_stops_without_another_request(tmp_path):
    made = with_line(plan(tmp_path, of_usage(tool_call("Shell", command="true")), yolo=True), budget=Budget(tokens=9))
    async with engine_on(made) as (engine, received):
        run = asyncio.create_task(engine.prompt("/flow:line"))
        await until(lambda: engine.runner is not None and engine.runner.waits_for_budget)
        await engine.prompt("/flow stop")
        assert (await run).stop == "failed"
        assert received.of(FlowEnd)[0].status == "stopped"


async def test_no_subagent_sends_a_request_after_the_cap(tmp_path):
    task = tool_call("Task", "t1", description="do it", subagent_name="coder", prompt="find it")
    made = with_line(
        plan(tmp_path, of_usage(task), of_usage(tool_call("ReadFile", "r1", path="x")), interactive=False,
            auto_approve=True),
        budget=Budget(tokens=150),
    )  # fmt: skip
    async with engine_on(made) as (engine, received):
        result = await engine.prompt("/flow:line")
        assert result.waits_for is not None
        assert received.of(FlowSpending)[-1].tokens == 200
        assert "the budget is used up" in engine.context.history[-1].text


async def test_the_user_gets_one_notice_at_four_fifths_of_a_cap(tmp_path):
    replies = [of_usage("text: done", 41), of_usage("text: done", 40), of_usage("text: done", 4)]
    made = with_line(plan(tmp_path, *replies), budget=Budget(tokens=100))
    async with engine_on(made) as (engine, received):
        await engine.prompt("/flow:line")
        notices = [one for one in received.of(Notification) if "of its budget" in one.title]
        assert [(one.title, one.body) for one in notices] == [
            ("The flow has used 81% of its budget", "81 of 100 tokens")
        ]


async def test_the_smallest_cap_of_each_quantity_is_used(tmp_path):
    replies = ("text: x", "text: y", "text: z")
    made = with_line(plan(tmp_path, *replies), 'budget: "500k tokens, 2h"', budget=Budget(seconds=60, tokens=10**6))
    made = replace(made, config=made.config.model_copy(update={"flows": Flows(budget="600k tokens, 1h")}))
    async with engine_on(made) as (engine, received):
        await engine.prompt("/flow:line")
        first = received.of(FlowSpending)[0]
        assert (first.max_tokens, first.max_work_s, first.max_cost) == (500_000, 60, None)


async def test_a_cost_cap_without_prices_is_an_error_before_anything_runs(tmp_path):
    made = with_line(plan(tmp_path, "text: x"), budget=Budget(cost=1), interactive=False)
    async with engine_on(made) as (engine, received):
        with pytest.raises(BudgetError, match="the model s has no prices"):
            await engine.prompt("/flow:line")
        assert not received.of(FlowNodeBegin)


async def test_cached_input_costs_its_own_price_or_at_most_the_full_one(tmp_path):
    reply = of_usage("text: x", 110, cached=900)
    for prices, cost, at_most in (({}, 0.00102, True), ({"cache_price": 0.1}, 0.00021, False)):
        folder = tmp_path / str(at_most)
        folder.mkdir()
        made = priced(with_line(plan(folder, reply)), input_price=1.0, output_price=2.0, **prices)
        async with engine_on(replace(made, budget=Budget(cost=0.0001), interactive=False)) as (engine, received):
            await engine.prompt("/flow:line")
            last = received.of(FlowSpending)[-1]
            assert last.cost == pytest.approx(cost)
            assert last.at_most is at_most


async def test_a_reply_without_a_count_is_recorded_as_an_estimate(tmp_path):
    async with engine_on(with_line(plan(tmp_path, "text: " + "word " * 400, "text: x", "text: y"))) as (engine, _):
        await engine.prompt("/flow:line")
        (stored,) = load_runs(engine.session.dir / "flow.jsonl")
        assert (stored.spent.replies, stored.spent.estimated) == (3, 3)
        assert stored.spent.usage.output > 400
        lines = (engine.session.dir / "flow.jsonl").read_text("utf-8").splitlines()
        records = [record for line in lines if isinstance(record := load_record(json.loads(line)), ReplyReceived)]
        assert [record.node for record in records] == ["one", "two", "three"]


async def test_turns_about_the_background_work_that_a_run_left_count_and_are_capped(tmp_path):
    line = (of_usage("text: one"), of_usage("text: two"), of_usage("text: three"))
    made = with_line(plan(tmp_path, *line, of_usage("text: it ended"), interactive=False), budget=Budget(tokens=400))
    async with engine_on(made) as (engine, _):
        assert (await engine.prompt("/flow:line")).stop == "finished"
        with engine.flows.background_work():
            assert (await engine.prompt("a task has ended")).message == "it ended"
            with pytest.raises(BudgetReachedError, match="400 of 400 tokens"):
                await engine.prompt("another task has ended")
        (stored,) = load_runs(engine.session.dir / "flow.jsonl")
        assert (stored.spent.tokens, stored.status) == (400, "finished")


async def test_messages_of_the_user_beside_a_held_run_do_not_count(tmp_path):
    made = with_line(plan(tmp_path, of_usage("text: one"), of_usage("text: chat"), "text: x"), budget=Budget(tokens=99))
    async with engine_on(made) as (engine, received):
        run = asyncio.create_task(engine.prompt("/flow:line"))
        await until(lambda: received.of(FlowPaused))
        assert (await engine.prompt("hello")).message == "chat"
        assert received.of(FlowSpending)[-1].tokens == 100
        engine.stop_flow()
        await run


async def test_a_working_time_that_is_over_stops_the_next_node(tmp_path):
    made = with_line(
        plan(tmp_path, "text: one\ndelay: 0.05", "text: two", interactive=False), budget=Budget(seconds=0.01)
    )
    async with engine_on(made) as (engine, received):
        result = await engine.prompt("/flow:line")
        assert result.waits_for is not None
        assert result.waits_for.raised.startswith("--max-time ")
        assert [one.node_id for one in received.of(FlowNodeBegin)] == ["one"]
