"""Tables of hands from a file say of every hand what those say that are made."""

import random
from collections.abc import Callable, Iterator
from itertools import combinations, combinations_with_replacement
from typing import Final

import pytest

from table_fsm.felt import SUITS, full_deck
from table_fsm.poker.hands import made_before, order, tables
from table_fsm.poker.hands.made_before import HandFileError, hand_file, read_hand_file
from table_fsm.poker.hands.order import Ace, HandOrder, hand_order
from table_fsm.poker.hands.tables import HandTable

FILE: Final = hand_file()
ORDERS: Final = [
    *(HandOrder(ace=ace) for ace in Ace),
    *(hand_order(deck=32, reduced=ladder, ace=ace) for ladder in ("reduced", "tas_32") for ace in Ace),
]
CACHES: Final = (tables.high_table, tables.low_table, order._high_table, order._low_table, order._best_high)


def from_file(name: str, file: bytes = FILE) -> HandTable | None:
    return read_hand_file(memoryview(file))[name]()


@pytest.fixture
def fresh() -> Iterator[None]:
    """No table has been asked for, and none is from a file afterwards."""
    for cache in CACHES:
        cache.cache_clear()
    yield
    tables._made_before.clear()
    for cache in CACHES:
        cache.cache_clear()


@pytest.mark.parametrize("of", ORDERS, ids=str)
@pytest.mark.parametrize("high", [True, False])
def test_each_hand_of_a_deck_has_the_strength_that_a_made_table_gives_it(of: HandOrder, high: bool) -> None:
    if high:
        name, made = tables.name_of_high(*of.high_words), tables.make_high_table(*of.high_words)
    else:
        name, made = tables.name_of_low(*of.low_words), tables.make_low_table(*of.low_words)
    found = from_file(name)
    assert found is not None
    assert (found.ranks, found.kinds, found.starts) == (made.ranks, made.kinds, made.starts)
    hands, seen = 0, set()
    for ranks in combinations_with_replacement(made.ranks, 5):
        if max(map(ranks.count, ranks)) == 5:
            continue
        five = [rank + SUITS[0] for rank in ranks]
        assert found.strength(five, one_suit=False) == made.strength(five, one_suit=False)
        seen.add(sum(found.codes[card] for card in five))
        assert min(seen) >= 0
        hands += 1
    assert len(seen) == hands, "two hands have one place"
    for ranks in combinations(made.ranks, 5) if made.suited else ():
        five = [rank + SUITS[0] for rank in ranks]
        assert found.strength(five, one_suit=True) == made.strength(five, one_suit=True)


@pytest.mark.parametrize(
    "of",
    [
        HandOrder(),
        hand_order(deck=32, reduced="tas_32"),
        hand_order(winner="high_low_eight", selection="two_of_four"),
        hand_order(deck=48),
        hand_order(joker=True),
    ],
    ids=str,
)
@pytest.mark.usefixtures("fresh")
def test_hands_are_ranked_alike_with_the_file_and_without(of: HandOrder) -> None:
    """Decks that the file has, and decks that it has not."""
    rnd = random.Random(f"{of}")
    own = 4 if of.selection == "two_of_four" else 2
    deck = sorted(full_deck(of.deck, of.joker))
    few = [card for card in deck if card[-1] in "sh" or len(card) != 2]
    dealt = [rnd.sample(cards, own + 5) for cards in (deck, few) for _ in range(200)]

    def ranked() -> list[object]:
        order._best_low.cache_clear()
        found: list[object] = [of.high_value(cards[:own], cards[own:]).strength for cards in dealt]
        for rank in (of.best_high, of.best_low):
            best = [rank(cards[:own], cards[own:]) for cards in dealt]
            found += [one and (one.strength, one.name, one.cards) for one in best]
        return found

    without = ranked()
    for cache in CACHES:
        cache.cache_clear()
    tables.take_made_before(read_hand_file(memoryview(FILE)))
    assert ranked() == without
    laid_in = of.deck in made_before.DECKS and not of.joker
    assert isinstance(order._high_table(of).mixed, memoryview) is laid_in


def test_the_file_is_the_same_each_time() -> None:
    assert hand_file() == FILE


@pytest.mark.usefixtures("fresh")
def test_a_table_that_a_disk_has_changed_is_made_instead() -> None:
    flipped = bytearray(FILE)
    flipped[2 * made_before.PAGE] ^= 1
    ace_high, ordinary = HandOrder(ace=Ace.HIGH).high_words, HandOrder().high_words
    found = read_hand_file(memoryview(bytes(flipped)))
    assert [name for name, gives in found.items() if gives() is None] == [tables.name_of_high(*ace_high)]
    tables.take_made_before(found)
    assert isinstance(tables.high_table(*ace_high).mixed, dict)
    assert isinstance(tables.high_table(*ordinary).mixed, memoryview)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda file: b"", "does not begin as"),
        (lambda file: b"feltdht2" + file[8:], "does not begin as"),
        (lambda file: file[:10], "not what was written"),
        (lambda file: file[:40] + bytes([file[40] ^ 1]) + file[41:], "not what was written"),
        (lambda file: file[:8] + b"\xff" * 4 + file[12:], "not what was written"),
        (lambda file: file[:-8192], "it ends before"),
    ],
)
def test_a_file_that_is_none_is_refused(change: Callable[[bytes], bytes], words: str) -> None:
    with pytest.raises(HandFileError, match=words):
        read_hand_file(memoryview(change(FILE)))


def test_the_other_order_of_bytes_is_refused_and_written_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(made_before, "byteorder", "big")
    with pytest.raises(HandFileError, match="order of bytes"):
        read_hand_file(memoryview(FILE))
