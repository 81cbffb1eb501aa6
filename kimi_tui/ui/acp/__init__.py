"""`kimi-tui acp`: serves sessions to an editor, with the SDK of the Agent Client Protocol."""
