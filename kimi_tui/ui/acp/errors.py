"""Converts errors to ACP errors, with the cause as message, because clients display only that."""

from acp import RequestError

from kimi_tui.errors import KimiTuiError, ModelNotSetError, UsageError

AUTH_REQUIRED = -32000
INVALID_PARAMS = -32602
RESOURCE_NOT_FOUND = -32002
INTERNAL = -32603


def to_request_error(error: KimiTuiError) -> RequestError:
    match error:
        case ModelNotSetError():
            code = AUTH_REQUIRED
        case UsageError():
            code = INVALID_PARAMS
        case _:
            code = INTERNAL
    return RequestError(code, str(error), {"kind": type(error).__name__})


def unknown_session(session_id: str, cause: str) -> RequestError:
    """Make the error for a session that is not stored, or not open on this connection."""
    return RequestError(RESOURCE_NOT_FOUND, f"session {session_id!r} {cause}", {"sessionId": session_id})
