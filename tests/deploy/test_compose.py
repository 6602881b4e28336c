"""The compose file: each part has its own folder, user and certificate, and nothing that is another's; every word in it means something."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml
from cryptography.x509 import DNSName, SubjectAlternativeName, load_pem_x509_certificate

from deploy.image import healthy
from services.kit import keys, tls
from services.kit.bootstrap import STOP_GRACE_SECONDS
from services.kit.config import ServiceSettings
from services.kit.roles import Role
from services.matchmaking.config import Settings as MatchmakingSettings
from services.settlement.config import Settings as SettlementSettings
from services.settlement.config import WorkerSettings
from services.table.config import TableSettings
from tests.cli.command import XUEZHAN, here
from tests.support.source import ROOT

DEPLOY = ROOT / "deploy"
PARTS: dict[str, type[ServiceSettings]] = {
    "matchmaking": MatchmakingSettings,
    "table": TableSettings,
    "settlement": SettlementSettings,
    "worker": WorkerSettings,
}
SEVERAL = {"matchmaking": ("matchmaking-1", "matchmaking-2"), "table": ("table-1", "table-2", "table-3")}
SERVICES = {name: part for part in PARTS for name in SEVERAL.get(part, (part,))}
"""The services that are parts, and which part each is."""


@pytest.fixture(scope="module")
def compose() -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load((DEPLOY / "compose.yaml").read_text())
    return found


def mounts(service: Mapping[str, Any]) -> list[tuple[str, bool]]:
    """What a service sees of the volume of keys: (folder or "" for all of it, whether it may only read it)."""
    found = []
    for volume in service.get("volumes", []):
        if isinstance(volume, str):
            if volume.partition(":")[0] == "keys":
                found.append(("", volume.endswith(":ro")))
        elif volume["source"] == "keys":
            assert volume["target"] == "/keys"
            found.append((volume.get("volume", {}).get("subpath", ""), volume.get("read_only", False)))
    return found


def test_each_service_sees_one_folder_of_the_keys_and_cannot_write_to_it(compose: dict[str, Any]) -> None:
    seen = {name: mounts(service) for name, service in compose["services"].items()}
    assert seen.pop("keys") == [("", False)]
    assert seen.pop("database") == [("administrator", True)]
    assert seen.pop("migrate") == [("owner", True)]
    assert (seen.pop("grafana"), seen.pop("node-exporter")) == ([], [])
    assert seen.pop("postgres-exporter") == [("monitor", True)]
    others = {name: [(name, True)] for name in ("postgres", "rabbitmq", "prometheus")}
    assert seen == others | {name: [(part, True)] for name, part in SERVICES.items()}


@pytest.mark.parametrize(("name", "part"), SERVICES.items())
def test_each_part_is_a_command_with_options_and_settings_that_there_are(compose: dict[str, Any], name: str, part: str) -> None:
    service = compose["services"][name]
    command = service["command"]
    assert command[:2] == ["serve", part]
    known = {f"XUEZHAN_{field.upper()}" for field in PARTS[part].model_fields}
    assert set(service["environment"]) <= known
    # It gets as far as looking for its keys.
    ran = here(*command, "--secrets", "/nowhere", "--database-url", "sqlite:///never", "--broker-url", "amqp://nowhere/x")
    assert (ran.status, ran.err) == (2, "xuezhan: secrets folder /nowhere/" + part + ": there is no such folder\n")


def settings_of(made: Path, service: Mapping[str, Any], part: str) -> ServiceSettings:
    """The settings of a service as its process has them, with the folder that was made as its /keys and TABLE_HOST as in the example."""
    host = re.search(r"^TABLE_HOST=(.*)$", (DEPLOY / "env.example").read_text(), re.MULTILINE)
    assert host is not None
    given: dict[str, Any] = {
        name.removeprefix("XUEZHAN_").lower(): re.sub(r"\$\{TABLE_HOST[^}]*\}", host[1], text)
        for name, text in service["environment"].items()
    }
    command = service["command"]
    given |= {option.removeprefix("--").replace("-", "_"): value for option, value in zip(command[2::2], command[3::2], strict=True)}
    return PARTS[part](**{**given, "secrets": made / part, "development": False})


def test_each_table_server_has_a_name_and_a_place_of_its_own_and_all_else_in_common(
    compose: dict[str, Any], made: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clear_environment(monkeypatch)
    servers = [settings_of(made, compose["services"][name], "table") for name in SEVERAL["table"]]
    assert [server.model_dump()["server_name"] for server in servers] == list(SEVERAL["table"])
    assert len({server.advertise for server in servers}) == len(servers)
    assert len({server.database_url for server in servers}) == 1
    same = [server.model_dump(exclude={"server_name", "advertise"}) for server in servers]
    assert same == [same[0]] * len(servers)
    for name, server in zip(SEVERAL["table"], servers, strict=True):
        # It is published where it says that it is.
        outside, inside = compose["services"][name]["ports"][0].split(":")
        assert (server.advertise.rpartition(":")[2], int(inside)) == (outside, server.port)


def test_no_table_server_advertises_an_address_that_is_another_machine_to_others(
    compose: dict[str, Any], made: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clear_environment(monkeypatch)
    for name in SEVERAL["table"]:
        host = settings_of(made, compose["services"][name], "table").advertise.rpartition(":")[0]
        assert host not in {"localhost", "0.0.0.0"}
        assert not host.startswith("127.")


def test_the_matchmaking_replicas_differ_in_nothing_but_the_port_that_is_published(compose: dict[str, Any]) -> None:
    replicas = [compose["services"][name] for name in SEVERAL["matchmaking"]]
    published = [replica["ports"][0].split(":") for replica in replicas]
    assert len({outside for outside, _ in published}) == len(replicas)
    assert [{**replica, "ports": []} for replica in replicas] == [{**replicas[0], "ports": []}] * len(replicas)


def test_no_part_and_no_scrape_names_one_of_several_so_that_one_more_changes_nobodys_configuration(compose: dict[str, Any]) -> None:
    several = {name for names in SEVERAL.values() for name in names}
    for name, service in compose["services"].items():
        elsewhere = {key: value for key, value in service.items() if key != "environment" or name not in several}
        assert not [other for other in several if other in str(elsewhere)], name
        if name in SERVICES:
            environment = {key: value for key, value in service["environment"].items() if key != "XUEZHAN_SERVER_NAME"}
            assert not [other for other in several if other in str(environment)], name
    prometheus = (DEPLOY / "prometheus" / "prometheus.yml").read_text()
    assert not [name for name in several if name in prometheus]
    for part, names in SEVERAL.items():
        for name in names:
            assert compose["services"][name]["networks"] == {"default": {"aliases": [part]}}
    assert compose["services"]["settlement"]["environment"]["XUEZHAN_TABLE_ADDRESSES"] == "table:7200"


def seconds(text: str) -> float:
    assert text.endswith("s")
    return float(text[:-1])


def test_a_part_is_given_the_time_that_it_takes_to_stop(compose: dict[str, Any]) -> None:
    grace = {name: seconds(compose["services"][name]["stop_grace_period"]) for name in SERVICES}
    for name in SEVERAL["table"]:
        # Handing over; then what is under way is stored, calls end, and that again.
        assert grace[name] >= TableSettings.model_fields["drain_seconds"].default + STOP_GRACE_SECONDS + 2 * 5 + 5
    assert grace["worker"] >= WorkerSettings.model_fields["batch_seconds"].default + 10
    dockerfile = (DEPLOY / "image" / "Dockerfile").read_text()
    assert "STOPSIGNAL SIGTERM" in dockerfile


@pytest.mark.parametrize("name", SERVICES)
def test_each_part_is_asked_at_its_own_port_whether_it_serves(compose: dict[str, Any], name: str) -> None:
    service = compose["services"][name]
    check = service["healthcheck"]
    way, option = ("metrics", "--metrics-port") if name == "worker" else ("rpc", "--port")
    port = service["command"][service["command"].index(option) + 1]
    assert check["test"] == ["CMD", "python", "/opt/xuezhan/healthy.py", way, port]
    assert "COPY deploy/image/healthy.py /opt/xuezhan/healthy.py" in (DEPLOY / "image" / "Dockerfile").read_text()
    assert seconds(check["timeout"]) > healthy.SECONDS


def test_every_setting_named_anywhere_in_it_is_one_of_a_part(compose: dict[str, Any]) -> None:
    del compose
    known = {f"XUEZHAN_{field.upper()}" for kind in PARTS.values() for field in kind.model_fields}
    named = set(re.findall(r"\bXUEZHAN_[A-Z_]+", (DEPLOY / "compose.yaml").read_text()))
    assert named - known == set()


def test_every_variable_is_in_the_example_and_no_password_is_in_a_command(compose: dict[str, Any]) -> None:
    text = (DEPLOY / "compose.yaml").read_text()
    asked = set(re.findall(r"(?<!\$)\$\{([A-Z_]+)", text))
    given = set(re.findall(r"^([A-Z_]+)=", (DEPLOY / "env.example").read_text(), re.MULTILINE))
    assert asked == given
    for service in compose["services"].values():
        assert "PASSWORD" not in str([service.get("command"), service.get("entrypoint")])


def test_who_waits_for_whom_ends_with_the_keys(compose: dict[str, Any]) -> None:
    waits = {name: set(service.get("depends_on", {})) for name, service in compose["services"].items()}
    for part in SERVICES:
        before, todo = set[str](), [part]
        while todo:
            for name in waits[todo.pop()] - before:
                before.add(name)
                todo.append(name)
        assert before == {"keys", "postgres", "rabbitmq", "database", "migrate"}


@pytest.fixture(scope="module")
def made(compose: dict[str, Any], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What the job `keys` makes, run twice, with another place for /keys and for who files are given to."""
    folder = tmp_path_factory.mktemp("compose")
    kept = folder / "keys"
    kept.mkdir(mode=0o755)
    bin_folder = folder / "bin"
    bin_folder.mkdir()
    (bin_folder / "chown").write_text(f'#!/bin/sh\necho "$@" >> {folder}/chown\n')
    (bin_folder / "chown").chmod(0o755)
    (bin_folder / "xuezhan").symlink_to(XUEZHAN)
    shell, options, script = compose["services"]["keys"]["entrypoint"]
    script = script.replace("$$", "$").replace("/keys", str(kept))
    clean = {name: value for name, value in os.environ.items() if not name.startswith("XUEZHAN_")}
    env = {**clean, "PATH": f"{bin_folder}:{os.environ['PATH']}", "TABLE_HOST": "play.example.com", "XUEZHAN_DEVELOPMENT": "0"}
    seen = []
    for _ in range(2):
        subprocess.run([shutil.which(shell) or shell, options, script], check=True, env=env, capture_output=True)
        seen.append({path: path.read_bytes() for path in kept.rglob("*") if path.is_file() and path.parent.name != "administrator"})
    broker = kept / "rabbitmq" / "broker.json"
    # Its hashes have a salt each time.
    assert {k: v for k, v in seen[0].items() if k != broker} == {k: v for k, v in seen[1].items() if k != broker}
    return kept


