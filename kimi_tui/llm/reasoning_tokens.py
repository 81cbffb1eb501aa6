"""Tokens that a service wants back, marked with whose they are: a model may be switched in mid-conversation."""


def tag(service: str, token: str) -> str:
    """`token` as `ThinkPart.encrypted` keeps it."""
    return f"{service}:{token}"


def untag(service: str, encrypted: str | None) -> str | None:
    """The token in `encrypted` if it is this service's, else None."""
    owner, colon, token = (encrypted or "").partition(":")
    return token if colon and owner == service else None
