"""Structured logs: one JSON object a line on standard error (or plain text on a terminal).

Every line says which `service` wrote it (role and process). Where there is one it has the `request` that it was written for, the `match`
(the table's id), the `hand` and the `player`.

Law: a log never holds a tile that is not public, a seed, a token or a secret.
"""

from __future__ import annotations

import logging
import re
import secrets
import sys
from typing import Any, Final

import structlog
from structlog.contextvars import bind_contextvars, bound_contextvars, get_contextvars

from services.kit.urls import without_passwords

REQUEST: Final = re.compile(r"[A-Za-z0-9_-]{1,64}")
"""The form of a request's id. A token has another one: it must not be logged as an id."""

_FORBIDDEN = frozenset({"token", "seed", "tiles", "wall", "secret", "password", "authorization", "concealed"})


# Until `configure` is called: warnings go to standard error. structlog's own default is standard output, which commands write answers to.
structlog.configure(logger_factory=structlog.stdlib.LoggerFactory(), wrapper_class=structlog.stdlib.BoundLogger)


def configure(level: str = "info", *, json_lines: bool | None = None, service: str = "xuezhan") -> None:
    """Set logging up for the process. `json_lines` None: JSON unless standard error is a terminal.

    `service` is on every line that no part of the process has put its own on.
    """
    if json_lines is None:
        json_lines = not sys.stderr.isatty()
    shared: list[Any] = [
        structlog.contextvars.merge_contextvars,
        _Service(service),
        structlog.stdlib.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        _drop_secrets,
    ]
    structlog.configure(
        # First, so that a line nobody wants costs next to nothing.
        processors=[structlog.stdlib.filter_by_level, *shared, structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
        cache_logger_on_first_use=True,
    )
    renderer: Any = structlog.processors.JSONRenderer() if json_lines else structlog.dev.ConsoleRenderer()
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=shared,
            processors=[
                structlog.stdlib.ProcessorFormatter.remove_processors_meta,
                structlog.processors.format_exc_info,
                renderer,
                _without_passwords,
            ],
        )
    )
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(level.upper())
    for noisy in ("alembic", "celery", "kombu", "amqp", "grpc"):
        logging.getLogger(noisy).setLevel(max(logging.WARNING, root.level))


def get(name: str) -> Any:
    """Return the logger of a module."""
    return structlog.stdlib.get_logger(name)


def of_service(role: str, name: str) -> Any:
    """Return a context: lines written in it, and by threads and tasks that begin in it, are of this service."""
    return bound_contextvars(service=f"{role}/{name}")


def bind(**ids: str) -> None:
    """Put ids on every further line of this task."""
    bind_contextvars(**ids)


def new_request() -> str:
    """Return an id for a request that has none."""
    return secrets.token_hex(8)


def request() -> str:
    """Return the id of the request that this task works on; empty: none."""
    return str(get_contextvars().get("request", ""))


class _Service:
    """Names the service on lines that do not name it yet: those of libraries, and of the process as a whole."""

    def __init__(self, service: str) -> None:
        self._service = service

    def __call__(self, _logger: Any, _method: str, event: dict[str, Any]) -> dict[str, Any]:
        event.setdefault("service", self._service)
        return event


def _drop_secrets(_logger: Any, _method: str, event: dict[str, Any]) -> dict[str, Any]:
    """Drop fields that must never be logged, whoever adds them."""
    for key in _FORBIDDEN & event.keys():
        event[key] = "(withheld)"
    return event


def _without_passwords(_logger: Any, _method: str, line: Any) -> str:
    """Leave the passwords of URLs out of a finished line, whoever's words it repeats."""
    return without_passwords(str(line))
