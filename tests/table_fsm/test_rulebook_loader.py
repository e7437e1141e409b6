"""Loading rulebooks: merging with bases, and every fault of every file with its line."""

import json
import tomllib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from table_fsm.errors import RulebookError
from table_fsm.rulebook import Rulebook, load_rulebooks, load_with_bases
from table_fsm.rulebook.irregularities import Irregularity
from table_fsm.rulebook.outcomes import Outcome
from tests.table_fsm.some_gravity import GRAVITY_TOML

SHIPPED = {
    path.name: path.read_text("utf-8")
    for path in sorted((Path(__file__).parents[2] / "config" / "rulebooks").glob("*.toml"))
}

BASE = """\
id = "base"
title = "A base"
source = "The house"
abstract = true
needs = ["shoe", "reader"]

[amounts]
unit = "cents"
currency = "AUD"

[deck]
check = "required"
packs = 2

[options.burn]
kind = "number"
values = [0, 1]
default = 1
clause = "1.1"

[options.joker]
kind = "flag"

[[rulings]]
irregularity = "clock_expired"
when = { facing_bet = "yes" }
outcome = "fold_hand"
rule = "1.2"
text = "The hand is folded."

[[rulings]]
irregularity = "clock_expired"
outcome = "check_hand"
rule = "1.3"
text = "The player checks."

[[rulings]]
irregularity = "boxed_card"
outcome = "misdeal"
rule = "1.4"
text = "A boxed card: misdeal."

[[rulings]]
irregularity = "*"
outcome = "call_floor"
authority = "supervisor"
rule = "1.9"
text = "Call the supervisor."

[[behaviours]]
rule = "1.10"
text = "The base does this."
"""
BASE += GRAVITY_TOML

GAME = """\
id = "game"
title = "A game"
extends = ["base"]
needs = ["reader"]

[deck]
packs = 1

[[streets]]
name = "pre_flop"
deal = [{ to = "seats", cards = 2 }]

[options.burn]
kind = "number"
values = [0, 1, 2]

[[rulings]]
irregularity = "boxed_card"
outcome = "play_on"
rule = "7.1"
text = "A boxed card: play on."

[[rulings]]
irregularity = "clock_expired"
when = { facing_bet = ["yes"] }
outcome = "dead_hand"
rule = "7.2"
text = "The hand is dead."

[[behaviours]]
rule = "7.3"
text = "The game does that."
"""


def game(**texts: str) -> Rulebook:
    return load_rulebooks({"base.toml": BASE, "game.toml": GAME, **texts})["game"]


def faults(**texts: str) -> list[str]:
    """The problems of these files, by their stems; BASE is there too."""
    with pytest.raises(RulebookError) as caught:
        load_rulebooks({"base.toml": BASE} | {f"{stem}.toml": text for stem, text in texts.items()})
    assert str(caught.value) == "\n".join(caught.value.problems)
    return caught.value.problems


def line_of(text: str, part: str, nth: int = 1) -> int:
    """The line of the nth line that holds `part`."""
    return [number for number, line in enumerate(text.splitlines(), 1) if part in line][nth - 1]


def test_the_shipped_books_load() -> None:
    books = load_rulebooks(SHIPPED)
    assert {"tas-2018-holdem", "act-2019-uth"} <= set(books)
    assert not any(book.book.abstract for book in books.values())


def test_abstract_books_are_reached_apart() -> None:
    sources = {"base.toml": BASE, "game.toml": GAME}
    assert set(load_rulebooks(sources)) == {"game"}
    assert set(load_with_bases(sources)) == {"base", "game"}


def test_no_files_give_no_books() -> None:
    assert load_rulebooks({}) == {}


def test_tables_merge_key_by_key_and_the_child_wins() -> None:
    book = game()
    assert (book.deck.check, book.deck.packs) == ("required", 1)
    assert book.source == "The house"
    assert (book.title, book.book.abstract, book.book.extends) == ("A game", False, ("base",))


