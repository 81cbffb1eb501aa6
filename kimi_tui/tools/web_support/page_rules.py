"""Applies the rules and the answers of the session to web pages, whichever tool reads them."""

from collections.abc import Callable, Iterable

from kimi_tui.i18n import tr
from kimi_tui.interaction.approvals import Approvals, Scope
from kimi_tui.permission.rule import Effect
from kimi_tui.permission.subject import PageSubject
from kimi_tui.tools.web_support.fetcher import host_of, origin_of

TOOL = "FetchURL"
"""The tool whose rules apply to every page."""


def effect_for(approvals: Approvals, url: str) -> Effect | None:
    """Return the effect of the rules on a page. Raises FetchError for an address that cannot be fetched."""
    return approvals.policy.decide(TOOL, PageSubject(url, host_of(url))).effect


def origins_scope(origins: Iterable[str]) -> Scope:
    """Return the scope of an approval for the session: all pages of these origins."""
    names = tuple(dict.fromkeys(origins))
    # defence: scope-of-one-host
    return Scope(tuple(f"fetch: {name}" for name in names), tr("pages of {host}", host=", ".join(names)))


def is_preapproved(approvals: Approvals, url: str) -> bool:
    """Whether a rule, yolo or an approval for the session already covers a page. Raises FetchError."""
    match effect_for(approvals, url):
        case Effect.ALLOW:
            return True
        case None:
            return approvals.yolo or origins_scope([origin_of(url)]).covered_by(approvals.granted)
        case _:
            return False


def same_decision(approvals: Approvals, url: str) -> Callable[[str], bool]:
    """Return whether the decision on `url` also holds for a redirect target."""
    origin, effect = origin_of(url), effect_for(approvals, url)

    def holds(other: str) -> bool:
        same_origin = origin_of(other) == origin
        # defence: rules-of-next-page
        return same_origin and effect_for(approvals, other) is effect

    return holds
