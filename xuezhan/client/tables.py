"""Tables from outside: which there are, what is happening at one, what happened."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, Callable, Sequence
from typing import Any, Final

from grpc import aio

from xuezhan.api.table.v1 import table_pb2 as pb
from xuezhan.api.table.v1.table_pb2_grpc import TableServiceStub
from xuezhan.client.channels import AnyOf, Channels, metadata
from xuezhan.client.errors import ClientError, from_rpc

PAGE: Final = 1000
_MOVED_SECONDS: Final = 0.1


class Tables:
    """Table servers, seen from outside.

    `addresses`: host:port, or several separated by commas; the one that answered last is asked first. Records of tables that are over are
    at every server.
    """

    def __init__(self, channels: Channels, addresses: str) -> None:
        self._channels = channels
        self._any = AnyOf(channels, TableServiceStub, addresses)

    async def live(self, token: str, room_id: str = "") -> AsyncGenerator[pb.TableSummary, None]:
        """Yield the live tables of the server, of one room or of all."""
        request = pb.ListTablesRequest(room_id=room_id, page_size=PAGE)
        while True:
            answer = await self._channels.call(self._any.call("ListTables"), request, token)
            for table in answer.tables:
                yield table
            if not answer.next_page_token:
                return
            request.page_token = answer.next_page_token

    async def servers(self, token: str) -> list[pb.TableServer]:
        """Return the table servers of the installation, by name."""
        return list((await self._channels.call(self._any.call("ListServers"), pb.ListServersRequest(), token)).servers)

    async def drain(self, token: str, server: str, who: str = "", why: str = "") -> int:
        """Let the server, which has this name, hand its tables over; returns how many it still has. Ask again to hear how far it is."""
        request = pb.DrainRequest(server=server, who=who, why=why)
        return int((await self._channels.call(self._any.call("Drain"), request, token)).tables)

    async def set_aside(self, token: str, retry: Sequence[str] = (), who: str = "", why: str = "") -> pb.RetryTablesResponse:
        """List the tables that were set aside, after those in `retry` were let be taken up once more."""
        request = pb.RetryTablesRequest(table_ids=retry, who=who, why=why)
        answer: pb.RetryTablesResponse = await self._channels.call(self._any.call("RetryTables"), request, token)
        return answer

    async def call_off(self, token: str, table_id: str, who: str, why: str) -> None:
        """End a live table where it stands, at whichever server has it; returns when everybody is told. Callers: operators."""
        await self._of_owner("CallOffTable", pb.CallOffTableRequest(table_id=table_id, who=who, why=why), token)

    async def look(self, token: str, table_id: str) -> pb.GetTableResponse:
        """Return what a live table waits for, asked of whichever server has it. Callers: operators."""
        answer: pb.GetTableResponse = await self._of_owner("GetTable", pb.GetTableRequest(table_id=table_id), token)
        return answer

    async def acts(self, token: str, most: int) -> list[pb.TableAct]:
        """Return what operators asked of table servers, the latest first. Callers: operators, auditors."""
        answer = await self._channels.call(self._any.call("ListTableActs"), pb.ListTableActsRequest(page_size=most), token)
        return list(answer.acts)

    async def _of_owner(self, method: str, request: Any, token: str) -> Any:
        """Ask any server, and then the one that it names as the table's owner."""
        try:
            return await self._channels.call(self._any.call(method), request, token)
        except ClientError as error:
            owner = self._owner(error)
            if owner is None:
                raise
            return await self._channels.call(getattr(owner, method), request, token)

    async def record_lines(self, token: str, table_id: str, hand: int = 0) -> list[str]:
        """Return the records of a table's finished hands (one hand, or 0 for all) as the JSON texts they are kept as."""
        request = pb.GetRecordRequest(table_id=table_id, hand=hand)
        return list((await self._of_owner("GetRecord", request, token)).records)

    def _owner(self, error: ClientError) -> TableServiceStub | None:
        """Return the server that was named as the owner of a table; None if the error is another."""
        address = error.more.get("address") if error.reason == "moved" else None
        return self._channels.stub(TableServiceStub, address) if address else None

    async def records(self, token: str, table_id: str, hand: int = 0) -> list[dict[str, Any]]:
        """Return the records of a table's finished hands as values."""
        return [json.loads(line) for line in await self.record_lines(token, table_id, hand)]

    async def watch(
        self, token: str | Callable[[], str], table_id: str, away: Callable[[ClientError], object] = lambda _: None
    ) -> AsyncGenerator[pb.Event, None]:
        """Yield views and events of a table's public view until it is closed; connects again while the server is away.

        Each time it connects a full view comes first. The stream ends with its token; where `token` makes them, it goes on with the next.
        `away` is told of each time that the server is not there, before it is waited for.
        """
        attempts = self._any.attempts(self._channels.patience_seconds)
        owner: TableServiceStub | None = None
        while True:
            error = ClientError("stream_ended", "the server ended the stream", passing=True)
            stub = owner or self._any.first
            call = stub.Watch(pb.WatchRequest(table_id=table_id), metadata=metadata(token() if callable(token) else token))
            try:
                async for response in call:
                    attempts.worked()
                    for event in response.events:
                        yield event
                        if event.WhichOneof("what") == "table_closed":
                            return
            except aio.AioRpcError as failure:
                error = from_rpc(failure)
            finally:
                call.cancel()
            if callable(token) and error.reason == "expired":
                continue
            owner = self._owner(error)
            if owner is not None:
                # No faster than tables move.
                await asyncio.sleep(_MOVED_SECONDS)
                continue
            await attempts.failed(stub, error, away)
