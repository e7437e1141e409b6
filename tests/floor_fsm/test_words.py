"""Names and reasons, made one way."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from floor_fsm.core.words import cleaned, cleaned_step


@pytest.mark.parametrize(
    ("said", "clean"),
    [
        ("lea ", "lea"),
        (" \t", ""),
        ("\u200b", ""),
        ("Le\u00ada\u200d  Meier\n", "Lea Meier"),
        ("Anna\u00a0Meier", "Anna Meier"),
        ("Zoe\u0308", "Zoë"),
        ("Zoë", "Zoë"),
        ("7\x00", "7"),
        ("Zoe\u200b\u0308", "Zoë"),
        *((f"lea{one}", "lea") for one in "\u034f\u115f\u1160\u17b4\u180b\u2800\u3164\uffa0\ufe0f\U000e0100"),
        ("\u3164", ""),
    ],
)
def test_words_that_look_the_same_are_the_same(said: str, clean: str) -> None:
    assert cleaned(said) == clean


@given(st.text())
def test_clean_words_stay_as_they_are_and_never_grow_beyond_their_letters(said: str) -> None:
    once = cleaned(said)
    assert cleaned(once) == once
    assert once == once.strip()


def test_of_a_step_names_and_reasons_alone_are_cleaned() -> None:
    step = {
        "ev": "stack.bagged", "table": " T1", "entry": 1, "first": "Ann\u200b", "second": " Bob", "persons": ["a ", 7],
        "by": {"who": "lea ", "why": " the  list", "role": None},
    }  # fmt: skip
    assert cleaned_step(step) == {
        **step, "first": "Ann", "second": "Bob", "persons": ["a", 7],
        "by": {"who": "lea", "why": "the list", "role": None},
    }  # fmt: skip
    assert cleaned_step({"ev": "entry", "name": 5, "by": "lea"}) == {"ev": "entry", "name": 5, "by": "lea"}
