from tests.settlement.world import World


def test_a_stage_moves_coins_between_the_seats_and_close_brings_them_home(world: World) -> None:
    world.deposit(ann=5000, bob=5000, cat=5000, dan=5000)
    table = world.table("t1", "ann", "bob", "cat", "dan")
    outcome = table.stage((0, 1, 10), (2, 1, 10))
    assert [move.coins for move in outcome.moves] == [100, 100]
    assert outcome.money == [4900, 5200, 4900, 5000]
    table.close()
    assert world.wallets("ann", "bob", "cat", "dan") == [4900, 5200, 4900, 5000]
