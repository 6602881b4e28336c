"""Structured logs: one JSON object a line on standard error (or plain text on a terminal), with table, hand and match ids.

Law: a log never holds a tile that is not public, a seed, a token or a secret.
"""

from __future__ import annotations

import logging
import sys
from typing import Any

import structlog

from services.kit.urls import without_passwords

_FORBIDDEN = frozenset({"token", "seed", "tiles", "wall", "secret", "password", "authorization", "concealed"})


def configure(level: str = "info", *, json_lines: bool | None = None) -> None:
    """Set logging up for the process. `json_lines` None: JSON unless standard error is a terminal."""
    if json_lines is None:
        json_lines = not sys.stderr.isatty()
    shared: list[Any] = [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        _drop_secrets,
    ]
    structlog.configure(
        processors=[*shared, structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
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


def _drop_secrets(_logger: Any, _method: str, event: dict[str, Any]) -> dict[str, Any]:
    """Drop fields that must never be logged, whoever adds them."""
    for key in _FORBIDDEN & event.keys():
        event[key] = "(withheld)"
    return event


def _without_passwords(_logger: Any, _method: str, line: Any) -> str:
    """Leave the passwords of URLs out of a finished line, whoever's words it repeats."""
    return without_passwords(str(line))
