"""The edge of every gRPC server and the way one service calls another.

One interceptor lets through who may make a call (services.kit.powers) before anything of it runs, turns the error tree into gRPC codes by
table, with google.rpc.ErrorInfo(reason, domain, metadata) beside it, counts RPCs, and keeps what an unexpected exception says inside: the
caller is told INTERNAL and nothing else. It also gives each call the id of its request, which is on every log line that is written for it
and goes along with the calls to other parts.
"""

from __future__ import annotations

import asyncio
import inspect
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import aclosing
from contextvars import ContextVar
from math import ceil
from typing import Any, Final, NoReturn

import grpc
from google.protobuf.message import DecodeError
from google.rpc import error_details_pb2, status_pb2  # type: ignore[import-untyped]
from grpc import aio

from services.kit import logs, powers, tls
from services.kit.admission import Admission
from services.kit.callers import Caller, Callers
from services.kit.errors import (
    ConflictError,
    ExhaustedError,
    FailedPreconditionError,
    InvalidArgumentError,
    NotFoundError,
    PermissionDeniedError,
    ServiceError,
    UnauthenticatedError,
    UnavailableError,
)
from services.kit.metrics import RpcMetrics

log = logs.get(__name__)

DOMAIN: Final = "xuezhan"
DETAILS_KEY: Final = "grpc-status-details-bin"
REQUEST_KEY: Final = "x-request-id"
"""The metadata that holds a request's id."""
MAX_REQUEST_BYTES: Final = 64 * 1024
MAX_RESPONSE_BYTES: Final = 4 * 1024 * 1024
MAX_HEADERS_BYTES: Final = 8 * 1024
"""Of a call, as HTTP/2 counts them: a token has at most 2 kB."""
MAX_TEXT_CHARS: Final = 500
"""Of an error's message and of each of its metadata: they travel in headers, which are small."""

CODES: Final[dict[type[ServiceError], grpc.StatusCode]] = {
    InvalidArgumentError: grpc.StatusCode.INVALID_ARGUMENT,
    UnauthenticatedError: grpc.StatusCode.UNAUTHENTICATED,
    PermissionDeniedError: grpc.StatusCode.PERMISSION_DENIED,
    NotFoundError: grpc.StatusCode.NOT_FOUND,
    FailedPreconditionError: grpc.StatusCode.FAILED_PRECONDITION,
    ConflictError: grpc.StatusCode.ALREADY_EXISTS,
    ExhaustedError: grpc.StatusCode.RESOURCE_EXHAUSTED,
    UnavailableError: grpc.StatusCode.UNAVAILABLE,
}
_REFUSALS: Final = (InvalidArgumentError, UnauthenticatedError, PermissionDeniedError, ExhaustedError)
_ERRORS: Final = {code: kind for kind, code in CODES.items()}

SERVER_OPTIONS: Final[Sequence[tuple[str, Any]]] = (
    # A second server on a port must fail, not quietly take every other connection.
    ("grpc.so_reuseport", 0),
    ("grpc.max_receive_message_length", MAX_REQUEST_BYTES),
    ("grpc.max_send_message_length", MAX_RESPONSE_BYTES),
    ("grpc.keepalive_time_ms", 30_000),
    ("grpc.keepalive_timeout_ms", 10_000),
    ("grpc.keepalive_permit_without_calls", 1),
    ("grpc.http2.min_ping_interval_without_data_ms", 10_000),
    ("grpc.max_concurrent_streams", 1000),
    ("grpc.max_metadata_size", MAX_HEADERS_BYTES),
    ("grpc.absolute_max_metadata_size", MAX_HEADERS_BYTES),
)
CHANNEL_OPTIONS: Final[Sequence[tuple[str, Any]]] = (
    # Longer than the server's least interval between pings, or it hangs up.
    ("grpc.keepalive_time_ms", 20_000),
    ("grpc.http2.max_pings_without_data", 0),
    ("grpc.max_receive_message_length", MAX_RESPONSE_BYTES),
    ("grpc.initial_reconnect_backoff_ms", 200),
    ("grpc.max_reconnect_backoff_ms", 2_000),
)


