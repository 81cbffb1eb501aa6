"""User key bindings from the configuration's `keys`: `zoom: f12`, `todo: "f4, ctrl+t"`.

A key assigned to an action is mapped to the action's default key, so that widgets know default keys only. A default key
removed from its action does nothing. No Textual here: the doctor uses it too.

Not Textual's `App.set_keymap`: it remaps the bindings of widgets only, so the keys of the composer and of the guarded
dialogs, which they handle themselves, would need this map as well. It cannot leave an action without a key, nor give
one action several keys with a meaning each (`up,down`). And on a conflict, it silently takes the key from the other
action; this map keeps the default, and reports the entry with its file and line.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from kimi_tui.regular_file import read_text
from kimi_tui.ui.tui.i18n.catalog import _
from kimi_tui.ui.tui.keys.bindings import KEYS, PANES, KeyBinding, KeyContext, display_keys

_MODIFIERS = ("ctrl", "alt", "shift", "super", "hyper", "meta")
_NAMED = frozenset(
    ("escape", "enter", "space", "tab", "backspace", "delete", "insert", "up", "down", "left", "right", "pageup",
     "pagedown", "home", "end", *(f"f{number}" for number in range(1, 25)))
)  # fmt: skip
_ALSO = {
    "esc": "escape", "return": "enter", "pgup": "pageup", "pgdn": "pagedown", "del": "delete", "ins": "insert",
    "+": "plus", "-": "minus", "control": "ctrl", "option": "alt", "cmd": "super",
}  # fmt: skip
_SIGNS = {
    "solidus": "slash", "reverse_solidus": "backslash", "commercial_at": "at", "hyphen_minus": "minus",
    "plus_sign": "plus", "low_line": "underscore",
}  # fmt: skip
_NOT_REMAPPABLE = frozenset(("commands", "files", "shell", "take", "option"))
"""Text prefixes and rows of digits: these cannot be remapped."""
_POSITIONAL = frozenset(
    ("scroll", "card", "matches", "walk", "size", "pan", "view", "moment", "nodes", "speed", "edges", "other", "read")
)
"""Actions whose keys have one meaning each: overrides need the same number of keys, in the same order."""
OFF = "none"


@dataclass(frozen=True, slots=True)
class KeymapProblem:
    """A problem with one entry; `name` is its key in the table."""

    name: str
    description: str


@dataclass(frozen=True, slots=True)
class KeyMap:
    """The user's key bindings. `overrides`: action id to its keys. `user_keys`: in each context, pressed key to its
    default key ("": nothing), or `run:ID` for an action without a default key.
    """

    overrides: Mapping[str, str] = field(default_factory=dict[str, str])
    user_keys: Mapping[KeyContext, Mapping[str, str]] = field(default_factory=dict["KeyContext", "Mapping[str, str]"])
    problems: tuple[KeymapProblem, ...] = ()

    def keys_of(self, key: KeyBinding) -> str:
        """The current keys of a binding, separated by commas."""
        return self.overrides.get(key.id, key.keys)

    def first_key(self, action_id: str) -> str:
        """The display name of an action's first key; "" without a key."""
        keys = self.overrides.get(action_id, next(key.keys for key in KEYS if key.id == action_id))
        return display_keys(keys.partition(",")[0])

    def rename(self, hints: tuple[tuple[str, str], ...], where: KeyContext) -> tuple[tuple[str, str], ...]:
        """Key hints of a context with the user's keys; those of actions without a key are left out."""
        names: dict[str, str] = {}
        for key in KEYS:
            here = key.context in (where, "everywhere") or (key.context == "panes" and where in PANES)
            if here and (new := self.overrides.get(key.id)) is not None:
                names |= dict.fromkeys(map(display_keys, key.keys.split(",")), self.first_key(key.id))
                if " " in (both := display_keys(key.keys)):
                    names[both] = display_keys(new)
        return tuple((name, label) for key, label in hints if (name := names.get(key, key)))

    def resolve(self, key: str, where: KeyContext) -> str | None:
        """Return the default key of a pressed key in a context; None: unchanged."""
        if (found := self.user_keys.get(where, {}).get(key)) is not None:
            return found
        if where in PANES and (found := self.user_keys.get("panes", {}).get(key)) is not None:
            return found
        found = self.user_keys.get("everywhere", {}).get(key)
        own = (one for one in KEYS if one.context == where and one.context != "everywhere")
        if found == "" and any(key in self.keys_of(one).split(",") for one in own):
            return None  # removed from a global action, but still a key of this context
        return found


def read_keys(table: Mapping[str, str]) -> KeyMap:
    """The key map for the configuration's `keys`. Invalid entries are ignored and reported as problems."""
    known = {key.id: key for key in KEYS}
    given: dict[str, str] = {}
    troubles: list[KeymapProblem] = []
    for name, text in table.items():
        key = known.get(name)
        try:
            if key is None or name in _NOT_REMAPPABLE:
                raise ValueError(_("unknown action") if key is None else _("the key of this action cannot be changed"))
            keys = _keys(text)
            _fits(key, keys)
        except ValueError as error:
            troubles.append(KeymapProblem(name, str(error)))
        else:
            given[name] = ",".join(keys)
    for name, what in [*_conflicts(given)]:
        troubles.append(KeymapProblem(name, what))
        del given[name]
    places: dict[KeyContext, dict[str, str]] = {}
    for name in given:
        places.setdefault(known[name].context, {}).update(dict.fromkeys(known[name].keys.split(","), ""))
    for name, text in given.items():
        places[known[name].context].update(_parse_keys(known[name], text.split(",") if text else []))
    return KeyMap(given, places, tuple(troubles))


