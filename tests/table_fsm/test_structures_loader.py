"""Loading blind structures: every fault of every file, with its line and what to do."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from table_fsm.errors import TableError
from table_fsm.structures import Breaks, Level, ReEntry, Structure, StructureError, load_structures

GOOD = """\
id = "club"
title = "A club's evening"
source = "The club"
clause = "4"
breaks = "scheduled"
starting_stack = 5000
re_entry = "single"
entry_closes_level = 2

levels = [
    { number = 1, span = [0, 20], blinds = [25, 50], break_after = 10 },
    { number = 2, span = [20, 35], blinds = [50, 100], big_blind_ante = 100, race_off = 25 },
]

[rebuys]
last_level = 1
stake_below = 100
top_up = false
clause = "5"

[seats]
least_players = 2
most_players = 30
clause = "1"
"""


def problems(*texts: str) -> list[str]:
    with pytest.raises(StructureError) as found:
        load_structures({f"{name}.toml": text for name, text in zip("abcdef", texts, strict=False)})
    assert str(found.value) == "\n".join(found.value.problems)
    return found.value.problems


def changed(old: str, new: str, text: str = GOOD) -> str:
    assert old in text
    return text.replace(old, new, 1)


def test_a_good_file_is_what_it_says() -> None:
    structure = load_structures({"club.toml": GOOD})["club"]
    assert isinstance(structure, Structure)
    assert structure.levels == (
        Level(1, (25, 50), None, False, 1200.0, None, 600.0, "4"),
        Level(2, (50, 100), 100, True, 900.0, 25, None, "4"),
    )
    assert (structure.breaks, structure.re_entry, structure.doubling_minutes) == (
        Breaks.SCHEDULED,
        ReEntry.SINGLE,
        None,
    )


def test_its_errors_are_of_the_tables_tree() -> None:
    assert issubclass(StructureError, TableError)


FIRST = "number = 1, span = [0, 20], blinds = [25, 50]"
SECOND = "number = 2, span = [20, 35], blinds = [50, 100]"


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ('"A club\'s evening"', "5", "a.toml:2: title: 5 is not allowed; allowed: a text in quotes"),
        ('"A club\'s evening"', "1979-05-27", "a.toml:2: title: 1979-05-27 is not allowed; allowed: a text in quotes"),
        ("starting_stack = 5000", 'starting_stack = "5000"', 'a.toml:6: starting_stack: "5000" is not allowed'),
        ("starting_stack = 5000", "starting_stack = 0", "a.toml:6: starting_stack: 0 is not allowed; allowed:"),
        ("starting_stack", "startingstack", "a.toml:6: startingstack: unknown key;"),
        ('"single"', '"double"', 'a.toml:7: re_entry: "double" is not allowed; allowed: none, single, unlimited'),
        ('clause = "4"\n', "", "a.toml:1: clause: is missing; allowed: a text in quotes"),
        ("race_off = 25", "race_of = 25", 'did you mean "race_off"?'),
        ("race_off = 25", "race_off = 2.5", "a.toml:12: levels.race_off: 2.5 is not allowed; allowed: a whole number"),
        (
            "entry_closes_level = 2",
            "entry_closes_level = 3",
            "a.toml:8: entry_closes_level: there is no level 3; the schedule has 1 to 2",
        ),
        ("entry_closes_level = 2\n", "", 'a.toml:1: entry_closes_level: re_entry = "single" needs an end'),
        ("last_level = 1", "last_level = 9", "a.toml:16: rebuys.last_level: there is no level 9"),
        ("most_players = 30", "most_players = 1", "a.toml:23: seats.most_players: 1 is not allowed"),
        (
            "least_players = 2",
            "least_players = 31",
            "a.toml:22: seats.least_players: at least 31 and at most 30 players",
        ),
        (
            "most_players = 30",
            "most_players = 5\nper_table = 9",
            "a.toml:24: seats.per_table: a table takes more than the tournament's 5 players",
        ),
        ('"scheduled"', '"director"', "a.toml:11: levels.break_after: breaks are at the director's discretion here"),
        (", break_after = 10", "", "a.toml:5: breaks: no level has a break_after"),
        ("number = 2", "number = 3", "a.toml:12: levels.number: 3 stands in place 2; number the levels 1, 2, 3, …"),
        ("[20, 35]", "[25, 35]", "a.toml:12: levels.span: the level begins at minute 25 but the one before ends at 20"),
        ("[20, 35]", "[20, 20]", "a.toml:12: levels.span: give two minutes of play, from and to"),
        ("[20, 35]", "[20]", "a.toml:12: levels.span: give two minutes of play, from and to"),
        ("[0, 20]", "[5, 20]", "a.toml:11: levels.span: the first level begins at minute 5; play begins at 0"),
        ("span = [20, 35], ", "", "a.toml:12: levels: a level's length stands once"),
        ("span = [20, 35]", "span = [20, 35], minutes = 15", "a.toml:12: levels: a level's length stands once"),
        ("span = [20, 35]", "minutes = 15", "a.toml:10: levels: some levels have a span and some minutes"),
        ("[50, 100]", "[100, 50]", "a.toml:12: levels.blinds: give at most three blinds, in order of posting"),
        ("[50, 100]", "[50, 50, 50, 50]", "a.toml:12: levels.blinds: give at most three blinds, in order of posting"),
        ("[50, 100]", "[100]", "a.toml:12: levels.blinds: 1 blinds after 2; give every level the same number"),
        ("[50, 100]", "[50, 49]", "a.toml:12: levels.blinds: a blind is lower than in the level before"),
        ("[50, 100], big_blind_ante = 100", "[]", "a.toml:12: levels: nobody posts anything"),
        ("[50, 100], big", "[100], big", "a.toml:12: levels.big_blind_ante: there is no big blind to post it"),
        (
            "big_blind_ante",
            "ante = 5, big_blind_ante",
            "a.toml:12: levels.big_blind_ante: each player or the big blind",
        ),
        (FIRST, f"{FIRST}, ante = 101", "a.toml:12: levels.big_blind_ante: the ante is lower than in the level before"),
        ("levels = [", "levels = []\nrows = [", "a.toml:10: levels: a structure without levels; give at least one"),
        ("levels = [", "level = [", "a.toml:1: levels: is missing;"),
    ],
)
def test_a_fault_is_named_with_its_line(old: str, new: str, problem: str) -> None:
    assert any(problem in found for found in problems(changed(old, new)))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"scheduled"', '"weekly"'),
        ('"single"', "7"),
        ("levels = [", "level = ["),
        ("entry_closes_level = 2", "entry_closes_level = 0"),
        ("last_level = 1", 'last_level = "1"'),
        ("number = 1", "number = 0"),
        ("break_after = 10", "break_after = 0"),
        ("[0, 20]", "[0, -20]"),
        ("least_players = 2", "least_players = 1"),
    ],
)
def test_a_key_that_cannot_be_read_draws_no_second_fault(old: str, new: str) -> None:
    found = problems(changed(old, new))
    keys = [problem.split(": ")[1] for problem in found]
    assert len(keys) == len(set(keys)) == (2 if old == "levels = [" else 1)  # the wrong key, and the one missing


def test_all_faults_of_all_files_come_at_once_in_order() -> None:
    first = changed("[20, 35]", "[21, 35]", changed("race_off = 25", "race_off = 0", changed('"single"', '"twice"')))
    second = changed('"club"', '"other"', changed("last_level = 1", "last_level = 4", changed("5000", "-1")))
    found = problems(first, second, 'id = "third"\nx = = 1\n')
    assert [problem.split(": ")[0] for problem in found] == [
        "a.toml:7",
        "a.toml:12",
        "b.toml:6",
        "b.toml:16",
        "c.toml:2",
    ]


def test_a_faulty_row_hides_nothing_in_the_others() -> None:
    third = "    { number = 4, span = [30, 60], blinds = [25, 50] },\n]"
    found = problems(changed("]\n\n[rebuys]", f"{third}\n\n[rebuys]", changed("number = 1,", "numbr = 1,")))
    assert [problem.split(": ")[:2] for problem in found] == [
        ["a.toml:11", "levels.number"],
        ["a.toml:11", "levels.numbr"],
        ["a.toml:13", "levels.ante"],
        ["a.toml:13", "levels.blinds"],
        ["a.toml:13", "levels.number"],
        ["a.toml:13", "levels.span"],
    ]


def test_two_structures_of_one_id_are_a_fault_of_the_second() -> None:
    assert problems(GOOD, GOOD) == ['b.toml:1: id: "club" is the id of a.toml too; give each structure its own']


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ('id = "x', "a.toml:1: not TOML: "),
        ("a = 1\nb = \n", "a.toml:2: not TOML: Invalid value at column 5"),
        ("a = 1\na = 2", "a.toml:2: not TOML: "),
        ("a = " + "[" * 5000, "a.toml:1: not TOML: "),
        ("a = " + "9" * 5000, "a.toml:1: not TOML: a value cannot be read"),
        ("a = 1\nb = '\ud800'", "a.toml:2: not TOML: a character that UTF-8 has not"),
        ("title = " + "[" * 250 + "]" * 250, "a.toml:1: lists or tables are nested too deep"),
        ("[" + "a." * 2000 + "a]", "a.toml:1: lists or tables are nested too deep"),
        ("starting_stack = nan", "a.toml:1: starting_stack: nan is not allowed; allowed: a whole number"),
        ("starting_stack = " + "9" * 30, "a.toml:1: starting_stack: 9999"),
    ],
)
def test_what_is_no_toml_or_no_number_to_play_by_is_said_so(text: str, problem: str) -> None:
    assert any(found.startswith(problem) for found in problems(text))


def test_nothing_to_load_is_nothing() -> None:
    assert load_structures({}) == {}


def faults_of(text: str) -> list[str]:
    try:
        load_structures({"a.toml": text})
    except StructureError as error:
        return error.problems
    return []


LINES = GOOD.splitlines()


@given(st.lists(st.sampled_from([*LINES, "x = 1", "levels = 3", "[[levels]]", "seats = []", "id = 2024-01-01"])))
def test_any_jumble_of_lines_loads_or_names_its_faults(lines: list[str]) -> None:
    assert all(problem.startswith("a.toml:") for problem in faults_of("\n".join(lines)))


@given(
    st.dictionaries(
        st.sampled_from(["id", "levels", "seats", "rebuys", "breaks", "re_entry", "clause", "title", "source", "x"]),
        st.sampled_from(
            ["1", '"a"', "[]", "{}", "[1]", "[{}]", "[[1]]", "{ x = 1 }", "true", "1.5", "[{ span = [] }]"]
        ),
    )
)
def test_any_value_at_any_key_names_its_faults(content: dict[str, str]) -> None:
    text = "\n".join(f"{key} = {value}" for key, value in content.items())
    with pytest.raises(StructureError) as found:
        load_structures({"a.toml": text})
    assert len(found.value.problems) == len(set(found.value.problems))


def test_the_shipped_structures_are_read_by_their_names() -> None:
    folder = Path(__file__).parents[2] / "config" / "structures"
    texts = {path.name: path.read_text("utf-8") for path in folder.glob("*.toml")}
    assert set(load_structures(texts)) == {name.removesuffix(".toml") for name in texts}
