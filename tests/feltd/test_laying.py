"""Cards laid one by one: which chip is which card, and what is said of one that is none. Never a guess, no number."""

from collections.abc import Iterable
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from feltd.door.packs import ChipHeard, PackWanted, PackWork
from feltd.table.packs.laying import AT_ONCE, Checking, Enrolling, Laying, laying_for
from feltd.table.packs.pack_list import MISSING_MOST, PackError, PackList
from tests.feltd.test_packs import BOTH, ORDER, chips

PHONE = bytes.fromhex("08112233")
GREEN = PackWanted(PackWork.ENROL, "green-1", "green")


def lay(laying: Laying, numbers: Iterable[bytes], start: float = 0.0) -> list[ChipHeard | None]:
    """One by one, a second apart."""
    heard = []
    for place, number in enumerate(numbers):
        laying.hear(number, start + place)
        heard.append(laying.facts().heard)
    return heard


def test_a_pack_that_is_laid_in_order_is_enrolled() -> None:
    laying = laying_for(BOTH, GREEN, "anna")
    assert laying.facts().next == "As"
    assert set(lay(laying, chips(300))) == {ChipHeard.TAKEN}
    assert (laying.facts().laid, laying.facts().next) == (52, None)
    packs = laying.kept(BOTH)
    assert [packs.card_of(number) for number in chips(300)] == list(ORDER)


@pytest.mark.parametrize(
    ("number", "heard", "place", "pack"),
    [
        (chips(300)[2], ChipHeard.AGAIN, 3, None),
        (chips(100)[7], ChipHeard.OF_PACK, None, "blue-1"),
        (PHONE, ChipHeard.CHANGING, None, None),
        (b"\x04\x01", ChipHeard.NOT_WHOLE, None, None),
    ],
)
def test_what_is_no_new_card_is_named_and_changes_nothing(
    number: bytes, heard: ChipHeard, place: int | None, pack: str | None
) -> None:
    laying = laying_for(BOTH, GREEN, "anna")
    lay(laying, chips(300, 17))
    laying.hear(number, 60.0)
    facts = laying.facts()
    assert (facts.heard, facts.heard_place, facts.heard_pack) == (heard, place, pack)
    assert (facts.laid, facts.next) == (17, ORDER[17])
    assert number.hex() not in repr(facts)
    laying.hear(chips(300, 18)[17], 61.0)
    assert (laying.facts().heard, laying.facts().laid) == (ChipHeard.TAKEN, 18)


def test_of_chips_that_came_at_once_none_counts_and_those_before_do() -> None:
    laying = laying_for(BOTH, GREEN, "anna")
    lay(laying, chips(300, 10))
    for late, number in enumerate(chips(310, 4)):
        laying.hear(number, 20.0 + late * AT_ONCE / 4)
    assert (laying.facts().heard, laying.facts().laid) == (ChipHeard.TOGETHER, 10)
    lay(laying, chips(310, 42), start=30.0)
    packs = laying.kept(BOTH)
    assert [packs.card_of(number) for number in chips(300)] == list(ORDER)


def test_a_card_that_was_a_wrong_one_is_taken_back() -> None:
    laying = laying_for(PackList(), GREEN, "anna")
    with pytest.raises(PackError, match="none to take back"):
        laying.take_back()
    lay(laying, chips(0, 2))
    laying.take_back()
    assert (laying.facts().laid, laying.facts().heard) == (1, None)
    lay(laying, chips(1, 1), start=9.0)
    assert laying.facts().laid == 2


def test_one_card_too_many_is_told_and_a_part_is_not_kept() -> None:
    laying = laying_for(PackList(), GREEN, "anna")
    lay(laying, chips(0, 51))
    with pytest.raises(PackError, match="51 chips of 52 cards"):
        laying.kept(PackList())
    assert lay(laying, chips(51, 2), start=90.0) == [ChipHeard.TAKEN, ChipHeard.TOO_MANY]
    assert len(laying.kept(PackList()).named("green-1").cards) == 52


def test_two_who_enrol_the_same_chips_at_once_are_not_both_kept() -> None:
    laying = laying_for(PackList(), GREEN, "anna")
    lay(laying, chips(0))
    with pytest.raises(PackError, match="belongs to the pack"):
        laying.kept(BOTH)  # enrolled at the console meanwhile


@pytest.mark.parametrize(
    ("wanted", "words"),
    [
        (PackWanted(PackWork.ENROL, "red-1", "red"), 'there is a pack "red-1" already'),
        (PackWanted(PackWork.ENROL, "", "red"), "one to 40 printable"),
        (PackWanted(PackWork.ENROL, "x", "red", 51), "no pack has 51 cards"),
        (PackWanted(PackWork.CHECK, "gold"), 'there is no pack "gold"'),
        (PackWanted(PackWork.REPLACE, "red-1", card="Jo"), 'has no card "Jo"'),
    ],
)
def test_what_cannot_be_laid_is_refused_before_the_first_card(wanted: PackWanted, words: str) -> None:
    with pytest.raises(PackError, match=words):
        laying_for(BOTH, wanted, "anna")


def test_a_spare_card_takes_the_place_of_one() -> None:
    laying = laying_for(BOTH, PackWanted(PackWork.REPLACE, "red-1", card="7h"), "anna")
    assert (laying.facts().next, laying.facts().cards) == ("7h", 1)
    with pytest.raises(PackError, match="not laid yet"):
        laying.kept(BOTH)
    assert lay(laying, [chips(0)[0], *chips(500, 2)]) == [ChipHeard.OF_PACK, ChipHeard.TAKEN, ChipHeard.TOO_MANY]
    assert laying.kept(BOTH).card_of(chips(500)[0]) == "7h"