def test_a_list_is_taken_whole() -> None:
    assert game().needs == ("reader",)


def test_options_merge_by_name_and_the_nearest_has_all_of_one() -> None:
    options = game().options
    assert set(options) == {"burn", "joker"}
    assert options["burn"].values == (0, 1, 2)
    assert options["burn"].default is None
    assert options["burn"].clause is None


def test_own_rows_come_first_and_covered_base_rows_are_dropped() -> None:
    book = game()
    assert [row.rule for row in book.rulings] == ["7.1", "7.2", "1.3", "1.9"]
    assert book.row_sources == ("game", "game", "base", "base")
    assert book.row(Irregularity.CLOCK_EXPIRED, {"facing_bet": "yes"}).rule == "7.2"
    assert book.row(Irregularity.CLOCK_EXPIRED, {"facing_bet": "no"}).rule == "1.3"


def test_behaviours_of_all_come_together_once() -> None:
    assert [item.rule for item in game().behaviours] == ["7.3", "1.10"]


def small(name: str, extends: list[str], clause: str) -> str:
    return f"""\
id = "{name}"
title = "{name}"
extends = {json.dumps(extends)}
abstract = true
source = "{name}"
[[rulings]]
irregularity = "boxed_card"
outcome = "warn"
rule = "{clause}"
text = "A boxed card."
"""


def test_the_first_base_stands_above_the_second_and_a_shared_one_below_both() -> None:
    left, right = small("left", ["base"], "2.1"), small("right", ["base"], "3.1").replace("boxed_card", "burn_extra")
    text = GAME.replace('["base"]', '["left", "right"]').replace("boxed_card", "burn_missing")
    book = game(**{"left.toml": left, "right.toml": right, "game.toml": text})
    assert [row.rule for row in book.rulings] == ["7.1", "7.2", "2.1", "3.1", "1.3", "1.9"]
    assert book.source == "left"


def test_the_row_for_the_rest_is_the_nearest_and_stands_last() -> None:
    wild = '[[rulings]]\nirregularity = "*"\noutcome = "warn"\nrule = "7.9"\ntext = "Go on."\n'
    book = game(**{"game.toml": GAME + wild})
    assert [row.rule for row in book.rulings] == ["7.1", "7.2", "1.3", "7.9"]
    assert book.row(Irregularity.BURN_EXTRA, {}).outcome is Outcome.WARN


def test_the_order_of_the_files_does_not_matter() -> None:
    turned = dict(reversed(SHIPPED.items()))
    assert {name: book.digest for name, book in load_rulebooks(turned).items()} == {
        name: book.digest for name, book in load_rulebooks(SHIPPED).items()
    }


# --- faults


def test_every_fault_of_every_file_comes_at_once_in_order() -> None:
    assert faults(
        game=GAME.replace("packs = 1", 'packs = 1\njocker = true\nsize = "52"').replace("7.1", " 7.1"),
        odd='id = "odd"\ntitle = "open\n',
        other='id = "game"\ntitle = "Another"\nextends = ["bas"]\n',
    ) == [
        "game.toml:8: deck.jocker: unknown key; allowed: size, joker, packs, check, from_shoe, "
        'replacement_badges; did you mean "joker"?',
        'game.toml:9: deck.size: "52" is not allowed; allowed: a whole number',
        f'game.toml:{line_of(GAME, "7.1") + 2}: rulings.rule: " 7.1" has stray blanks; '
        "write the words with one blank between them",
        "odd.toml:2: not TOML: Illegal character '\\n' at column 14",
        'other.toml:1: id: "game" is the id of game.toml too; give each book its own',
        'other.toml:3: extends: no book has the id "bas"; allowed: base, game; did you mean "base"?',
    ]


ROW = 'irregularity = "boxed_card"'


