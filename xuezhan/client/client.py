"""The whole client: connections, tickets, seats, tables and coins of one program."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import AsyncExitStack
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Self

from xuezhan.client.channels import Channels
from xuezhan.client.coins import Coins
from xuezhan.client.errors import ClientError
from xuezhan.client.ledger import Ledger
from xuezhan.client.receipts import Receipts
from xuezhan.client.record_keys import RecordKeys
from xuezhan.client.seat import Listener, Seat
from xuezhan.client.stream import FLUSH_SECONDS
from xuezhan.client.streams import Streams
from xuezhan.client.tables import Tables
from xuezhan.client.tickets import Place, Tickets


class Client:
    """A program that plays for any number of players. Use it as an async context manager.

    Addresses are host:port, or several separated by commas. `patience_seconds`: how long whatever is asked is tried
    again while a server is away. `flush_seconds`: how long inputs wait for one another. `ca`: the file of the certificate authority that
    signed the servers' certificates, if they speak TLS; None: the one that XUEZHAN_CA_FILE names. `installation`: the id of the only one
    that is sent a token. Each client has connections of its own.

    `receipts`: the file to which receipts are appended; None: the newest are kept in memory (`Client.receipts`). `record_keys`: the PEM
    texts of the installation's record keys; without them the servers are asked for theirs.
    """

    def __init__(
        self,
        matchmaking: str = "127.0.0.1:7100",
        table: str = "127.0.0.1:7200",
        settlement: str = "127.0.0.1:7300",
        *,
        patience_seconds: float = 30.0,
        flush_seconds: float = FLUSH_SECONDS,
        ca: str | Path | None = None,
        installation: str = "",
        receipts: str | Path | None = None,
        record_keys: Iterable[bytes] = (),
    ) -> None:
        self._channels = Channels(patience_seconds, ca, installation)
        self.tickets = Tickets(self._channels, matchmaking)
        self.coins = Coins(self._channels, settlement)
        self.ledger = Ledger(self._channels, settlement)
        self.streams = Streams(self._channels, flush_seconds)
        self.receipts = Receipts(Path(receipts) if receipts is not None else None)
        self.record_keys = RecordKeys(self._channels, record_keys, installation, lambda: self.streams.addresses)
        self._table = table

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        await self.close()

    async def close(self) -> None:
        """End all streams and connections; tables go on without their players. Raises what a listener raised, when all are closed."""
        async with AsyncExitStack() as last_first:
            last_first.callback(self.receipts.close)
            last_first.push_async_callback(self._channels.close)
            last_first.push_async_callback(self.record_keys.close)
            last_first.push_async_callback(self.streams.close)

    def tables(self, address: str = "") -> Tables:
        """Return the tables of one server; by default the one this client was given. Several addresses stand for whichever answers."""
        return Tables(self._channels, address or self._table)

    async def play(self, token: str, room_id: str, *, player: str = "", key: str = "", listener: Listener | None = None) -> Seat:
        """Queue for a room, wait for a seat and take it. A player who has a ticket for the room already, because their program was started
        anew, goes on with that one. Raises ClientError when the ticket ends without a seat.
        """
        ticket = await self.tickets.create_or_find(token, room_id, key)
        return await self.take(token, ticket.ticket_id, player=player or ticket.player_id, listener=listener)

    async def take(self, token: str, ticket_id: str, *, player: str = "", listener: Listener | None = None) -> Seat:
        """Wait for the seat of a ticket and take it, also after this program was started anew.

        A table that ended before, because this program or the servers were away, gives a seat that is over: nothing is heard there.
        """
        try:
            place = await self.tickets.place(token, ticket_id)
        except ClientError as error:
            if error.reason != "over" or "table_id" not in error.more:
                raise
            seat = Seat(Place("", "", error.more["table_id"], int(error.more["seat"])), player, listener=listener)
            seat.end(ClientError("closed", str(error)))
            return seat
        self.streams.servers.token = token
        find = partial(self.tickets.place_again, token, ticket_id, place.table_id)
        seat = Seat(place, player, listener=listener, relocate=find, receipts=self.receipts, keys=self.record_keys)
        self.streams.add(seat)
        return seat
