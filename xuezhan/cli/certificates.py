"""`certificates`: a certificate authority and the parts' certificates, for a try-out."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import click

from xuezhan.cli.errors import CommandError
from xuezhan.cli.options import GivenPath
from xuezhan.cli.users import ADMINISTRATOR, PARTS, write_for_owner

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
@click.option("--secrets", type=GivenPath(file_okay=False), required=True, help="Where the roles' folders are; made if need be.")
@click.option(
    "--host",
    "hosts",
    callback=_hosts,
    multiple=True,
    metavar="NAME=HOST,...",
    help="Host names and addresses of a part besides its name and localhost; or of another server, such as NAME=postgres.",
)
def certificates(secrets: Path, hosts: dict[str, tuple[str, ...]]) -> None:
    """Make a certificate authority, and for each part a certificate that it signed: tls.pem, tls.key and ca.pem in the part's folder.

    Those that are there already are kept, or renewed in their last 30 days: parts read new ones by themselves. In production take
    certificates of your own authority instead, under the same names.
    """
    from services.kit import authority
    from services.kit.key_files import locked, read_secret
    from services.kit.secrets import SecretsError

    folder = secrets / ADMINISTRATOR
    try:
        with locked(secrets):
            folder.mkdir(exist_ok=True, mode=0o700)
            if not (folder / "ca.key").exists():
                made = authority.new_authority("xuezhan try-out CA")
                write_for_owner(folder / "ca.key", made.key)
                write_for_owner(folder / "ca.pem", made.certificate)
            ca = authority.Pair((folder / "ca.pem").read_bytes(), read_secret(folder / "ca.key"))
            for name, wanted in hosts.items():
                _one(secrets / name, ca, wanted)
    except SecretsError as error:
        raise CommandError(str(error), 2) from None
    except OSError as error:
        raise CommandError(f"{error.filename or secrets}: {error.strerror}", 2) from None


def _one(folder: Path, ca: tuple[bytes, bytes], hosts: tuple[str, ...]) -> None:
    from services.kit import authority

    signer = authority.Pair(*ca)
    folder.mkdir(exist_ok=True, mode=0o700)
    before = folder / "tls.pem"
    kept = before.exists() and (folder / "tls.key").exists() and authority.is_good(before.read_bytes(), signer.certificate, hosts)
    if not kept:
        made = authority.issue(signer, hosts)
        # The key first: a part that reads between the two finds a pair that does not fit, and keeps the one it has.
        write_for_owner(folder / "tls.key", made.key)
        write_for_owner(folder / "tls.pem", made.certificate)
    write_for_owner(folder / "ca.pem", signer.certificate)
    click.echo(f"{folder / 'tls.pem'}: {'kept' if kept else 'made'}, for {', '.join(hosts)}", err=True)