@pytest.mark.parametrize(
    ("old", "new", "line_part", "says"),
    [
        (
            '"boxed_card"',
            '"boxd_card"',
            ROW.replace("boxed", "boxd"),
            'irregularity: "boxd_card" is not allowed; allowed: cut_exposed, ',
        ),
        ('"boxed_card"', '"boxd_card"', ROW.replace("boxed", "boxd"), 'did you mean "boxed_card"?'),
        ('"play_on"', '"go_on"', '"go_on"', 'outcome: "go_on" is not allowed; allowed: misdeal, '),
        ('"play_on"', "3", "outcome = 3", "outcome: 3 is not allowed; allowed: misdeal, "),
        (
            'outcome = "play_on"',
            'outcome = "play_on"\nauthority = "boss"',
            "boss",
            "allowed: dealer, supervisor, director",
        ),
        ('outcome = "play_on"', "", "[[rulings]]", "outcome: is missing; allowed: misdeal, "),
        (
            'outcome = "play_on"',
            'outcome = "call_floor"',
            "[[rulings]]",
            "authority: a person other than the dealer decides after call_floor",
        ),
        ('outcome = "play_on"', 'outcome = "warn"\nalso = ["stop_table"]', "[[rulings]]", "decides after stop_table"),
        ('outcome = "play_on"', 'outcome = "play_on"\nalso = ["warn", "warn"]', "also", 'also: "warn" stands twice'),
        ('outcome = "play_on"', 'outcome = "play_on"\nalso = ["play_on"]', "also", 'also: "play_on" stands twice'),
        (
            'outcome = "play_on"',
            'outcome = "play_on"\nalso = ["warn", "wran"]',
            "also",
            'also: "wran" is not allowed; allowed: misdeal',
        ),
        ('"7.1"', '"7.1(a"', '"7.1(a"', 'rule: "7.1(a" has a bracket that is not closed or not opened'),
        (
            '"7.1"',
            '""',
            'rule = ""',
            'rule: "" is not allowed; allowed: a text in quotes, not empty, at most 40 characters',
        ),
        ('"A boxed card: play on."', '"Play on"', '"Play on"', 'text: "Play on" does not end with a stop'),
        (
            '"A boxed card: play on."',
            '"Play. Play. Play. Play."',
            '"Play. ',
            "text: 4 sentences; a dealer reads at most 3",
        ),
        (
            '"A boxed card: play on."',
            '"Play on. now."',
            '"Play on. ',
            'text: "now." begins a sentence and has no capital letter',
        ),
        ('"A boxed card: play on."', '"Play  on."', '"Play  on', "text: stray blanks or lines"),
        (
            '{ facing_bet = ["yes"] }',
            '{ facing_bte = "yes" }',
            "facing_bte",
            'when.facing_bte: clock_expired has no such fact: "facing_bte" is not allowed; ',
        ),
        (
            '{ facing_bet = ["yes"] }',
            '{ facing_bet = ["yes", "maybe"] }',
            "maybe",
            'when.facing_bet: "maybe" is not allowed; allowed: yes, no, unknown',
        ),
        (
            '{ facing_bet = ["yes"] }',
            "{ facing_bet = [] }",
            "facing_bet = []",
            "when.facing_bet: no value, so the row never holds; allowed: yes, no, unknown",
        ),
        (
            '{ facing_bet = ["yes"] }',
            '{ facing_bet = ["yes", "yes"] }',
            '"yes", "yes"',
            'when.facing_bet: "yes" stands here twice',
        ),
        (
            '{ facing_bet = ["yes"] }',
            "{ facing_bet = true }",
            "facing_bet = true",
            "when.facing_bet: true is not allowed; allowed: a list [ … ] of (a text in quotes)",
        ),
        ('"7.2"', '"7.2"\nrole = "x"', "role =", "role: unknown key; allowed: irregularity, when, outcome, also, "),
    ],
)
def test_a_fault_in_a_row_names_its_own_line(old: str, new: str, line_part: str, says: str) -> None:
    text = GAME.replace(old, new, 1)
    found = faults(game=text)
    line = line_of(text, line_part)
    assert any(problem.startswith(f"game.toml:{line}: rulings.") and says in problem for problem in found), found


