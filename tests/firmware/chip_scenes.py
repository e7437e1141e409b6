"""What every driver of a reader chip must do on the models: the tests of each language play these."""

import random
from collections.abc import Sequence

from tests.firmware.reader_rig import Rig, a_pile


def an_empty_zone_is_read_whole(rig: Rig) -> None:
    scan = rig.scan()
    assert (scan.ended, scan.cards, scan.torn) == ("whole", (), 0)


def piles_of_a_lot_are_told_apart(rig: Rig, sizes: Sequence[int]) -> None:
    chance = random.Random(11)
    for size in sizes:
        pile = a_pile(chance, size, vicinity=rig.vicinity)
        rig.lay(*pile)
        scan = rig.scan()
        assert (scan.ended, sorted(scan.cards)) == ("whole", pile)
        rig.take(*pile)


def noise_changes_no_number_and_hides_no_card(rig: Rig, each: int) -> None:
    """A scan says all cards that lie there, or that it could not read."""
    rig.lay(*rig.six)
    rig.say(f"set torn {each}")
    ended = set()
    for seed in range(20):
        rig.say(f"set seed {seed}")
        scan = rig.scan()
        ended.add(scan.ended)
        assert set(scan.cards) <= set(rig.six)
        assert scan.ended == "unread" or sorted(scan.cards) == sorted(rig.six)
    assert ended <= {"whole", "unread"}
    assert "whole" in ended or each < 60


def a_card_lifted_in_mid_scan_costs_no_other(rig: Rig) -> None:
    for frame in range(1, 40, 3):
        rig.lay(*rig.six)
        rig.say(f"set lift {frame}")
        scan = rig.scan()
        assert scan.ended == "whole", frame
        assert set(rig.six[1:]) <= set(scan.cards) <= set(rig.six), frame
        rig.say("set lift 0")
        rig.take(*rig.six[1:])
        rig.take(*rig.scan().cards)


def a_card_that_does_not_hear_that_it_should_be_silent_is_told_once(rig: Rig) -> None:
    rig.lay(*rig.six)
    rig.say("set halts 3")
    scan = rig.scan()
    assert (scan.ended, sorted(scan.cards)) == ("whole", sorted(rig.six))
    assert scan.torn > 0
    rig.say("set halts 1000")
    assert rig.scan().ended == "unread"


def a_dead_antenna_is_told_by_the_sticker_alone(rig: Rig) -> None:
    """Without one it looks as an empty zone does: the chip cannot know."""
    sticker = "e0feedfeedfeed00" if rig.vicinity else "04feedfeedfeed"
    rig.lay(sticker, *rig.six[:2])
    rig.say("set dead 1")
    assert rig.scan().ended == "whole"
    rig.say(f"reference {sticker}")
    assert rig.scan().ended == "no-antenna"
    rig.say("set dead 0")
    scan = rig.scan()
    assert (scan.ended, sorted(scan.cards)) == ("whole", sorted(rig.six[:2]))


def a_chip_that_is_silent_or_hangs_reads_nothing(rig: Rig, *others: str) -> None:
    """`others`: faults that this chip can have beside these."""
    rig.lay(*rig.six)
    for fault in ("gone", "shorted", "hangs", *others):
        rig.say(f"set {fault} 1")
        scan = rig.scan()
        assert (scan.ended, scan.cards) == ("no-chip", ()), fault
        rig.say(f"set {fault} 0")
        assert sorted(rig.scan().cards) == sorted(rig.six), fault


def a_chip_that_does_not_answer_to_its_address_while_it_works_is_waited_for(rig: Rig, microseconds: int) -> None:
    rig.lay(*rig.six)
    rig.say(f"set away-for {microseconds}")
    scan = rig.scan()
    assert (scan.ended, sorted(scan.cards)) == ("whole", sorted(rig.six))


def a_chip_that_loses_its_power_in_mid_scan_says_nothing_of_what_it_has_not_seen(rig: Rig) -> None:
    """From then on nobody answers, as in a zone where no card is left."""
    rig.lay(*rig.six)
    for frame in (1, 2, 5, 12, 20):
        rig.say(f"set cut {frame}")
        scan = rig.scan()
        assert (scan.ended, set(scan.cards) <= set(rig.six)) == ("no-chip", True), frame
        assert sorted(rig.scan().cards) == sorted(rig.six), frame


def a_bus_that_carries_nonsense_brings_no_card_that_does_not_lie_there(rig: Rig, each: int) -> None:
    rig.lay(*rig.six)
    rig.say(f"set flips {each}")
    for seed in range(20):
        rig.say(f"set seed {seed}")
        assert set(rig.scan().cards) <= set(rig.six)


def a_telephone_is_a_stranger_and_no_card(rig: Rig) -> None:
    rig.lay("08aabbcc", *rig.six[:2])
    scan = rig.scan()
    assert (scan.ended, sorted(scan.cards), scan.strangers) == ("whole", sorted(rig.six[:2]), 1)


def a_chip_whose_number_says_that_more_follows_and_gives_none_is_not_read(rig: Rig) -> None:
    """`88` announces a longer number: taken as the whole, it would be one that the standard keeps from cards."""
    rig.lay("88112233")
    scan = rig.scan()
    assert (scan.ended, scan.cards, scan.torn > 0) == ("whole", (), True)


def a_number_of_ten_bytes_is_a_stranger_and_not_cut(rig: Rig) -> None:
    rig.lay("04a1b2c3d4e5f6a7b8c9")
    scan = rig.scan()
    assert (scan.ended, scan.cards, scan.strangers) == ("whole", (), 1)
