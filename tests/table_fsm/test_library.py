"""Rulebooks with the structures they name: found, missing, faulty, and part of the digest."""

import pytest

from feltd.books.shipped import rulebook_sources, structure_sources
from table_fsm.errors import RulebookError
from table_fsm.library import Library, load_library
from table_fsm.rulebook import OptionError, check_options
from tests.table_fsm.some_gravity import GRAVITY_TOML

BOOK = """
id = "club"
title = "The club"
amounts = { unit = "cents", currency = "AUD" }

[[streets]]
name = "pre_flop"
deal = [{ to = "seats", cards = 2 }]

[options.structure]
kind = "choice"
values = ["evening"]
default = "evening"

[[rulings]]
irregularity = "*"
outcome = "warn"
rule = "1"
text = "Play on."
"""
BOOK += GRAVITY_TOML
FREE = BOOK.replace('values = ["evening"]\n', "").replace('default = "evening"\n', "")
STRUCTURE = """
id = "evening"
title = "Evening"
source = "The club"
clause = "1"
breaks = "director"
re_entry = "none"
levels = [{ number = 1, minutes = 20, blinds = [100, 200] }, { number = 2, minutes = 20, blinds = [200, 400] }]

[seats]
least_players = 2
most_players = 10
clause = "1"
"""


def problems(book: str, **structures: str) -> list[str]:
    with pytest.raises(RulebookError) as caught:
        load_library({"club.toml": book}, {f"{name}.toml": text for name, text in structures.items()})
    return caught.value.problems


def test_a_book_has_the_structures_that_it_names() -> None:
    other = STRUCTURE.replace('"evening"', '"morning"')
    book = load_library({"club.toml": BOOK}, {"evening.toml": STRUCTURE, "morning.toml": other})["club"]
    assert list(book.structures) == ["evening"]
    assert book.structures["evening"].levels[1].blinds == (200, 400)


def test_a_structure_that_is_not_there_is_a_fault_of_the_book_with_its_line() -> None:
    assert problems(BOOK, morning=STRUCTURE.replace('"evening"', '"evenings"')) == [
        'club.toml:12: options.structure.values: no structure has the id "evening"; allowed: evenings; '
        'did you mean "evenings"?'
    ]


def test_a_faulty_structure_is_told_with_its_own_file_and_the_book_is_not_blamed() -> None:
    (problem,) = problems(BOOK, evening=STRUCTURE.replace("minutes = 20, blinds = [100, 200]", "blinds = [100, 200]"))
    assert problem.startswith("evening.toml:8: levels: a level's length stands once")


def test_the_structures_are_part_of_the_digest() -> None:
    def digest(structure: str) -> str:
        return load_library({"club.toml": BOOK}, {"evening.toml": structure})["club"].digest

    assert digest(STRUCTURE) == digest("# a remark\n" + STRUCTURE)
    assert digest(STRUCTURE) != digest(STRUCTURE.replace("[200, 400]", "[200, 300]"))


def test_an_option_without_values_takes_any_structure_there_is() -> None:
    book = load_library({"club.toml": FREE}, {"evening.toml": STRUCTURE})["club"]
    assert check_options(book, {"structure": "evening"}) == {"structure": "evening"}
    assert check_options(book, {}) == {"structure": None}
    with pytest.raises(OptionError, match='structure: "night" is not allowed; allowed: evening'):
        check_options(book, {"structure": "night"})


def test_the_option_is_a_choice() -> None:
    assert any("options.structure.kind" in fault for fault in problems(BOOK.replace('"choice"', '"flag"')))


def test_every_shipped_book_that_takes_structures_has_them_all() -> None:
    loaded = load_library(rulebook_sources(), structure_sources())
    everything = {name.removesuffix(".toml") for name in structure_sources()}
    named = [book for book in loaded.values() if "structure" in book.options]
    assert named
    for book in named:
        values = book.options["structure"].values
        assert set(book.structures) == set(everything if values is None else values), book.id
        assert book.options["structure"].default in {None, *book.structures}


def test_a_library_has_the_books_of_the_whole_load_and_loads_one_when_it_is_asked_for() -> None:
    whole = load_library(rulebook_sources(), structure_sources())
    library = Library(rulebook_sources(), structure_sources())
    assert set(library) == whole.keys()
    assert len(library) == len(whole)
    assert dict(library.loaded) == {}
    asked = library["onyx-tournament"]
    assert asked.digest == whole["onyx-tournament"].digest
    assert set(library.loaded) == {"onyx-tournament"}
    assert next(iter(library)) == "onyx-tournament"
    assert library["onyx-tournament"] is asked
    assert {name: book.digest for name, book in library.items()} == {name: book.digest for name, book in whole.items()}


def test_a_library_has_no_book_of_another_name_and_none_that_others_stand_on() -> None:
    library = Library(rulebook_sources(), structure_sources())
    for name in ("holdem", "tas-2018-base", "every-table"):
        assert name not in library
        assert library.get(name) is None
        with pytest.raises(KeyError):
            library[name]


def test_a_fault_is_told_when_its_book_is_asked_for() -> None:
    faulty = BOOK.replace('outcome = "warn"', 'outcome = "wran"').replace('"club"', '"other"')
    library = Library({"club.toml": BOOK, "other.toml": faulty}, {"evening.toml": STRUCTURE})
    assert library["club"].id == "club"
    with pytest.raises(RulebookError, match=r"^other\.toml:\d+: "):
        library["other"]


def test_a_fault_of_a_structure_is_told_with_the_book_that_names_it() -> None:
    library = Library({"club.toml": BOOK}, {"evening.toml": STRUCTURE.replace("number = 2", "number = 4")})
    with pytest.raises(RulebookError, match=r"evening\.toml:\d+: "):
        library["club"]


@pytest.mark.parametrize(
    "texts",
    [
        {"a.toml": BOOK, "b.toml": BOOK},
        {"a.toml": BOOK.replace('id = "club"', "id = 3")},
        {"a.toml": 'extends = ["nobody"]\n' + BOOK},
        {"a.toml": BOOK + "\n[["},
        {"a.toml": "id = "},
    ],
)
def test_texts_whose_heads_have_a_fault_are_refused_at_once(texts: dict[str, str]) -> None:
    with pytest.raises(RulebookError) as refused:
        Library(texts, {"evening.toml": STRUCTURE})["club"]
    with pytest.raises(RulebookError) as whole:
        load_library(texts, {"evening.toml": STRUCTURE})
    assert refused.value.problems == whole.value.problems


def test_a_bracket_in_a_list_does_not_end_a_books_head() -> None:
    split = BOOK.replace('id = "club"', 'id = "club"\nextends = [\n"base",\n]\n')
    split = split.replace('title = "The club"', 'title = """\n[The club]"""')
    base = 'id = "base"\nabstract = true\ntitle = "x"\n'
    library = Library({"club.toml": split, "base.toml": base}, {"evening.toml": STRUCTURE})
    assert "club" in library
    assert "base" not in library


def test_a_book_that_names_no_structure_reads_none(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[object] = []

    def load(sources: object) -> dict[str, object]:
        read.append(sources)
        return {}

    monkeypatch.setattr("table_fsm.library.load_structures", load)
    library = Library(rulebook_sources(), structure_sources())
    assert library["tas-2018-holdem"].structures == {}
    assert read == []
    with pytest.raises(RulebookError, match="no structure has the id"):
        library["star-2025-holdem"]
    assert len(read) == 1
