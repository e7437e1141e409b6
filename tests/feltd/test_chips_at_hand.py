"""What an adapter's thread may know of chips: whether one is a card in play, and never which."""

import pytest

from devices.adapters import AdapterFault, FaultCode
from devices.adapters.chip_numbers import NoChips, PackFault
from feltd.door.packs import PackState
from feltd.table.links.chips_at_hand import TableChips
from feltd.table.packs.pack_list import PackList
from feltd.table.packs.turns import PackFileError
from tests.feltd.test_packs import RED, chips

STRANGE, PHONE = chips(900, 1)[0], bytes.fromhex("08112233")


def test_a_chip_is_judged_by_the_list_as_it_is_now() -> None:
    there: list[PackList | None] = [None]
    hand = TableChips(lambda: there[0])
    assert hand.stranger(STRANGE) is hand.stranger(PHONE) is None
    there[0] = PackList((RED,))
    assert hand.stranger(chips(0)[0]) is None
    assert (hand.stranger(STRANGE), hand.stranger(PHONE)) == (PackFault.UNKNOWN, PackFault.CHANGING)
    there[0] = PackList((RED,)).with_state(RED.name, PackState.RESTING)
    assert hand.stranger(chips(0)[0]) is PackFault.OTHER_PACK


def test_while_cards_are_laid_no_chip_is_strange() -> None:
    hand = TableChips(lambda: PackList((RED,)))
    hand.being_laid = True
    assert hand.laid()
    assert hand.stranger(STRANGE) is None


def test_a_number_that_few_wrong_bits_make_of_another_cards_is_known() -> None:
    """The numbers of this pack's cards lie one behind the other; a pack at rest brings none to the table."""
    there: list[PackList | None] = [None]
    hand = TableChips(lambda: there[0])
    assert not hand.has_near(chips(0)[0], 3)
    there[0] = PackList((RED,))
    assert hand.has_near(chips(0)[0], 1)
    assert hand.has_near(STRANGE, 14)
    assert not hand.has_near(bytes(4), 14)
    hand.being_laid = True
    assert not hand.has_near(chips(0)[0], 1)
    hand.being_laid = False
    there[0] = PackList((RED,)).with_state(RED.name, PackState.RESTING)
    assert not hand.has_near(chips(0)[0], 3)
    assert not NoChips().has_near(chips(0)[0], 3)


def test_a_list_that_cannot_be_read_keeps_the_reader_down() -> None:
    def damaged() -> PackList:
        raise PackFileError("packs.sealed: it is damaged; put the copy back")

    with pytest.raises(AdapterFault, match=r"packs\.sealed: it is damaged; put the copy back") as raised:
        TableChips(damaged).stranger(STRANGE)
    assert raised.value.fault.code is FaultCode.ADAPTER_FAILED
