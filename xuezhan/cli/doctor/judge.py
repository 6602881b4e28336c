"""What the answers of an installation's parts mean, in sentences, worst first.

Law: one cause is one sentence. What follows from a cause that is told is not told again.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final, NamedTuple

from xuezhan.api.table.v1 import table_pb2 as table
from xuezhan.cli.doctor.ask import Asked, State

CLOCK_MS: Final = 1000
TICKET_SECONDS: Final = 120.0
COINS_SECONDS: Final = 60.0
CERTIFICATE_SECONDS: Final = 14 * 86400.0
LAG_SECONDS: Final = 1.0
DISK_RATIO: Final = 0.1
CHECK_SECONDS: Final = 2 * 3600.0


class Finding(NamedTuple):
    """Something that is wrong. `what`: a stable name; `about`: addresses, rooms or whatever else it is about."""

    what: str
    about: tuple[str, ...]
    says: str
    do: str


def judge(asked: Sequence[Asked], now: float | None = None) -> list[Finding]:
    """Return what is wrong, worst first."""
    now = time.time() if now is None else now
    answering = [one for one in asked if one.state is State.ANSWERS]
    return [finding for rule in _RULES for finding in rule(asked, answering, now)]


def _absent(asked: Sequence[Asked], answering: Sequence[Asked], _now: float) -> Iterator[Finding]:
    """Parts that do not answer."""
    down = [one for one in asked if one.state is State.NOTHING_LISTENS]
    if down and len(down) == len(asked):
        addresses = tuple(one.address for one in asked)
        do = "start it (`xuezhan up`, or `xuezhan serve` for each part), or name where it is (--data, --matchmaking, --table, --settlement)"
        yield Finding("nothing_runs", addresses, f"nothing of the installation runs: nothing listens at {', '.join(addresses)}", do)
        return
    for one in asked:
        where = one.name
        if one.state is State.NOTHING_LISTENS:
            do = f"start it (`xuezhan serve {one.role}`) and read the end of its log, or correct the address"
            yield Finding("part_down", (one.address,), f"{where} is down: nothing listens there", do)
        elif one.state is State.SILENT:
            do = "look at its process (`ps -o pid,stat,etime -C xuezhan`): T is stopped (kill -CONT), else kill -9 and start it again"
            yield Finding("part_frozen", (one.address,), f"{where} takes connections and answers nothing: its process stands still", do)
        elif one.state is State.UNREACHABLE:
            do = "look at the machine and the network between: ping it, and look at its firewall"
            yield Finding("part_unreachable", (one.address,), f"{where} cannot be reached: {one.detail}", do)
        elif one.state is State.REFUSES:
            do = _WAYS.get(one.reason, "see whether --secrets, --data and the address are those of this installation")
            yield Finding(one.reason, (one.address,), f"{where} does not tell how it is: {one.detail}", do)
    yield from _lost(asked, answering)


_WAYS: Final = {
    "tls": "renew its certificate (`xuezhan certificates`), or name the right CA in XUEZHAN_CA_FILE",
    "unimplemented": "it is of an older release: bring all parts to one version",
}


def _lost(asked: Sequence[Asked], answering: Sequence[Asked]) -> Iterator[Finding]:
    """Table servers that the others miss."""
    told = {one.address for one in asked if one.state is not State.ANSWERS}
    found = {server.name: server for one in answering for server in one.servers if server.state == table.SERVER_STATE_LOST}
    for server in found.values():
        if server.address not in told:
            says = f"table server {server.name} is lost with {server.tables} tables that nobody has taken up yet"
            yield Finding("server_lost", (server.name,), says, "wait a minute: the others take them up; if not, see their logs")


def _low(answering: Iterable[Asked], figure: str) -> list[Asked]:
    return [one for one in answering if any(value == 0 for _, value in one.figures(figure))]


def _names(found: Iterable[Asked]) -> str:
    return ", ".join(one.name for one in found)


def _addresses(found: Iterable[Asked]) -> tuple[str, ...]:
    return tuple(one.address for one in found)


def _database_away(answering: Iterable[Asked]) -> list[Asked]:
    return _low(answering, "xuezhan_part_database_reachable")


def _broker_away(answering: Iterable[Asked]) -> list[Asked]:
    return _low(answering, "xuezhan_part_broker_connected")


def _servers(_asked: Sequence[Asked], answering: Sequence[Asked], _now: float) -> Iterator[Finding]:
    """Database and broker, and who works for the broker."""
    if away := _database_away(answering):
        do = "see that PostgreSQL runs and answers (`pg_isready -h HOST`), and that these machines reach it; the parts go on by themselves"
        yield Finding(
            "database_away", _addresses(away), f"the database does not answer {_names(away)}: nothing is played or paid there", do
        )
    if away := _broker_away(answering):
        do = "see that RabbitMQ runs (`rabbitmqctl status`) and that these machines reach it; coins are paid when it is back, none is lost"
        yield Finding(
            "broker_away", _addresses(away), f"the message broker does not answer {_names(away)}: play goes on, no coin moves", do
        )
    else:
        counts = [count for one in answering for _, count in one.figures("xuezhan_table_workers") if count >= 0]
        if counts and max(counts) == 0:
            says = "no settlement worker takes items from the broker: play goes on, no coin moves"
            yield Finding("no_worker", (), says, "start one (`xuezhan serve worker`) and read the end of its log; nothing is lost")


def _not_serving(_asked: Sequence[Asked], answering: Sequence[Asked], _now: float) -> Iterator[Finding]:
    """Parts that say that they do not serve, for another reason than a database or broker that is away."""
    told = [*_database_away(answering), *_broker_away(answering)]
    for one in answering:
        if one in told:
            continue
        if one.part.faults or not one.serving:
            why = "; ".join(f"{fault.what}: {fault.why}" for fault in one.part.faults) or "it starts, or stops"
            yield Finding("not_serving", (one.address,), f"{one.name} does not serve: {why}", "read its log; what has ended is begun again")
        elif 0.0 in {value for _, value in one.figures("xuezhan_table_lease_valid")}:
            do = "look at the load of its machine and at the database: a lease is renewed each second and lasts five"
            yield Finding("lease_lost", (one.address,), f"{one.name} has lost its lease: it is silent, others take its tables", do)


class _High(NamedTuple):
    """A figure that should not be above a limit. `says` is given its value."""

    what: str
    figure: str
    limit: float
    says: str
    do: str


_HIGHS: Final = (
    _High(
        "ledger_off",
        "xuezhan_settlement_ledger_imbalance_coins",
        0,
        "the ledger is off by {0:.0f} coins",
        "stop payouts, run `xuezhan ledger check`, and keep the database as it is",
    ),
    _High(
        "ledger_findings",
        "xuezhan_settlement_ledger_findings",
        0,
        "a check of the ledger has {0:.0f} findings",
        "run `xuezhan ledger check`: it names them",
    ),
    _High(
        "tables_stuck",
        "xuezhan_settlement_stuck_tables",
        0,
        "{0:.0f} tables are stuck in settlement: their coins wait for an operator",
        "see `xuezhan settlement dead-letters`, then `xuezhan settlement replay TABLE --why ...` or `void-item`",
    ),
    _High(
        "tables_set_aside",
        "xuezhan_table_set_aside",
        0,
        "{0:.0f} tables were set aside: three servers in turn could not take them up",
        "see `xuezhan retry-tables`; `xuezhan retry-tables TABLE` tries one again, and the log says what it finds",
    ),
    _High(
        "rules_missing",
        "xuezhan_table_rules_missing",
        0,
        "{0:.0f} tables stand still: no serving table server has their version of the rules",
        "start a table server of the release that they were opened under",
    ),
    _High(
        "tables_stand_still",
        "xuezhan_table_standing_still",
        0,
        "{0:.0f} tables of a room stand still although something is due",
        "see the log of the server and how fast the database stores",
    ),
    _High(
        "coins_unsettled",
        "xuezhan_table_outbox_oldest_seconds",
        COINS_SECONDS,
        "the oldest coins that were not settled wait for {0:.0f} s",
        "see whether workers run and what their log says; nothing is lost",
    ),
    _High(
        "loop_blocked",
        "xuezhan_part_loop_lag_max_seconds",
        LAG_SECONDS,
        "a process stood still for {0:.1f} s within the last minute",
        "look at the load of its machine",
    ),
    _High(
        "player_keys_unusable",
        "xuezhan_part_player_keys_unusable",
        0,
        "the file of the players' public keys cannot be used as it is: the keys before are used",
        "see `player_keys_unusable` in the log, and mend players.jwks",
    ),
)
_CAUSED_BY_BROKER: Final = frozenset({"coins_unsettled"})
_CAUSED_BY_DATABASE: Final = frozenset({"coins_unsettled", "tables_stand_still", "loop_blocked"})


def _too_high(asked: Sequence[Asked], answering: Sequence[Asked], _now: float) -> Iterator[Finding]:
    """Figures that are too high. Each is told once, with the highest value, of whoever has it."""
    known = {finding.what for finding in (*_absent(asked, answering, _now), *_servers(asked, answering, _now))}
    hidden = set(_CAUSED_BY_DATABASE) if known else set[str]()
    hidden |= _CAUSED_BY_BROKER if known & {"broker_away", "no_worker"} else set()
    for high in _HIGHS:
        worst = [(value, one) for one in answering if (value := one.highest(high.figure)) is not None and abs(value) > high.limit]
        if worst and high.what not in hidden:
            value = max(abs(value) for value, _ in worst)
            yield Finding(high.what, tuple(one.address for _, one in worst), high.says.format(value), high.do)


def _ends(_asked: Sequence[Asked], answering: Sequence[Asked], now: float) -> Iterator[Finding]:
    """Certificates and disks that come to an end, and a ledger that nobody checks."""
    ends = {one.address: at - now for one in answering if (at := one.highest(_CERTIFICATE)) is not None and at - now < CERTIFICATE_SECONDS}
    if ends:
        each = ", ".join(f"that of {one.name} in {ends[one.address] / 86400:.1f} days" for one in answering if one.address in ends)
        do = "renew them (`xuezhan certificates`): the parts read the new files by themselves"
        yield Finding("certificate_ends", tuple(ends), f"certificates end soon: {each}", do)
    free = {one.address: ratio for one in answering if (ratio := _least(one, "xuezhan_part_disk_free_ratio")) < DISK_RATIO}
    if free:
        each = ", ".join(f"that of {one.name} is {100 * (1 - free[one.address]):.0f} % full" for one in answering if one.address in free)
        yield Finding(
            "disk_fills", tuple(free), f"a disk is nearly full: {each}", "make room: when it is full nothing is played or paid there"
        )
    checked = max((at for one in answering if (at := one.highest(_CHECKED))), default=None)
    if checked is not None and now - checked > CHECK_SECONDS:
        says = f"the ledger was last checked {(now - checked) / 3600:.0f} h ago"
        yield Finding("ledger_unchecked", (), says, "see settlement's log; `xuezhan ledger check` checks it now")


def _least(one: Asked, figure: str) -> float:
    return min((value for _, value in one.figures(figure)), default=1.0)


_CERTIFICATE: Final = "xuezhan_part_certificate_expires_timestamp_seconds"
_CHECKED: Final = "xuezhan_settlement_ledger_checked_timestamp_seconds"


def _waiting(asked: Sequence[Asked], answering: Sequence[Asked], _now: float) -> Iterator[Finding]:
    """Tickets that wait long, where nothing else is wrong that would keep them waiting."""
    if any(True for rule in (_absent, _servers, _not_serving) for _ in rule(asked, answering, _now)):
        return
    oldest: dict[str, float] = {}
    for one in answering:
        for labels, seconds in one.figures("xuezhan_matchmaking_oldest_ticket_seconds"):
            room = f"{labels.get('game')}/{labels.get('tier')}"
            oldest[room] = max(oldest.get(room, 0.0), seconds)
    for room, seconds in sorted(oldest.items()):
        if seconds > TICKET_SECONDS:
            says = f"a ticket for {room} has waited for {seconds:.0f} s"
            yield Finding("tickets_wait", (room,), says, "too few players, or no bots in this room: see `bots` in the rooms file")


def _differ(_asked: Sequence[Asked], answering: Sequence[Asked], _now: float) -> Iterator[Finding]:
    """Versions and clocks that should agree."""
    versions: dict[str, list[Asked]] = {}
    for one in answering:
        versions.setdefault(one.part.version, []).append(one)
    if len(versions) > 1:
        says = "; ".join(f"{version or 'unknown'}: {_names(found)}" for version, found in sorted(versions.items()))
        yield Finding("versions_differ", tuple(versions), f"the parts are of different versions: {says}", "finish the upgrade")
    ahead = sorted(answering, key=lambda one: one.ahead_ms)
    if ahead and ahead[-1].ahead_ms - ahead[0].ahead_ms > CLOCK_MS + ahead[0].unsure_ms + ahead[-1].unsure_ms:
        seconds = (ahead[-1].ahead_ms - ahead[0].ahead_ms) / 1000
        says = f"the clock of {ahead[-1].name} is {seconds:.1f} s ahead of that of {ahead[0].name}"
        yield Finding("clocks_differ", _addresses((ahead[-1], ahead[0])), says, "let NTP set the clocks of both machines")
    elif ahead and abs(ahead[0].ahead_ms) > CLOCK_MS + ahead[0].unsure_ms:
        says = f"the clock of this machine differs by {abs(ahead[0].ahead_ms) / 1000:.1f} s from that of the parts"
        yield Finding("own_clock_differs", (), says, "let NTP set it: tokens made here may be refused")


Rule = Callable[[Sequence[Asked], Sequence[Asked], float], Iterator[Finding]]
_RULES: Final[Sequence[Rule]] = (_absent, _servers, _not_serving, _too_high, _ends, _waiting, _differ)
