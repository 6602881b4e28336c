from importlib import resources
from pathlib import Path

import pytest

from games.crazy_duel.options import STAKES
from services.kit.config import ConfigError
from services.kit.rooms import Room, load_rooms

ROOM = """
[[room]]
game = "crazy_xuezhan"
id = "mayou"
name = "麻友"
base = 1
"""

DUEL = """
[[room]]
game = "crazy_duel"
id = "harbour"
name = "海港"
players = 2
base = 100
"""


def write(folder: Path, text: str, name: str = "rooms.toml") -> Path:
    path = folder / name
    path.write_text(text)
    return path


def test_the_rooms_that_come_with_the_project_are_the_tiers_of_the_rules_page() -> None:
    rooms = {room.id: room for room in load_rooms(None) if room.game == "crazy_xuezhan"}
    assert {name: room.rules().options["cap"] for name, room in rooms.items()} == {"mayou": 4, "dashi": 4, "dianfeng": 5, "wangzhe": 6}
    assert all(room.stake_needed >= room.entry for room in rooms.values())


def test_the_rooms_of_the_card_game_lock_what_can_be_lost_there() -> None:
    rooms = {room.id: room for room in load_rooms(None) if room.game == "crazy_duel"}
    rating = rooms.pop("rating")
    assert (rating.base, rating.lock, rating.rated, rating.bots.wait_seconds) == (0, 0, True, None)
    assert {name: (room.base, room.lock) for name, room in rooms.items()} == {name: (row.n, row.lock) for name, row in STAKES.items()}
    for room in rooms.values():
        assert room.stake_needed == room.lock == room.rules().largest_claim * room.base
        assert not room.rated


def test_a_room_says_least_what_it_needs(tmp_path: Path) -> None:
    room = load_rooms(write(tmp_path, ROOM)).get("crazy_xuezhan/mayou")
    assert room is not None
    assert (room.players, room.lock, room.bots.wait_seconds, room.stake_needed) == (4, "all", 10, 0)
    assert load_rooms(write(tmp_path, ROOM)).get("crazy_xuezhan/other") is None


@pytest.mark.parametrize(
    ("more", "needed"),
    [("min_coins = 50", 50), ("entry = 60\nmin_coins = 50", 60), ("lock = 500\nentry = 10", 500), ("lock = 500\nmin_coins = 900", 900)],
)
def test_a_wallet_must_hold_minimum_entry_and_lock(tmp_path: Path, more: str, needed: int) -> None:
    room = load_rooms(write(tmp_path, ROOM + more)).get("crazy_xuezhan/mayou")
    assert room is not None
    assert room.stake_needed == needed


def test_a_table_closes_when_a_player_goes_unless_its_room_refills(tmp_path: Path) -> None:
    room = load_rooms(write(tmp_path, ROOM + "hands = 2")).get("crazy_xuezhan/mayou")
    other = load_rooms(write(tmp_path, ROOM + "hands = 2\nrefill_seconds = 10")).get("crazy_xuezhan/mayou")
    assert room is not None
    assert other is not None
    assert (room.refill_seconds, other.refill_seconds) == (0, 10)
    assert {room.game for room in load_rooms(None) if room.refill_seconds} == {"happy_sichuan", "crazy_duel"}


def test_a_room_without_bots_says_never(tmp_path: Path) -> None:
    room = load_rooms(write(tmp_path, ROOM + 'bots = { wait_seconds = "never" }')).get("crazy_xuezhan/mayou")
    assert room is not None
    assert room.bots.wait_seconds is None


