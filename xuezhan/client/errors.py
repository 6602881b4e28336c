"""What can go wrong for a client: one error with a stable reason."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from google.rpc import error_details_pb2, status_pb2  # type: ignore[import-untyped]
from grpc import StatusCode, aio

_PASSING: Final = frozenset({StatusCode.UNAVAILABLE, StatusCode.DEADLINE_EXCEEDED, StatusCode.RESOURCE_EXHAUSTED, StatusCode.CANCELLED})
"""Codes after which the same call may well succeed a little later."""


class ClientError(Exception):
    """A request that was refused, or a server that did not answer in time.

    `reason` is a stable lower-case name (the server's own where it gave one), `code` the gRPC code's name. `passing` says that trying again
    later is right: the server was not there or too busy. `more`: what the server said besides by name, such as the `ticket_id` that a
    player has already.
    """

    def __init__(
        self, reason: str, message: str = "", code: str = "", *, passing: bool = False, more: Mapping[str, str] | None = None
    ) -> None:
        # Where the reason is a field, the message begins with it: "seats[0].player_id: ...".
        field = message.partition(": ")[0]
        said = " " not in field and reason in re.split(r"\W+", field)
        super().__init__((message if said else f"{reason}: {message}") if message else reason)
        self.reason = reason
        self.message = message or reason
        self.code = code
        self.passing = passing
        self.more: Mapping[str, str] = more or {}


def from_rpc(error: aio.AioRpcError) -> ClientError:
    """Return what a failed call was told, with the server's stable reason where there is one."""
    code = error.code()
    reason, message, more = code.name.lower(), error.details() or "", dict[str, str]()
    for key, value in error.trailing_metadata() or ():
        if key == "grpc-status-details-bin" and isinstance(value, bytes):
            status = status_pb2.Status.FromString(value)
            info = error_details_pb2.ErrorInfo()
            if any(packed.Unpack(info) for packed in status.details):
                reason, message, more = info.reason, status.message, dict(info.metadata)
    return ClientError(reason, message, code.name, passing=code in _PASSING, more=more)
