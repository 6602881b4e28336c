"""What can go wrong for a client: one error with a stable reason."""

from __future__ import annotations

from typing import Final

from google.rpc import error_details_pb2, status_pb2  # type: ignore[import-untyped]
from grpc import StatusCode, aio

_PASSING: Final = frozenset({StatusCode.UNAVAILABLE, StatusCode.DEADLINE_EXCEEDED, StatusCode.RESOURCE_EXHAUSTED, StatusCode.CANCELLED})
"""Codes after which the same call may well succeed a little later."""


class ClientError(Exception):
    """A request that was refused, or a server that did not answer in time.

    `reason` is a stable lower-case name (the server's own where it gave one), `code` the gRPC code's name. `passing` says that trying again
    later is right: the server was not there or too busy.
    """

    def __init__(self, reason: str, message: str = "", code: str = "", *, passing: bool = False) -> None:
        super().__init__(f"{reason}: {message}" if message and message != reason else reason)
        self.reason = reason
        self.message = message or reason
        self.code = code
        self.passing = passing


def from_rpc(error: aio.AioRpcError) -> ClientError:
    """Return what a failed call was told, with the server's stable reason where there is one."""
    code = error.code()
    reason, message = code.name.lower(), error.details() or ""
    for key, value in error.trailing_metadata() or ():
        if key == "grpc-status-details-bin" and isinstance(value, bytes):
            reason, message = _details(value, reason, message)
    return ClientError(reason, message, code.name, passing=code in _PASSING)


def _details(value: bytes, reason: str, message: str) -> tuple[str, str]:
    status = status_pb2.Status.FromString(value)
    for packed in status.details:
        info = error_details_pb2.ErrorInfo()
        if packed.Unpack(info):
            return info.reason, status.message
    return reason, message
