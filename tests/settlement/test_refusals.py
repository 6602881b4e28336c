"""What a caller is told when a request cannot be carried out: request -> code, reason and field, and nothing happened."""

from collections.abc import Iterator
from typing import Any

import grpc

from services.kit.items import MAX_COINS
from services.settlement import servicer
from tests.settlement.desk import Desk
from xuezhan.api.settlement.v1 import settlement_pb2 as pb

ROOM = "crazy_xuezhan/mayou"


def seats(*players: str) -> list[pb.StakeSeat]:
    return [pb.StakeSeat(seat=number, player_id=player) for number, player in enumerate(players)]


def deposit(**changes: Any) -> pb.DepositRequest:
    return pb.DepositRequest(**{"player_id": "ann", "coins": 5, "key": "fresh", **changes})


def withdraw(**changes: Any) -> pb.WithdrawRequest:
    return pb.WithdrawRequest(**{"player_id": "ann", "coins": 5, "key": "fresh", **changes})


def hold(**changes: Any) -> pb.HoldStakesRequest:
    return pb.HoldStakesRequest(**{"match_id": "m", "room_id": ROOM, "seats": seats("ann", "bob", "", ""), **changes})


REFUSED: list[tuple[str, Any, str, str, str]] = [
    ("Deposit", deposit(coins=0), "INVALID_ARGUMENT", "coins", "coins:"),
    ("Deposit", deposit(coins=-1), "INVALID_ARGUMENT", "coins", "coins:"),
    ("Deposit", deposit(coins=MAX_COINS + 1), "INVALID_ARGUMENT", "coins", "coins:"),
    ("Deposit", deposit(player_id=""), "INVALID_ARGUMENT", "player_id", "player_id:"),
    ("Deposit", deposit(player_id="a b"), "INVALID_ARGUMENT", "player_id", "player_id:"),
    ("Deposit", deposit(player_id="x" * 65), "INVALID_ARGUMENT", "player_id", "player_id:"),
    ("Deposit", deposit(player_id="bot"), "INVALID_ARGUMENT", "reserved_name", "player_id:"),
    ("Deposit", deposit(player_id="House:bots"), "INVALID_ARGUMENT", "reserved_name", "player_id:"),
    ("Deposit", deposit(player_id="escrow:m:0"), "INVALID_ARGUMENT", "reserved_name", "player_id:"),
    ("Deposit", deposit(key=""), "INVALID_ARGUMENT", "key", "key:"),
    ("Deposit", deposit(key="k" * 129), "INVALID_ARGUMENT", "key", "key:"),
    ("Deposit", deposit(key="k\x00"), "INVALID_ARGUMENT", "key", "key:"),
    ("Deposit", deposit(reason="r" * 201), "INVALID_ARGUMENT", "reason", "reason:"),
    ("Deposit", deposit(key="ann 1000", coins=1001), "ALREADY_EXISTS", "key_used", "key:"),
    ("Withdraw", withdraw(coins=0), "INVALID_ARGUMENT", "coins", "coins:"),
    ("Withdraw", withdraw(coins=-5), "INVALID_ARGUMENT", "coins", "coins:"),
    ("Withdraw", withdraw(key="ann 1000", coins=1000), "ALREADY_EXISTS", "key_used", "key:"),
    ("HoldStakes", hold(match_id=""), "INVALID_ARGUMENT", "match_id", "match_id:"),
    ("HoldStakes", hold(match_id="m" * 65), "INVALID_ARGUMENT", "match_id", "match_id:"),
    ("HoldStakes", hold(room_id="crazy_xuezhan/none"), "INVALID_ARGUMENT", "unknown_room", "room_id:"),
    ("HoldStakes", hold(seats=[]), "INVALID_ARGUMENT", "seats", "seats:"),
    ("HoldStakes", hold(seats=seats("a", "b", "c", "d", "e")), "INVALID_ARGUMENT", "seats", "seats:"),
    ("HoldStakes", hold(seats=seats("ann", "ann")), "INVALID_ARGUMENT", "seats", "seats:"),
    ("HoldStakes", hold(seats=[*seats("ann"), *seats("bob")]), "INVALID_ARGUMENT", "seats", "seats:"),
    ("HoldStakes", hold(room_id="crazy_duel/rating", seats=seats("ann", "")), "INVALID_ARGUMENT", "seats", "seats:"),
    ("HoldStakes", hold(seats=seats("an n")), "INVALID_ARGUMENT", "player_id", "seats[0].player_id:"),
    ("ReleaseStakes", pb.ReleaseStakesRequest(match_id=" "), "INVALID_ARGUMENT", "match_id", "match_id:"),
    ("GetBalance", pb.GetBalanceRequest(player_id=""), "INVALID_ARGUMENT", "player_id", "player_id:"),
    ("GetStatement", pb.GetStatementRequest(player_id="ann", page_size=1001), "INVALID_ARGUMENT", "page_size", "page_size:"),
    ("GetStatement", pb.GetStatementRequest(player_id="ann", page_token="-1"), "INVALID_ARGUMENT", "page_token", "page_token:"),
    ("GetStatement", pb.GetStatementRequest(player_id="ann", page_token="9" * 30), "INVALID_ARGUMENT", "page_token", "page_token:"),
    ("GetStatement", pb.GetStatementRequest(player_id="ann", table_id="a b"), "INVALID_ARGUMENT", "table_id", "table_id:"),
]


