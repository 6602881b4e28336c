"""Settings every service shares, read from the environment (`XUEZHAN_...`) and from arguments.

An unusable setting ends the process with one line that names it.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Final, Literal, Self

from pydantic import Field, ValidationError, field_validator, model_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

Port = Annotated[int, Field(ge=0, le=65535)]


_DATABASES: Final = ("sqlite://", "postgresql://", "postgresql+psycopg://")


class ConfigError(Exception):
    """The configuration cannot be used; the message names the field."""


class PortError(ConfigError):
    """A port cannot be listened on: it is taken, or the host is not this machine's."""


class TlsSettings(BaseSettings):
    """What a process shows others, and whom it believes."""

    model_config = SettingsConfigDict(env_prefix="XUEZHAN_", extra="ignore", frozen=True)

    tls_certificate_file: Path | None = None
    """PEM: this process's certificate, then those between it and the CA. All its ports then speak TLS; None: none does."""
    tls_key_file: Path | None = None
    """PEM: the key of that certificate. Both files are read again when they change."""
    ca_file: Path | None = None
    """PEM: who signed the other parts' certificates. Other parts are then reached by TLS; None: without."""

    @model_validator(mode="after")
    def _both(self) -> Self:
        if (self.tls_certificate_file is None) != (self.tls_key_file is None):
            missing = "tls_key_file" if self.tls_key_file is None else "tls_certificate_file"
            raise ValueError(f"{missing}: it is not set; a certificate and its key go together")
        return self


class ServiceSettings(TlsSettings):
    """What every service is told. Ports of 0 take a free one."""

    host: str = "127.0.0.1"
    """Where to listen."""
    advertise: str = ""
    """host:port under which others reach this process; empty: `host` and the port listened on."""
    port: Port = 0
    metrics_port: Port = 0
    database_url: str
    """sqlite:///PATH or postgresql://..."""
    broker_url: str = "memory://"
    """memory:// (one process) or amqp://..."""
    secrets_file: Path
    rooms_file: Path | None = None
    """None: the rooms that come with the project."""
    settlement_address: Annotated[str, Field(description="comma-separated")] = "127.0.0.1:7300"
    """Every address of the settlement service; one that does not answer is passed over."""
    table_addresses: Annotated[str, Field(description="comma-separated")] = "127.0.0.1:7200"
    log_level: Literal["debug", "info", "warning", "error"] = "info"
    reflection: bool = True

    @field_validator("host")
    @classmethod
    def _named(cls, host: str) -> str:
        if not host or not host.isascii():
            # To some of what listens "" is every address, to some it is none.
            raise ValueError(f"{host!r} is no host to listen on; 0.0.0.0 is every address")
        return host

    @field_validator("database_url")
    @classmethod
    def _reachable(cls, url: str) -> str:
        if not url.startswith(_DATABASES):
            # The URL is not repeated: it may hold a password.
            raise ValueError("neither sqlite:///PATH nor postgresql://...")
        return url


def one_line(error: ValidationError) -> str:
    """Return what is wrong with a configuration in one line that names the field."""
    first = error.errors(include_url=False, include_input=False)[0]
    # What a validator of ours says names its field itself.
    message = first["msg"].removeprefix("Value error, ")
    field = ".".join(str(part) for part in first["loc"])
    return f"{field}: {message}" if field else message