def test_a_faulty_key_of_a_row_hides_nothing_else_in_it() -> None:
    text = GAME.replace('"dead_hand"', '"ded_hand"').replace('["yes"]', '"maybe"').replace("is dead.", "is dead")
    found = faults(game=text)
    assert [problem.split(": ")[1] for problem in found] == [
        "rulings.when.facing_bet",
        "rulings.outcome",
        "rulings.text",
    ]
    assert [int(problem.split(":")[1]) for problem in found] == [
        line_of(text, part) for part in ("maybe", "ded_", "is dead")
    ]


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ('"pre_flop"', '"preflop"', '10: streets.name: "preflop" is not allowed; allowed: pre_flop, '),
        (
            "cards = 2",
            "cards = 6",
            "11: streets.deal.cards: 6 is not allowed; allowed: a whole number, at least 1, at most 5",
        ),
        (
            'to = "seats"',
            'too = "seats"',
            '11: streets.deal.too: unknown key; allowed: to, cards, at_a_time, face; did you mean "to"?',
        ),
        ('to = "seats", ', "", "11: streets.deal.to: is missing; allowed: seats, boxes, board, dealer"),
        (
            "packs = 1",
            "packs = true",
            "7: deck.packs: true is not allowed; allowed: a whole number, at least 1, at most 2",
        ),
        ("packs = 1", "packs = 1.0", "7: deck.packs: 1.0 is not allowed"),
        ("packs = 1", "packs = 0xffffffffffffffffffff", "7: deck.packs: the number is beyond TOML's 64 bits"),
        ("packs = 1", "packs = nan", "7: deck.packs: nan is no number to play by"),
        ("packs = 1", "packs = [[[[[[[[[1]]]]]]]]]", "7: deck.packs: lists or tables are nested too deep"),
        (
            'title = "A game"',
            "title = 2018-09-01",
            '2: title: 2018-09-01 is a date or time; a rulebook has none: write it in quotes, "2018-09-01"',
        ),
        ('title = "A game"', "", "1: title: is missing; allowed: a text in quotes"),
        (
            'id = "game"',
            'id = "A Game"',
            '1: id: "A Game" is not allowed; allowed: a text in quotes, of the form ^[a-z0-9-]+$',
        ),
        (
            "[deck]\npacks = 1",
            "deck = 3",
            "6: deck: 3 is not allowed; allowed: a table with the keys size, joker, packs, ",
        ),
        (
            'extends = ["base"]',
            'extends = ["base", "base"]',
            '3: extends: "base" stands here twice; name each base once',
        ),
        (
            'extends = ["base"]',
            'extends = "base"',
            '3: extends: "base" is not allowed; allowed: a list [ … ] of (a text in quotes)',
        ),
        ("values = [0, 1, 2]", 'values = [0, "one"]', '15: options.burn.values: [0, "one"] is not allowed'),
        ("values = [0, 1, 2]", "values = [0, 1, 1]", "15: options.burn.values: 1 stands here twice; name it once"),
        ("values = [0, 1, 2]", "values = [0, -1]", "15: options.burn.values: -1 is no value of the kind number"),
        (
            "values = [0, 1, 2]",
            "values = [0, 1, 2]\ndefault = 3",
            "16: options.burn.default: 3 is not allowed; allowed: 0, 1, 2",
        ),
        (
            "values = [0, 1, 2]",
            "values = [0, 1, 2]\ndefault = true",
            "16: options.burn.default: true is not allowed; allowed: 0, 1, 2",
        ),
        ("values = [0, 1, 2]", 'clause = "1("', '15: options.burn.clause: "1(" has a bracket that is not closed'),
        (
            'kind = "number"\nvalues = [0, 1, 2]',
            'kind = "choice"',
            "13: options.burn.values: a choice names what there is to choose from",
        ),
        (
            'kind = "number"\nvalues = [0, 1, 2]',
            'kind = "cents"\nvalues = [1]',
            "15: options.burn.values: an option of the kind cents has no list of values",
        ),
        (
            'kind = "number"\nvalues = [0, 1, 2]',
            'kind = "seconds"\ndefault = 0',
            "15: options.burn.default: 0 is not allowed; allowed: a number of seconds above 0",
        ),
        ('"The game does that."', '"the game"', '32: behaviours.text: "the game" does not end with a stop'),
    ],
)
def test_a_fault_outside_the_rows_names_its_line_and_key(old: str, new: str, says: str) -> None:
    assert old in GAME
    found = faults(game=GAME.replace(old, new))
    assert any(problem.startswith(f"game.toml:{says}") for problem in found), found


