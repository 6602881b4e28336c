"""What each role's user may do at RabbitMQ, and what an administrator makes there beforehand.

Law: table servers publish items and read outcomes, workers read items and publish outcomes, and nobody else has anything to do there.
Rights are regular expressions over the names of queues and exchanges: who may make them, write to them, read from them.

Law: no queue grows without bound, whoever has the password of a role: a full queue of jobs takes no more, so that what stands in it keeps
a good job waiting for seconds at most, and other queues forget their oldest messages. These bounds are policies, which hold for queues that
are there already, too.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from services.kit import bus
from services.kit.roles import Role
from services.kit.server_users import broker_hash

_AMQP: Final = "amqp://"


class BrokerRights(NamedTuple):
    """RabbitMQ's three permissions of a user in a virtual host."""

    configure: str
    write: str
    read: str


BROKER_RIGHTS: Final[Mapping[Role, BrokerRights]] = {
    # A table server makes its own queue of outcomes. To bind it, it needs to write to the queue and to read from the exchange.
    # Both put bad messages among the dead.
    Role.TABLE: BrokerRights(r"^xuezhan\.table\.", r"^xuezhan\.((tasks|dead)$|table\.)", r"^xuezhan\.(events$|table\.)"),
    Role.WORKER: BrokerRights("^$", r"^xuezhan\.(events|dead)$", r"^xuezhan\.settlement$"),
}
"""Roles without an entry have no user."""
_MEBIBYTE: Final = 1 << 20
BOUNDS: Final[Mapping[str, tuple[str, dict[str, Any]]]] = {
    "xuezhan-jobs": (
        rf"^{re.escape(bus.SETTLEMENT_QUEUE)}$",
        {"max-length": 5_000, "max-length-bytes": 256 * _MEBIBYTE, "overflow": "reject-publish"},
    ),
    "xuezhan-dead": (rf"^{re.escape(bus.DEAD_QUEUE)}$", {"max-length-bytes": 256 * _MEBIBYTE}),
    "xuezhan-outcomes": (r"^xuezhan\.table\.", {"max-length-bytes": 64 * _MEBIBYTE}),
}
"""Policies by name: which queues, and what bounds them."""


def definitions(passwords: Mapping[Role, str], prefix: str, vhost: str) -> dict[str, Any]:
    """Return RabbitMQ definitions: users with their rights, the queues and exchanges that they use, and what bounds the queues."""
    queues = (bus.settlement_queue(_AMQP), bus.dead_queue())
    exchanges = {exchange.name: exchange for exchange in (bus.EVENTS, *(queue.exchange for queue in queues))}
    return {
        "vhosts": [{"name": vhost}],
        "users": [
            {
                "name": prefix + role,
                "password_hash": broker_hash(password),
                "hashing_algorithm": "rabbit_password_hashing_sha256",
                "tags": "",
            }
            for role, password in passwords.items()
        ],
        "permissions": [{"user": prefix + role, "vhost": vhost, **BROKER_RIGHTS[role]._asdict()} for role in passwords],
        "exchanges": [
            {"name": name, "vhost": vhost, "type": one.type, "durable": True, "auto_delete": False, "internal": False, "arguments": {}}
            for name, one in exchanges.items()
        ],
        "queues": [
            {"name": queue.name, "vhost": vhost, "durable": True, "auto_delete": False, "arguments": queue.queue_arguments}
            for queue in queues
        ],
        "policies": [
            {"name": name, "vhost": vhost, "pattern": pattern, "apply-to": "queues", "definition": bounds, "priority": 0}
            for name, (pattern, bounds) in BOUNDS.items()
        ],
        "bindings": [
            {
                "source": queue.exchange.name,
                "vhost": vhost,
                "destination": queue.name,
                "destination_type": "queue",
                "routing_key": queue.routing_key,
                "arguments": {},
            }
            for queue in queues
        ],
    }
