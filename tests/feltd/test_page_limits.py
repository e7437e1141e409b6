"""The limits' own arithmetic: the last that is allowed, the first that is refused, and what comes back with time."""

from feltd.page.limits import buckets as module
from feltd.page.limits.buckets import Buckets


class Clock:
    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


def test_a_bucket_gives_what_it_has_and_fills_again() -> None:
    clock = Clock()
    buckets = Buckets(rate=2.0, burst=3, clock=clock)
    assert [buckets.take("anna") for _ in range(4)] == [0.0, 0.0, 0.0, 0.5]
    clock.now += 0.49
    assert buckets.take("anna") > 0
    clock.now += 0.01
    assert buckets.take("anna") == 0.0
    clock.now += 3600
    assert [buckets.take("anna") == 0.0 for _ in range(4)] == [True, True, True, False]


def test_nobody_takes_from_anothers_bucket() -> None:
    buckets = Buckets(rate=1.0, burst=1, clock=Clock())
    assert buckets.take("anna") == 0.0
    assert buckets.take("anna") > 0
    assert buckets.take("berta") == 0.0


def test_what_costs_more_than_a_bucket_holds_can_be_had_all_the_same() -> None:
    clock = Clock()
    buckets = Buckets(rate=1.0, burst=2, clock=clock)
    assert buckets.take("anna", 4.0) == 0.0
    assert buckets.take("anna", 4.0) == 2.0
    clock.now += 2.0
    assert buckets.take("anna", 4.0) == 0.0


def test_a_refused_one_pays_nothing_and_a_clock_that_steps_back_gives_nothing() -> None:
    clock = Clock()
    buckets = Buckets(rate=1.0, burst=1, clock=clock)
    buckets.take("anna")
    assert [buckets.take("anna") for _ in range(3)] == [1.0, 1.0, 1.0]
    clock.now -= 100
    assert buckets.take("anna") == 1.0


def test_a_flood_of_addresses_does_not_fill_the_memory() -> None:
    buckets = Buckets(rate=1.0, burst=1, clock=Clock())
    for number in range(module.KEPT + 10):
        buckets.take(f"address {number}")
    assert len(buckets._buckets) == module.KEPT
    assert buckets.take(f"address {module.KEPT}") > 0