@given(st.integers(0, 2**32))
def test_a_check_counts_what_lies_there_whatever_the_order(seed: int) -> None:
    chance = Random(seed)
    gone = set(chance.sample(range(52), 3))
    laid = [number for place, number in enumerate(chips(0)) if place not in gone]
    laid += [laid[0], *chips(100, 2), *chips(900, 4), PHONE]
    chance.shuffle(laid)
    laying = laying_for(BOTH, PackWanted(PackWork.CHECK, "red-1"), "anna")
    lay(laying, laid)
    facts = laying.facts()
    assert (facts.laid, facts.others, facts.unknown, facts.next) == (49, {"blue-1": 2}, 4, None)
    assert set(facts.missing or ()) == {ORDER[place] for place in gone}
    assert laying.kept(BOTH) is BOTH


def test_while_many_cards_are_missing_none_of_them_is_named() -> None:
    """A single card that is laid face down would be named by what is missing no more."""
    laying = Checking(BOTH, PackWanted(PackWork.CHECK, "red-1"), "anna")
    for count, number in enumerate(chips(0), 1):
        laying.hear(number, float(count))
        assert (laying.facts().missing is None) == (52 - count > MISSING_MOST)


def test_a_check_names_the_cards_that_lie_out_of_order_once_all_lie_there() -> None:
    laid = [*chips(0)[:4], chips(0)[5], chips(0)[4], *chips(0)[6:]]
    laying = laying_for(BOTH, PackWanted(PackWork.CHECK, "red-1"), "anna")
    lay(laying, laid[:51])
    assert laying.facts().misplaced == ()
    lay(laying, laid[51:], start=90.0)
    assert laying.facts().misplaced == ("5s", "6s")
    laying.changed(BOTH.with_swap("red-1", "5s", "6s"))
    assert laying.facts().misplaced == ()
    laying.hear(chips(900, 1)[0], 99.0)
    laying.changed(BOTH)
    assert laying.facts().misplaced == (), "something strange lies among them"


def test_of_cards_that_came_at_once_a_check_says_nothing_of_their_order() -> None:
    laying = laying_for(BOTH, PackWanted(PackWork.CHECK, "red-1"), "anna")
    for place, number in enumerate([chips(0)[1], chips(0)[0], *chips(0)[2:]]):
        laying.hear(number, place * (AT_ONCE if place != 1 else AT_ONCE / 2))
    assert (laying.facts().laid, laying.facts().misplaced) == (52, ())


WHOLE = PackWanted(PackWork.ENROL, "green-1", "green", whole=True, spares=2)


@given(st.integers(0, 2**32))
def test_a_whole_pack_comes_at_once_in_any_order_and_then_in_its_own(seed: int) -> None:
    heap = [*chips(300), *chips(600, 2), *chips(310, 9)]
    Random(seed).shuffle(heap)
    laying = laying_for(BOTH, WHOLE, "anna")
    for number in [*heap, chips(0)[3], PHONE, b"\x04"]:
        laying.hear(number, 1.0)
    facts = laying.facts()
    assert (facts.laid, facts.cards, facts.next, facts.gathering) == (54, 54, None, True)
    with pytest.raises(PackError, match="none was laid in order"):
        laying.kept(BOTH)
    laying.put_in_order()
    assert (laying.facts().laid, laying.facts().cards, laying.facts().next) == (0, 52, "As")
    assert lay(laying, [chips(0)[3], *chips(700, 1), *chips(300, 2), chips(300)[0]], start=9.0) == [
        ChipHeard.OF_PACK, ChipHeard.NOT_SEEN, ChipHeard.TAKEN, ChipHeard.TAKEN, ChipHeard.AGAIN,
    ]  # fmt: skip
    laying.take_back()
    lay(laying, chips(301, 51), start=20.0)
    packs = laying.kept(BOTH)
    assert [packs.card_of(number) for number in chips(300)] == list(ORDER)
    assert packs.holder(chips(600)[0]) is None, "a spare card is in no pack until it replaces one"


def test_a_whole_pack_with_a_card_too_few_or_too_many_is_not_put_in_order() -> None:
    laying = laying_for(PackList(), WHOLE, "anna")
    with pytest.raises(PackError, match="none to take back"):
        laying.take_back()
    lay(laying, chips(300, 53))
    with pytest.raises(PackError, match="1 of 54 chips have not been seen"):
        laying.put_in_order()
    assert lay(laying, chips(353, 2)) == [ChipHeard.TAKEN, ChipHeard.TOO_MANY]
    with pytest.raises(PackError, match="1 chips too many"):
        laying.put_in_order()
    lay(laying, chips(400, 200))
    assert laying.facts().laid == 2 * 54, "whatever a reader tells, no more is kept"
    laying.take_back()
    assert (laying.facts().laid, laying.facts().heard) == (0, None)
    lay(laying, chips(300, 54))
    laying.put_in_order()
    with pytest.raises(PackError, match="in order already"):
        laying.put_in_order()


@given(st.lists(st.tuples(st.integers(0, 59), st.sampled_from([0.0, 0.1, 0.29, 0.3, 5.0])), max_size=80))
def test_no_chip_that_came_close_to_another_new_one_is_ever_a_card(laid: list[tuple[int, float]]) -> None:
    pool, t = chips(0, 60), 0.0
    laying = Enrolling(PackList(), GREEN, "anna")
    for place, later in laid:
        before, t = laying.facts().laid, t + later
        laying.hear(pool[place], t)
        facts = laying.facts()
        assert facts.laid in {before - 1, before, before + 1}
        assert (facts.laid > before) == (facts.heard is ChipHeard.TAKEN)
        assert facts.laid >= before or facts.heard is ChipHeard.TOGETHER
    assert len(set(laying._numbers)) == laying.facts().laid
