"""Certificate authorities and certificates of the tests' own, as files."""

from __future__ import annotations

import ipaddress
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import NamedTuple

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import NameOID

from services.kit import authority


class Pair(NamedTuple):
    """A certificate and its key."""

    certificate: Path
    key: Path


class Authority:
    """A certificate authority; `file` is its certificate."""

    def __init__(self, folder: Path, name: str = "ca") -> None:
        self._folder = folder
        self._name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
        self._key = ec.generate_private_key(ec.SECP256R1())
        made = _draft(self._name, self._name, self._key, timedelta(days=-1), timedelta(days=100))
        made = made.add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        made = made.add_extension(authority.CA_USAGE, critical=True)
        self.file = folder / f"{name}.pem"
        self.file.write_bytes(made.sign(self._key, hashes.SHA256()).public_bytes(Encoding.PEM))

    def issue(
        self,
        name: str = "server",
        hosts: Sequence[str] = ("127.0.0.1", "localhost"),
        *,
        begins: timedelta = timedelta(days=-10),
        ends: timedelta = timedelta(days=10),
    ) -> Pair:
        """Make, or renew in place, the files `name`.pem and `name`.key: a certificate for these hosts."""
        key = ec.generate_private_key(ec.SECP256R1())
        made = _draft(x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)]), self._name, key, begins, ends)
        made = made.add_extension(x509.SubjectAlternativeName([_host(host) for host in hosts]), critical=False)
        made = made.add_extension(x509.AuthorityKeyIdentifier.from_issuer_public_key(self._key.public_key()), critical=False)
        pair = Pair(self._folder / f"{name}.pem", self._folder / f"{name}.key")
        pair.certificate.write_bytes(made.sign(self._key, hashes.SHA256()).public_bytes(Encoding.PEM))
        pair.key.write_bytes(key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
        return pair


def _draft(
    subject: x509.Name, issuer: x509.Name, key: ec.EllipticCurvePrivateKey, begins: timedelta, ends: timedelta
) -> x509.CertificateBuilder:
    now = datetime.now(UTC)
    empty = x509.CertificateBuilder().serial_number(x509.random_serial_number())
    named = empty.subject_name(subject).issuer_name(issuer).public_key(key.public_key())
    dated = named.not_valid_before(now + begins).not_valid_after(now + ends)
    return dated.add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)


def _host(host: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ipaddress.ip_address(host))
    except ValueError:
        return x509.DNSName(host)
