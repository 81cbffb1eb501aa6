"""Tags reasoning tokens with their service: the user may switch models in mid-conversation."""


def tag(service: str, token: str) -> str:
    """Return `token` in the form of `ThinkPart.encrypted`."""
    return f"{service}:{token}"


def untag(service: str, encrypted: str | None) -> str | None:
    """Return the token in `encrypted` if it belongs to this service, else None."""
    owner, colon, token = (encrypted or "").partition(":")
    return token if colon and owner == service else None
