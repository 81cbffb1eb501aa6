"""`kimi-tui acp`: sessions for an editor, by the Agent Client Protocol's own SDK."""
