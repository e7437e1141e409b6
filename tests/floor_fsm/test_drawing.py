"""The draw: anybody who has the secret and the list gets the same seats, and chance is fair."""

from collections import Counter
from hashlib import sha256

import pytest
from hypothesis import given
from hypothesis import strategies as st

from floor_fsm.drawing import Chance, Place, commitment_of, drawn, list_of, seed_of

SECRET = b"\x5e" * 32


def by_hand(secret: bytes, persons: dict[int, str], free: dict[str, list[int]]) -> dict[int, tuple[str, int]]:
    """The draw without associates, written from its description alone."""
    text = "".join(f"{entry}\t{persons[entry]}\n" for entry in sorted(persons))
    seed = sha256(secret + text.encode()).digest()
    counter = 0

    def below(bound: int) -> int:
        nonlocal counter
        while True:
            number = int(sha256(seed + counter.to_bytes(8, "big")).hexdigest(), 16)
            counter += 1
            if number < (2**256 // bound) * bound:
                return number % bound

    def shuffle(items: list[int]) -> list[int]:
        for last in range(len(items) - 1, 0, -1):
            other = below(last + 1)
            items[last], items[other] = items[other], items[last]
        return items

    order = shuffle(sorted(persons))
    room = {table: len(seats) for table, seats in free.items()}
    tables: list[str] = []
    while len(tables) < len(order):
        for table in free:
            if room[table] > 0 and len(tables) < len(order):
                room[table] -= 1
                tables.append(table)
    seats = {table: iter(shuffle(sorted(those))) for table, those in free.items()}
    return {entry: (table, next(seats[table])) for entry, table in zip(order, tables, strict=True)}


@given(st.binary(min_size=32, max_size=32), st.integers(2, 30), st.integers(1, 4))
def test_who_draws_it_again_by_the_description_gets_the_same_seats(secret: bytes, people: int, tables: int) -> None:
    persons = {number: f"P{number * 7 % 31}" for number in range(1, people + 1)}
    free = {f"T{table}": list(range(1, people + 2 + table)) for table in range(tables)}
    mine = drawn(seed_of(secret, persons), sorted(persons), free, {})
    assert {entry: (place.table, place.seat) for entry, place in mine.items()} == by_hand(secret, persons, free)
    assert len(set(mine.values())) == people


def test_the_known_draw_stays_as_it_is() -> None:
    persons = {1: "A", 2: "B", 3: "C"}
    assert list_of(persons) == b"1\tA\n2\tB\n3\tC\n"
    assert commitment_of(SECRET) == sha256(SECRET).hexdigest()
    seed = seed_of(SECRET, persons)
    assert seed.hex() == sha256(SECRET + list_of(persons)).hexdigest()
    assert drawn(seed, [1, 2, 3], {"T1": (1, 2, 3)}, {}) == drawn(seed, [1, 2, 3], {"T1": (3, 2, 1)}, {})


def test_another_entry_or_another_secret_is_another_draw() -> None:
    lists = ({1: "A"}, {1: "B"}, {2: "A"}, {1: "A", 2: "A"})
    seeds = {seed_of(secret, persons) for secret in (SECRET, b"\0" * 32) for persons in lists}
    assert len(seeds) == 8


def test_each_order_is_as_likely_as_the_others() -> None:
    orders = Counter(tuple(Chance(number.to_bytes(4, "big")).shuffled("abc")) for number in range(6_000))
    assert len(orders) == 6
    assert all(880 < times < 1_120 for times in orders.values()), "within four standard deviations of 1,000"


def test_associates_get_different_tables_where_that_can_be() -> None:
    free = {"T1": (1, 2, 3), "T2": (1, 2, 3)}
    pair = {1: frozenset({2}), 2: frozenset({1})}
    for number in range(200):
        places = drawn(number.to_bytes(32, "big"), [1, 2, 3, 4, 5, 6], free, pair)
        assert places[1].table != places[2].table
        assert Counter(place.table for place in places.values()) == {"T1": 3, "T2": 3}
    everybody = {one: frozenset(range(1, 7)) - {one} for one in range(1, 7)}
    assert len(drawn(b"x", [1, 2, 3, 4, 5, 6], free, everybody)) == 6, "who cannot be kept apart still sits"


def beside(places: dict[int, Place], one: int, other: int) -> bool:
    ring = sorted(place.seat for place in places.values())
    apart = abs(ring.index(places[one].seat) - ring.index(places[other].seat))
    return apart in (1, len(ring) - 1)


@given(st.binary(min_size=32, max_size=32), st.integers(2, 9))
def test_at_one_table_associates_do_not_sit_beside_each_other_where_that_can_be(seed: bytes, people: int) -> None:
    """The Star 7.6. Of two at four seats or more there is always a change that does it."""
    entries, seats = [*range(1, people + 1)], {"T1": tuple(range(1, 10))}
    pair = {1: frozenset({2}), 2: frozenset({1})}
    places = drawn(seed, entries, seats, pair, not_beside=True)
    as_drawn = drawn(seed, entries, seats, pair)
    assert {place.seat for place in places.values()} == {place.seat for place in as_drawn.values()}
    assert beside(places, 1, 2) is (people < 4)
    changed = {entry for entry in entries if places[entry] != as_drawn[entry]}
    assert len(changed) == (2 if beside(as_drawn, 1, 2) and people >= 4 else 0), "two change seats, and nobody else"


def test_at_two_tables_nobody_is_moved_from_beside_an_associate() -> None:
    free = {"T1": (1, 2, 3, 4), "T2": (1, 2, 3, 4)}
    everybody = {one: frozenset(range(1, 9)) - {one} for one in range(1, 9)}
    for number in range(50):
        seed = number.to_bytes(32, "big")
        assert drawn(seed, range(1, 9), free, everybody, not_beside=True) == drawn(seed, range(1, 9), free, everybody)


def test_who_all_belong_together_still_sit_at_one_table() -> None:
    everybody = {one: frozenset(range(1, 7)) - {one} for one in range(1, 7)}
    assert len(drawn(b"x", range(1, 7), {"T1": range(1, 10)}, everybody, not_beside=True)) == 6


def test_more_entries_than_seats_is_an_error() -> None:
    with pytest.raises(ValueError, match="3 entries, and 2 seats"):
        drawn(b"", [1, 2, 3], {"T1": (1, 2)}, {})


def test_places_are_told_apart() -> None:
    assert Place("T1", 1) < Place("T1", 2) < Place("T2", 1)
