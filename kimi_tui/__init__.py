"""A full-screen terminal home for AI coding agents that follow flows."""

__version__ = "0.1.0"