def test_a_key_written_twice_is_a_fault_of_the_text_with_its_line() -> None:
    assert faults(game='id = "game"\ntitle = "A"\ntitle = "B"\n') == [
        "game.toml:3: not TOML: Cannot overwrite a value at column 12"
    ]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("a = " + "[" * 5000, "nested too deep"),
        ("a = " + "1" * 5000, "a value cannot be read"),
        ('id = "x"\ntitle = "\ud800"', "2: not TOML: a character that UTF-8 has not; save the file as UTF-8"),
        ("a = ", "1: not TOML: Invalid value"),
    ],
)
def test_a_text_that_cannot_be_read_is_one_fault(text: str, says: str) -> None:
    found = faults(game=text)
    assert len(found) == 1
    assert says in found[0]


def test_a_base_whose_text_cannot_be_read_is_not_called_unknown() -> None:
    with pytest.raises(RulebookError) as caught:
        load_rulebooks({"rules/base.toml": "id =", "game.toml": GAME})
    assert [problem.split(":")[0] for problem in caught.value.problems] == ["rules/base.toml"]


def test_books_in_a_circle_are_named_once_with_the_way_round() -> None:
    found = faults(
        a=small("a", ["b"], "1"), b=small("b", ["c"], "1"), c=small("c", ["b"], "1"), d=small("d", ["d"], "1")
    )
    assert found == [
        "b.toml:3: extends: the books stand on each other in a circle: b → c → b; leave one step out",
        "d.toml:3: extends: the books stand on each other in a circle: d → d; leave one step out",
    ]


def test_a_fault_that_only_the_merged_book_shows_is_placed_where_its_key_stands() -> None:
    text = GAME.replace("[[streets]]", "[seats]\nleast_players = 9\n\n[[streets]]")
    base = BASE.replace("[deck]", "[seats]\nmost = 8\n\n[deck]")
    with pytest.raises(RulebookError) as caught:
        load_rulebooks({"base.toml": base, "game.toml": text})
    line = line_of(text, "least_players")
    assert caught.value.problems == [
        f"game.toml:{line}: seats.least_players: 9 players are asked for at 8 seats; allowed: 1 to 8"
    ]


def test_a_merged_fault_that_stands_in_a_base_names_the_book_that_shows_it() -> None:
    base = BASE.replace("[deck]", '[box]\nwitness_roles = ["inspecter"]\n\n[deck]')
    with pytest.raises(RulebookError) as caught:
        load_rulebooks({"base.toml": base, "game.toml": GAME})
    line = line_of(base, "inspecter")
    assert caught.value.problems == [
        f'base.toml:{line}: box.witness_roles: "inspecter" is not allowed; allowed: supervisor, inspector, director, '
        'surveillance, dealer; did you mean "inspector"? (in the book game, which stands on this one)'
    ]


def test_a_fault_of_a_base_is_told_once_however_many_stand_on_it() -> None:
    base = BASE.replace("Call the supervisor.", "Call the supervisor")
    with pytest.raises(RulebookError) as caught:
        load_rulebooks({"base.toml": base, "game.toml": GAME, "game2.toml": GAME.replace('"game"', '"game2"')})
    assert len(caught.value.problems) == 1


# --- open input

