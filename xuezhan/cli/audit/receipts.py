"""One hand record against the receipts of those who played the hand."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any, Final

from games.registry import ruleset
from xuezhan.cli.audit.book import Book
from xuezhan.client.deal import PUT_AWAY
from xuezhan.client.signed import same
from xuezhan.client.statements import COMMIT, DEAL

Wrong = tuple[int | None, str]
"""Where, as verify-record says it, and what."""
Key = tuple[str, tuple[str, ...]]
"""What was done, with which tiles, cards or suit."""

_COMMITTED: Final = {
    "installation": "installation", "game": "game", "options": "options", "money": "money", "seats": "seats", "rules": "rules",
    "commitment": "commitment", "hashes": "contribution_hashes",
}  # fmt: skip
"""Names in a commit statement, and in a record."""
_DEALT: Final = {"bytes": "contributions", "withheld": "withheld"}
_LOSE: Final = frozenset({"pung", "kong"})
"""Claims that may lose to a win."""


def against_statements(record: Mapping[str, Any], book: Book) -> Wrong | None:
    """Return the first thing in a record that the statements about its hand contradict. The record has been verified by itself."""
    hand = record["table"], record["hand"]
    for name, kind, names in (("commit", COMMIT, _COMMITTED), ("deal", DEAL, _DEALT)):
        for statement in book.statements(hand, kind):
            if record.get(name) != statement.digest:
                return None, f"{name}: not the statement that the players were shown"
            for said, recorded in names.items():
                if not same(statement.said.get(said), record.get(recorded)):
                    return None, f"{recorded}: another than in the {name} statement"
            if kind == COMMIT:
                wrong = _unit_or_deck(record, statement.said)
                if wrong:
                    return None, wrong
    return None


def _unit_or_deck(record: Mapping[str, Any], said: Mapping[str, Any]) -> str:
    unit = "rate" if "rate" in record else "base"
    if not same(said.get("base"), record.get(unit)):
        return f"{unit}: another than in the commit statement"
    rules = ruleset(record["game"], record["options"], record["players"], record.get("rules"))
    return "" if said.get("deck") == rules.deck else "deck: another than in the commit statement"


# What players saw and did.


def against_seen(record: Mapping[str, Any], book: Book) -> Wrong | None:
    """Return the first thing in a verified record that its players say otherwise. Their word is unsigned: anybody can have written it."""
    # What earlier releases kept of a hand called off has neither players nor actions.
    lines = book.seen.get((record["table"], record["hand"]), []) if "players" in record else []
    by_seat: dict[int, list[Mapping[str, Any]]] = {}
    for line in lines:
        if 0 <= line["seat"] < record["players"]:
            by_seat.setdefault(line["seat"], []).append(line)
    for seat, seen in sorted(by_seat.items()):
        wrong = next(filter(None, (_saw(record, seat, line) for line in seen)), "")
        if wrong:
            return None, f"seat {seat} {wrong}"
        found = _missing(record, seat, seen) or _not_made(record, seat, seen)
        if found:
            return found
    return None


def _saw(record: Mapping[str, Any], seat: int, line: Mapping[str, Any]) -> str:
    """Return what is wrong about one thing that a seat saw."""
    wall = record.get("wall")
    if "seed" in line and record["seed"] is not None and line["seed"] != record["seed"]:
        return "was shown another seed"
    if line.get("player") and "seats" in record and record["seats"][seat] != line["player"]:
        return "was played by another"
    if not any(name in line for name in ("tiles", "cards", "draw", "got")):
        return ""
    if wall is None:
        return "was dealt a hand, and the record has none" if record.get("deal") is None else ""
    if "tiles" in line and not _alike(line["tiles"], wall[13 * seat : 13 * seat + 13]):
        return "was dealt other tiles"
    if "cards" in line and not _alike(line["cards"], wall[PUT_AWAY + 25 * seat : PUT_AWAY + 25 * seat + 25]):
        return "was dealt other cards"
    if "draw" in line:
        left = line.get("left")
        if type(left) is not int or not 0 <= left < len(wall) or wall[len(wall) - left - 1] != line["draw"]:
            return f"drew {line['draw']}, not what the wall has there"
    return _exchanged(record, seat, line) if "got" in line else ""


def _alike(one: object, other: list[str]) -> bool:
    return isinstance(one, list) and all(isinstance(name, str) for name in one) and sorted(one) == sorted(other)


def _exchanged(record: Mapping[str, Any], seat: int, line: Mapping[str, Any]) -> str:
    gave = {action["seat"]: action["tiles"] for action in record["actions"] if action["do"] == "exchange"}
    order = sorted(gave)
    if seat not in gave or not record.get("shift"):
        return "exchanged tiles, and the record has no such exchange"
    giver = order[(order.index(seat) - record["shift"]) % len(order)]
    if not _alike(line.get("gave"), gave[seat]) or not _alike(line["got"], gave[giver]):
        return "exchanged other tiles"
    return ""


def key_of(act: Mapping[str, Any]) -> Key:
    """Return an act or a record's action as what was done with what."""
    tiles = act.get("tiles") or act.get("cards") or [act[name] for name in ("tile", "suit") if name in act]
    return str(act.get("do")), tuple(sorted(map(str, tiles)))


