"""Commands of Kimi CLI that are renamed or missing here, with their replacements."""

_MODEL = "kimi-tui has no login: set KIMI_API_KEY, or add a provider with its key to config.yaml"

INSTEAD = {
    "export": "use: kimi-tui session export ID --format zip",
    "login": f"{_MODEL}; the first start of the screen helps you set it up",
    "logout": f"{_MODEL}; to log out, remove the key",
    "plugin": "kimi-tui has no plugins: use skills (kimi-tui skill list) or MCP servers (kimi-tui mcp add)",
    "term": "kimi-tui is itself a full-screen terminal interface: start it without a command",
    "vis": "use: kimi-tui --replay SESSION, which plays a recorded session",
}