UNREADABLE: Final = object()
"""What stands for a request that could not be read."""
_Read = Callable[[Any, Any], Awaitable[Any]]
"""Gives what a method is called with, of the requests and the context of a call."""
_Run = Callable[[Any, Any], Awaitable[Any]]
_CONNECTION: Final[ContextVar[str]] = ContextVar("connection", default="")
_CALLER: Final[ContextVar[Caller]] = ContextVar("caller")


class Edge(aio.ServerInterceptor):
    """The interceptor of every server: who may call, errors to codes, counting, nothing leaked."""

    def __init__(self, metrics: RpcMetrics, callers: Callers, admission: Admission) -> None:
        self._metrics = metrics
        self._callers = callers
        self._admission = admission
        self._wrapped: dict[str, Any] = {}
        self._no_method: Any = grpc.stream_stream_rpc_method_handler(self._unknown)

    async def intercept_service(self, continuation: Callable[[Any], Awaitable[Any]], details: Any) -> Any:
        """Wrap the handler, whichever its arity."""
        wrapped = self._wrapped.get(details.method)
        if wrapped is None:
            handler = await continuation(details)
            if handler is None:
                return self._no_method
            wrapped = self._wrapped[details.method] = self._wrap(handler, *details.method.lstrip("/").partition("/")[::2])
        return wrapped

    def _wrap(self, handler: Any, service: str, method: str) -> Any:
        """Return a handler that looks at a call as soon as it is there: gRPC would first wait for the request of a call that has but one,
        and drop a call that is cancelled before, for which nobody would have paid.
        """
        read = _stream if handler.request_streaming else _one
        parse = self._noting(handler.request_deserializer, streaming=handler.request_streaming)
        if handler.response_streaming:
            run = self._streaming(handler.stream_stream or handler.unary_stream, read, service, method)
            return grpc.stream_stream_rpc_method_handler(run, parse, handler.response_serializer)
        run = self._unary(handler.stream_unary or handler.unary_unary, read, service, method)
        return grpc.stream_unary_rpc_method_handler(run, parse, handler.response_serializer)

    def _noting(self, parse: Callable[[bytes], Any] | None, *, streaming: bool) -> Callable[[bytes], Any]:
        """Return a deserializer that notes what came."""
        parsed = parse if parse is None or streaming else reader(parse)
        message = self._admission.traffic.message

        def read(data: bytes) -> Any:
            message(_CONNECTION.get(), len(data))
            return data if parsed is None else parsed(data)

        return read

    def _unary(self, behaviour: Callable[[Any, Any], Awaitable[Any]], read: _Read, service: str, method: str) -> _Run:
        seconds = self._metrics.seconds.labels(service, method)
        who = powers.of(service, method)

        async def run(requests: Any, context: Any) -> Any:
            begun = time.perf_counter()
            answer = await self._guarded(self._admitted(behaviour, who, method, read, requests, context), context, service, method)
            seconds.observe(time.perf_counter() - begun)
            return answer

        return run

    def _streaming(self, behaviour: Callable[[Any, Any], Any], read: _Read, service: str, method: str) -> _Run:
        # Our handlers are coroutines that write to the context: an async generator's `finally` can run late after a cancel.
        # Reflection's is a generator; here it is closed in time.
        handler = self._write_all(behaviour) if inspect.isasyncgenfunction(behaviour) else behaviour
        who = powers.of(service, method)

        async def run(requests: Any, context: Any) -> None:
            await self._guarded(self._admitted(handler, who, method, read, requests, context), context, service, method)

        return run

    async def _admitted(
        self, behaviour: Callable[[Any, Any], Awaitable[Any]], who: powers.Who, method: str, read: _Read, requests: Any, context: Any
    ) -> Any:
        logs.bind(request=_request_of(context))
        traffic, connection = self._admission.traffic, context.peer()
        # Each call runs in a task of its own, so that this is its connection and no other's.
        _CONNECTION.set(connection)
        traffic.call(connection)
        found = self._found(who, context)
        if isinstance(found, Caller) and not found.is_player:
            traffic.part(connection)
            return await behaviour(_checked(who, found, await read(requests, context)), context)
        if isinstance(found, Caller):
            logs.bind(player=found.subject)
        with self._admission.place(context) as peer:
            try:
                if isinstance(found, ServiceError):
                    raise found
                if found is None:
                    await self._admission.pay(context)
                else:
                    self._admission.count(method, found.subject, peer)
                return await behaviour(_checked(who, found, await read(requests, context)), context)
            except _REFUSALS:
                await self._admission.pay(context)
                raise

    def _write_all(self, behaviour: Callable[[Any, Any], Any]) -> _Run:
        async def paid(requests: Any, context: Any) -> AsyncIterator[Any]:
            async for request in requests:
                await self._admission.pay(context)
                yield request

        async def run(requests: Any, context: Any) -> None:
            answers: AsyncIterator[Any]
            async with aclosing(behaviour(paid(requests, context), context)) as answers:
                async for answer in answers:
                    await context.write(answer)

        return run

    def _found(self, who: powers.Who, context: Any) -> Caller | ServiceError | None:
        """Return who calls, or why that is not known. Where anybody may call only a part has a name: it need not pay."""
        try:
            found = self._callers.read(bearer(context))
        except ServiceError as error:
            return None if who.anybody else error
        return None if who.anybody and found.is_player else found

    async def _unknown(self, _requests: Any, context: Any) -> NoReturn:
        self._admission.traffic.call(context.peer())
        self._admission.pay_or_go(context)
        await context.abort(grpc.StatusCode.UNIMPLEMENTED, "there is no such method")
        raise AssertionError("abort returned")

    async def _guarded(self, running: Awaitable[Any], context: Any, service: str, method: str) -> Any:
        self._metrics.started.labels(service, method).inc()
        code = grpc.StatusCode.OK
        try:
            return await running
        except asyncio.CancelledError:
            code = grpc.StatusCode.CANCELLED
            raise
        except aio.InternalError:
            # What gRPC says when the client has gone: nothing is written to it any more.
            code = grpc.StatusCode.CANCELLED
            log.debug("client_gone", rpc=method, of=service)
            raise asyncio.CancelledError from None
        except aio.AbortError:
            code = context.code() or grpc.StatusCode.UNKNOWN
            raise
        except ServiceError as error:
            code = _code(error)
            if isinstance(error, ExhaustedError):
                self._metrics.count_limited(error.metadata.get("limit", error.reason))
            await _abort(context, code, error)
        except Exception:
            code = grpc.StatusCode.INTERNAL
            log.exception("rpc_failed", rpc=method, of=service)
            await _abort(context, code, ServiceError("internal", "internal error"))
        finally:
            self._metrics.handled.labels(service, method, code.name).inc()


