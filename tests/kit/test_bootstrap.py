"""A service starts whole or not at all, says whether it serves, and stops in order."""

import asyncio
import os
import signal
import urllib.request
from typing import Any

import pytest
from grpc import aio
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection_pb2, reflection_pb2_grpc

from services.kit import bootstrap, rpc
from services.kit.config import ConfigError
from tests.kit.probe import NAME, Probe, keyring, settings, start
from xuezhan.api.matchmaking.v1 import matchmaking_pb2 as api
from xuezhan.api.matchmaking.v1 import matchmaking_pb2_grpc as stubs


async def health(address: str, service: str = NAME) -> int:
    async with aio.insecure_channel(address) as channel:
        stub: Any = health_pb2_grpc.HealthStub(channel)
        answer = await stub.Check(health_pb2.HealthCheckRequest(service=service), timeout=5)
        return int(answer.status)


async def test_a_started_service_serves_is_healthy_and_exports_its_figures() -> None:
    probe = Probe()
    running = await start(probe)
    try:
        assert probe.address == running.address
        assert await health(running.address) == await health(running.address, "") == health_pb2.HealthCheckResponse.SERVING
        url = f"http://127.0.0.1:{running.metrics_port}/metrics"
        text = await asyncio.to_thread(lambda: urllib.request.urlopen(url, timeout=5).read().decode())
        assert "process_resident_memory_bytes" in text
        assert 'grpc_server_handled_total{grpc_code="OK",grpc_method="Check",grpc_service="grpc.health.v1.Health"} 2.0' in text
    finally:
        await running.stop()


async def test_a_service_is_not_healthy_before_it_has_begun() -> None:
    begins, may_begin = asyncio.Event(), asyncio.Event()

    class Slow(Probe):
        async def begin(self, address: str) -> None:
            await super().begin(address)
            begins.set()
            await may_begin.wait()

    probe = Slow()
    starting = asyncio.create_task(start(probe))
    await begins.wait()
    assert await health(probe.address, "") == health_pb2.HealthCheckResponse.NOT_SERVING
    may_begin.set()
    running = await starting
    assert await health(probe.address, "") == health_pb2.HealthCheckResponse.SERVING
    await running.stop()


async def test_a_service_is_not_healthy_while_something_keeps_it_from_serving() -> None:
    probe = Probe()
    running = await start(probe)
    status = health_pb2.HealthCheckResponse
    changes = (
        (lambda: probe.supervisor.fault("broker", "403"), status.NOT_SERVING),
        (lambda: probe.supervisor.well("broker"), status.SERVING),
    )
    for change, wanted in changes:
        await asyncio.to_thread(change)
        async with asyncio.timeout(10):
            while [await health(running.address), await health(running.address, "")] != [wanted] * 2:  # noqa: ASYNC110 - it is told from another thread
                await asyncio.sleep(0.01)
    await running.stop()


async def test_reflection_lists_the_services_in_development_unless_it_is_turned_off() -> None:
    async def listed(address: str) -> list[str]:
        async with aio.insecure_channel(address) as channel:
            stub: Any = reflection_pb2_grpc.ServerReflectionStub(channel)  # type: ignore[arg-type]
            call = stub.ServerReflectionInfo(timeout=5)
            await call.write(reflection_pb2.ServerReflectionRequest(list_services=""))
            await call.done_writing()
            return [service.name async for answer in call for service in answer.list_services_response.service]

    running = await start(Probe())
    assert set(await listed(running.address)) == {
        NAME,
        "xuezhan.api.keys.v1.KeyService",
        "xuezhan.api.part.v1.PartService",
        "grpc.health.v1.Health",
        "grpc.reflection.v1alpha.ServerReflection",
    }
    await running.stop()
    running = await start(Probe(), reflection=False)
    with pytest.raises(aio.AioRpcError):
        await listed(running.address)
    await running.stop()
    assert not settings(development=False).reflects
    assert settings(development=False, reflection=True).reflects


async def test_stopping_drains_first_so_that_streams_end_by_themselves_and_closes_last() -> None:
    probe = Probe()
    running = await start(probe)
    async with aio.insecure_channel(running.address) as channel:
        stub: Any = stubs.MatchmakingServiceStub(channel)
        call = stub.WatchTicket(api.WatchTicketRequest(), metadata=rpc.metadata(keyring().player("anna")))
        await call.read()
        async with asyncio.timeout(bootstrap.STOP_GRACE_SECONDS - 0.2):
            await running.stop()
        assert await call.read() is aio.EOF
    assert probe.log == ["begin", "drain", "stream over", "end"]


async def test_a_port_that_is_taken_is_an_error_that_names_it_and_leaves_nothing_running() -> None:
    first = await start(Probe())
    try:
        port = int(first.address.rpartition(":")[2])
        probe = Probe()
        with pytest.raises(ConfigError, match=rf"^port: matchmaking cannot listen on 127\.0\.0\.1:{port}"):
            await start(probe, port=port)
        assert probe.log == ["end"]
        with pytest.raises(ConfigError, match=r"^metrics_port: "):
            await start(Probe(), metrics_port=first.metrics_port)
    finally:
        await first.stop()


async def test_a_service_that_cannot_begin_is_ended_and_its_port_is_free_again() -> None:
    running = await start(Probe())
    port = int(running.address.rpartition(":")[2])
    await running.stop()
    failing = Probe(fails="begin")
    with pytest.raises(RuntimeError, match="begin"):
        await start(failing, port=port)
    assert failing.log == ["begin", "end"]
    running = await start(Probe(), port=port)
    await running.stop()


async def test_others_are_told_the_advertised_address() -> None:
    probe = Probe()
    running = await start(probe, advertise="table-1:7200")
    await running.stop()
    assert probe.address == "table-1:7200"


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
async def test_a_signal_stops_a_service_in_order(number: signal.Signals) -> None:
    probe = Probe()

    async def build(_settings: Any, _registry: Any, supervisor: Any) -> Probe:
        probe.supervisor = supervisor
        return probe

    before = signal.getsignal(number)
    serving = asyncio.create_task(bootstrap.serve("matchmaking", settings(), build))
    async with asyncio.timeout(5):
        while signal.getsignal(number) is before:  # noqa: ASYNC110 - nothing tells of it
            await asyncio.sleep(0.01)
    os.kill(os.getpid(), number)
    async with asyncio.timeout(5):
        await serving
    assert probe.log == ["begin", "drain", "end"]
