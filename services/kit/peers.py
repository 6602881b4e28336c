"""Whose connection a call came over: the peer, an address that limits are counted by.

Law: a caller cannot choose its peer. A header names it only on connections of the proxies that the configuration trusts.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Iterable
from typing import Any, Final, NamedTuple
from urllib.parse import unquote

FORWARDED: Final = "x-forwarded-for"
NAMELESS: Final = "nameless"
"""Whoever has no address, as on a socket in the file system."""
_SIX_PREFIX: Final = 64
"""One customer has a whole network of this size, so its addresses count as one peer."""
_LONGEST_HEADER: Final = 1024

Network = ipaddress.IPv4Network | ipaddress.IPv6Network
Address = ipaddress.IPv4Address | ipaddress.IPv6Address


def networks(text: str) -> tuple[Network, ...]:
    """Read a comma-separated list of addresses and networks. Raises ValueError."""
    return tuple(ipaddress.ip_network(part.strip()) for part in text.split(",") if part.strip())


def address_of(text: str) -> Address | None:
    """Return the address of text such as "10.0.0.7", or None. An IPv4 address in IPv6 form is that IPv4 address."""
    try:
        found = ipaddress.ip_address(text.strip().strip("[]").partition("%")[0])
    except ValueError:
        return None
    return (found.ipv4_mapped or found) if isinstance(found, ipaddress.IPv6Address) else found


def counted_as(address: Address) -> str:
    """Return the name under which an address is counted."""
    if isinstance(address, ipaddress.IPv6Address):
        return str(ipaddress.ip_network((address, _SIX_PREFIX), strict=False))
    return str(address)


class End(NamedTuple):
    """The other end of a connection."""

    address: Address
    port: int


def end_of(name: str) -> End | None:
    """Read gRPC's name of a connection: "ipv4:10.0.0.7:5123" or "ipv6:%5B::1%5D:5123"; None for one without an address."""
    kind, _, rest = name.partition(":")
    host, _, port = unquote(rest).rpartition(":")
    address = address_of(host) if kind in {"ipv4", "ipv6"} else None
    return None if address is None else End(address, int(port))


class Peers:
    """Tells the peer of each call."""

    def __init__(self, trusted: Iterable[Network] = ()) -> None:
        """`trusted`: the proxies whose X-Forwarded-For says who calls."""
        self._trusted = tuple(trusted)

    def trusts(self, address: Address) -> bool:
        """Whether this is a proxy of ours."""
        return any(address in network for network in self._trusted)

    def of(self, context: Any) -> str:
        """Return the peer of a call."""
        end = end_of(context.peer())
        if end is None:
            return NAMELESS
        address = end.address
        if self._trusted and self.trusts(address):
            address = self._forwarded(context) or address
        return counted_as(address)

    def _forwarded(self, context: Any) -> Address | None:
        """Return the last address of the header that is no proxy of ours: what stands before it, anybody may have written."""
        for name, value in context.invocation_metadata() or ():
            if name == FORWARDED and isinstance(value, str):
                for part in reversed(value[-_LONGEST_HEADER:].split(",")):
                    address = address_of(part)
                    if address is None or not self.trusts(address):
                        return address
        return None
