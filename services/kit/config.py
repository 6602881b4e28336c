"""Settings every service shares, read from the environment (`XUEZHAN_...`) and from arguments.

An unusable setting ends the process with one line that names it.
"""

from __future__ import annotations

import os
import re
import socket
from pathlib import Path
from typing import Annotated, Any, ClassVar, Final, Literal, Self

from pydantic import Field, ValidationError, ValidationInfo, field_validator, model_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

from services.kit import keys, role_folder, urls
from services.kit.limit_settings import LimitSettings
from services.kit.roles import Role

Port = Annotated[int, Field(ge=0, le=65535)]


def own_name() -> str:
    """Return what tells this process from others of its role: its machine and process id."""
    return f"{re.sub('[^A-Za-z0-9-]', '-', socket.gethostname())[:32]}-{os.getpid()}"


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


class PlayerSettings(BaseSettings):
    """Whose tokens of players count."""

    model_config = SettingsConfigDict(env_prefix="XUEZHAN_", extra="ignore", frozen=True)

    players_file: Path | None = None
    """The studio's public keys, a JSON Web Key Set. None: players.jwks in the folder of the role."""
    players_issuer: Annotated[str, Field(min_length=1)] = "xuezhan"
    """What a player's token has as `iss`."""
    players_audience: Annotated[str, Field(min_length=1)] = "xuezhan"
    """What a player's token has as, or among, its `aud`."""
    development: bool = False
    """Let players in with tokens of a development key. Anybody who has a copy of that key can be any player."""


class ServiceSettings(TlsSettings, PlayerSettings, LimitSettings):
    """What every service is told. Ports of 0 take a free one."""

    role: ClassVar[Role | None] = None
    """Whose keys the process has."""
    host: str = "127.0.0.1"
    """Where to listen."""
    advertise: str = ""
    """host:port under which others reach this process; empty: `host` and the port listened on."""
    port: Port = 0
    metrics_port: Port = 0
    database_url: str
    """sqlite:///PATH or postgresql://..."""
    database_url_file: Path | None = None
    """A file with that URL, so that its password stands in no command line and no environment; `-`: standard input."""
    broker_url: str = "memory://"
    """memory:// (one process), amqp://... or, with TLS, amqps://..."""
    broker_url_file: Path | None = None
    """Likewise."""
    secrets: Path
    """Folder of the keys of this part's role, or the folder that holds it."""
    rooms_file: Path | None = None
    """None: the rooms that come with the project."""
    settlement_address: Annotated[str, Field(description="comma-separated")] = "127.0.0.1:7300"
    """Every address of the settlement service; one that does not answer is passed over."""
    table_addresses: Annotated[str, Field(description="comma-separated")] = "127.0.0.1:7200"
    log_level: Literal["debug", "info", "warning", "error"] = "info"
    reflection: bool | None = None
    """Whether servers describe themselves to whoever asks; None: in development."""

    @property
    def process_name(self) -> str:
        """What tells this process from others of its role."""
        return own_name()

    @property
    def reflects(self) -> bool:
        """Whether servers describe themselves."""
        return self.development if self.reflection is None else self.reflection

    @field_validator("host")
    @classmethod
    def _named(cls, host: str) -> str:
        if not host or not host.isascii():
            # To some of what listens "" is every address, to some it is none.
            raise ValueError(f"{host!r} is no host to listen on; 0.0.0.0 is every address")
        return host

    @model_validator(mode="before")
    @classmethod
    def _from_files(cls, given: Any) -> Any:
        """Take from the role's folder what is not given, and read URLs whose files are named; a URL that is given itself goes before."""
        found = dict(given)
        if cls.role is not None and found.get("secrets"):
            found |= role_folder.settings(keys.folder_of(Path(found["secrets"]), cls.role), found)
        for name in ("database_url", "broker_url"):
            path = found.get(f"{name}_file")
            if path is not None and not found.get(name):
                try:
                    found[name] = urls.read_url(Path(path))
                except ValueError as error:
                    raise ValueError(f"{name}_file: {error}") from None
        return found

    @field_validator("database_url")
    @classmethod
    def _database(cls, url: str, info: ValidationInfo) -> str:
        return urls.with_ca(urls.checked(url, urls.DATABASES), info.data.get("ca_file"))

    @field_validator("broker_url")
    @classmethod
    def _broker(cls, url: str, info: ValidationInfo) -> str:
        return urls.with_ca(urls.checked(url, urls.BROKERS), info.data.get("ca_file"))


_WAYS: Final = {
    "database_url": "database.url in the folder of the role's keys, XUEZHAN_DATABASE_URL_FILE, --database-url-file, ",
    "secrets": "a folder that `xuezhan keys` made; ",
}
"""How else a setting is given that has to be, or what it is."""


def one_line(error: ValidationError) -> str:
    """Return what is wrong with a configuration in one line that names the field."""
    first = error.errors(include_url=False, include_input=False)[0]
    # What a validator of ours says names its field itself.
    message = first["msg"].removeprefix("Value error, ")
    field = ".".join(str(part) for part in first["loc"])
    if first["type"] == "missing":
        message = f"it is not set: {_WAYS.get(field, '')}XUEZHAN_{field.upper()} or --{field.replace('_', '-')} gives it"
    return f"{field}: {message}" if field else message
