"""Spellings of the addresses of hosts."""

import pytest

from kimi_tui.permission.host_address import canonical_address


@pytest.mark.parametrize(
    ("host", "written"),
    [
        ("93.184.216.34", "93.184.216.34"), ("1572395042", "93.184.216.34"), ("0x5d.184.216.34", "93.184.216.34"),
        ("0135.184.216.34", "93.184.216.34"), ("127.1", "127.0.0.1"), ("::ffff:7f00:1", "127.0.0.1"),
        ("64:ff9b::7f00:1", "127.0.0.1"), ("2002:7f00:1::", "127.0.0.1"), ("2606:2800::0:1", "2606:2800::1"),
        ("a.example", None), ("99999999999", None), ("1.2.3.4.5", None), ("1.2.3.4 x", None), ("0xzz", None),
    ],
)  # fmt: skip
def test_an_address_has_one_usual_form(host: str, written: str | None) -> None:
    assert canonical_address(host) == written
