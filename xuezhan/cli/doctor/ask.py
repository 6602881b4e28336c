"""What every part of an installation says when it is asked how it is, or why it does not say it.

Law: it is known within a bounded time, whatever is dead, frozen or cut off.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Final

from grpc import aio
from grpc_health.v1 import health_pb2, health_pb2_grpc

from xuezhan.api.part.v1 import part_pb2 as pb
from xuezhan.api.part.v1.part_pb2_grpc import PartServiceStub
from xuezhan.api.table.v1 import table_pb2 as table
from xuezhan.api.table.v1.table_pb2_grpc import TableServiceStub
from xuezhan.client import Channels, ClientError
from xuezhan.client.channels import metadata
from xuezhan.client.errors import from_rpc

CONNECT_SECONDS: Final = 2.0
ANSWER_SECONDS: Final = 4.0


class State(StrEnum):
    """What came of asking at an address."""

    ANSWERS = "answers"
    NOTHING_LISTENS = "nothing_listens"
    SILENT = "silent"
    """It takes connections and says nothing."""
    UNREACHABLE = "unreachable"
    REFUSES = "refuses"
    """It answers that it does not tell us, or is not what we think."""


@dataclass(slots=True)
class Asked:
    """One process: where it is, and what it said. `ahead_ms`: how far its clock goes before ours, as closely as can be told."""

    role: str
    address: str
    state: State = State.ANSWERS
    reason: str = ""
    detail: str = ""
    serving: bool = True
    part: pb.GetPartResponse = field(default_factory=pb.GetPartResponse)
    ahead_ms: int = 0
    unsure_ms: int = 0
    servers: Sequence[table.TableServer] = ()

    @property
    def name(self) -> str:
        """Return what to call it in a sentence."""
        what = {"table": "table server", "matchmaking": "matchmaking", "settlement": "settlement"}[self.role]
        named = f" {self.part.name}" if self.role == "table" and self.part.name else ""
        return f"{what}{named} at {self.address}"

    def figures(self, name: str) -> list[tuple[dict[str, str], float]]:
        """Return the series of a figure; none where it was not told."""
        return [(dict(one.labels), one.value) for one in self.part.figures if one.name == name]

    def highest(self, name: str) -> float | None:
        """Return the highest value of a figure's series."""
        return max((value for _, value in self.figures(name)), default=None)


Token = Callable[[str], str]
"""Makes a token for a role."""


async def ask_all(seeds: Iterable[tuple[str, str]], token: Token, channels: Channels) -> list[Asked]:
    """Ask every (role, address) at the same time, and then the table servers that they name."""
    asked = list(await asyncio.gather(*(ask(role, address, token, channels) for role, address in seeds)))
    known = {one.address for one in asked}
    named = {server.address: server for one in asked for server in one.servers if server.state != table.SERVER_STATE_LOST}
    more = [address for address in named if address not in known]
    return asked + list(await asyncio.gather(*(ask("table", address, token, channels) for address in more)))


async def ask(role: str, address: str, token: Token, channels: Channels) -> Asked:
    """Ask one process how it is."""
    asked = Asked(role, address)
    if not await _connects(asked):
        return asked
    try:
        async with asyncio.timeout(ANSWER_SECONDS):
            await _talk(asked, token(role), channels.channel(address))
    except TimeoutError:
        if not asked.part.role:  # else it has said how it is, and waits itself: for its database, say
            asked.state = State.SILENT
    except aio.AioRpcError as failure:
        _failed(asked, from_rpc(failure))
    except ClientError as error:
        _failed(asked, error)
    return asked


async def _connects(asked: Asked) -> bool:
    """Whether a connection can be made: a part that is frozen still takes one, since its system does."""
    host, _, port = asked.address.rpartition(":")
    try:
        async with asyncio.timeout(CONNECT_SECONDS):
            _, writer = await asyncio.open_connection(host.strip("[]"), int(port))
    except ConnectionRefusedError:
        asked.state = State.NOTHING_LISTENS
    except TimeoutError:
        asked.state, asked.detail = State.UNREACHABLE, f"no answer to a connection within {CONNECT_SECONDS:.0f} s"
    except (OSError, ValueError) as error:
        asked.state, asked.detail = State.UNREACHABLE, getattr(error, "strerror", None) or str(error)
    else:
        writer.close()
        return True
    return False


async def _talk(asked: Asked, token: str, channel: aio.Channel) -> None:
    stub: Any = health_pb2_grpc.HealthStub(channel)
    health = await stub.Check(health_pb2.HealthCheckRequest())
    asked.serving = health.status == health_pb2.HealthCheckResponse.SERVING
    sent, begun = time.time(), time.monotonic()
    asked.part = await PartServiceStub(channel).GetPart(pb.GetPartRequest(), metadata=metadata(token))
    taken = time.monotonic() - begun
    asked.ahead_ms, asked.unsure_ms = round(asked.part.unix_ms - (sent + taken / 2) * 1000), round(taken * 500)
    if asked.role == "table":
        listed = await TableServiceStub(channel).ListServers(table.ListServersRequest(), metadata=metadata(token))
        asked.servers = listed.servers


def _failed(asked: Asked, error: ClientError) -> None:
    if asked.part.role and error.passing:
        # It has said how it is; what it could not do follows from that.
        return
    asked.reason, asked.detail = error.reason, str(error)
    asked.state = State.SILENT if error.reason == "silent" or error.code == "DEADLINE_EXCEEDED" else State.REFUSES
