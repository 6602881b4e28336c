"""The id of a request: from the caller or made, on every line that is written for it, and passed on to other parts."""

import re
from collections.abc import AsyncIterator
from typing import Any

import pytest
import structlog
from grpc import aio
from structlog.contextvars import merge_contextvars

from services.kit import rpc
from services.kit.powers import Who
from tests.kit.edged import Edged, raising
from tests.support.keyring import Keyring
from xuezhan.api.matchmaking.v1 import matchmaking_pb2 as api


@pytest.fixture(scope="module")
def keys(tmp_path_factory: pytest.TempPathFactory) -> Keyring:
    return Keyring(tmp_path_factory.mktemp("installation") / "secrets")


@pytest.fixture
async def edged(keys: Keyring, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Edged]:
    async with Edged(keys, monkeypatch) as edged:
        yield edged


class Lines(list[Any]):
    """What structlog is given to log, ids of the context included."""

    def __call__(self, _logger: Any, _method: str, event: Any) -> Any:
        self.append(merge_contextvars(None, "", dict(event)))
        raise structlog.DropEvent


@pytest.fixture
def lines(monkeypatch: pytest.MonkeyPatch) -> Lines:
    lines = Lines()
    monkeypatch.setattr(rpc, "log", structlog.wrap_logger(None, processors=[lines]))
    return lines


def logging_then(act: Any) -> Any:
    """A handler that logs a line, then does what it is told."""

    async def logs_and_acts(context: Any) -> Any:
        rpc.log.info("here")
        return await act(context)

    return logs_and_acts


async def answers(_context: Any) -> Any:
    return api.ListRoomsResponse()


@pytest.mark.parametrize("given", ["order-4711", "A_b-9", "x" * 64])
async def test_lines_of_a_call_have_the_id_that_its_caller_gave_the_request(edged: Edged, lines: Lines, given: str) -> None:
    edged.echo.act = logging_then(raising(ZeroDivisionError()))
    with pytest.raises(aio.AioRpcError):
        await edged.stub.ListRooms(api.ListRoomsRequest(), metadata=(("x-request-id", given),))
    assert [(line["event"], line["request"]) for line in lines] == [("here", given), ("rpc_failed", given)]


@pytest.mark.parametrize("given", ["", "x" * 65, "a b", "eyJhbGciOi.eyJzdWIi.c2ln", "a;b"])
async def test_an_id_that_is_none_is_replaced(edged: Edged, lines: Lines, given: str) -> None:
    edged.echo.act = logging_then(answers)
    for _ in range(2):
        await edged.stub.ListRooms(api.ListRoomsRequest(), metadata=(("x-request-id", given),))
    first, second = (line["request"] for line in lines)
    assert given not in {first, second}
    assert first != second
    assert re.fullmatch("[0-9a-f]{16}", first)


async def test_a_call_to_another_part_is_the_same_request(edged: Edged, lines: Lines) -> None:
    """Here the other part is the same server."""

    async def asks(_context: Any) -> Any:
        return await edged.unary(logging_then(answers))

    edged.echo.act = logging_then(asks)
    await edged.stub.ListRooms(api.ListRoomsRequest())
    assert len(lines) == 2
    assert lines[0]["request"] == lines[1]["request"]


async def test_lines_of_a_call_with_a_players_token_are_about_that_player(edged: Edged, lines: Lines) -> None:
    edged.let(ListRooms=Who(players=True), WatchTicket=Who(anybody=True))
    await edged.unary(logging_then(answers), token=edged.keys.player("alice"))
    assert [line["player"] for line in lines] == ["alice"]
