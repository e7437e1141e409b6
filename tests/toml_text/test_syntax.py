"""Texts that are not TOML: the line of the fault, and words."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toml_text.syntax import TomlSyntaxError, read_toml


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("a = 1\nb = ]", 2, "Invalid value at column 5"),
        ("a = 1\nb = [\n\n", 2, "Invalid value at the end of the file"),
        ("a = 1\na = 2", 2, "Cannot overwrite a value at the end of the file"),
        ("a = 1\nb = '\ud800'", 2, "a character that UTF-8 has not; save the file as UTF-8"),
        ("a = " + "[" * 100_000, 1, "lists or tables are nested too deep"),
    ],
)
def test_a_fault_has_its_line_and_words(text: str, line: int, words: str) -> None:
    with pytest.raises(TomlSyntaxError) as caught:
        read_toml(text)
    assert (caught.value.line, str(caught.value)) == (line, f"not TOML: {words}")


@pytest.mark.parametrize("value", ["9" * 5000, "2024-02-31"])
def test_a_value_that_python_refuses_is_a_fault(value: str) -> None:
    with pytest.raises(TomlSyntaxError, match=r"^not TOML: "):
        read_toml(f"a = {value}")


@given(st.text(alphabet="ab=.[]{}\"'\n #,1-:\\\ud800", max_size=60))
def test_any_text_is_read_or_has_a_line(text: str) -> None:
    try:
        read_toml(text)
        line = 1
    except TomlSyntaxError as fault:
        line = fault.line
    assert 1 <= line <= text.count("\n") + 1
