"""What a suite on machines leaves out where no time is left."""

import pytest

from hil_tests.time_left import left_out


@pytest.mark.parametrize("until", [None, "", "1000", "1001"])
def test_a_test_begins_while_there_is_time_or_nobody_counts_it(until: str | None) -> None:
    assert left_out(until, 1000.0) is None


def test_one_too_late_says_by_how_much() -> None:
    assert left_out("1000", 1030.2) == "FELTD_HIL_UNTIL: no time is left for it on this machine (30 s too late)"


def test_a_time_that_is_none_is_told() -> None:
    with pytest.raises(ValueError, match="soon"):
        left_out("soon", 1000.0)