def clear_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in os.environ if name.startswith("XUEZHAN_")]:
        monkeypatch.delenv(name)


@pytest.mark.parametrize("part", PARTS)
def test_a_part_finds_everything_it_needs_in_the_folder_it_sees(made: Path, part: str, monkeypatch: pytest.MonkeyPatch) -> None:
    clear_environment(monkeypatch)
    folder = made / part
    settings = PARTS[part](secrets=folder)
    assert settings.database_url.startswith(f"postgresql://xuezhan_{part}:")
    assert settings.database_url.endswith(f"@postgres/xuezhan?sslmode=verify-full&sslrootcert={folder}/ca.pem")
    if part in {"table", "worker"}:
        assert settings.broker_url.startswith(f"amqps://xuezhan_{part}:")
    else:
        assert settings.broker_url == "memory://"
        assert not (folder / "broker.url").exists()
    assert settings.tls_certificate_file is not None
    assert settings.tls_key_file is not None
    tls.ServerTls(settings.tls_certificate_file, settings.tls_key_file)
    assert keys.load(folder, Role(part)).role == part


def test_no_folder_of_a_part_holds_what_is_anothers(made: Path) -> None:
    everywhere = {"trust.json", "ca.pem", "broker.json"}
    by_content: dict[bytes, set[str]] = {}
    for folder in (made / name for name in (*PARTS, "owner", "monitor", "administrator", "postgres", "rabbitmq", "prometheus")):
        for file in folder.rglob("*"):
            if file.is_file() and file.name not in everywhere:
                by_content.setdefault(file.read_bytes(), set()).add(folder.name)
    shared = {frozenset(folders) for folders in by_content.values() if len(folders) > 1}
    assert shared <= {frozenset({"table", "settlement", "worker"})}, "only the ring that signs items, as long as there is one"