def test_bots_that_wait_for_nothing_come_at_once(tmp_path: Path) -> None:
    """0 is not "never"."""
    room = load_rooms(write(tmp_path, ROOM + "bots = { wait_seconds = 0 }")).get("crazy_xuezhan/mayou")
    assert room is not None
    assert room.bots.wait_seconds == 0


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", ["room", "at least one"]),
        ("[[room", ["rooms.toml"]),
        ("[[table]]\n", ["table"]),
        ("[room]\n", ["room"]),
        ("room = [1]\n", ["room 1"]),
        (ROOM + "colour = 1", ["crazy_xuezhan/mayou", "colour"]),
        (ROOM.replace('name = "麻友"', ""), ["crazy_xuezhan/mayou", "name"]),
        (ROOM.replace("crazy_xuezhan", "go"), ["go/mayou", "game"]),
        (ROOM.replace("mayou", "A b"), ["id"]),
        (ROOM + "players = 3", ["players"]),
        (ROOM + "players = 9", ["players"]),
        (ROOM + "options = { cap = 0 }", ["cap"]),
        (ROOM + "options = { colour = 1 }", ["colour"]),
        (ROOM.replace("base = 1", "base = -1"), ["base"]),
        (ROOM.replace("base = 1", "base = 1.5"), ["base"]),
        (ROOM.replace("base = 1", "base = true"), ["base"]),
        (ROOM.replace("base = 1", 'base = "1"'), ["base"]),
        (ROOM.replace("base = 1", "base = 1_000_000_000_000_000"), ["base", "9007199254740991"]),
        (
            ROOM.replace("mayou", "harbour").replace("base = 1", "base = 300_300_000_000"),
            ["crazy_xuezhan/harbour", "base", "9007199254740991"],
        ),
        (DUEL.replace("base = 100", "base = 30_023_997_515_804"), ["crazy_duel/harbour", "base", "9007199254740991"]),
        (ROOM + "min_coins = 9007199254740992", ["min_coins"]),
        (ROOM + "min_coins = 2_251_799_813_685_248", ["crazy_xuezhan/mayou", "min_coins", "4 times", "9007199254740991"]),
        (DUEL + "rated = true\nbots = { wait_seconds = 5 }", ["crazy_duel/harbour", "bots", "rated", "never"]),
        (DUEL + "rated = true\nbots = { pause_ms = 5 }", ["crazy_duel/harbour", "bots", "rated", "never"]),
        (DUEL + "rated = true\nbots = 5", ["crazy_duel/harbour", "bots"]),
        (DUEL + "rated = true\noptions = { rated = false }", ["crazy_duel/harbour", "options.rated"]),
        (DUEL + "rated = 1", ["crazy_duel/harbour", "rated"]),
        (DUEL + "options = 1", ["crazy_duel/harbour", "options"]),
        (DUEL.replace('"crazy_duel"', "[1]"), ["game"]),
        (ROOM + "lock = 10\nentry = 11", ["lock"]),
        (ROOM + 'lock = "some"', ["lock"]),
        (ROOM + "turn_seconds = -1", ["turn_seconds"]),
        (ROOM + "turn_seconds = nan", ["turn_seconds"]),
        (ROOM + "hands = 0", ["hands"]),
        (ROOM + "claim_window_ms = 10_001", ["claim_window_ms"]),
        (ROOM + "hands = 2\nrefill_seconds = 601", ["refill_seconds"]),
        (ROOM + "hands = 2\nrefill_seconds = -1", ["refill_seconds"]),
        (ROOM + "refill_seconds = 10", ["refill_seconds", "several hands"]),
        (ROOM + "hands = 2\nrefill_seconds = 10\nturn_seconds = 0", ["refill_seconds", "timer"]),
        (ROOM + "bots = { wait_seconds = -1 }", ["bots.wait_seconds"]),
        (ROOM + 'bots = { wait_seconds = "sometimes" }', ["bots.wait_seconds"]),
        (ROOM + 'bots = { level = "genius" }', ["bots.level"]),
        (ROOM + "bots = 1", ["bots"]),
        (ROOM + ROOM, ["same game and id"]),
        ('include = "rooms.toml"\n' + ROOM, ["include"]),
        ("include = 1\n" + ROOM, ["include"]),
        ("all = 1\n" + ROOM, ["all"]),
        ("[all]\ncolour = 1\n" + ROOM, ["colour"]),
        ("[all.bots]\npause_ms = 1\n" + ROOM + "bots = 1", []),
    ],
)
def test_an_unusable_rooms_file_is_refused_in_one_line_that_names_room_and_field(tmp_path: Path, text: str, says: list[str]) -> None:
    path = write(tmp_path, text)
    if not says:
        load_rooms(path)
        return
    with pytest.raises(ConfigError) as caught:
        load_rooms(path)
    message = str(caught.value)
    assert [word for word in says if word not in message] == []
    assert "\n" not in message.strip()


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"nothing\.toml"):
        load_rooms(tmp_path / "nothing.toml")
    (tmp_path / "rooms.toml").write_bytes(b"\xff\xfe")
    with pytest.raises(ConfigError, match=r"rooms\.toml"):
        load_rooms(tmp_path / "rooms.toml")


