"""`certificates`: an authority and certificates with which a large installation speaks TLS at once."""

from __future__ import annotations

import ssl
from pathlib import Path

import pytest
from cryptography import x509

from services.kit import authority
from services.kit.tls import ServerTls, read_ca
from tests.cli.command import here
from tests.support.keyring import Keyring

PARTS = ("matchmaking", "table", "settlement", "worker")


def make(secrets: Path, *options: str) -> list[str]:
    Keyring(secrets)
    ran = here("certificates", "--secrets", secrets, *options)
    assert ran.status == 0, ran.err
    return ran.err.splitlines()


def names(folder: Path) -> list[str]:
    found = x509.load_pem_x509_certificate((folder / "tls.pem").read_bytes())
    extension = found.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    return [str(name.value) for name in extension]


def test_each_part_has_a_certificate_for_its_name_and_those_asked_for_signed_by_the_authority_beside_it(tmp_path: Path) -> None:
    secrets = tmp_path / "secrets"
    make(secrets, "--host", "table=play.example.com,192.0.2.7", "--host", "postgres=postgres")
    for part in PARTS:
        ServerTls(secrets / part / "tls.pem", secrets / part / "tls.key")
        assert read_ca(secrets / part / "ca.pem") == (secrets / "administrator" / "ca.pem").read_bytes()
    assert names(secrets / "table") == ["table", "play.example.com", "192.0.2.7", "localhost", "127.0.0.1"]
    assert names(secrets / "postgres") == ["postgres", "localhost", "127.0.0.1"]
    assert all(path.stat().st_mode & 0o077 == 0 for path in [secrets, *secrets.rglob("*")])
    # What OpenSSL thinks of it, purpose and all.
    context = ssl.create_default_context(cafile=str(secrets / "table" / "ca.pem"))
    assert context.cert_store_stats()["x509_ca"] == 1


def test_what_is_there_is_kept_until_its_last_days_or_until_it_is_to_have_other_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tmp_path /= "secrets"
    make(tmp_path)
    before = {part: (tmp_path / part / "tls.pem").read_bytes() for part in PARTS}
    assert all(": kept, for " in line for line in make(tmp_path))
    assert {part: (tmp_path / part / "tls.pem").read_bytes() for part in PARTS} == before
    lines = make(tmp_path, "--host", "table=elsewhere")
    assert [line for line in lines if "/table/tls.pem: made" in line]
    assert (tmp_path / "worker" / "tls.pem").read_bytes() == before["worker"]
    make(tmp_path, "--host", "postgres=db.example.com")
    monkeypatch.setattr(authority, "RENEW_DAYS", authority.LEAF_DAYS + 1)
    lines = make(tmp_path)
    assert all(": made, for " in line for line in lines)
    # Nobody has to name the hosts of before again, nor other servers.
    assert "elsewhere" in names(tmp_path / "table")
    assert "db.example.com" in names(tmp_path / "postgres")
    assert len(lines) == len(PARTS) + 1


@pytest.mark.parametrize("given", ["table", "table=", "=host", "../x=host", "table=a b", "Table=x"])
def test_a_host_that_cannot_be_read_is_one_line_and_nothing_is_made(tmp_path: Path, given: str) -> None:
    ran = here("certificates", "--secrets", tmp_path / "secrets", "--host", given)
    assert ran.status == 2
    assert f"{given!r} is not NAME=HOST,HOST..." in ran.err
    assert not (tmp_path / "secrets").exists()


@pytest.mark.parametrize("command", [["certificates"], ["users", "--database", "h/d", "--broker", "h/v"]])
def test_keys_come_first(tmp_path: Path, command: list[str]) -> None:
    ran = here(*command, "--secrets", tmp_path)
    assert (ran.status, ran.err) == (
        2,
        f"xuezhan: secrets: {tmp_path} has no folder matchmaking: run `xuezhan keys --out {tmp_path}` first\n",
    )
    assert not list(tmp_path.iterdir())


def everything(secrets: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in sorted(secrets.rglob("*.*"))}


def test_an_operators_own_certificate_its_key_and_their_ca_are_never_changed(tmp_path: Path) -> None:
    secrets = tmp_path / "secrets"
    make(secrets)
    theirs = authority.new_authority("the studio")
    pair = authority.issue(theirs, ["play.example.com"])
    for name, text in (("tls.pem", pair.certificate), ("tls.key", pair.key), ("ca.pem", theirs.certificate)):
        (secrets / "table" / name).write_bytes(text)
    before = everything(secrets)
    lines = make(secrets, "--host", "table=elsewhere")
    assert everything(secrets) == before
    assert f"{secrets}/table/tls.pem: kept: not ours" in lines
    assert f"{secrets}/table/ca.pem: kept: not ours" in lines
    assert [line for line in lines if "/worker/tls.pem: kept, for worker" in line]


@pytest.mark.parametrize("old_key", [True, False], ids=["beside-our-key", "without-a-key"])
def test_an_operators_own_ca_in_the_administrators_folder_signs_nothing_and_is_kept(tmp_path: Path, *, old_key: bool) -> None:
    secrets = tmp_path / "secrets"
    make(secrets)
    theirs = authority.new_authority("the studio")
    for folder in (secrets, *(path for path in secrets.iterdir() if path.is_dir())):
        (folder / "ca.pem").write_bytes(theirs.certificate)
    if not old_key:
        (secrets / "administrator" / "ca.key").unlink()
    for part in PARTS:
        pair = authority.issue(theirs, [part])
        (secrets / part / "tls.pem").write_bytes(pair.certificate)
        (secrets / part / "tls.key").write_bytes(pair.key)
    before = everything(secrets)
    assert make(secrets) == [f"{secrets}/{part}/tls.pem: kept: not ours" for part in sorted(PARTS)]
    assert everything(secrets) == before
    ran = here("certificates", "--secrets", secrets, "--host", "postgres=db.example.com")
    assert ran.status == 2
    assert "postgres/tls.pem: it is missing, and the key of ca.pem is not in" in ran.err
