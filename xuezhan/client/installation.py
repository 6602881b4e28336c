"""Is it the right installation? Asked of a server before it is sent a first token.

This prevents accidents, not attacks: a server can say what it likes.
"""

from __future__ import annotations

import asyncio
from typing import Any, Final

from grpc import StatusCode, aio

from xuezhan.api.keys.v1 import keys_pb2 as pb
from xuezhan.api.keys.v1.keys_pb2_grpc import KeyServiceStub
from xuezhan.client.errors import ClientError

_SECONDS: Final = 10.0
_PATH: Final = b"/xuezhan.api.keys.v1.KeyService/"


class Asked:
    """What one server said, asked once."""

    def __init__(self, address: str, installation: str) -> None:
        self._address = address
        self._installation = installation
        self._right = False
        self._asking: asyncio.Task[None] | None = None
        self.channel: aio.Channel | None = None

    async def check(self) -> None:
        """Raise ClientError if the server is another installation's; AioRpcError if it does not answer.

        Calls that come together ask together: a server answers strangers slowly when there are many.
        """
        if self._right:
            return
        if self._asking is None:
            self._asking = asyncio.create_task(self._ask(), name="installation")
            self._asking.add_done_callback(self._asked)
        await asyncio.shield(self._asking)

    def _asked(self, task: asyncio.Task[None]) -> None:
        self._asking = None
        if not task.cancelled():
            # Looked at, whether or not anybody still waits for it.
            task.exception()

    async def _ask(self) -> None:
        assert self.channel is not None, "it is known before it is used"
        stub: Any = KeyServiceStub(self.channel)
        try:
            found = await stub.GetKeys(pb.GetKeysRequest(), timeout=_SECONDS)
        except aio.AioRpcError as error:
            if error.code() is not StatusCode.UNIMPLEMENTED:
                raise
            raise ClientError("wrong_installation", f"{self._address} does not say which installation it is: no token is sent") from None
        if found.installation != self._installation:
            raise ClientError(
                "wrong_installation",
                f"{self._address} is installation {found.installation[:16]!r}, the keys are of {self._installation!r}: no token is sent",
            )
        self._right = True


class _Unary(aio.UnaryUnaryClientInterceptor):
    def __init__(self, asked: Asked) -> None:
        self._asked = asked

    async def intercept_unary_unary(self, continuation: Any, client_call_details: Any, request: Any) -> Any:
        if not client_call_details.method.startswith(_PATH):
            await self._asked.check()
        return await continuation(client_call_details, request)


class _Stream(aio.UnaryStreamClientInterceptor):
    def __init__(self, asked: Asked) -> None:
        self._asked = asked

    async def intercept_unary_stream(self, continuation: Any, client_call_details: Any, request: Any) -> Any:
        await self._asked.check()
        return await continuation(client_call_details, request)


def interceptors(asked: Asked) -> list[Any]:
    """Return what keeps calls with a token from going to another installation."""
    return [_Unary(asked), _Stream(asked)]