def test_a_file_may_include_another_and_change_all_its_rooms(tmp_path: Path) -> None:
    write(tmp_path, ROOM + "bots = { pause_ms = 7 }", "base.toml")
    rooms = load_rooms(write(tmp_path, 'include = "base.toml"\n[all]\nclaim_window_ms = 0\n[all.bots]\nwait_seconds = 1\n'))
    room = rooms.get("crazy_xuezhan/mayou")
    assert room is not None
    assert (room.claim_window_ms, room.bots.wait_seconds, room.bots.pause_ms) == (0, 1, 7)


@pytest.mark.parametrize("name", ["rooms.toml", "rooms_fast.toml", "rooms_demo.toml"])
def test_no_rated_room_that_comes_with_the_project_seats_bots(name: str) -> None:
    rooms = list(load_rooms(Path(str(resources.files("services.kit").joinpath(name)))))
    assert {room.room_id: room.bots.wait_seconds for room in rooms if room.rated} == {"crazy_duel/rating": None}
    assert all(room.bots.wait_seconds is not None for room in rooms if not room.rated), "all others do"


def test_what_is_said_of_bots_in_all_rooms_is_not_meant_for_rated_ones(tmp_path: Path) -> None:
    write(tmp_path, ROOM + DUEL + "rated = true", "base.toml")
    both = 'include = "base.toml"\n[all]\nclaim_window_ms = 0\nbots = { wait_seconds = 5, pause_ms = 3 }\n'
    rooms = {room.id: room for room in load_rooms(write(tmp_path, both))}
    assert (rooms["mayou"].bots.wait_seconds, rooms["mayou"].bots.pause_ms) == (5, 3)
    assert (rooms["harbour"].bots.wait_seconds, rooms["harbour"].claim_window_ms) == (None, 0)
    all_rated = load_rooms(write(tmp_path, DUEL + "[all]\nrated = true\nbots = { wait_seconds = 5 }\n", "rated.toml"))
    assert [room.bots.wait_seconds for room in all_rated] == [None]


def test_a_rated_room_that_says_nothing_of_bots_seats_none_and_may_say_never(tmp_path: Path) -> None:
    for more in ("", '\nbots = { wait_seconds = "never" }'):
        (room,) = load_rooms(write(tmp_path, DUEL + "rated = true" + more))
        assert room.bots.wait_seconds is None


def test_a_new_room_needs_nothing_but_the_rooms_file(tmp_path: Path) -> None:
    rooms = {room.room_id: room for room in load_rooms(write(tmp_path, ROOM.replace("mayou", "harbour") + "options = { cap = 5 }" + DUEL))}
    assert rooms["crazy_xuezhan/harbour"].rules().options == {"phases": "void_exchange", "cap": 5, "room": "harbour"}
    duel = rooms["crazy_duel/harbour"]
    assert (duel.rules().options, duel.rules().largest_claim) == ({"rated": False, "room": "harbour"}, 100)


@pytest.mark.parametrize("name", ["harbour", "expert"])
def test_a_rated_room_has_the_rules_of_one_whatever_its_id(tmp_path: Path, name: str) -> None:
    (room,) = load_rooms(write(tmp_path, DUEL.replace("harbour", name) + "rated = true\noptions = { rated = true }"))
    assert (room.rules().options["rated"], room.rules().largest_claim) == (True, 80)


def test_a_room_from_the_journal_of_before_has_the_rules_that_its_id_had_then() -> None:
    """The rows of tables that were opened before `rated` was an option do not have it."""
    before = {"game": "crazy_duel", "name": "x", "players": 2, "base": 0, "rated": True, "bots": {"wait_seconds": 5.0}}
    assert Room.model_validate({**before, "id": "rating"}).rules().options["rated"] is True
    assert Room.model_validate({**before, "id": "expert"}).rules().options["rated"] is False
