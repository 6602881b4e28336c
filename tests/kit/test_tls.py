"""Every port speaks TLS with the certificate that the settings name, also after it was renewed; who cannot connect is told what to do."""

from __future__ import annotations

import asyncio
import ssl
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import AsyncIterator
from contextlib import aclosing
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from grpc import StatusCode, aio

from services.kit import rpc, sieve, tls
from services.kit.config import ConfigError, TlsSettings
from services.kit.errors import UnavailableError
from tests.kit.probe import Probe, keyring, start
from tests.support.certificates import Authority, Pair
from xuezhan.api.matchmaking.v1 import matchmaking_pb2 as api
from xuezhan.api.matchmaking.v1.matchmaking_pb2_grpc import MatchmakingServiceStub
from xuezhan.client import Client, ClientError

ALONE = (("grpc.use_local_subchannel_pool", 1),)


@pytest.fixture
def authority(tmp_path: Path) -> Authority:
    return Authority(tmp_path)


def with_tls(pair: Pair) -> dict[str, Any]:
    return {"tls_certificate_file": pair.certificate, "tls_key_file": pair.key}


async def ask(address: str, ca: Path | None) -> None:
    """Call a part as another part does."""
    channel = tls.connector(ca)(address, ALONE)
    try:
        await rpc.call(MatchmakingServiceStub(channel).ListRooms, api.ListRoomsRequest(), keyring().player("anna"))
    finally:
        await channel.close()


async def ask_as_client(address: str, ca: Path | None) -> None:
    """Call a part as a player's program does."""
    async with Client(matchmaking=address, patience_seconds=0, ca=ca or "") as client:
        await client.tickets.rooms(keyring().player("anna"))


def scrape(port: int, ca: Path | None) -> str:
    scheme = "http" if ca is None else "https"
    context = None if ca is None else ssl.create_default_context(cafile=str(ca))
    with urllib.request.urlopen(f"{scheme}://127.0.0.1:{port}/metrics", timeout=5, context=context) as answer:
        text: str = answer.read().decode()
        return text


@pytest.fixture
async def stream() -> AsyncIterator[list[Any]]:
    """Calls that a test leaves open, ended after it."""
    calls: list[Any] = []
    yield calls
    for call in calls:
        call.cancel()


async def test_with_a_certificate_both_ports_speak_tls_and_nothing_else(authority: Authority) -> None:
    running = await start(Probe(), **with_tls(authority.issue()))
    try:
        await ask(running.address, authority.file)
        await ask_as_client(running.address, authority.file)
        text = await asyncio.to_thread(scrape, running.metrics_port, authority.file)
        assert "xuezhan_part_certificate_expires_timestamp_seconds" in text
        with pytest.raises(OSError, match=r"."):
            await asyncio.to_thread(scrape, running.metrics_port, None)
        with pytest.raises(UnavailableError):
            await ask(running.address, None)
    finally:
        await running.stop()


async def test_a_renewed_certificate_is_shown_to_who_connects_next_and_open_streams_go_on(authority: Authority, stream: list[Any]) -> None:
    pair = authority.issue()
    probe = Probe()
    running = await start(probe, **with_tls(pair))
    channel = tls.connector(authority.file)(running.address, ALONE)
    try:
        call: Any = MatchmakingServiceStub(channel).WatchTicket(api.WatchTicketRequest(), metadata=rpc.metadata(keyring().player("anna")))
        stream.append(call)
        assert await call.read() == api.WatchTicketResponse()
        other = Authority(authority.file.parent, "other")
        other.issue("server")
        await ask(running.address, other.file)
        assert "process_start" in await asyncio.to_thread(scrape, running.metrics_port, other.file)
        with pytest.raises(UnavailableError, match="not signed by the CA"):
            await ask(running.address, authority.file)
        probe.drained.set()
        assert await call.read() == aio.EOF
        assert await call.code() == StatusCode.OK
    finally:
        await channel.close()
        await running.stop()