KEYS = [
    "id",
    "title",
    "abstract",
    "extends",
    "deck",
    "seats",
    "streets",
    "options",
    "rulings",
    "behaviours",
    "when",
    "also",
    "irregularity",
    "outcome",
    "rule",
    "text",
    "kind",
    "values",
    "default",
    "name",
    "deal",
    "to",
    "cards",
    "size",
    "x y",
]
WORDS = [
    "base",
    "game",
    "boxed_card",
    "clock_expired",
    "*",
    "misdeal",
    "call_floor",
    "seats",
    "pre_flop",
    "choice",
    "1.1",
    "Stop.",
]
scalars = st.one_of(st.sampled_from(WORDS), st.text(max_size=5), st.booleans(), st.integers(), st.floats())
values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=6),
    max_leaves=25,
)


def as_toml(value: Any) -> str:
    """An inline TOML value."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(key)} = {as_toml(inner)}" for key, inner in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(as_toml, value)) + "]"
    if isinstance(value, float):
        return repr(value)
    return json.dumps(value).replace("\x7f", "\\u007f")


def problems_of(sources: dict[str, str]) -> list[str]:
    """What loading finds wrong; of what it loads every irregularity must have an answer."""
    try:
        books = load_rulebooks(sources)
    except RulebookError as error:
        return error.problems or ["no reason given"]
    assert all(book.row(irregularity, {}) for book in books.values() for irregularity in Irregularity)
    return []


def answer(sources: dict[str, str]) -> None:
    """Loads, or says why not, with the file and a line in it."""
    for problem in problems_of(sources):
        file, line, _ = problem.split(":", 2)
        assert 1 <= int(line) <= sources[file].count("\n") + 1


@given(st.dictionaries(st.sampled_from(KEYS), values, max_size=8))
@settings(max_examples=200, deadline=None)
def test_any_document_gives_books_or_faults(document: dict[str, Any]) -> None:
    text = "\n".join(f"{json.dumps(key)} = {as_toml(value)}" for key, value in document.items())
    try:
        tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        assert "\\u" in text or "\\b" in text  # JSON's escapes are TOML's but for lone surrogates
    answer({"base.toml": BASE, "game.toml": GAME, "any.toml": text})


@given(st.text(max_size=80))
@settings(deadline=None)
def test_any_text_gives_books_or_faults(text: str) -> None:
    answer({"any.toml": text})


def bases_of(file: str) -> set[str]:
    """The files that a shipped book stands on, near and far."""
    near = {f"{base}.toml" for base in tomllib.loads(SHIPPED[file]).get("extends", ())}
    return near.union(*map(bases_of, near))


BASES = {file: bases_of(file) for file in SHIPPED}
BOOKS_ON = {file: [book for book in SHIPPED if file in BASES[book]] or [file] for file in SHIPPED}
"""The books that stand on a file; of one on which none does, itself."""


def test_each_shipped_book_loads_with_its_bases_alone() -> None:
    for file, bases in BASES.items():
        books = load_with_bases({one: SHIPPED[one] for one in (file, *bases)})
        assert set(books) == {one.removesuffix(".toml") for one in (file, *bases)}


@given(st.data())
@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])  # on a busy machine too
def test_any_slip_in_a_shipped_book_gives_books_or_faults(data: st.DataObject) -> None:
    file = data.draw(st.sampled_from(sorted(SHIPPED)))
    book = data.draw(st.sampled_from(BOOKS_ON[file]))
    lines = SHIPPED[file].splitlines()
    at = data.draw(st.integers(0, len(lines) - 1))
    kept = data.draw(st.sampled_from(["drop", "twice", "cut", "swap"]))
    other = data.draw(st.sampled_from(lines))
    lines[at : at + 1] = {
        "drop": [],
        "twice": [lines[at]] * 2,
        "cut": [lines[at][: len(lines[at]) // 2]],
        "swap": [other],
    }[kept]
    standing = {one: SHIPPED[one] for one in (book, *BASES[book])}
    answer(standing | {file: "\n".join(lines)})