def _parse_keys(key: KeyBinding, keys: list[str]) -> dict[str, str]:
    own = [one for one in key.keys.split(",") if one]
    if key.id in _POSITIONAL:
        return dict(zip(keys, own, strict=False))
    return dict.fromkeys(keys, own[0] if own else f"run:{key.id}")


def _keys(text: str) -> list[str]:
    """The keys of an entry, as Textual names them. Raises ValueError."""
    text = text.strip()
    if text.lower() in (OFF, ""):
        return []
    parts = [text] if text == "," else re.split(r"\s*,\s*|\s+", text)
    return [_key(part) for part in parts if part]


def _key(word: str) -> str:
    *modifiers, last = [*word[:-1].split("+"), "+"] if word.endswith("+") else word.split("+")
    modifiers = [_ALSO.get(one.lower(), one.lower()) for one in modifiers if one]
    if any(one not in _MODIFIERS for one in modifiers):
        raise ValueError(_("{key} is not a key; write keys like ctrl+x, alt+enter, f5, pageup or z", key=repr(word)))
    name = _ALSO.get(last.lower(), last if len(last) == 1 else last.lower())
    if len(name) == 1:
        name = name.lower() if modifiers else name
        if not name.isalnum():
            import unicodedata

            name = unicodedata.name(name, name).lower().replace("-", "_").replace(" ", "_")
            name = _SIGNS.get(name, name)
    elif name not in _NAMED and name not in ("plus", "minus"):
        raise ValueError(_("{key} is not a key; write keys like ctrl+x, alt+enter, f5, pageup or z", key=repr(word)))
    order = [one for one in _MODIFIERS if one in modifiers]
    return "+".join([*sorted(order), name])


def _fits(key: KeyBinding, keys: list[str]) -> None:
    """Check that an action can have these keys. Raises ValueError if not."""
    count = len(key.keys.split(","))
    if key.id in _POSITIONAL and len(keys) != count:
        order = key.keys.replace(",", ", ")
        raise ValueError(_("expected {count} keys, in this order: {order}", count=count, order=order))
    if key.context in ("everywhere", "composer") and (typed := next((one for one in keys if is_text(one)), None)):
        raise ValueError(_("{key} is a character you type; use it with ctrl or alt, or use a function key", key=typed))


def is_text(key: str) -> bool:
    """Whether a key types text."""
    name = key.removeprefix("shift+")
    return "+" not in name and (name == "space" or name not in _NAMED)


def _conflicts(given: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Entries whose key another action has in the same context or globally. Conflicts among the
    defaults do not count."""
    taken: list[tuple[KeyBinding, str]] = [
        (key, one) for key in KEYS for one in given.get(key.id, key.keys).split(",") if one
    ]
    for name in given:
        for key, one in ((key, one) for key, one in taken if key.id == name):
            other = next(
                (rival for rival, theirs in taken if rival.id != name and theirs == one and _overlap(key, rival)), None
            )
            if other is not None and not (other.id in given and [*given].index(other.id) > [*given].index(name)):
                yield name, _("{key} is already bound to {action}", key=one, action=other.id)
                break


def _overlap(one: KeyBinding, other: KeyBinding) -> bool:
    both = {one.context, other.context}
    return len(both) == 1 or "everywhere" in both or ("panes" in both and bool(both & PANES))


def config_lines(file: Path | None) -> Mapping[str, int]:
    """The line of each `keys` entry in the configuration; empty if unknown."""
    if file is None:
        return {}
    try:
        rows = read_text(file, errors="replace").splitlines()
    except OSError:
        return {}
    found: dict[str, int] = {}
    within = False
    for number, row in enumerate(rows, 1):
        if re.match(r"keys\s*:|\[keys\]", row):
            within = True
        elif within and re.match(r"[^\s#]", row) and not re.match(r"[\w-]+\s*=", row):
            within = False
        if within and (entry := re.match(r"""\s*["']?([\w-]+)["']?\s*[:=]\s*\S""", row)):
            found.setdefault(entry[1], number)
        if within:
            for name in re.findall(r"""[{,]\s*["']?([\w-]+)["']?\s*:""", row):
                found.setdefault(name, number)
    return found


def format_problems(troubles: Iterable[KeymapProblem], file: Path | None) -> list[str]:
    """Each problem with its file and line."""
    lines = config_lines(file)
    where = str(file) if file is not None else "--config"
    return [
        f"{where}{f':{lines[one.name]}' if one.name in lines else ''}: keys.{one.name}: {one.description}"
        for one in troubles
    ]
