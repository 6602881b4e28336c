"""TLS: the certificate a server shows, and the certificate authority that a part believes.

Law: a certificate is turned without a stop. The files are read again when they change; connections that stand go on, and files that cannot
be used leave the certificate before in its place.
"""

from __future__ import annotations

import re
import ssl
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final

import grpc
from cryptography import x509
from cryptography.hazmat.primitives.serialization import load_pem_private_key
from grpc import aio
from prometheus_client import CollectorRegistry, Gauge

from services.kit import key_files, logs
from services.kit.config import ConfigError, ServiceSettings
from services.kit.secrets import SecretsError

log = logs.get(__name__)

Connect = Callable[[str, Sequence[tuple[str, Any]]], aio.Channel]
"""Opens a channel to an address, with gRPC's options."""

FAULTS: Final = (
    ("certificate has expired", "its certificate has expired: renew it there; the server reads the new files by itself"),
    ("certificate is not yet valid", "its certificate is not valid yet: compare the clocks of both machines"),
    ("Hostname Verification Check failed", "its certificate is not for this host name: use a name that the certificate has"),
    ("CERTIFICATE_VERIFY_FAILED", "its certificate is not signed by the CA in ca_file: name the CA of that server"),
    ("WRONG_VERSION_NUMBER", "it does not speak TLS: set its tls_certificate_file and tls_key_file, or unset ca_file here"),
)
"""Words of gRPC's errors, and what to do about each; the first that fits."""
_SILENT: Final = "it takes connections and says nothing: its process stands still, or is overloaded"
_HUNG_UP: Final = "it hung up at once: if it speaks TLS, set ca_file here"
_PEER: Final = re.compile(r"ipv[46]:(\S+?): ")


def explained(details: str) -> tuple[str, str]:
    """Return reason and message for the words of gRPC's error: what is wrong between a caller and a TLS port, and what to do."""
    if not details.startswith("failed to connect to all addresses"):
        return "unavailable", details
    peer = _PEER.search(details)
    where = f"{peer[1]}: " if peer else ""
    for words, advice in FAULTS:
        if words in details:
            return "tls", where + advice
    if "Failed to connect to remote host" in details:
        return "unavailable", details
    return "unavailable", where + (_SILENT if "timed out" in details else _HUNG_UP)


def connector(ca_file: Path | None) -> Connect:
    """Return how to open channels: with TLS, believing the CA in `ca_file`, or without. Raises ConfigError."""
    if ca_file is None:
        return lambda address, options: aio.insecure_channel(address, options=options)
    credentials = grpc.ssl_channel_credentials(read_ca(ca_file))
    return lambda address, options: aio.secure_channel(address, credentials, options=options)


def read_ca(path: Path) -> bytes:
    """Return the certificates of a CA file. Raises ConfigError when it holds none."""
    try:
        ssl.create_default_context(cafile=str(path))
        return path.read_bytes()
    except ssl.SSLError:
        raise ConfigError(f"ca_file: {path} holds no certificate (PEM)") from None
    except OSError as error:
        raise ConfigError(f"ca_file: {path}: {error.strerror}") from None


class ServerTls:
    """A server's certificate and key, from PEM files that are read again when they change. Raises ConfigError when they cannot be used."""

    def __init__(self, certificate: Path, key: Path) -> None:
        self._files = certificate, key
        self._lock = threading.Lock()
        self._seen = self._stamps()
        self._pem, self._expires = self._read()
        self._context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self._context.load_cert_chain(certificate, key)

    def credentials(self) -> grpc.ServerCredentials:
        """Return credentials of a gRPC server, which looks at the files at each handshake."""
        given = self._pem

        def renewed() -> grpc.ServerCertificateConfiguration | None:
            """Return what is new, on one of gRPC's threads; None keeps what it has.

            gRPC frees what it has while another thread begins a handshake with it, which ends the process: never without a reason.
            """
            nonlocal given
            self._look()
            with self._lock:
                if self._pem is given:
                    return None
                given = self._pem
                return _configuration(given)

        fetcher: Any = renewed
        return grpc.dynamic_ssl_server_credentials(_configuration(given), fetcher)

    def context(self) -> ssl.SSLContext:
        """Return the context of another server of this process; look again before each handshake."""
        self._look()
        return self._context

    def export(self, registry: CollectorRegistry) -> None:
        """Export when the certificate expires."""
        gauge = Gauge("xuezhan_part_certificate_expires_timestamp_seconds", "When this server's certificate expires.", registry=registry)
        gauge.set_function(self._expiry)

    def _expiry(self) -> float:
        self._look()
        return self._expires

    def _look(self) -> None:
        with self._lock:
            stamps = self._stamps()
            if stamps == self._seen:
                return
            self._seen = stamps
            try:
                self._pem, self._expires = self._read()
                self._context.load_cert_chain(*self._files)
            except (ConfigError, OSError) as error:
                # One of the two files may only not be written yet: its change is the next look.
                log.warning("tls_files_unusable", why=str(error))
            else:
                log.info("tls_files_read", expires=int(self._expires))

    def _stamps(self) -> tuple[object, ...]:
        stamps: list[object] = []
        for path in self._files:
            try:
                found = path.stat()
            except OSError:
                stamps.append(None)
            else:
                stamps.append((found.st_mtime_ns, found.st_size, found.st_ino))
        return tuple(stamps)

    def _read(self) -> tuple[tuple[bytes, bytes], float]:
        try:
            complaint = key_files.check_beside(self._files[1])
        except SecretsError as error:
            raise ConfigError(f"tls_key_file: {error}") from None
        if complaint:
            log.warning("tls_key_open_to_others", why=complaint)
        certificate, key = (
            _bytes(path, setting) for path, setting in zip(self._files, ("tls_certificate_file", "tls_key_file"), strict=True)
        )
        expires = _check(certificate, key, *self._files)
        return (certificate, key), expires


def server_tls(settings: ServiceSettings, registry: CollectorRegistry) -> ServerTls | None:
    """Return what the ports of a process show, its expiry exported; None: they do without. Raises ConfigError."""
    if settings.tls_certificate_file is None or settings.tls_key_file is None:
        return None
    tls = ServerTls(settings.tls_certificate_file, settings.tls_key_file)
    tls.export(registry)
    return tls


def _configuration(pem: tuple[bytes, bytes]) -> grpc.ServerCertificateConfiguration:
    certificate, key = pem
    return grpc.ssl_server_certificate_configuration([(key, certificate)])


def _bytes(path: Path, setting: str) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise ConfigError(f"{setting}: {path}: {error.strerror}") from None


def _check(certificate: bytes, key: bytes, certificate_file: Path, key_file: Path) -> float:
    """Return when a certificate expires. Raises ConfigError when it has, or the key is not the certificate's."""
    try:
        leaf = x509.load_pem_x509_certificates(certificate)[0]
    except ValueError:
        raise ConfigError(f"tls_certificate_file: {certificate_file} holds no certificate (PEM)") from None
    try:
        private = load_pem_private_key(key, None)
    except (ValueError, TypeError):
        raise ConfigError(f"tls_key_file: {key_file} holds no private key without a password (PEM)") from None
    if private.public_key() != leaf.public_key():
        raise ConfigError(f"tls_key_file: {key_file} is not the key of the first certificate in {certificate_file}")
    if leaf.not_valid_after_utc.timestamp() <= time.time():
        raise ConfigError(f"tls_certificate_file: the certificate in {certificate_file} expired at {leaf.not_valid_after_utc}: renew it")
    return leaf.not_valid_after_utc.timestamp()
