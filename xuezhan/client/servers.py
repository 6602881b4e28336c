"""The table servers of an installation, as far as a client has heard of them."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from math import inf
from typing import Final

from grpc import aio

from xuezhan.api.table.v1 import table_pb2 as pb
from xuezhan.api.table.v1.table_pb2_grpc import TableServiceStub
from xuezhan.client.channels import metadata
from xuezhan.client.errors import ClientError

_SECONDS: Final = 2.0
_AGAIN_SECONDS: Final = 30.0
_MOST: Final = 16
_LIVE: Final = frozenset({pb.SERVER_STATE_SERVING, pb.SERVER_STATE_DRAINING})


class Servers:
    """Addresses of servers that were live when one of them was asked last. `token`: any player's, to ask with; "": nobody is asked."""

    def __init__(self) -> None:
        self.token = ""
        self.addresses: tuple[str, ...] = ()
        self._asked_at = -inf

    def due(self) -> bool:
        """Whether it is time to ask again."""
        return bool(self.token) and asyncio.get_running_loop().time() - self._asked_at >= _AGAIN_SECONDS

    async def ask(self, channel: aio.Channel) -> None:
        """Ask a server. One that does not answer tells nothing."""
        self._asked_at = asyncio.get_running_loop().time()
        try:
            answer = await TableServiceStub(channel).ListServers(pb.ListServersRequest(), timeout=_SECONDS, metadata=metadata(self.token))
        except (aio.AioRpcError, aio.UsageError, ClientError):
            return
        self.learn(server.address for server in answer.servers if server.state in _LIVE)

    def learn(self, addresses: Iterable[str]) -> None:
        """Take the place of what was known."""
        self.addresses = tuple(dict.fromkeys(addresses))[:_MOST] or self.addresses