def _checked(who: powers.Who, found: Caller | None, request: Any) -> Any:
    """Return a request that may be carried out."""
    if request is UNREADABLE:
        raise InvalidArgumentError("malformed", "request: not a message of this method")
    if found is not None:
        if not who.anybody:
            who.check(found, request)
        # Each call runs in a task of its own, so that this is its caller and no other's.
        _CALLER.set(found)
    return request


async def _one(_requests: Any, context: Any) -> Any:
    """Return the request of a call that has one."""
    request = await context.read()
    return UNREADABLE if request is aio.EOF else request


async def _stream(requests: Any, _context: Any) -> Any:
    """Return the requests of a call that has many."""
    return requests


def reader(parse: Callable[[bytes], Any]) -> Callable[[bytes], Any]:
    """Return a deserializer that gives UNREADABLE for bytes that are no such message, where gRPC would log a fault of ours."""

    def read(data: bytes) -> Any:
        try:
            return parse(data)
        except DecodeError:
            return UNREADABLE

    return read


def _code(error: ServiceError) -> grpc.StatusCode:
    return next((CODES[kind] for kind in type(error).__mro__ if kind in CODES), grpc.StatusCode.INTERNAL)


async def _abort(context: Any, code: grpc.StatusCode, error: ServiceError) -> NoReturn:
    await context.abort(code, error.message[:MAX_TEXT_CHARS], trailing_metadata=((DETAILS_KEY, _details(code, error)),))
    raise AssertionError("abort returned")


