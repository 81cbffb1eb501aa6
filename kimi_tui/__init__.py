"""A full-screen terminal UI for AI coding agents that follow flows."""

__version__ = "0.1.0"