@pytest.mark.parametrize("spoil", ["key", "certificate", "missing"])
async def test_files_that_cannot_be_used_leave_the_certificate_before_in_its_place_until_they_can(authority: Authority, spoil: str) -> None:
    pair = authority.issue()
    running = await start(Probe(), **with_tls(pair))
    try:
        if spoil == "missing":
            pair.key.unlink()
        else:
            pair._asdict()[spoil].write_text("no PEM")
        await ask(running.address, authority.file)
        assert await asyncio.to_thread(scrape, running.metrics_port, authority.file)
        other = Authority(authority.file.parent, "other")
        other.issue("server")
        await ask(running.address, other.file)
    finally:
        await running.stop()


async def test_a_peer_that_connects_to_the_metrics_and_says_nothing_keeps_no_scrape_waiting(authority: Authority) -> None:
    running = await start(Probe(), **with_tls(authority.issue()))
    silent = [await asyncio.open_connection("127.0.0.1", running.metrics_port) for _ in range(20)]
    try:
        async with asyncio.timeout(5):
            assert await asyncio.to_thread(scrape, running.metrics_port, authority.file)
    finally:
        for _, writer in silent:
            writer.close()
        await running.stop()


async def test_a_certificate_that_cannot_be_used_fails_no_call_that_another_address_answers(tmp_path: Path) -> None:
    authority, stranger = Authority(tmp_path), Authority(tmp_path, "stranger")
    bad = await start(Probe(), **with_tls(stranger.issue("bad")))
    good = await start(Probe(), **with_tls(authority.issue("good")))
    token = keyring().player("anna")
    try:
        await ask_as_client(f"{bad.address},{good.address}", authority.file)
        async with (
            asyncio.timeout(10),
            Client(f"{bad.address},{good.address}", patience_seconds=0, ca=authority.file) as client,
            aclosing(client.tickets.follow(token, "ticket")) as changes,
        ):
            await anext(changes)
        for addresses in (bad.address, f"{bad.address},{bad.address}"):
            with pytest.raises(ClientError, match=f"tls: {bad.address}"):
                await ask_as_client(addresses, authority.file)
    finally:
        await bad.stop()
        await good.stop()


FAULTS = [
    ("wrong CA", "its certificate is not signed by the CA in "),
    ("expired", "its certificate has expired: "),
    ("too early", "its certificate is not valid yet: compare the clocks of both machines"),
    ("other host", "its certificate is not for this host name: use a name that the certificate has"),
    ("no TLS there", "it does not speak TLS: "),
    ("no TLS here", "it hung up at once: if it speaks TLS, "),
]


async def _arrange(authority: Authority, case: str) -> tuple[Any, Path | None, str]:
    """Start a part and return it, the CA to ask it with, and its address."""
    ways: dict[str, dict[str, Any]] = {"too early": {"begins": timedelta(days=1)}, "other host": {"hosts": ["elsewhere.example"]}}
    pair = authority.issue(**ways.get(case, {}))
    running = await start(Probe(), **({} if case == "no TLS there" else with_tls(pair)))
    ca: Path | None = authority.file
    if case == "expired":
        # It would not start with it, and would not take it over: it is as if it had grown old in use.
        authority.issue(ends=timedelta(days=-1))
    if case == "wrong CA":
        ca = Authority(authority.file.parent, "other").file
    if case == "no TLS here":
        ca = None
    return running, ca, running.address


@pytest.mark.parametrize(("case", "says"), FAULTS, ids=[case for case, _ in FAULTS])
async def test_who_cannot_connect_is_told_where_what_is_wrong_and_what_to_do(
    authority: Authority, monkeypatch: pytest.MonkeyPatch, case: str, says: str
) -> None:
    if case == "expired":
        monkeypatch.setattr(tls, "_check", lambda *_: 0.0)
    running, ca, address = await _arrange(authority, case)
    try:
        with pytest.raises(UnavailableError) as of_part:
            await ask(address, ca)
        with pytest.raises(ClientError) as of_client:
            await ask_as_client(address, ca)
    finally:
        await running.stop()
    assert of_part.value.message.startswith(f"{address}: {says}")
    assert of_client.value.message.startswith(f"{address}: {says}")
    # A server that is only stopping hangs up, too; all else does not mend by waiting.
    assert of_client.value.passing == (case == "no TLS here")
    assert of_part.value.reason == ("unavailable" if case == "no TLS here" else "tls")


