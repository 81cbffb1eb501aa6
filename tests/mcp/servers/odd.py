"""A server that misbehaves as its argument says, on the standard library alone: `odd.py HOW`."""

import json
import os
import subprocess
import sys
import time

VERSION = "2025-06-18"


def say(message: dict) -> None:
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    sys.stdout.flush()


def serve(tools: list[dict], *, capabilities: dict | None = None) -> None:
    for line in sys.stdin:
        message = json.loads(line)
        match message.get("method"):
            case "initialize":
                result = {"protocolVersion": VERSION, "serverInfo": {"name": "odd", "version": "0"}}
                say({"id": message["id"], "result": {**result, "capabilities": capabilities or {"tools": {}}}})
            case "tools/list":
                say({"id": message["id"], "result": {"tools": tools}})
            case "tools/call":
                call(message)
            case "prompts/list" if tools[0]["name"] == "prompts":
                say({"id": message["id"], "result": {"prompts": [{"name": "wait"}]}})
            case "prompts/list" | "prompts/get" if capabilities:
                pass  # never
            case "resources/list" if capabilities:
                say({"id": message["id"], "result": {"resources": [{"uri": 5}]}})
            case _ if "id" in message:
                say({"id": message["id"], "error": {"code": -32601, "message": "no such method"}})


def call(message: dict) -> None:
    match message["params"]["name"]:
        case "flood":
            while True:
                say({"method": "notifications/message", "params": {"level": "info", "data": "more"}})
        case "frame":
            sys.stdout.write("x" * 100_000_000)
            sys.stdout.flush()
            time.sleep(60)
        case "values":
            say({"id": message["id"], "result": {"content": [], "structuredContent": {"a": [{}] * 300_000}}})
        case "busy":
            say({"id": message["id"], "error": {"code": -32000, "message": f"{os.getpid()} is busy"}})
        case "halves":
            say({"id": message["id"], "result": {"content": [{"type": "text", "text": "a\ud800b \ud83d\ude00"}]}})
        case "hidden":
            text = "\x1b]52;c;aGk=\x07 \x1b[2Jred‮"
            say({"id": message["id"], "result": {"content": [{"type": "text", "text": text}]}})
        case "ask" | "ask_and_end" as name:
            schema = {"type": "object", "properties": {"secret": {"type": "string"}}}
            params = {"message": "Which?", "requestedSchema": schema}
            say({"id": "q", "method": "elicitation/create", "params": params})
            if name == "ask_and_end":
                say({"id": message["id"], "result": {"content": []}})
        case "sample":
            text = {"role": "user", "content": {"type": "text", "text": "hi"}}
            say({"id": "s", "method": "sampling/createMessage", "params": {"messages": [text], "maxTokens": 9}})
        case name:
            say({"id": message["id"], "result": {"content": [{"type": "text", "text": f"{name} done"}]}})


def tool(name: str, schema: dict | None = None, **more) -> dict:
    return {"name": name, "inputSchema": schema or {"type": "object"}, **more}


CYCLIC = {
    "type": "object",
    "properties": {"tree": {"$ref": "#/$defs/node"}},
    "$defs": {"node": {"type": "object", "properties": {"child": {"$ref": "#/$defs/node"}}}},
}


def main() -> None:
    match sys.argv[1]:
        case "crash":
            sys.exit("ModuleNotFoundError: no module named 'milk'")
        case "hang":
            time.sleep(600)
        case "deaf":
            for _ in sys.stdin:
                pass
            time.sleep(600)
        case "chatty":
            print("Starting up...\n{not json}\n[1, 2]")
            serve([tool("ping")])
        case "noise":
            while True:
                print("y")
        case "names":
            same = [tool("same", description="first"), tool("same", description="second")]
            serve([*same, tool("a b/c"), tool("x" * 100), tool("later", execution={"taskSupport": "required"})])
        case "named":
            serve([tool(sys.argv[2])])
        case "invalid":
            named_by_a_number = {"name": 5, "inputSchema": {"type": "object"}}
            more = [named_by_a_number, {"name": "bare"}, tool("text", "no schema"), "no tool"]
            serve([tool("ping"), *more, tool("last")])
        case "cyclic":
            serve([tool("grow", CYCLIC), tool("deep", _deep(60))])
        case "abyss":
            serve([tool("deep", _deep(400))])
        case "faults":
            serve([tool("flood"), tool("frame"), tool("values"), tool("hidden", description="\x1b[31mevil\x07 text‮")])
        case "silent":
            serve([tool("ping")], capabilities={"tools": {}, "prompts": {}, "resources": {}})
        case "prompts":
            serve([tool("prompts")], capabilities={"tools": {}, "prompts": {}})
        case "asking":
            serve([tool("ask"), tool("ask_and_end"), tool("sample")])
        case "busy":
            serve([tool("busy")])
        case "halves":
            serve([tool("halves", description="half \udc00 of one")])
        case "family":
            child = subprocess.Popen(["sleep", "600"])
            sys.stderr.write(f"child {child.pid}\n")
            sys.stderr.flush()
            serve([tool(f"child_{child.pid}")])


def _deep(levels: int) -> dict:
    schema: dict = {"type": "object"}
    for _ in range(levels):
        schema = {"type": "object", "properties": {"a": schema}}
    return schema


main()
