"""Finds the IP address in a URL's host, in any spelling that the system's resolver accepts."""

import re
import socket
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address

_NUMBERS = re.compile(r"(?:0x[0-9a-f]*|[0-9]+)(?:\.(?:0x[0-9a-f]*|[0-9]+)){0,3}", re.IGNORECASE | re.ASCII)
_NAT64 = IPv6Network("64:ff9b::/96")


def host_address(host: str) -> IPv4Address | IPv6Address | None:
    """Return the IP address of a host in any spelling, such as 93.184.216.34 for `1572395042`; None for a name."""
    try:
        return ip_address(host)
    except ValueError:
        pass
    try:
        return IPv4Address(socket.inet_aton(host)) if _NUMBERS.fullmatch(host) else None
    except OSError:
        return None


def embedded_ipv4(address: IPv6Address) -> IPv4Address | None:
    """Return the IPv4 address embedded in an IPv6 address; None if there is none."""
    embedded = address.ipv4_mapped or address.sixtofour or (address.teredo[1] if address.teredo else None)
    if embedded is None and (address in _NAT64 or int(address) >> 32 == 0):
        embedded = IPv4Address(int(address) & 0xFFFFFFFF)
    return embedded


def canonical_address(host: str) -> str | None:
    """Return the usual form of the address that a connection to `host` uses; None for a name."""
    address = host_address(host)
    if isinstance(address, IPv6Address):
        address = embedded_ipv4(address) or address
    return None if address is None else str(address)