def _counted(lines: Iterable[Mapping[str, Any]], stage: str) -> Counter[Key]:
    return Counter(key_of(line[stage]) for line in lines if isinstance(line.get(stage), dict))


def _missing(record: Mapping[str, Any], seat: int, seen: list[Mapping[str, Any]]) -> Wrong | None:
    """Look for every act that the server accepted."""
    actions = record["actions"]
    recorded = Counter(key_of(action) for action in actions if action["seat"] == seat and not action.get("auto"))
    accepted = [key_of(line["accepted"]) for line in seen if isinstance(line.get("accepted"), dict)]
    missing = Counter(accepted) - recorded
    if record.get("called_off") and accepted and missing == Counter(accepted[-1:]):
        return None  # An answer to a question that was still open.
    for key in missing:
        if key[0] == "pass" and any(action["do"] == "leave" for action in actions):
            continue
        if key[0] == "leave" and _ended_before_it(actions, seat):
            continue
        if key[0] in _LOSE and _lost_to_a_win(actions, [line["sent"] for line in seen if isinstance(line.get("sent"), dict)], key, seat):
            continue
        return len(actions), f"seat {seat} did {_words(key)}, which the server accepted and the record lacks"
    return None


def _ended_before_it(actions: list[Mapping[str, Any]], seat: int) -> bool:
    """Whether a leave that had to wait for others' answers never took effect: these ended the hand, or another left before."""
    last = next((action for action in reversed(actions) if action["do"] != "pass"), None)
    return last is not None and (last["do"] == "win" or (last["do"] == "leave" and last["seat"] != seat))


def _lost_to_a_win(actions: list[Mapping[str, Any]], sent: list[Mapping[str, Any]], key: Key, seat: int) -> bool:
    """Whether a claim like this one stood against a win on the same tile."""
    claimed = {(act.get("of"), act.get("on")) for act in sent if key_of(act) == key}
    for at, action in enumerate(actions):
        if action["do"] == "discard" and (action["seat"], action["tile"]) in claimed:
            for answer in actions[at + 1 :]:
                if answer["do"] == "win" and answer["seat"] != seat:
                    return True
                if answer["do"] not in {"pass", "pung", "kong", "leave"}:
                    break
    return False


def _not_made(record: Mapping[str, Any], seat: int, seen: list[Mapping[str, Any]]) -> Wrong | None:
    """Look for actions that the server did not take for the seat, and its player did not make, where the receipts are of a whole hand."""
    whole = any("tiles" in line or "cards" in line for line in seen) and any("seed" in line for line in seen)
    if not whole or any("elsewhere" in line for line in seen):
        return None
    made = _counted(seen, "sent") - _counted(seen, "refused")
    for at, action in enumerate(record["actions"]):
        if action["seat"] == seat and not action.get("auto"):
            key = key_of(action)
            if not made[key]:
                return at, f"seat {seat} did not do {_words(key)}"
            made[key] -= 1
    return None


def _words(key: Key) -> str:
    return " ".join((key[0], *key[1]))
