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


@pytest.mark.parametrize(
    ("how", "expected"),
    [("for_good", ["collected", "frozen", "on"]), ("for_a_command", ["frozen", "on"])],
)
def test_what_was_loaded_to_stay_is_passed_over(how: str, expected: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """The tests' own process freezes nothing: what they leave behind must be found."""
    done: list[str] = []
    monkeypatch.setattr(gc, "collect", lambda: done.append("collected"))
    monkeypatch.setattr(gc, "freeze", lambda: done.append("frozen"))
    monkeypatch.setattr(gc, "enable", lambda: done.append("on"))
    try:
        with uncollected(**{how: True}):
            assert done == []
    finally:
        monkeypatch.undo()
        gc.enable()
    assert done == expected, "on before it is frozen, the collector looks at all of it again"
