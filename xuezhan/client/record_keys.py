"""The keys with which an installation signs its statements and hand records, as a client knows them.

By default they are what the table server answers to GetKeys: enough to notice a server that contradicts itself. Who wants to prove
something later keeps the keys, or is given them by the studio (`given`), and then believes no others.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Iterable
from typing import Final

from xuezhan.api.keys.v1 import keys_pb2
from xuezhan.api.keys.v1.keys_pb2_grpc import KeyServiceStub
from xuezhan.api.table.v1 import table_pb2 as pb
from xuezhan.client.channels import AnyOf, Channels
from xuezhan.client.errors import ClientError
from xuezhan.client.signed import PublicKey, keys_in

RECORD: Final = "record"
"""What GetKeys calls the keys of statements and records."""
_ASKS: Final = 5
"""How often a server is asked for one key before it is said to have none."""
_ASK_AGAIN_SECONDS: Final = 1.0
_JUDGED: Final = 512
_WAITING: Final = 10_000

Judge = Callable[[bool], None]
"""Told whether a statement is signed by a record key of the installation."""


class RecordKeys:
    """Judges statements. `installation` is "" until it is known."""

    def __init__(
        self, channels: Channels, given: Iterable[bytes] = (), installation: str = "", others: Callable[[], Iterable[str]] = tuple
    ) -> None:
        """`given`: PEM texts. `installation`: the only one whose keys count. `others`: servers to ask when the one that showed a statement
        does not answer: all of them have the same keys. ValueError for what is no public key.
        """
        self.installation = installation
        self.unchecked = 0
        """Statements whose keys no server could be asked for."""
        self._channels = channels
        self._others = others
        self._keys: dict[str, PublicKey] = {key.key_id: key for pem in given for key in keys_in(pem)}
        self._pinned = bool(self._keys)
        self._judged: OrderedDict[tuple[str, bytes, str], bool] = OrderedDict()
        self._waiting: dict[str, list[tuple[pb.Signed, Judge]]] = {}
        self._tasks: set[asyncio.Task[None]] = set()

    def judge(self, address: str, signed: pb.Signed, judge: Judge) -> None:
        """Tell `judge` about a statement that was shown by the server at `address`, at once or when that has said its keys."""
        if signed.key_id in self._keys or self._pinned:
            judge(self._holds(signed))
            return
        waiting = self._waiting.get(address)
        if waiting is None:
            waiting = self._waiting[address] = []
            task = asyncio.create_task(self._ask(address), name="record-keys")
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)
        if len(waiting) < _WAITING:
            waiting.append((signed, judge))
        else:
            self.unchecked += 1

    async def close(self) -> None:
        """Ask nobody any more."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        self.unchecked += sum(map(len, self._waiting.values()))
        self._waiting.clear()

    def _holds(self, signed: pb.Signed) -> bool:
        key = self._keys.get(signed.key_id)
        if key is None:
            return False
        name = (signed.key_id, signed.signature, signed.statement)
        # Shown to every seat of a program, and worth one look.
        if name not in self._judged:
            if len(self._judged) >= _JUDGED:
                self._judged.popitem(last=False)
            self._judged[name] = key.verifies(signed.statement.encode(), signed.signature)
        return self._judged[name]

    async def _ask(self, address: str) -> None:
        """Ask a server for its keys until it has named all that are waited for. No failure to get keys accuses anybody."""
        addresses = ",".join(dict.fromkeys((address, *self._others())))
        servers = AnyOf(self._channels, KeyServiceStub, addresses, elsewhere=lambda _error: True)
        for asked in range(_ASKS):
            if asked:
                # A server reads its keys again when they change: another may sign with a new one a little earlier.
                await asyncio.sleep(_ASK_AGAIN_SECONDS)
            try:
                answer = await self._channels.call(servers.call("GetKeys"), keys_pb2.GetKeysRequest(), "")
            except ClientError:
                self.unchecked += len(self._waiting.pop(address))
                return
            self._learn(answer)
            self._answer(address, last=False)
            if not self._waiting[address]:
                break
        self._answer(address, last=True)
        del self._waiting[address]

    def _learn(self, answer: keys_pb2.GetKeysResponse) -> None:
        self.installation = self.installation or answer.installation
        if answer.installation != self.installation:
            return
        for one in answer.keys:
            if one.name == RECORD:
                try:
                    self._keys.update({key.key_id: key for key in keys_in(one.pem.encode())})
                except ValueError:
                    continue

    def _answer(self, address: str, *, last: bool) -> None:
        waiting, self._waiting[address] = self._waiting[address], []
        for signed, judge in waiting:
            if last or signed.key_id in self._keys:
                judge(self._holds(signed))
            else:
                self._waiting[address].append((signed, judge))
