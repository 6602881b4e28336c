"""Connections to servers: one gRPC channel an address, and calls that are tried again while a server is away.

Every call made here may be repeated: what changes something carries a key.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Any, Final, Generic, TypeVar

from grpc import aio

from xuezhan.client.backoff import Patience
from xuezhan.client.errors import ClientError, from_rpc
from xuezhan.client.installation import Asked, interceptors
from xuezhan.client.tls import credentials

S = TypeVar("S")
AnswerT = TypeVar("AnswerT")

CALL_SECONDS: Final = 10.0
OPTIONS: Final[Sequence[tuple[str, Any]]] = (
    # Longer than the least interval that servers allow between pings.
    ("grpc.keepalive_time_ms", 20_000),
    ("grpc.keepalive_timeout_ms", 10_000),
    ("grpc.http2.max_pings_without_data", 0),
    ("grpc.max_receive_message_length", 4 * 1024 * 1024),
    ("grpc.initial_reconnect_backoff_ms", 200),
    ("grpc.max_reconnect_backoff_ms", 2_000),
    # So long may it take to connect: packets to a server that is cut off are dropped, not refused.
    ("grpc.min_reconnect_backoff_ms", 2_000),
    # Else channels to one address share a connection, and with it the bound on streams.
    ("grpc.use_local_subchannel_pool", 1),
)


class Channels:
    """Channels by address, opened at first use and closed together.

    `patience_seconds`: how long calls are tried again while a server does not answer; 0: not at all. `ca`: the file with the certificate
    of the authority that signed the servers'; all connections are then TLS. None: what XUEZHAN_CA_FILE names; "": no TLS. `installation`:
    the only one that is sent a token; empty: whichever answers.
    """

    def __init__(self, patience_seconds: float = 30.0, ca: str | Path | None = None, installation: str = "") -> None:
        self.patience_seconds = patience_seconds
        self._credentials = credentials(ca)
        self._installation = installation
        self._channels: dict[tuple[str, int], aio.Channel] = {}

    def channel(self, address: str, number: int = 0) -> aio.Channel:
        """Return the `number`-th channel to an address: each is a connection of its own."""
        if (address, number) not in self._channels:
            self._channels[address, number] = self._open(address)
        return self._channels[address, number]

    def fresh(self, address: str) -> aio.Channel:
        """Return a channel of one's own, which whoever asked for it closes: a new connection, whatever became of others."""
        return self._open(address)

    def _open(self, address: str) -> aio.Channel:
        asked = Asked(address, self._installation) if self._installation else None
        before = interceptors(asked) if asked is not None else None
        if self._credentials is None:
            channel = aio.insecure_channel(address, options=OPTIONS, interceptors=before)
        else:
            channel = aio.secure_channel(address, self._credentials, options=OPTIONS, interceptors=before)
        if asked is not None:
            asked.channel = channel
        return channel

    async def close(self) -> None:
        """Close all channels; calls in flight end."""
        channels = list(self._channels.values())
        self._channels.clear()
        for channel in channels:
            await channel.close()

    async def call(self, method: Callable[..., Awaitable[AnswerT]], request: object, token: str, seconds: float = CALL_SECONDS) -> AnswerT:
        """Call a method until it answers. Raises ClientError when it refuses, or does not answer for too long.

        `seconds`: how long one attempt may take.
        """
        patience = Patience(self.patience_seconds)
        while True:
            try:
                return await method(request, timeout=seconds, metadata=metadata(token))
            except aio.AioRpcError as failure:
                error = from_rpc(failure)
            if not error.passing:
                raise error
            await patience.wait(error)

    def stub(self, kind: Callable[[aio.Channel], S], address: str) -> S:
        """Return a stub on the first channel to an address."""
        return kind(self.channel(address))


def is_away(error: ClientError) -> bool:
    """Whether another address may well do what this one did not: it is away, or its certificate cannot be used."""
    return error.passing or error.reason == "tls"


class AnyOf(Generic[S]):
    """Stubs of a service at several addresses, separated by commas; the one that answered last is asked first.

    `elsewhere`: the errors of one address after which the others are asked.
    """

    def __init__(
        self, channels: Channels, kind: Callable[[aio.Channel], S], addresses: str, elsewhere: Callable[[ClientError], bool] = is_away
    ) -> None:
        self._stubs = deque(channels.stub(kind, address.strip()) for address in addresses.split(","))
        self._elsewhere = elsewhere

    def __len__(self) -> int:
        return len(self._stubs)

    @property
    def first(self) -> S:
        """Return the stub that is asked first."""
        return self._stubs[0]

    def failed(self, stub: S) -> None:
        """Ask another first, unless somebody who failed too has seen to it."""
        if self._stubs[0] is stub:
            self._stubs.rotate(-1)

    def attempts(self, patience_seconds: float) -> Attempts[S]:
        """Return what says, of a stream that is opened again whenever it ends, after which failures that is right."""
        return Attempts(self, patience_seconds)

    def call(self, method: str) -> Callable[..., Awaitable[Any]]:
        """Return a call of a unary method that passes over addresses that do not answer."""

        async def ask(request: Any, **how: Any) -> Any:
            failures: list[aio.AioRpcError] = []
            for _ in range(len(self._stubs)):
                stub = self._stubs[0]
                try:
                    return await getattr(stub, method)(request, **how)
                except aio.AioRpcError as error:
                    if not self._elsewhere(from_rpc(error)):
                        raise
                    self.failed(stub)
                    failures.append(error)
            # An address that is only away may answer later, so its error comes before those that stay.
            raise next((error for error in failures if from_rpc(error).passing), failures[-1])

        return ask


class Attempts(Generic[S]):
    """Attempts at one stream, at one address after another; each address that stays unusable is tried once."""

    def __init__(self, servers: AnyOf[S], patience_seconds: float) -> None:
        self._servers = servers
        self._patience = Patience(patience_seconds)
        self._unusable: set[S] = set()

    def worked(self) -> None:
        """Note that something was heard."""
        self._patience.reset()
        self._unusable.clear()

    async def failed(self, stub: S, error: ClientError, away: Callable[[ClientError], object] = lambda _: None) -> None:
        """Return when the stream may be opened again. `away` is told of what is then waited for.

        Raises `error` when no address will do it, or after too long.
        """
        self._servers.failed(stub)
        if error.passing:
            away(error)
            await self._patience.wait(error)
            return
        self._unusable.add(stub)
        if not is_away(error) or len(self._unusable) >= len(self._servers):
            raise error


def metadata(token: str) -> aio.Metadata:
    """Return the metadata of a call with a token; "": of one without."""
    return aio.Metadata(("authorization", f"Bearer {token}")) if token else aio.Metadata()
