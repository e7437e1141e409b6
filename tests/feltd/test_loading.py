"""Loading without the collector of cycles."""

import gc

import pytest

from feltd.table.host.loading import uncollected


def test_cycles_are_left_within_the_block_and_collected_after_it() -> None:
    with uncollected():
        assert not gc.isenabled()
    assert gc.isenabled()


def test_collecting_goes_on_after_a_load_that_fails() -> None:
    with pytest.raises(ImportError), uncollected():
        raise ImportError
    assert gc.isenabled()


def test_a_block_within_another_leaves_the_collector_off_until_the_outer_one_ends() -> None:
    with uncollected():
        with uncollected():
            pass
        assert not gc.isenabled()
    assert gc.isenabled()
