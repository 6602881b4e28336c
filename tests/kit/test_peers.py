"""Who a call is counted for: the address it came from, or whom a proxy of ours names."""

from typing import Any

import pytest
from pydantic import ValidationError

from services.kit.limit_settings import LimitSettings
from services.kit.peers import Peers, networks


class Call:
    def __init__(self, peer: str, *forwarded: str) -> None:
        self._peer = peer
        self._metadata = [("user-agent", "x"), *(("x-forwarded-for", value) for value in forwarded)]

    def peer(self) -> str:
        return self._peer

    def invocation_metadata(self) -> Any:
        return self._metadata


@pytest.mark.parametrize(
    ("peer", "counted"),
    [
        ("ipv4:192.0.2.7:5123", "192.0.2.7"),
        ("ipv6:%5B2001:db8:1:2:3:4:5:6%5D:5123", "2001:db8:1:2::/64"),
        ("ipv6:%5B::ffff:192.0.2.7%5D:5123", "192.0.2.7"),
        ("ipv6:%5Bfe80::1%25eth0%5D:5123", "fe80::/64"),
        ("unix:/run/socket", "nameless"),
        ("", "nameless"),
    ],
)
def test_a_peer_is_an_address_and_in_ipv6_a_network_of_one_customer(peer: str, counted: str) -> None:
    assert Peers().of(Call(peer)) == counted


@pytest.mark.parametrize(
    ("trusted", "peer", "forwarded", "counted"),
    [
        ("", "ipv4:10.0.0.1:1", ["192.0.2.7"], "10.0.0.1"),
        ("10.0.0.0/8", "ipv4:198.51.100.1:1", ["192.0.2.7"], "198.51.100.1"),
        ("10.0.0.0/8", "ipv4:10.0.0.1:1", ["192.0.2.7"], "192.0.2.7"),
        ("10.0.0.0/8", "ipv4:10.0.0.1:1", ["203.0.113.9, 192.0.2.7"], "192.0.2.7"),
        ("10.0.0.0/8", "ipv4:10.0.0.1:1", ["203.0.113.9, 192.0.2.7, 10.0.0.5"], "192.0.2.7"),
        ("10.0.0.0/8,2001:db8::/32", "ipv4:10.0.0.1:1", ["192.0.2.7, 2001:db8::5"], "192.0.2.7"),
        ("10.0.0.0/8", "ipv4:10.0.0.1:1", ["2001:db8::5"], "2001:db8::/64"),
        ("10.0.0.0/8", "ipv4:10.0.0.1:1", ["nonsense"], "10.0.0.1"),
        ("10.0.0.0/8", "ipv4:10.0.0.1:1", ["192.0.2.7, nonsense"], "10.0.0.1"),
        ("10.0.0.0/8", "ipv4:10.0.0.1:1", ["10.0.0.2, 10.0.0.3"], "10.0.0.1"),
        ("10.0.0.0/8", "ipv4:10.0.0.1:1", [], "10.0.0.1"),
        ("10.0.0.0/8", "ipv4:10.0.0.1:1", ["9" * 100_000], "10.0.0.1"),
    ],
)
def test_the_header_names_the_peer_on_connections_of_trusted_proxies_alone(
    trusted: str, peer: str, forwarded: list[str], counted: str
) -> None:
    assert Peers(networks(trusted)).of(Call(peer, *forwarded)) == counted


@pytest.mark.parametrize("text", ["10.0.0.1/8", "localhost", "10.0.0.0/33"])
def test_a_proxy_that_is_no_address_or_network_is_unusable_configuration(text: str) -> None:
    with pytest.raises(ValidationError, match="trusted_proxies"):
        LimitSettings(trusted_proxies=text)