async def test_a_request_of_no_use_is_refused_naming_the_field_and_nothing_happens(desk: Desk) -> None:
    await desk.deposit("ann", 1000)
    before = desk.everything()
    for method, request, code, reason, field in REFUSED:
        told = await desk.refusal(method, request)
        assert (*told[:2], told[2][: len(field)]) == (code, reason, field), (method, request)
        assert desk.everything() == before, (method, request)


def requests() -> Iterator[tuple[str, Any, bool]]:
    """Every method, a good request, and whether the player it is about may call it."""
    yield "GetBalance", pb.GetBalanceRequest(player_id="ann"), True
    yield "GetStatement", pb.GetStatementRequest(player_id="ann"), True
    yield "Deposit", deposit(), False
    yield "Withdraw", withdraw(), False
    yield "HoldStakes", hold(), False
    yield "ReleaseStakes", pb.ReleaseStakesRequest(match_id="m"), False


async def test_only_parts_and_for_reading_the_player_are_let_in(desk: Desk) -> None:
    await desk.deposit("ann", 1000)
    before = desk.everything()
    seat = desk.keys.seat("t", 0, "ann", 4e9)
    expired = desk.keys.player("ann", ttl_seconds=-1)
    for method, request, own in requests():
        assert await desk.without_token(method, request) is grpc.StatusCode.UNAUTHENTICATED
        assert (await desk.refusal(method, request, "nonsense"))[0] == "UNAUTHENTICATED"
        assert (await desk.refusal(method, request, expired))[0] == "UNAUTHENTICATED"
        assert (await desk.refusal(method, request, seat))[0] == "UNAUTHENTICATED"
        assert (await desk.refusal(method, request, desk.player_token("bob")))[0] == "PERMISSION_DENIED"
        if own:
            await desk.ask(method, request, desk.player_token("ann"))
        else:
            assert (await desk.refusal(method, request, desk.player_token("ann")))[0] == "PERMISSION_DENIED"
        assert desk.everything() == before, method


async def test_a_deposit_that_takes_the_wallet_past_what_is_exact_is_refused(desk: Desk) -> None:
    await desk.deposit("ann", MAX_COINS)
    assert (await desk.refusal("Deposit", deposit(coins=1)))[:2] == ("INVALID_ARGUMENT", "too_much")
    assert await desk.wallet("ann") == MAX_COINS


async def test_a_withdrawal_of_more_than_the_wallet_holds_is_refused_and_may_be_asked_for_again_under_its_key(desk: Desk) -> None:
    await desk.deposit("ann", 4)
    assert (await desk.refusal("Withdraw", withdraw()))[:2] == ("FAILED_PRECONDITION", "short")
    await desk.deposit("ann", 100)
    assert (await desk.ask("Withdraw", withdraw())).wallet == 99
    assert (await desk.ask("Withdraw", withdraw())).repeated
    await desk.ask("Withdraw", withdraw(coins=99, key="all"))
    again = await desk.ask("Withdraw", withdraw())
    assert (again.repeated, again.wallet) == (True, 99), "what was paid out is not refused afterwards"


async def test_the_same_key_and_body_moves_coins_once_and_says_so(desk: Desk) -> None:
    first = await desk.ask("Deposit", deposit(coins=70))
    again = await desk.ask("Deposit", deposit(coins=70))
    assert (first.wallet, first.repeated, again.wallet, again.repeated) == (70, False, 70, True)
    assert await desk.wallet("ann") == 70


async def test_who_has_a_reserved_name_from_before_keeps_the_coins_until_they_are_paid_out(desk: Desk, monkeypatch: Any) -> None:
    with monkeypatch.context() as before:
        before.setattr(servicer, "is_reserved", lambda _player: False)
        await desk.deposit("house:bots", 70)
    assert (await desk.refusal("Deposit", deposit(player_id="house:bots")))[1] == "reserved_name"
    assert await desk.wallet("house:bots") == 70
    assert (await desk.ask("Withdraw", withdraw(player_id="house:bots", coins=70))).wallet == 0
    statement = await desk.ask("GetStatement", pb.GetStatementRequest(player_id="house:bots"))
    assert [line.coins for line in statement.lines] == [-70, 70]
