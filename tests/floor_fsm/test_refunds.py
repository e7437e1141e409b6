"""What the cage gives back: what was withdrawn, bought by mistake, called off; each cent once, and taken back."""

import pytest

from floor_fsm.errors import Reason, Refused
from floor_fsm.messages.entries import EntryTaken, EntryWithdrawn, Rebuy
from floor_fsm.messages.opening import TournamentCancelled
from floor_fsm.messages.people import PersonLeft
from floor_fsm.messages.refunds import RefundPaid, RefundTakenBack
from floor_fsm.messages.undone import CancelTakenBack, RebuyTakenBack, TournamentGoesOn
from floor_fsm.state.refunds import Refunds
from tests.floor_fsm.support import Desk, reason_of
from tests.floor_fsm.test_rebuys import seated

FEE = 25_000
"""What an entry pays: for the pool and for the house."""


def refunds(desk: Desk) -> Refunds:
    return desk.tournament.parts.of(Refunds)


def test_what_goes_back_is_given_back_once_with_who_and_why() -> None:
    desk = Desk("star-2025")
    a, b = desk.enter("A", "B")
    assert reason_of(desk, RefundPaid, entry=a, cents=FEE) == (Reason.WRONG_STATE, None), "nothing goes back"
    desk.say(EntryWithdrawn, entry=a, refund=True)
    desk.say(EntryWithdrawn, entry=b, refund=False)
    assert refunds(desk).due == {a: FEE}
    assert reason_of(desk, RefundPaid, entry=a, cents=FEE - 1)[0] is Reason.WRONG_AMOUNT
    assert reason_of(desk, RefundPaid, entry=99, cents=FEE)[0] is Reason.UNKNOWN_ENTRY
    assert reason_of(desk, RefundPaid, entry=b, cents=FEE)[0] is Reason.WRONG_STATE, "the fee stays"
    assert reason_of(desk, RefundPaid, by=None, entry=a, cents=FEE)[0] is Reason.NOBODY_DECIDES
    desk.say(RefundPaid, entry=a, cents=FEE)
    assert reason_of(desk, RefundPaid, entry=a, cents=FEE)[0] is Reason.PAID_ALREADY
    assert reason_of(desk, RefundTakenBack, entry=b)[0] is Reason.NOT_PAID
    desk.say(RefundTakenBack, entry=a)
    desk.say(RefundPaid, entry=a, cents=FEE)
    assert (refunds(desk).due, refunds(desk).paid) == ({a: FEE}, {a: FEE})


def test_who_must_leave_gets_back_what_the_director_says() -> None:
    desk = Desk("star-2025")
    a, b, _ = desk.enter("A", "B", "C")
    desk.draw()
    desk.say(PersonLeft, entry=a, why="absent", chips=30_000, refund=True)
    desk.say(PersonLeft, entry=b, why="absent", chips=30_000, refund=False)
    assert refunds(desk).due == {a: FEE}
    desk.say(RefundPaid, entry=a, cents=FEE)
    desk.say(TournamentCancelled, refund=True)
    assert refunds(desk).due == {a: FEE, b: FEE, 3: FEE}, "nobody gets a fee back twice"


def test_a_rebuy_that_was_nobodys_goes_back_and_one_of_another_entry_does_not() -> None:
    desk = seated()
    desk.say(Rebuy, entry=1, paid=11_000, stake=500)
    desk.say(RebuyTakenBack, entry=1, to=2)
    assert refunds(desk).due == {}
    desk.say(Rebuy, entry=1, paid=11_000, stake=500)
    desk.say(RebuyTakenBack, entry=1)
    desk.say(RefundPaid, entry=1, cents=11_000)
    desk.say(Rebuy, entry=1, paid=11_000, stake=500)
    desk.say(RebuyTakenBack, entry=1)
    assert reason_of(desk, RefundPaid, entry=1, cents=22_000)[0] is Reason.WRONG_AMOUNT, "half of it went back"
    desk.say(RefundPaid, entry=1, cents=11_000)
    assert refunds(desk).paid == {1: 22_000}


@pytest.mark.parametrize("law", ["onyx", "star-2025"])
def test_a_calling_off_is_taken_back_once_the_cage_has_again_what_it_gave(law: str) -> None:
    desk = Desk(law)
    a, b, c = desk.enter("A", "B", "C")
    desk.say(EntryWithdrawn, entry=c, refund=True)
    desk.say(TournamentCancelled, refund=True)
    desk.say(RefundPaid, entry=c, cents=FEE)
    desk.say(RefundPaid, entry=a, cents=FEE)
    assert reason_of(desk, EntryTaken, entry=9, person="z", name="Z", paid=FEE)[0] is Reason.CANCELLED
    before = desk.tournament.digest()
    assert reason_of(desk, CancelTakenBack)[0] is Reason.PAID_ALREADY
    assert desk.tournament.digest() == before, "nothing has changed"
    desk.say(RefundTakenBack, entry=a)
    assert desk.say(CancelTakenBack) == [TournamentGoesOn(2)]
    assert refunds(desk) == Refunds({c: FEE}, {c: FEE}), "what was withdrawn before stays given back"
    assert reason_of(desk, RefundPaid, entry=b, cents=FEE)[0] is Reason.WRONG_STATE


def test_only_the_part_that_was_given_back_for_a_calling_off_has_to_be_at_the_cage_again() -> None:
    desk = seated()
    desk.say(Rebuy, entry=1, paid=11_000, stake=500)
    desk.say(RebuyTakenBack, entry=1)
    desk.say(RefundPaid, entry=1, cents=11_000)
    desk.say(TournamentCancelled, refund=True)
    desk.say(RefundPaid, entry=1, cents=FEE)
    assert refunds(desk).paid[1] == refunds(desk).due[1] == 36_000
    with pytest.raises(Refused, match=r"by entry in cents \(1: 25000\): refund\.taken_back"):
        desk.say(CancelTakenBack)
    for cents in (0, 36_001):
        assert reason_of(desk, RefundTakenBack, entry=1, cents=cents)[0] is Reason.WRONG_AMOUNT
    desk.say(RefundTakenBack, entry=1, cents=24_000)
    assert reason_of(desk, CancelTakenBack)[0] is Reason.PAID_ALREADY, "1,000 are not there yet"
    desk.say(RefundTakenBack, entry=1, cents=1_000)
    desk.say(CancelTakenBack)
    assert (refunds(desk).due, refunds(desk).paid) == ({1: 11_000}, {1: 11_000})
    assert refunds(desk).left(1) == 0, "nothing goes back twice"
    desk.say(RefundTakenBack, entry=1)
    assert reason_of(desk, RefundTakenBack, entry=1)[0] is Reason.NOT_PAID
    assert refunds(desk).left(1) == 11_000


def test_a_tournament_that_keeps_its_fees_gives_nothing_back() -> None:
    desk = Desk("onyx")
    [a] = desk.enter("A")
    desk.say(TournamentCancelled, refund=False)
    assert refunds(desk) == Refunds()
    assert reason_of(desk, RefundPaid, entry=a, cents=FEE)[0] is Reason.WRONG_STATE
