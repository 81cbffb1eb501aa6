"""Commands of Kimi CLI that are renamed or missing here, with their replacements."""

_MODEL = "kimi-tui signs in to no service: set KIMI_API_KEY, or write a provider with its key into config.yaml"

INSTEAD = {
    "export": "use: kimi-tui session export ID --format zip",
    "login": f"{_MODEL}; the first start of the screen helps with it",
    "logout": f"{_MODEL}; to be logged out, take the key out again",
    "plugin": "kimi-tui has no plugins: use skills (kimi-tui skill list) or MCP servers (kimi-tui mcp add)",
    "term": "kimi-tui is a full-screen terminal interface itself: start it without a command",
    "vis": "use: kimi-tui --replay SESSION, which plays a recorded session",
}
