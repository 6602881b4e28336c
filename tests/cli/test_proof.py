"""`verify-record` says with all that is false whether it is proven."""

from __future__ import annotations

from typing import Any

from services.kit.signing import SigningKey
from tests.cli.hand_of_four import HandOfFour, Json, signed

HAND = HandOfFour()
STRANGER = SigningKey.generate()


def proofs(answers: list[Json]) -> list[str | None]:
    assert all(("proof" in answer) == (answer.get("ok") is False) for answer in answers)
    return [answer.get("proof") for answer in answers]


def test_what_players_say_is_a_claim_whether_or_not_they_lie(audit: Any) -> None:
    forged: Json = {"type": "xuezhan/seen/1", "table": "t-1", "hand": 1, "seat": 0}
    for line in ({"tiles": ["1m"] * 13}, {"seed": "11" * 32}, {"player": "eve"}, {"accepted": {"do": "discard", "tile": "9s"}}):
        (answer,) = audit(HAND.line(), receipts=[[*HAND.receipts[0], forged | line]])
        assert (answer["ok"], answer["signed"], answer["proof"]) == (False, "yes", "claimed")
    not_made = [line for line in HAND.receipts[3] if "sent" not in line]
    assert proofs(audit(HAND.line(), receipts=[not_made])) == ["claimed"]


def test_what_the_server_signed_proves_its_faults_even_beside_a_claim(audit: Any) -> None:
    lie: Json = {"type": "xuezhan/seen/1", "table": "t-1", "hand": 1, "seat": 0, "tiles": ["1m"] * 13}
    assert proofs(audit(HAND.line(seats=["eve", "bob", "cem", "dee"]), receipts=[[lie, HAND.commit]])) == ["signed"]
    assert proofs(audit(HAND.line(points=[0] * 4))) == ["signed"]
    other = signed(HAND.commit_said | {"commitment": "11" * 32})
    # That no record of the hand was given is a claim of whoever gave none.
    assert proofs(audit(receipts=[[HAND.commit, other]])) == ["claimed", "signed"]
    deal = signed(HAND.deal_said | {"bytes": ["00" * 16, *HAND.deal_said["bytes"][1:]]})
    assert proofs(audit(receipts=[[HAND.commit, deal]])) == ["claimed", "signed"]


def test_what_no_key_signed_proves_nothing(audit: Any) -> None:
    assert proofs(audit(HAND.record)) == ["claimed"]
    assert proofs(audit(HandOfFour(seed=7).line(STRANGER))) == ["claimed"]
    for receipts in ([[HAND.commit]], [[HAND.commit, signed(HAND.commit_said | {"at": 1})]]):
        assert set(proofs(audit(receipts=receipts, key=False))) == {"claimed"}
    assert proofs(audit(HAND.line(points=[0] * 4), key=False)) == ["claimed"]
    assert proofs(audit(HAND.line(seats=["eve", "bob", "cem", "dee"]), receipts=[[HAND.commit]], key=False)) == ["claimed"]


def test_which_lines_were_given_proves_nothing(audit: Any) -> None:
    assert proofs(audit(HAND.line(), HAND.line())) == [None, "claimed"]
    assert proofs(audit(HAND.line(), HandOfFour(number=3).line())) == [None, "claimed"]


def test_a_forged_hand_before_a_signed_one_does_not_convict_it(audit: Any) -> None:
    """The dealer of a hand follows from the hand before."""
    first = HandOfFour("kaxinwu", seed=1)
    forged = next(
        hand for seed in range(2, 50) if (hand := HandOfFour("kaxinwu", seed=seed)).recorder.hand.carry() != first.recorder.hand.carry()
    )
    second = HandOfFour("kaxinwu", number=2, seed=2, before=first.recorder.hand.carry())
    assert proofs(audit(first.line(), second.line())) == [None, None]
    lines = audit(forged.record, second.line())
    assert proofs(lines) == ["claimed", "claimed"], lines
    assert lines[1]["why"].startswith("dealer")
