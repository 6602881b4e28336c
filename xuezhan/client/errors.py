"""What can go wrong for a client: one error with a stable reason."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from google.rpc import error_details_pb2, status_pb2  # type: ignore[import-untyped]
from grpc import StatusCode, aio

_PASSING: Final = frozenset({StatusCode.UNAVAILABLE, StatusCode.DEADLINE_EXCEEDED, StatusCode.RESOURCE_EXHAUSTED, StatusCode.CANCELLED})
"""Codes after which the same call may well succeed a little later."""

_TLS: Final = (
    ("certificate has expired", "its certificate has expired: it must be renewed there"),
    ("certificate is not yet valid", "its certificate is not valid yet: compare the clocks of both machines"),
    ("Hostname Verification Check failed", "its certificate is not for this host name: use a name that the certificate has"),
    ("CERTIFICATE_VERIFY_FAILED", "its certificate is not signed by the CA in the CA file: name the CA file of that server"),
    ("WRONG_VERSION_NUMBER", "it does not speak TLS: leave out the CA file (unset XUEZHAN_CA_FILE)"),
)
"""Words of gRPC's errors about a connection, and what to do about each; the first that fits."""
_SILENT: Final = "it takes connections and says nothing: its process stands still, or is overloaded"
_HUNG_UP: Final = "it hung up at once: if it speaks TLS, name its CA file (XUEZHAN_CA_FILE)"
_PEER: Final = re.compile(r"ipv[46]:(\S+?): ")


class ClientError(Exception):
    """A request that was refused, or a server that did not answer in time.

    `reason` is a stable lower-case name (the server's own where it gave one), `code` the gRPC code's name. `passing` says that trying again
    later is right: the server was not there or too busy; `retry_seconds`: after how long, where the server says so. `more`: what the
    server said besides by name, such as the `ticket_id` that a player has already.
    """

    def __init__(
        self,
        reason: str,
        message: str = "",
        code: str = "",
        *,
        passing: bool = False,
        retry_seconds: float = 0.0,
        more: Mapping[str, str] | None = None,
    ) -> None:
        # Where the reason is a field, the message begins with it: "seats[0].player_id: ...".
        field = message.partition(": ")[0]
        said = " " not in field and reason in re.split(r"\W+", field)
        super().__init__((message if said else f"{reason}: {message}") if message else reason)
        self.reason = reason
        self.message = message or reason
        self.code = code
        self.passing = passing
        self.retry_seconds = retry_seconds
        self.more: Mapping[str, str] = more or {}


def from_rpc(error: aio.AioRpcError) -> ClientError:
    """Return what a failed call was told, with the server's stable reason where there is one."""
    code = error.code()
    reason, message, more = code.name.lower(), error.details() or "", dict[str, str]()
    retry = error_details_pb2.RetryInfo()
    for key, value in error.trailing_metadata() or ():
        if key == "grpc-status-details-bin" and isinstance(value, bytes):
            status = status_pb2.Status.FromString(value)
            info = error_details_pb2.ErrorInfo()
            if any(packed.Unpack(info) for packed in status.details):
                reason, message, more = info.reason, status.message, dict(info.metadata)
            any(packed.Unpack(retry) for packed in status.details)
    if message.startswith("failed to connect to all addresses"):
        return _not_connected(message)
    retry_seconds = retry.retry_delay.ToMilliseconds() / 1000
    return ClientError(reason, message, code.name, passing=code in _PASSING, retry_seconds=retry_seconds, more=more)


def _not_connected(words: str) -> ClientError:
    """Say what is wrong between a client and a port that does not answer it. What nobody's waiting mends is not passing."""
    peer = _PEER.search(words)
    where = f"{peer[1]}: " if peer else ""
    for known, advice in _TLS:
        if known in words:
            return ClientError("tls", where + advice, StatusCode.UNAVAILABLE.name)
    if "Failed to connect to remote host" in words:
        return ClientError("unavailable", words, StatusCode.UNAVAILABLE.name, passing=True)
    if "timed out" in words:
        return ClientError("silent", where + _SILENT, StatusCode.UNAVAILABLE.name, passing=True)
    return ClientError("hung_up", where + _HUNG_UP, StatusCode.UNAVAILABLE.name, passing=True)
