"""A certificate authority and certificates for a try-out; in production they come from the operator's own.

Law: a certificate is for the host names it was asked for, and for servers only.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta
from typing import Final, NamedTuple

from cryptography import x509
from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, load_pem_private_key
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

CA_DAYS: Final = 3650
LEAF_DAYS: Final = 365
RENEW_DAYS: Final = 30
"""A certificate with fewer days left is made anew."""
CA_USAGE: Final = x509.KeyUsage(
    key_cert_sign=True,
    crl_sign=True,
    digital_signature=False,
    content_commitment=False,
    key_encipherment=False,
    data_encipherment=False,
    key_agreement=False,
    encipher_only=False,
    decipher_only=False,
)
_CLOCK: Final = timedelta(hours=1)
"""Clocks of other machines may be so much behind."""


class Pair(NamedTuple):
    """A certificate and its private key, PEM."""

    certificate: bytes
    key: bytes


def new_authority(name: str) -> Pair:
    """Make a certificate authority."""
    key = ec.generate_private_key(ec.SECP256R1())
    subject = _name(name)
    draft = _draft(subject, subject, key.public_key(), CA_DAYS)
    draft = draft.add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
    draft = draft.add_extension(CA_USAGE, critical=True)
    return Pair(draft.sign(key, hashes.SHA256()).public_bytes(Encoding.PEM), _pem(key))


def issue(authority: Pair, hosts: Sequence[str]) -> Pair:
    """Make a certificate for a server with these host names and addresses."""
    issuer = x509.load_pem_x509_certificate(authority.certificate)
    signer = load_pem_private_key(authority.key, None)
    assert isinstance(signer, ec.EllipticCurvePrivateKey)
    key = ec.generate_private_key(ec.SECP256R1())
    draft = _draft(_name(hosts[0]), issuer.subject, key.public_key(), LEAF_DAYS)
    draft = draft.add_extension(x509.SubjectAlternativeName(_hosts(hosts)), critical=False)
    draft = draft.add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
    draft = draft.add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), critical=False)
    draft = draft.add_extension(x509.AuthorityKeyIdentifier.from_issuer_public_key(signer.public_key()), critical=False)
    return Pair(draft.sign(signer, hashes.SHA256()).public_bytes(Encoding.PEM), _pem(key))


def can_sign(authority: Pair) -> bool:
    """Whether the key is the certificate's, and of the kind with which `issue` signs."""
    try:
        certificate = x509.load_pem_x509_certificate(authority.certificate)
        key = load_pem_private_key(authority.key, None)
    except (ValueError, TypeError):  # TypeError: the key has a password.
        return False
    return isinstance(key, ec.EllipticCurvePrivateKey) and certificate.public_key() == key.public_key()


def is_signed_by(certificate: bytes, authority: bytes) -> bool:
    """Whether the authority signed a certificate, whatever its hosts and dates; False of what is no certificate."""
    try:
        found = x509.load_pem_x509_certificate(certificate)
        found.verify_directly_issued_by(x509.load_pem_x509_certificate(authority))
    except (ValueError, TypeError, InvalidSignature, UnsupportedAlgorithm):
        return False
    return True


def is_good(certificate: bytes, authority: bytes, hosts: Sequence[str]) -> bool:
    """Whether a certificate is this authority's, for these hosts, and lasts for a while."""
    if not is_signed_by(certificate, authority):
        return False
    try:
        found = x509.load_pem_x509_certificate(certificate)
        names = found.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    except (ValueError, x509.ExtensionNotFound):
        return False
    return set(names) == set(_hosts(hosts)) and found.not_valid_after_utc > datetime.now(UTC) + timedelta(days=RENEW_DAYS)


def hosts_of(certificate: bytes) -> tuple[str, ...]:
    """Return the host names and addresses that a certificate is for; none of what is no certificate."""
    try:
        found = x509.load_pem_x509_certificate(certificate)
        names = found.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    except (ValueError, x509.ExtensionNotFound):
        return ()
    return tuple(str(name.value) for name in names)


def _draft(subject: x509.Name, issuer: x509.Name, key: ec.EllipticCurvePublicKey, days: int) -> x509.CertificateBuilder:
    now = datetime.now(UTC)
    empty = x509.CertificateBuilder().subject_name(subject).issuer_name(issuer).public_key(key)
    dated = empty.not_valid_before(now - _CLOCK).not_valid_after(now + timedelta(days=days))
    numbered = dated.serial_number(x509.random_serial_number())
    return numbered.add_extension(x509.SubjectKeyIdentifier.from_public_key(key), critical=False)


def _name(text: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, text[:64])])


def _hosts(hosts: Iterable[str]) -> list[x509.GeneralName]:
    return [_host(host) for host in hosts]


def _host(host: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ipaddress.ip_address(host))
    except ValueError:
        return x509.DNSName(host)


def _pem(key: ec.EllipticCurvePrivateKey) -> bytes:
    return key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
