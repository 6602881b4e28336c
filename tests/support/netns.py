"""A network of hosts on this machine: each host is a network namespace, and one router, a namespace too, stands between them.

    with Network(hosts=("a", "b"), here=("database",)) as network:
        Process(network.command("a", ["ip", "address"]), ...)  # a process of host a
        network.cut("a", "database")  # packets between the two are dropped, and nobody is told
        network.heal()

This machine is on it too, under the addresses `here`. Everything is removed at the end, also when the process is killed.
"""

import itertools
import os
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Self

_MADE = Path("/run/netns")
_NETWORKS = 512
"""198.18.0.0/15 is nobody's: it is set aside for trying networks out."""
_DROPPED_FIRST = "100"
"""Priority of the router's rules that drop packets: before all that route them."""


class Network:
    """Hosts of their own, and addresses of this machine, by name."""

    def __init__(self, hosts: Sequence[str], here: Sequence[str]) -> None:
        # Test runs beside each other begin in different places.
        tried = ((os.getpid() + turn) % _NETWORKS for turn in itertools.count())
        number = next(number for number in tried if not (_MADE / f"xz{number}").exists())
        self._name = f"xz{number}"
        self._subnet = f"198.{18 + number // 256}.{number % 256}"
        self._router = f"{self._subnet}.1"
        self.addresses = MappingProxyType({name: f"{self._subnet}.{last}" for last, name in enumerate((*here, *hosts), 2)})
        self._hosts, self._here = tuple(hosts), tuple(here)
        self._cuts: set[tuple[str, str]] = set()
        self._guard: subprocess.Popen[bytes] | None = None

    @classmethod
    def missing(cls) -> str | None:
        """What this machine lacks for it; None when nothing."""
        if os.geteuid() != 0:
            return "network namespaces, which only root makes"
        if shutil.which("ip") is None:
            return "the command ip (Debian: apt-get install iproute2)"
        try:
            with cls((), ("here",)) as network:
                network.drop("here", "here")
        except (subprocess.CalledProcessError, OSError) as error:
            told = getattr(error, "stderr", b"") or str(error).encode()
            return f"network namespaces, which are not allowed here ({told.decode(errors='replace').strip()})"
        return None

    @property
    def range(self) -> str:
        """All of its addresses, in CIDR notation."""
        return f"{self._subnet}.0/24"

    def __enter__(self) -> Self:
        # Whatever ends this process closes the pipe, and then the guard removes what is there.
        names = " ".join([self._name, *(self._namespace(host) for host in self._hosts)])
        script = f"cat; exec 2>/dev/null; ip link del {self._name}; for name in {names}; do ip netns del $name; done"
        self._guard = subprocess.Popen(["/bin/sh", "-c", script], stdin=subprocess.PIPE, start_new_session=True)
        try:
            self._make()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        if self._guard is not None:
            self._guard.communicate()
            self._guard = None

    def command(self, host: str, command: Sequence[str | Path]) -> list[str | Path]:
        """The command that runs a command on a host; it becomes that command, under the same process id."""
        return list(command) if host in self._here else ["ip", "netns", "exec", self._namespace(host), *command]

    def cut(self, one: str, other: str) -> None:
        """Drop all packets between two, both ways. Connections stay, and whoever sends hears nothing."""
        self.drop(one, other)
        self.drop(other, one)

    def drop(self, sender: str, receiver: str) -> None:
        """Drop all packets from one to another, unless that is so already."""
        if (sender, receiver) not in self._cuts:
            self._rule("add", sender, receiver)
            self._cuts.add((sender, receiver))

    def heal(self) -> None:
        """Let all packets through again."""
        for sender, receiver in self._cuts:
            self._rule("del", sender, receiver)
        self._cuts.clear()

    def _rule(self, what: str, sender: str, receiver: str) -> None:
        pair = ("from", self.addresses[sender], "to", self.addresses[receiver])
        _ip("-n", self._name, "rule", what, *pair, "priority", _DROPPED_FIRST, "blackhole")

    def _namespace(self, host: str) -> str:
        return f"{self._name}-{host}"

    def _make(self) -> None:
        _ip("netns", "add", self._name)
        _ip("netns", "exec", self._name, "sh", "-c", "echo 1 >/proc/sys/net/ipv4/ip_forward")
        first, *others = (self.addresses[name] for name in self._here)
        self._connect(self._name, [], first, "here")
        _ip("route", "add", self.range, "via", self._router, "src", first)
        for address in others:
            _ip("address", "add", f"{address}/32", "dev", self._name)
            _ip("-n", self._name, "route", "add", address, "via", first)
        for host in self._hosts:
            name = self._namespace(host)
            _ip("netns", "add", name)
            _ip("-n", name, "link", "set", "dev", "lo", "up")
            self._connect("eth0", ["-n", name], self.addresses[host], host)
            _ip("-n", name, "route", "add", "default", "via", self._router)

    def _connect(self, interface: str, where: Sequence[str], address: str, host: str) -> None:
        """Connect a host with the router: its `interface`, and the router's, which is called as the host."""
        _ip(*where, "link", "add", interface, "type", "veth", "peer", "name", host[:15], "netns", self._name)
        for side, device, mine, its in ((where, interface, address, self._router), (("-n", self._name), host[:15], self._router, address)):
            _ip(*side, "address", "add", mine, "peer", its, "dev", device)
            _ip(*side, "link", "set", "dev", device, "up")


def _ip(*arguments: str) -> None:
    subprocess.run(["ip", *arguments], check=True, capture_output=True)
