"""The other table servers, as this one calls them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from services.kit import rpc
from xuezhan.api.table.v1.table_pb2_grpc import TableServiceStub

if TYPE_CHECKING:
    from services.kit.part_tokens import OwnToken
    from services.kit.tls import Connect
    from xuezhan.api.table.v1 import table_pb2 as pb

_CALL_SECONDS: Final = 4.0


class TablePeers:
    """Channels to the servers that were called so far: as many as there are servers that tables are handed over to."""

    def __init__(self, token: OwnToken, connect: Connect) -> None:
        self._token = token
        self._connect = connect
        self._channels: dict[str, Any] = {}

    async def take_tables(self, address: str, request: pb.TakeTablesRequest) -> None:
        """Tell a server which tables are its own now. Raises ServiceError."""
        channel = self._channels.get(address)
        if channel is None:
            channel = self._channels[address] = self._connect(address, rpc.CHANNEL_OPTIONS)
        await rpc.call(TableServiceStub(channel).TakeTables, request, self._token.current(), _CALL_SECONDS)

    async def close(self) -> None:
        """Hang up."""
        for channel in self._channels.values():
            await channel.close()
