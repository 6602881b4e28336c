import io
import json
import logging
import subprocess
import sys
import threading
from collections.abc import Iterator
from typing import Any

import pytest
import structlog

from services.kit import logs
from services.kit.supervise import Supervisor


@pytest.fixture
def lines(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    written = io.StringIO()
    monkeypatch.setattr(sys, "stderr", written)
    root = logging.getLogger()
    before = root.handlers[:], root.level
    logs.configure("info", json_lines=True, service="settlement/s")
    yield lambda: [json.loads(line) for line in written.getvalue().splitlines()]
    root.handlers[:], root.level = before[0], before[1]
    structlog.reset_defaults()


def test_a_line_is_one_json_object_with_the_ids_it_was_given(lines: Any) -> None:
    logs.get("a").info("table_opened", table="m1", hand=2, room="crazy_xuezhan/麻友")
    (line,) = lines()
    assert {key: line[key] for key in ("event", "level", "table", "hand", "room")} == {
        "event": "table_opened",
        "level": "info",
        "table": "m1",
        "hand": 2,
        "room": "crazy_xuezhan/麻友",
    }
    assert line["timestamp"].endswith("Z")


@pytest.mark.parametrize("field", ["token", "seed", "tiles", "wall", "secret", "password", "authorization", "concealed"])
def test_what_must_stay_secret_is_withheld_whoever_logs_it(lines: Any, field: str) -> None:
    logs.get("b").warning("careless", **{field: "1m2m3m"})
    assert lines()[0][field] == "(withheld)"
    assert "1m2m3m" not in json.dumps(lines())


def test_a_line_names_the_service_whose_task_or_thread_writes_it_and_else_that_of_the_process(lines: Any) -> None:
    stop = threading.Event()

    def serve() -> None:
        logs.get("t").info("from a thread")
        stop.wait()

    with logs.of_service("table", "table-1"):
        thread = Supervisor().thread("t", serve, stop)
        logs.get("a").info("from a part")
    stop.set()
    thread.join()
    logs.get("a").info("from the process")
    logging.getLogger("kombu").warning("from a library")
    assert {line["event"]: line["service"] for line in lines()} == {
        "from a part": "table/table-1",
        "from a thread": "table/table-1",
        "from the process": "settlement/s",
        "from a library": "settlement/s",
    }


def test_a_program_that_has_not_set_logging_up_writes_its_answers_alone_to_standard_output() -> None:
    script = "from services.kit import logs; logs.get('a').warning('file_made_private', file='x'); print('answer')"
    ran = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert ran.stdout == "answer\n"
    assert "file_made_private" in ran.stderr


def test_debug_lines_are_left_out_unless_asked_for(lines: Any) -> None:
    logs.get("c").debug("detail")
    assert lines() == []


def test_an_exception_keeps_to_its_line(lines: Any) -> None:
    try:
        raise ValueError("broken")
    except ValueError:
        logs.get("d").exception("failed", table="m1")
    (line,) = lines()
    assert "ValueError: broken" in line["exception"]
    assert line["level"] == "error"


def test_libraries_speak_in_the_same_form_and_only_to_warn(lines: Any) -> None:
    logging.getLogger("kombu").info("chatter")
    logging.getLogger("kombu").warning("lost %s", "the broker")
    logging.getLogger("other").info("plain")
    assert [(line["event"], line["level"]) for line in lines()] == [("lost the broker", "warning"), ("plain", "info")]


def test_the_password_of_a_url_is_left_out_of_fields_and_of_exceptions_whoever_logs_them(lines: Any) -> None:
    try:
        raise ConnectionError("no answer from amqp://worker:hush@h/v")
    except ConnectionError:
        logs.get("a").exception("broker_away", url="postgresql://table:hush@h/d")
    logging.getLogger("kombu").warning("cannot reach %s", "amqp://worker:hush@h/v")
    said = lines()
    assert len(said) == 2
    assert "hush" not in json.dumps(said)
    assert said[0]["url"] == "postgresql://table:***@h/d"
