"""Players who put their own bytes into the shuffle of every hand, at a table of two (tests.table.test_duel)."""

from __future__ import annotations

import hashlib
import json
from typing import Any

from services.kit.signing import PublicKey, SigningKey
from tests.table.client import Client
from tests.table.test_duel import Duelist
from tests.table.world import World
from xuezhan.api.table.v1 import table_pb2 as pb

ROOM = "crazy_duel/beginner"


def given(seat: int, hand: int) -> bytes:
    """The bytes of a seat for a hand."""
    return bytes([seat]) * 8 + bytes([hand]) * 8


def hash_of(seat: int, hand: int) -> bytes:
    return hashlib.sha256(given(seat, hand)).digest()


async def contribute(client: Client, seat: int, hashed: bytes) -> bytes:
    """Send a hash, and return the one that the server says it has."""
    before = len(client.of("contributed", seat))
    await client.send(pb.Input(seat_ref=seat, contribute=pb.Contribute(contribution_hash=hashed)))
    found: bytes = (await client.wait_for("contributed", seat, before + 1))[-1].contribution_hash
    return found


async def reveal(client: Client, seat: int, contribution: bytes) -> None:
    await client.send(pb.Input(seat_ref=seat, reveal=pb.Reveal(contribution=contribution)))


async def committed(client: Client, hand: int, seat: int = 0) -> pb.HandCommitted:
    """Wait for the commitment of a hand, as an event or in a view."""
    await client.until(lambda: commitment(client, hand, seat) is not None)
    found = commitment(client, hand, seat)
    assert found is not None
    return found


def commitment(client: Client, hand: int, seat: int = 0) -> pb.HandCommitted | None:
    for event in client.of("hand_committed", seat):
        if event.hand == hand:
            return event  # type: ignore[no-any-return]
    for view in client.of("view", seat):
        if view.committed.hand == hand:
            return view.committed  # type: ignore[no-any-return]
    return None


def deal_signed(client: Client, hand: int, seat: int = 0) -> pb.DealSigned | None:
    """The statement about the deal of a hand, as an event or in a view."""
    for event in client.of("deal_signed", seat):
        if event.hand == hand:
            return event  # type: ignore[no-any-return]
    for view in client.of("view", seat):
        if view.deal_signed.hand == hand:
            return view.deal_signed  # type: ignore[no-any-return]
    return None


def read(signed: pb.Signed, key: PublicKey) -> dict[str, Any]:
    """Check a statement's signature and read it."""
    assert signed.key_id == key.key_id
    assert key.verifies(signed.statement.encode(), signed.signature)
    found = json.loads(signed.statement)
    assert signed.statement == json.dumps(found, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return found  # type: ignore[no-any-return]


async def sit(w: World, client: Client, hashes: dict[int, bytes] | None = None) -> pb.OpenTableResponse:
    """Open table `t` for two and attach both, with hashes or without."""
    opened = await w.open("ann", "bob", table_id="t", room=ROOM)
    await come(client, opened, hashes)
    return opened


async def come(client: Client, opened: pb.OpenTableResponse, hashes: dict[int, bytes] | None = None) -> None:
    for token in opened.tokens:
        await client.attach(token.seat, token.token, contribution_hash=(hashes or {}).get(token.seat, b""))
    await client.wait_for("attached", 0)
    await client.wait_for("attached", 1)


async def played(w: World, client: Client, hand: int) -> None:
    """Play a hand to its end."""
    table = Duelist(w, client)
    await table.dealt(hand)
    await table.play()
    await client.until(lambda: any(over.hand == hand for over in client.of("hand_over", 0)))


def turn_record_key(w: World) -> None:
    """Give the table servers another record key, from their next start on."""
    key, folder = SigningKey.generate(), w.keys.folder / "table" / "records"
    (folder / "key.pem").write_bytes(key.pem())
    (folder / "public" / f"{key.key_id}.pem").write_bytes(key.public.pem())
