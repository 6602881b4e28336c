"""Law: the protos say all that a client programmer must know: every reason, cause and refusal, and where an event is in a view."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from grpc_tools import protoc

from games.hand import Why
from games.registry import GAMES
from games.simulate import simulate
from services.matchmaking import tickets
from services.settlement.wallets import Way
from services.table.answers import TOO_MANY
from services.table.ending import CalledOff
from services.table.phases import Phase
from tests.support.source import ROOT, project_files
from xuezhan.api.table.v1 import table_pb2 as pb

API = "protos/xuezhan/api"
UNCOUNTED = {"attached", "detached", "resync_needed", "view", "moved", "contributed", "wait"}
KINDS = "InvalidArgument|Unauthenticated|PermissionDenied|NotFound|FailedPrecondition|Conflict|Exhausted|Unavailable"
RAISED = re.compile(rf'\b(?:{KINDS})Error\(\s*"([a-z_]+)"')
NOT_OF_A_CALL = {
    # Told to the parts of this process, or to a command that reads the database itself.
    "operate.py",
    "broker_link.py",
}


def words(*files: str) -> set[str]:
    """What stands in quotation marks in these files."""
    return {word for file in files for word in re.findall(r'"([a-z_]+)"', (ROOT / API / file).read_text())}


def comment_of(file: str, field: str, message: str) -> str:
    """The comment above a field."""
    text = (ROOT / API / file).read_text()
    inside = text[text.index(f"message {message} {{") :].partition("\n}")[0]
    found = re.search(rf"((?: *//[^\n]*\n)+) *(?:repeated )?\w+ {field} = ", inside)
    assert found is not None, f"{message}.{field} has no comment"
    return found[1]


def listed(file: str, field: str, message: str) -> set[str]:
    return set(re.findall(r'"([a-z_]+)"', comment_of(file, field, message)))


@pytest.mark.parametrize(
    ("service", "files"),
    [
        ("matchmaking", ("matchmaking/v1/matchmaking.proto",)),
        ("settlement", ("settlement/v1/settlement.proto", "settlement/v1/ledger.proto", "matchmaking/v1/matchmaking.proto")),
        ("table", ("table/v1/table.proto", "matchmaking/v1/matchmaking.proto")),
        ("kit", ("matchmaking/v1/matchmaking.proto",)),
    ],
)
def test_every_reason_that_a_service_refuses_with_stands_in_its_protos(service: str, files: tuple[str, ...]) -> None:
    sources = [path for path in project_files(f"services/{service}/*.py") if path.name not in NOT_OF_A_CALL]
    raised = {reason: path.name for path in sources for reason in RAISED.findall(path.read_text())}
    assert len(raised) > 4
    assert {reason: raised[reason] for reason in raised.keys() - words(*files)} == {}


def test_every_refusal_of_an_action_is_listed_with_the_answer() -> None:
    comment = comment_of("table/v1/table.proto", "refused", "Answer")
    for word in (*(why.value for why in Why), "stale", "not_attached", TOO_MANY.decode(), "moved", "wait"):
        assert re.search(rf"\b{word}\b", comment), word


def test_every_way_to_call_a_hand_off_is_listed() -> None:
    assert listed("table/v1/table.proto", "called_off", "HandOver") == {why.value for why in CalledOff}


def test_every_phase_of_a_table_is_listed() -> None:
    assert listed("table/v1/table.proto", "phase", "TableSummary") == {phase.value for phase in Phase}


def test_every_reason_of_a_failed_ticket_is_listed() -> None:
    source = (ROOT / "services/matchmaking/store.py").read_text() + (ROOT / "services/matchmaking/store_matches.py").read_text()
    ends = {tickets.Why[name].value for name in re.findall(r"TicketState\.FAILED, Why\.([A-Z_]+)", source)} | {"short", "too_rich"}
    comment = comment_of("matchmaking/v1/matchmaking.proto", "reason", "Ticket")
    assert {reason for reason in ends if reason not in comment} == set()


def test_every_reason_for_a_detached_seat_is_listed() -> None:
    sources = "".join(path.read_text() for path in project_files("services/table/*.py"))
    told = set(re.findall(r'(?:\.detach\(|turn_away\([^"()]*?)"([a-z_]+)"', sources))
    assert len(told) > 4
    # Events of their own.
    told -= {"moved", "wait"}
    assert told - listed("table/v1/table.proto", "reason", "Detached") == set()


def test_every_cause_of_claims_is_listed_with_the_stage_and_in_the_statement() -> None:
    sources = "".join(path.read_text() for path in project_files("games/*.py"))
    literal = set(re.findall(r'Stage\("([a-z_]+)"', sources))
    played = {
        stage["cause"] for game in GAMES for record in simulate(game, 30, "1", bots="greedy", leave=0.02) for stage in record["stages"]
    }
    causes = listed("table/v1/table.proto", "cause", "StageClaimed")
    assert (literal | played) - causes == set()
    ledger = listed("settlement/v1/settlement.proto", "cause", "StatementLine")
    assert causes - ledger == set()
    moved = {cause for path in project_files("services/settlement/*.py") for cause in re.findall(r'Why\("([a-z_]+)"', path.read_text())}
    assert (moved | {way.value for way in Way}) - ledger == set()


def test_every_reason_for_a_closed_table_is_listed() -> None:
    sources = "".join(path.read_text() for path in project_files("services/table/*.py"))
    closed = set(re.findall(r'(?:\.close\("|_let_go\(course, [^"\n]*")([a-z_]+)"', sources))
    assert closed == {"finished", "left", "short"}
    apply = (ROOT / "services/settlement/apply.py").read_text()
    opening = apply[apply.index("def _open(") : apply.index("def _stake_of_bot")]
    refused = set(re.findall(r'(?:return |reason = |: |, )"([a-z_]+)"', opening))
    assert {"too_rich", "other_room", "void"} <= refused
    assert (closed | refused) - listed("table/v1/table.proto", "reason", "TableClosed") == set()


@pytest.mark.parametrize("name", sorted({field.name for field in pb.Event.DESCRIPTOR.oneofs_by_name["what"].fields} - UNCOUNTED))
def test_every_counted_event_says_where_it_is_in_a_view(name: str) -> None:
    message: Any = pb.Event.DESCRIPTOR.fields_by_name[name].message_type
    text = (ROOT / "protos" / message.file.name).read_text()
    found = re.search(rf"((?://[^\n]*\n)+)message {message.name} {{", text)
    assert found is not None
    assert "In a view: " in found[1]


def test_the_folder_of_protos_compiles_alone_with_what_errors_are_told_in(tmp_path: Path) -> None:
    sources = [str(path.relative_to(ROOT / "protos")) for path in (ROOT / "protos").rglob("*.proto")]
    assert "google/rpc/error_details.proto" in sources
    # The well-known types come with every protoc.
    command = [sys.executable, "-m", "grpc_tools.protoc", f"-I{ROOT / 'protos'}", f"-I{Path(protoc.__file__).parent / '_proto'}"]
    done = subprocess.run([*command, f"--python_out={tmp_path}", *sources], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