def _details(code: grpc.StatusCode, error: ServiceError) -> bytes:
    about = {key: value[:MAX_TEXT_CHARS] for key, value in error.metadata.items()}
    status = status_pb2.Status(code=code.value[0], message=error.message[:MAX_TEXT_CHARS])
    status.details.add().Pack(error_details_pb2.ErrorInfo(reason=error.reason, domain=DOMAIN, metadata=about))
    if error.retry_seconds:
        retry = error_details_pb2.RetryInfo()
        retry.retry_delay.FromMilliseconds(ceil(error.retry_seconds * 1000))
        status.details.add().Pack(retry)
    return bytes(status.SerializeToString())


def bearer(context: Any) -> str:
    """Return the token of a call's `authorization` metadata. Raises UnauthenticatedError."""
    for key, value in context.invocation_metadata() or ():
        if key == "authorization" and isinstance(value, str) and value.startswith("Bearer "):
            return value.removeprefix("Bearer ")
    raise UnauthenticatedError("no_token", "authorization: a bearer token is needed")


def _request_of(context: Any) -> str:
    """Return the id of a request: the caller's, if it is one, else a new one."""
    for key, value in context.invocation_metadata() or ():
        if key == REQUEST_KEY and isinstance(value, str) and logs.REQUEST.fullmatch(value):
            return value
    return logs.new_request()


def caller() -> Caller:
    """Return who makes the call that is being answered. There is one, unless anybody may make it."""
    return _CALLER.get()


def part() -> Caller | None:
    """Return the part of ours that makes the call that is being answered; None: a player, or anybody."""
    found = _CALLER.get(None)
    return found if found is not None and not found.is_player else None


def metadata(token: str) -> tuple[tuple[str, str], ...]:
    """Return the metadata of a call with a token."""
    return (("authorization", f"Bearer {token}"),)


async def call(method: Callable[..., Any], request: Any, token: str, timeout_seconds: float = 5.0) -> Any:
    """Call another service's unary method and return its answer. What it refuses comes back as the same ServiceError."""
    try:
        return await method(request, timeout=timeout_seconds, metadata=(*metadata(token), *_passed_on()))
    except aio.AioRpcError as error:
        raise from_rpc(error) from None


def _passed_on() -> tuple[tuple[str, str], ...]:
    """Return the metadata that says for which request a call is made."""
    request = logs.request()
    return ((REQUEST_KEY, request),) if request else ()


def from_rpc(error: aio.AioRpcError) -> ServiceError:
    """Return the ServiceError a remote call failed with."""
    kind = _ERRORS.get(error.code(), UnavailableError)
    message = error.details() or ""
    info, retry_seconds = _beside(error)
    if info is None and error.code() is grpc.StatusCode.UNAVAILABLE:
        return UnavailableError(*tls.explained(message))
    if info is None:
        return kind(error.code().name.lower(), message)
    about = {key: value for key, value in info.metadata.items() if key not in {"reason", "message", "retry_seconds"}}
    return kind(info.reason, message, retry_seconds=retry_seconds, **about)


def _beside(error: aio.AioRpcError) -> tuple[error_details_pb2.ErrorInfo | None, float]:
    """Return what stands beside a status: reason and metadata, and after how many seconds to try again."""
    info, retry = error_details_pb2.ErrorInfo(), error_details_pb2.RetryInfo()
    for key, value in error.trailing_metadata() or ():
        if key != DETAILS_KEY or not isinstance(value, bytes):
            continue
        try:
            details = status_pb2.Status.FromString(value).details
            if any(packed.Unpack(info) for packed in details):
                any(packed.Unpack(retry) for packed in details)
                return info, retry.retry_delay.ToMilliseconds() / 1000
        except DecodeError:
            break
    return None, 0.0
