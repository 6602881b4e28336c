"""A RabbitMQ of the tests' own."""

import base64
import contextlib
import hashlib
import json
import os
import shutil
import socket
import subprocess
import urllib.parse
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests.support.process import Process, free_port, wait_until
from tests.support.server import Server


class RabbitMQ(Server):
    """A RabbitMQ node, with its own epmd, cookie and folders, and a number of empty virtual hosts to hand out."""

    start_seconds = 90.0
    vhosts = 24

    def __init__(self, *, settings: Mapping[str, str] | None = None, address: str = "", metrics: bool = False) -> None:
        """Describe the node: `settings` are lines of rabbitmq.conf, such as {"consumer_timeout": "60000"}; `address`: one more.

        `metrics`: it exports its own, at `metrics_address`; else it has no plugins.
        """
        super().__init__()
        self.metrics_address = f"127.0.0.1:{free_port()}" if metrics else ""
        self._settings = dict(settings or {})
        if address:
            self._settings["listeners.tcp.2"] = f"{address}:{self.port}"
        self._names = iter(f"test{number}" for number in range(1, self.vhosts + 1))
        self._epmd_port = free_port()
        self._epmd: Process | None = None
        self._nodename = f"xuezhan{self.port}@localhost"

    @classmethod
    def missing(cls) -> str | None:
        """What must be installed first; None when nothing."""
        return None if _rabbitmq_program() and shutil.which("epmd") else "RabbitMQ (Debian: apt-get install rabbitmq-server)"

    @property
    def url(self) -> str:
        """The AMQP URL of the default virtual host."""
        return f"amqp://guest:guest@127.0.0.1:{self.port}//"

    def new_vhost(self) -> str:
        """The AMQP URL of a virtual host that nobody has used: a test's own queues and exchanges."""
        name = next(self._names, None)
        assert name is not None, f"more than {self.vhosts} virtual hosts asked for: raise RabbitMQ.vhosts"
        return f"amqp://guest:guest@127.0.0.1:{self.port}/{name}"

    def control(self, *arguments: str, stdin: str = "") -> str:
        """Run rabbitmqctl and return what it prints."""
        program = Path("/usr/lib/rabbitmq/bin/rabbitmqctl")
        command: list[str | Path] = [program if program.exists() else "rabbitmqctl", "--node", self._nodename, *arguments]
        environment = {**os.environ, **self._environment()}
        done = subprocess.run(command, input=stdin, env=environment, cwd=self.folder, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def wait_on_disk(self, url: str, queue: str) -> None:
        """Return once a new quorum queue of the virtual host at `url` would survive a kill.

        RabbitMQ 3.10 writes the names of its quorum queues to disk some seconds after they are declared. A node killed before has the
        queue, but neither its messages nor a leader, and no request to it is ever answered until it is deleted.
        """
        vhost = urllib.parse.urlsplit(url).path.removeprefix("/").replace("/", "%2F")
        names = self.folder / "mnesia" / self._nodename / "quorum" / self._nodename / "names.dets"
        wait_until(lambda: f"{vhost}_{queue}".encode() in names.read_bytes(), seconds=30, what=f"quorum queue {queue} on disk")

    def start(self) -> None:
        """Start the node, on the data it had, and wait until it serves."""
        if self._epmd is None:
            self._epmd = Process(["epmd", "-port", str(self._epmd_port), "-address", "127.0.0.1"], log=self.folder / "epmd.log")
        if not self._epmd.running:
            self._epmd.start()
            self._epmd.wait_ready(lambda: answers(self._epmd_port), seconds=10)
        super().start()

    def __exit__(self, *error: object) -> None:
        self.stop()
        if self._epmd is not None:
            self._epmd.kill()
        super().__exit__(*error)

    def _prepare(self) -> Process:
        (self.folder / "enabled_plugins").write_text("[rabbitmq_prometheus].\n" if self.metrics_address else "[].\n")
        if self.metrics_address:
            host, _, port = self.metrics_address.partition(":")
            self._settings |= {"prometheus.tcp.ip": host, "prometheus.tcp.port": port}
        (self.folder / "env.conf").write_text("")
        (self.folder / "definitions.json").write_text(json.dumps(self._definitions()))
        settings = {
            "listeners.tcp.1": f"127.0.0.1:{self.port}",
            "load_definitions": str(self.folder / "definitions.json"),
            "log.console": "true",
            "log.console.level": "warning",
            "log.file": "false",
            "disk_free_limit.absolute": "50MB",
            **self._settings,
        }
        (self.folder / "rabbitmq.conf").write_text("".join(f"{key} = {value}\n" for key, value in settings.items()))
        return Process([_rabbitmq_program() or "rabbitmq-server"], log=self.folder / "log", env=self._environment(), cwd=self.folder)

    def _environment(self) -> dict[str, str]:
        return {
            "HOME": str(self.folder),
            "ERL_EPMD_PORT": str(self._epmd_port),
            "ERL_EPMD_ADDRESS": "127.0.0.1",
            "RABBITMQ_NODENAME": self._nodename,
            "RABBITMQ_DIST_PORT": str(free_port()),
            "RABBITMQ_CONF_ENV_FILE": str(self.folder / "env.conf"),
            "RABBITMQ_CONFIG_FILE": str(self.folder / "rabbitmq.conf"),
            "RABBITMQ_ENABLED_PLUGINS_FILE": str(self.folder / "enabled_plugins"),
            "RABBITMQ_MNESIA_BASE": str(self.folder / "mnesia"),
            "RABBITMQ_LOG_BASE": str(self.folder / "logs"),
            "RABBITMQ_PID_FILE": str(self.folder / "pid"),
            # Schedulers that do not spin leave the cores to what is tested.
            "RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS": "+sbwt none +sbwtdcpu none +sbwtdio none -kernel inet_dist_use_interface {127,0,0,1}",
            # The start script then becomes the node instead of waiting for it, so signals reach it.
            "RUNNING_UNDER_SYSTEMD": "true",
        }

    def _definitions(self) -> dict[str, Any]:
        salt = b"salt"
        password = base64.b64encode(salt + hashlib.sha256(salt + b"guest").digest()).decode()
        names = ["/", *(f"test{number}" for number in range(1, self.vhosts + 1))]
        return {
            "users": [
                {
                    "name": "guest",
                    "password_hash": password,
                    "hashing_algorithm": "rabbit_password_hashing_sha256",
                    "tags": ["administrator"],
                }
            ],
            "vhosts": [{"name": name} for name in names],
            "permissions": [{"user": "guest", "vhost": name, "configure": ".*", "write": ".*", "read": ".*"} for name in names],
        }

    def _ready(self) -> bool:
        # A listener that answers the protocol header has finished booting.
        return answers(self.port, b"AMQP\x00\x00\x09\x01")


def _rabbitmq_program() -> str | None:
    # Debian's /usr/sbin/rabbitmq-server insists on its own user and folders; the script behind it does not.
    script = Path("/usr/lib/rabbitmq/bin/rabbitmq-server")
    return str(script) if script.exists() else shutil.which("rabbitmq-server")


def answers(port: int, greeting: bytes = b"") -> bool:
    """Whether something accepts connections on the port and, given a greeting, answers it."""
    with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=5) as connection:
        if not greeting:
            return True
        connection.sendall(greeting)
        return connection.recv(1) == b"\x01"
    return False
