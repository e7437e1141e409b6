"""Which alarm a ruling that waits is told with."""

from hypothesis import given
from hypothesis import strategies as st

from feltd.text.alarm_rulings import Raised, Waits, rulings_by_alarm
from table_fsm.felt import FaultKind
from table_fsm.rulebook.irregularities import Irregularity

KINDS = st.sampled_from([*(one.value for one in Irregularity), *(one.value for one in FaultKind), "device_offline"])
SEATS = st.none() | st.integers(1, 10)
ALARMS = st.lists(st.builds(Raised, KINDS, SEATS, st.booleans()), max_size=8)
IRREGULARITIES = st.sampled_from([one.value for one in Irregularity])
WAITING = st.lists(
    st.builds(Waits, st.integers(1, 99), IRREGULARITIES, SEATS), max_size=8, unique_by=lambda one: one.ruling
)


def test_a_ruling_is_told_with_the_alarm_of_its_kind_at_its_seat() -> None:
    alarms = [Raised("card_exposed", 3, False), Raised("card_exposed", 4, False), Raised("jam", None, False)]
    waiting = [Waits(7, "card_exposed", 4), Waits(8, "card_exposed", 5), Waits(9, "short_deck", None)]
    assert rulings_by_alarm(alarms, waiting) == ((), (7,), ())


def test_a_ruling_on_the_shoe_is_told_with_the_fault_that_lasts() -> None:
    alarms = [Raised("device_offline", None, False), Raised("jam", None, True), Raised("motor", None, False)]
    assert rulings_by_alarm(alarms, [Waits(7, "shoe_unavailable", None)]) == ((), (), (7,))
    assert rulings_by_alarm(alarms[:2], [Waits(7, "shoe_unavailable", None)]) == ((), (7,))
    alarms.append(Raised("shoe_unavailable", None, False))
    assert rulings_by_alarm(alarms, [Waits(7, "shoe_unavailable", None)]) == ((), (), (), (7,))


@given(ALARMS, WAITING)
def test_no_ruling_is_told_twice_and_none_that_does_not_wait(alarms: list[Raised], waiting: list[Waits]) -> None:
    found = rulings_by_alarm(alarms, waiting)
    assert len(found) == len(alarms)
    told = [number for numbers in found for number in numbers]
    assert len(told) == len(set(told))
    assert set(told) <= {one.ruling for one in waiting}
