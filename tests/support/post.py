"""What tables, workers and strangers send each other in tests: keys of a small installation, and an ear for what a table server is told."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from pydantic import BaseModel

from services.kit import broker, bus, items
from services.kit.items import Item, TableOutcome
from services.kit.letterbox import Letterbox, body_of
from services.kit.listener import Listener
from services.kit.messages import Author, Reader
from services.kit.publisher import Publisher
from services.kit.roles import Role
from services.kit.signing import SigningKey
from services.kit.supervise import Supervisor
from services.kit.trust import Trust, TrustedKey
from tests.support.keyring import Keyring
from tests.support.process import wait_until

SECONDS = 60


def an_item(table: str, seq: int, body: BaseModel) -> Item:
    """An item as its table makes it."""
    return Item(table=table, seq=seq, body=items.canonical(body))


@dataclass
class Post:
    """Who signs, and whom everybody believes."""

    keys: dict[Role, SigningKey] = field(default_factory=lambda: {role: SigningKey.generate() for role in Role})
    installation: str = "00112233445566aa"

    @classmethod
    def of(cls, keyring: Keyring) -> Post:
        """With the keys of a folder."""
        return cls({role: keyring.of(role).key for role in Role}, keyring.of(Role.TABLE).installation)

    @property
    def trust(self) -> Trust:
        keys = [TrustedKey(name=role.value, role=role, public=key.public.raw.hex()) for role, key in self.keys.items()]
        return Trust(installation=self.installation, keys=tuple(keys))

    def author(self, role: Role, name: str) -> Author:
        return Author(self.keys[role], self.installation, name)

    def items(self, *sent: Item, server: str = "server-1") -> bytes:
        """A message of a table server."""
        return self.author(Role.TABLE, server).items(sent)

    def signed(self, role: Role, text: str) -> bytes:
        """A message of any text, signed by a role."""
        key = self.keys[role]
        return json.dumps({"key_id": key.key_id, "signature": key.sign(text.encode()).hex(), "text": text}).encode()

    def outcomes(self, to: str, *tables: TableOutcome) -> bytes:
        """A message of a worker."""
        [message] = self.author(Role.WORKER, "worker-1").outcomes(to, tables)
        return message


class Ear:
    """A table server that hears outcomes, as a real one does."""

    def __init__(self, url: str, post: Post, server: str = "server-1", supervisor: Supervisor | None = None) -> None:
        self.heard: list[TableOutcome] = []
        self.post = post
        self.publisher = Publisher(url)
        self.letterbox = Letterbox("outcomes", Reader(post.trust, server).outcomes, self.publisher)
        queue, supervisor = bus.outcome_queue(server), supervisor or Supervisor()
        self.listener = Listener(url, queue, self._receive, supervisor, "outcomes", idle=self.letterbox.put_away)
        self.listener.start()

    def _receive(self, message: Any) -> None:
        text = self.letterbox.read(message)
        if text is not None:
            self.heard.extend(text.tables)
            message.ack()

    def through(self, table: str) -> int:
        return max((outcome.through for outcome in self.heard if outcome.table == table), default=0)

    def wait(self, table: str, seq: int, *, seconds: float = SECONDS) -> None:
        wait_until(lambda: self.through(table) >= seq, seconds=seconds, what=f"item {seq} of {table} settled")

    def stop(self) -> None:
        self.listener.stop()
        self.publisher.close()


@dataclass(frozen=True)
class Dead:
    """A message in the dead queue."""

    body: bytes
    headers: dict[str, Any]


def dead_letters(url: str, count: int, *, seconds: float = 20) -> list[Dead]:
    """Take `count` messages out of the dead queue, in order."""
    found: list[Dead] = []
    with bus.connect(url) as connection:
        broker.make(connection, bus.dead_queue())
        queue = bus.dead_queue()(connection.channel())

        def one_more() -> bool:
            message = queue.get(no_ack=True)
            if message is not None:
                found.append(Dead(body_of(message), dict(message.headers)))
            return len(found) >= count

        wait_until(one_more, seconds=seconds, what=f"{count} dead letters")
    return found


def reasons(letters: Sequence[Dead]) -> list[str]:
    """Why each was put away; for those of the broker itself, its own word."""
    return [letter.headers.get("reason") or letter.headers["x-death"][0]["reason"] for letter in letters]
