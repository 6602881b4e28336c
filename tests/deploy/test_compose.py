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

from services.kit import keys, tls
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
    assert seen.pop("grafana") == []
    assert seen == {name: [(name, True)] for name in (*PARTS, "postgres", "rabbitmq", "prometheus")}


@pytest.mark.parametrize("part", PARTS)
def test_each_part_is_a_command_with_options_and_settings_that_there_are(compose: dict[str, Any], part: str) -> None:
    service = compose["services"][part]
    command = service["command"]
    assert command[:2] == ["serve", part]
    known = {f"XUEZHAN_{field.upper()}" for field in PARTS[part].model_fields}
    assert set(service["environment"]) <= known
    # It gets as far as looking for its keys.
    ran = here(*command, "--secrets", "/nowhere", "--database-url", "sqlite:///never", "--broker-url", "amqp://nowhere/x")
    assert (ran.status, ran.err) == (2, "xuezhan: secrets folder /nowhere/" + part + ": there is no such folder\n")


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
    for part in PARTS:
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
    env = {**clean, "PATH": f"{bin_folder}:{os.environ['PATH']}", "TABLE_ADDRESS": "play.example.com:7200", "XUEZHAN_DEVELOPMENT": "0"}
    seen = []
    for _ in range(2):
        subprocess.run([shutil.which(shell) or shell, options, script], check=True, env=env, capture_output=True)
        seen.append({path: path.read_bytes() for path in kept.rglob("*") if path.is_file() and path.parent.name != "administrator"})
    broker = kept / "rabbitmq" / "broker.json"
    # Its hashes have a salt each time.
    assert {k: v for k, v in seen[0].items() if k != broker} == {k: v for k, v in seen[1].items() if k != broker}
    return kept


@pytest.mark.parametrize("part", PARTS)
def test_a_part_finds_everything_it_needs_in_the_folder_it_sees(made: Path, part: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in os.environ if name.startswith("XUEZHAN_")]:
        monkeypatch.delenv(name)
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
    for folder in (made / name for name in (*PARTS, "owner", "administrator", "postgres", "rabbitmq", "prometheus")):
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
        "prometheus": "65534",
    }


def test_prometheus_scrapes_every_part_by_tls_under_a_name_of_its_certificate(compose: dict[str, Any], made: Path) -> None:
    config = yaml.safe_load((DEPLOY / "prometheus" / "prometheus.yml").read_text())
    scraped = {job["static_configs"][0]["targets"][0]: job for job in config["scrape_configs"]}
    for part in PARTS:
        command = compose["services"][part]["command"]
        job = scraped[f"{part}:{command[command.index('--metrics-port') + 1]}"]
        assert (job["scheme"], job["tls_config"]) == ("https", {"ca_file": "/keys/ca.pem"})
    assert (made / "prometheus" / "ca.pem").is_file()