def test_only_the_folders_owners_may_read_what_is_in_it(made: Path) -> None:
    assert [path for path in made.rglob("*") if path.stat().st_mode & 0o077 and path.parent.name not in {"prometheus"} | {"keys"}] == []
    given = (made.parent / "chown").read_text().splitlines()
    users = {word: line.split()[1] for line in given for word in map(str, line.split()[2:])}
    assert {Path(path).name: user for path, user in users.items()} == {
        **dict.fromkeys(("owner", *PARTS), "10001"),
        **dict.fromkeys(("postgres", "rabbitmq"), "999"),
        **dict.fromkeys(("prometheus", "monitor"), "65534"),
    }


def test_the_table_servers_certificate_is_for_where_players_and_the_parts_ask_for_them(made: Path) -> None:
    certificate = load_pem_x509_certificate((made / "table" / "tls.pem").read_bytes())
    names = certificate.extensions.get_extension_for_class(SubjectAlternativeName).value.get_values_for_type(DNSName)
    assert {"table", "play.example.com", "localhost"} <= set(names)


def test_prometheus_scrapes_every_address_of_a_part_by_tls_under_a_name_of_its_certificate(compose: dict[str, Any], made: Path) -> None:
    config = yaml.safe_load((DEPLOY / "prometheus" / "prometheus.yml").read_text())
    scraped = {job["tls_config"]["server_name"]: job for job in config["scrape_configs"] if "tls_config" in job}
    assert scraped.keys() == PARTS.keys()
    for name, part in SERVICES.items():
        command = compose["services"][name]["command"]
        job = scraped[part]
        assert (job["scheme"], job["tls_config"]["ca_file"]) == ("https", "/keys/ca.pem")
        (found,) = job["dns_sd_configs"]
        assert (found["names"], found["type"]) == ([part], "A")
        assert str(found["port"]) == command[command.index("--metrics-port") + 1]
    assert (made / "prometheus" / "ca.pem").is_file()