def test_a_certificate_without_its_key_is_no_configuration(authority: Authority) -> None:
    pair = authority.issue()
    for name, other in (("tls_certificate_file", "tls_key_file"), ("tls_key_file", "tls_certificate_file")):
        with pytest.raises(ValueError, match=f"{other}: it is not set"):
            TlsSettings(**{name: with_tls(pair)[name]})


def test_files_that_cannot_be_used_end_the_start_with_the_setting_and_the_file(authority: Authority, tmp_path: Path) -> None:
    pair, other, old = authority.issue(), authority.issue("other"), authority.issue("old", ends=timedelta(days=-1))
    text, nowhere = tmp_path / "text", tmp_path / "nowhere"
    text.write_text("no PEM")
    for certificate, key, says in (
        (text, pair.key, f"tls_certificate_file: {text} holds no certificate"),
        (nowhere, pair.key, f"tls_certificate_file: {nowhere}: No such file"),
        (pair.certificate, text, f"tls_key_file: {text} holds no private key"),
        (pair.certificate, nowhere, f"tls_key_file: {nowhere}: No such file"),
        (pair.certificate, other.key, f"tls_key_file: {other.key} is not the key of the first certificate in {pair.certificate}"),
        (old.certificate, old.key, f"tls_certificate_file: the certificate in {old.certificate} expired at "),
    ):
        with pytest.raises(ConfigError) as caught:
            tls.ServerTls(certificate, key)
        assert str(caught.value).startswith(says)
    for ca, says in ((text, f"{text} holds no certificate (PEM)"), (nowhere, f"{nowhere}: No such file or directory")):
        with pytest.raises(ConfigError, match="ca_file: ") as caught:
            tls.connector(ca)
        assert str(caught.value) == f"ca_file: {says}"
        with pytest.raises(ClientError) as told:
            Client(ca=ca)
        assert str(told.value) == f"ca_file: {says}"


async def test_a_client_takes_the_ca_from_the_environment_unless_it_is_told_otherwise(
    authority: Authority, monkeypatch: pytest.MonkeyPatch
) -> None:
    running = await start(Probe(), **with_tls(authority.issue()))
    monkeypatch.setenv("XUEZHAN_CA_FILE", str(authority.file))
    try:
        async with Client(matchmaking=running.address, patience_seconds=0) as client:
            await client.tickets.rooms(keyring().player("anna"))
        async with Client(matchmaking=running.address, patience_seconds=0, ca="") as client:
            with pytest.raises(ClientError, match="hung_up"):
                await client.tickets.rooms(keyring().player("anna"))
    finally:
        await running.stop()


@pytest.mark.skipif(not sieve.available(), reason="only Linux keeps addresses out")
async def test_whoever_breaks_handshakes_off_all_the_time_is_kept_out_and_others_are_answered(authority: Authority) -> None:
    running = await start(Probe(), **with_tls(authority.issue()))
    flood = [sys.executable, "-m", "tests.support.flood", running.address, "greetings", "--source", "127.0.0.2", "--connections", "50"]
    process = await asyncio.create_subprocess_exec(*flood, "--seconds", "60", stdout=subprocess.PIPE)
    try:
        async with asyncio.timeout(40):
            # It happens in the system.
            while 'limit="kept_out"' not in await asyncio.to_thread(scrape, running.metrics_port, authority.file):  # noqa: ASYNC110
                await asyncio.sleep(0.05)
        await ask(running.address, authority.file)
    finally:
        process.terminate()
        await process.communicate()
        await running.stop()
