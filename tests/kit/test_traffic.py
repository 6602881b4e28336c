"""What comes over connections beside calls is bounded, and the messages of calls do not count."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys

import pytest

from services.kit import sieve, traffic
from services.kit.peers import End, address_of
from services.kit.traffic import Traffic
from tests.kit.test_connections import OTHER, answers, scrape, serving

NAME = "ipv4:192.0.2.1:4000"
MUCH = 3 * traffic._AHEAD_BYTES


def end(port: int = 4000, host: str = "192.0.2.1") -> End:
    address = address_of(host)
    assert address is not None
    return End(address, port)


def test_a_peer_that_sends_much_beside_calls_loses_the_connections_it_sends_it_over() -> None:
    one = Traffic()
    first = {end(): 0, end(4001): 0, end(4000, "192.0.2.2"): 0}
    assert one.beyond(100, first) == set()
    assert one.beyond(101, {**first, end(): MUCH}) == {end()}
    assert one.beyond(102, {**first, end(): MUCH}) == set(), "it sends no more"
    assert one.beyond(103, {**first, end(): MUCH, end(4001): MUCH}) == {end(4001)}


def test_connections_of_a_peer_count_together() -> None:
    one = Traffic()
    ends = [end(port) for port in range(4000, 4100)]
    assert one.beyond(100, dict.fromkeys(ends, 0)) == set()
    assert one.beyond(101, dict.fromkeys(ends, MUCH // 100)) == set(ends)


def test_a_peer_may_send_some_bytes_all_the_time() -> None:
    one = Traffic()
    assert not any(one.beyond(second, {end(): second * traffic._BYTES_A_SECOND}) for second in range(1000))


def test_messages_of_calls_do_not_count_and_nothing_that_a_part_of_ours_sends() -> None:
    one = Traffic()
    for number in range(1, 50):
        one.call(NAME)
        one.message(NAME, MUCH)
        assert one.beyond(number / 10, {end(): number * MUCH}) == set()
    one.part(NAME)
    assert one.beyond(6, {end(): 99 * MUCH}) == set()
    assert one.beyond(7, {end(): 199 * MUCH}) == set()
    assert one.beyond(8, {}) == set()
    one.beyond(9, {end(): 0})
    assert one.beyond(10, {end(): MUCH}) == {end()}, "another connection that has the same port"


def test_a_part_whose_first_call_came_while_connections_were_looked_at_is_a_part_all_the_same() -> None:
    """A stream says only at its beginning who holds it, and may last for days."""
    one = Traffic()
    assert one.beyond(1, {}) == set()
    one.part(NAME)
    assert one.beyond(2, {}) == set(), "the look began before it came"
    assert one.beyond(3, {end(): 0}) == set()
    assert one.beyond(4, {end(): MUCH}) == set()


@pytest.mark.skipif(not sieve.available(), reason="only Linux counts bytes and keeps addresses out")
@pytest.mark.parametrize("kind", ["resets", "pings"])
async def test_whoever_floods_with_what_gRPC_tells_nobody_of_is_kept_out_and_others_are_answered(kind: str) -> None:  # noqa: N802
    async with serving() as (running, port):
        flood = [sys.executable, "-m", "tests.support.flood", f"127.0.0.1:{port}", kind, "--source", OTHER, "--seconds", "60"]
        process = await asyncio.create_subprocess_exec(*flood, stdout=subprocess.PIPE)
        try:
            async with asyncio.timeout(40):
                # It happens in the system.
                while 'limit="kept_out"' not in await asyncio.to_thread(scrape, running.metrics_port):  # noqa: ASYNC110
                    await asyncio.sleep(0.05)
            assert await answers(port)
        finally:
            process.terminate()
            told = json.loads((await process.communicate())[0])
        assert told["connections"] >= 10
