"""`certificates`: a certificate authority and the parts' certificates, for a try-out."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from services.kit.role_folder import CA, CERTIFICATE, CERTIFICATE_KEY
from xuezhan.cli.errors import CommandError
from xuezhan.cli.options import GivenPath
from xuezhan.cli.users import ADMINISTRATOR, PARTS, check_folders, write_for_owner

if TYPE_CHECKING:
    from services.kit import authority

CA_KEY: Final = "ca.key"
LOCAL: Final = ("localhost", "127.0.0.1")
_HOST: Final = re.compile(r"[A-Za-z0-9.:-]{1,253}")


def _hosts(_context: click.Context, _parameter: click.Parameter, given: Sequence[str]) -> dict[str, tuple[str, ...]]:
    asked: dict[str, tuple[str, ...]] = {part: (part,) for part in PARTS}
    for text in given:
        name, equals, hosts = text.partition("=")
        if not equals or not re.fullmatch(r"[a-z]{1,32}", name) or not all(map(_HOST.fullmatch, hosts.split(","))):
            raise click.BadParameter(f"{text!r} is not NAME=HOST,HOST...")
        asked[name] = (*asked.get(name, ()), *hosts.split(","))
    return {name: tuple(dict.fromkeys((*hosts, *LOCAL))) for name, hosts in asked.items()}


@click.command(epilog="\b\nExample:\n  xuezhan certificates --secrets /etc/xuezhan --host table=play.example.com")
@click.option("--secrets", type=GivenPath(file_okay=False), required=True, help="Where `xuezhan keys` made the roles' folders.")
@click.option(
    "--host",
    "hosts",
    callback=_hosts,
    multiple=True,
    metavar="NAME=HOST,...",
    help="Host names and addresses of a part besides its name and localhost; or of another server, such as NAME=postgres.",
)
def certificates(secrets: Path, hosts: dict[str, tuple[str, ...]]) -> None:
    """Make a certificate authority, and for each part a certificate that it signed: tls.pem and tls.key in the part's folder.

    ca.pem, with which all of them are believed, is put into every folder. A certificate that is there already is kept, made anew in its
    last 30 days, or for more hosts; it is never made for fewer: delete its tls.pem for that. Parts read new certificates by themselves.
    In production take those of your own authority instead, under the same names: a tls.pem that this authority did not sign, its tls.key,
    and another ca.pem are never changed.
    """
    from services.kit.key_files import locked
    from services.kit.secrets import SecretsError

    check_folders(secrets)
    folder = secrets / ADMINISTRATOR
    try:
        with locked(secrets):
            folder.mkdir(exist_ok=True, mode=0o700)
            signer = _signer(folder)
            there = {path.parent.name: (path.parent.name, *LOCAL) for path in sorted(secrets.glob(f"*/{CERTIFICATE}"))}
            for name, wanted in {**there, **hosts}.items():
                _one(secrets / name, signer, wanted)
            for place in (secrets, *sorted(path for path in secrets.iterdir() if path.is_dir())):
                _spread(place / CA, signer.certificate)
    except SecretsError as error:
        raise CommandError(str(error), 2) from None
    except OSError as error:
        raise CommandError(f"{error.filename or secrets}: {error.strerror}", 2) from None


def _signer(folder: Path) -> authority.Pair:
    """Return the authority in the administrator's folder; it is made where there is none. `key` is empty where it is somebody else's."""
    from services.kit import authority
    from services.kit.key_files import read_secret

    # An operator's own ca.pem has no key here, or an old one of ours beside it.
    if not (folder / CA).exists():
        made = authority.new_authority("xuezhan try-out CA")
        write_for_owner(folder / CA_KEY, made.key)
        write_for_owner(folder / CA, made.certificate)
    key = read_secret(folder / CA_KEY) if (folder / CA_KEY).exists() else b""
    found = authority.Pair((folder / CA).read_bytes(), key)
    return found if authority.can_sign(found) else found._replace(key=b"")


def _one(folder: Path, signer: authority.Pair, hosts: tuple[str, ...]) -> None:
    """Make, renew or keep the pair in one folder."""
    from services.kit import authority

    folder.mkdir(exist_ok=True, mode=0o700)
    before = folder / CERTIFICATE
    there = before.read_bytes() if before.exists() else b""
    if there and not (signer.key and authority.is_signed_by(there, signer.certificate)):
        click.echo(f"{before}: kept: not ours", err=True)
        return
    if not signer.key:
        administrator = folder.parent / ADMINISTRATOR
        raise CommandError(f"{before}: it is missing, and the key of {CA} is not in {administrator}: put your own pair there", 2)
    hosts = tuple(dict.fromkeys((*hosts, *authority.hosts_of(there))))
    kept = bool(there) and (folder / CERTIFICATE_KEY).exists() and authority.is_good(there, signer.certificate, hosts)
    if not kept:
        made = authority.issue(signer, hosts)
        # The key first: a part that reads between the two finds a pair that does not fit, and keeps the one it has.
        write_for_owner(folder / CERTIFICATE_KEY, made.key)
        write_for_owner(folder / CERTIFICATE, made.certificate)
    click.echo(f"{before}: {'kept' if kept else 'made'}, for {', '.join(hosts)}", err=True)


def _spread(file: Path, ca: bytes) -> None:
    """Put the authority's certificate into a folder that has none."""
    if not file.exists():
        write_for_owner(file, ca)
    elif file.read_bytes() != ca:
        click.echo(f"{file}: kept: not ours", err=True)
