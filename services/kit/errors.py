"""Operating errors of the services: one class a kind, a stable reason each.

Domain code raises these and never imports grpc; `services.kit.rpc` maps kinds to gRPC codes by table and sends reason and metadata as
google.rpc.ErrorInfo. Programming errors stay assertions.
"""

from __future__ import annotations


class ServiceError(Exception):
    """Something the caller can be told.

    `reason` is a stable lower-case name; `metadata` holds what it is about (never secrets). `retry_seconds`: after how long the caller
    should try again; 0 where nothing is known of that.
    """

    def __init__(self, reason: str, message: str = "", *, retry_seconds: float = 0.0, **metadata: str) -> None:
        super().__init__(message or reason)
        self.reason = reason
        self.message = message or reason
        self.retry_seconds = retry_seconds
        self.metadata = metadata


class InvalidArgumentError(ServiceError):
    """The request itself is unusable; sending it again will not help. The message names the field."""


class UnauthenticatedError(ServiceError):
    """No token, or one that is malformed, wrongly signed or expired."""


class PermissionDeniedError(ServiceError):
    """A good token for something else."""


class NotFoundError(ServiceError):
    """What the request names does not exist."""


class FailedPreconditionError(ServiceError):
    """The request is fine, but not in the present state."""


class ConflictError(ServiceError):
    """The key was used before with another body, or somebody else was first."""


class ExhaustedError(ServiceError):
    """A bound was reached: queue, rate, size, number."""


class UnavailableError(ServiceError):
    """A part this depends on does not answer; trying again later is right."""
