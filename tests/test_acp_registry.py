"""The entry for the registry of the Agent Client Protocol: valid by its rules, and its command is one of ours."""

import json
import re
from pathlib import Path
from xml.etree import ElementTree

import jsonschema

from kimi_tui import __version__
from kimi_tui.cli.options import parse

FOLDER = Path(__file__).parent.parent / "acp-registry/kimi-tui"
ENTRY = json.loads((FOLDER / "agent.json").read_text("utf-8"))
URI = {"type": "string", "pattern": "^https://[^ ]+$"}
PACKAGE = {
    "type": "object",
    "required": ["package"],
    "additionalProperties": False,
    "properties": {
        "package": {"type": "string", "pattern": "^[a-z0-9-]+==[0-9.]+$"},
        "cmd": {"type": "string"},
        "args": {"type": "array", "items": {"type": "string"}},
        "env": {"type": "object", "additionalProperties": {"type": "string"}},
    },
}
SCHEMA = {
    "type": "object",
    "required": ["id", "name", "version", "description", "license_url", "distribution"],
    "additionalProperties": False,
    "properties": {
        "id": {"type": "string", "pattern": "^[a-z][a-z0-9-]*$"},
        "name": {"type": "string", "minLength": 1},
        "version": {"type": "string", "pattern": r"^[0-9]+\.[0-9]+\.[0-9]+$"},
        "description": {"type": "string", "minLength": 1},
        "repository": URI,
        "website": URI,
        "authors": {"type": "array", "items": {"type": "string"}},
        "license": {"type": "string"},
        "license_url": URI,
        "distribution": {
            "type": "object", "minProperties": 1, "additionalProperties": False, "properties": {"uvx": PACKAGE},
        },
    },
}  # fmt: skip
"""The rules of the registry's own schema for the fields that an entry can have here."""


def test_the_entry_is_valid_and_names_this_version() -> None:
    jsonschema.validate(ENTRY, SCHEMA)
    assert (ENTRY["id"], ENTRY["version"]) == (FOLDER.name, __version__)
    assert ENTRY["distribution"]["uvx"]["package"] == f"kimi-tui=={__version__}"


def test_the_entry_starts_what_serves_editors() -> None:
    assert parse(ENTRY["distribution"]["uvx"]["args"]).subcommand == "acp"


def test_the_icon_is_square_and_takes_the_colour_of_the_editor() -> None:
    icon = ElementTree.parse(FOLDER / "icon.svg").getroot()
    assert [icon.get(key) for key in ("width", "height", "viewBox")] == ["16", "16", "0 0 16 16"]
    colours = re.findall(r'(?:fill|stroke)="([^"]+)"', (FOLDER / "icon.svg").read_text("utf-8"))
    assert set(colours) <= {"currentColor", "none"}
