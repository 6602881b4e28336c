"""A key that is in use is missed when the server starts, and nothing is touched; what was changed rightly goes on."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from services.kit import make_keys
from services.kit.secrets import SecretsError
from services.kit.signing import SigningKey
from tests.table.play import PLAYERS, until
from tests.table.world import Rules


async def test_a_server_whose_deal_key_is_gone_does_not_start_and_the_hand_goes_on_when_it_is_back(world: Callable[..., Any]) -> None:
    """It names the key, and neither calls the hand off nor touches anything else."""
    w = await world(rules=Rules(contribution=0))
    await w.open(*PLAYERS, table_id="t")
    await until(lambda: w.hall.find("t").course.hand is not None and not w.hall.find("t").in_flight)
    await w.crash()
    file = w.keys.folder / "table" / "deal.json"
    before = file.read_text()
    file.write_text(json.dumps({"current": "k9", "keys": {"k9": "9" * 64}}))
    with pytest.raises(SecretsError, match=r"deal\.json: the keys k1 are in use"):
        await w.start()
    both = json.loads(before)
    file.write_text(json.dumps({"current": "k9", "keys": {"k9": "9" * 64, **both["keys"]}}))
    await w.start()
    assert w.hall.find("t").course.hand is not None
    assert [body["kind"] for _, _, body in w.settlement.items] == ["open"]


async def test_a_server_without_a_key_that_ever_signed_here_does_not_start(world: Callable[..., Any]) -> None:
    """Whoever kept a record must be able to check it, however often the key was changed since."""
    w = await world()
    folder = w.keys.folder / "table" / "records"
    first = w.keys.table.records.signing()
    await w.stop()
    for _ in range(2):
        (folder / "key.pem").write_bytes(SigningKey.generate().pem())
        make_keys.make(w.keys.folder, development=True)
        await w.start()
        await w.stop()
    kept = folder / "public" / f"{first.key_id}.pem"
    text = kept.read_bytes()
    kept.unlink()
    with pytest.raises(SecretsError, match=rf"records/public: the keys {first.key_id} are in use"):
        await w.start()
    kept.write_bytes(text)
    await w.start()
