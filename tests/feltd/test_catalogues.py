"""The catalogues of other languages: none lacks a text, none has one that nothing says."""

import ast
import importlib
import re
import tomllib
from collections.abc import Iterator
from functools import cache, partial
from pathlib import Path
from string import Formatter
from typing import Any, Final, get_args

import pytest

from devices.adapters.chip_names import ChipNames
from devices.adapters.chip_numbers import PackFault
from devices.errors import DeviceMessageError
from feltd.books.print.phrases import TABLES
from feltd.books.shipped import rulebook_sources
from feltd.page.api.band import LEVEL_WORDS
from feltd.simulated.tour import STOPS
from feltd.text.alarms import ALARMS
from feltd.text.catalogue import FOLDERS, by_id, catalogue, device_fault, refusal, ruling_text, say, word
from feltd.text.decision_words import EFFECTS
from feltd.text.language import Language, choose, chosen, speaking, spoken
from feltd.text.words import (
    DECK_COLOURS,
    DEVICES,
    HOUSE_RULES,
    STREETS,
    alarm_in_words,
    card_in_words,
    deck_in_words,
    in_sentence,
    zone_in_words,
)
from table_fsm.events import CardPlaced
from table_fsm.felt import PHASE_WORDS, ZONES, Decision, Worded
from table_fsm.rulebook.book import kind_words
from table_fsm.rulebook.irregularities import Irregularity
from table_fsm.rulebook.model import OptionKind, OptionRule
from table_fsm.rulebook.outcomes import Outcome

ROOT = Path(__file__).parents[2]
SETS_IN = (
    "table_fsm.felt",
    "table_fsm.rulebook.irregularities",
    "table_fsm.rulebook.outcomes",
    "table_fsm.rulebook.subjects",
    "feltd.text.alarms",
)
OTHERS = tuple(FOLDERS)


@cache
def calls_in(file: Path) -> tuple[tuple[str, ast.Call], ...]:
    """Each call by a name, with arguments, and that name. Read once: many names are looked for."""
    found = (node for node in ast.walk(ast.parse(file.read_text())) if isinstance(node, ast.Call) and node.args)
    return tuple((call.func.id, call) for call in found if isinstance(call.func, ast.Name))


def calls(folder: str, name: str) -> Iterator[tuple[Any, ...]]:
    """Each call of a function in a package: its place and its arguments."""
    for file in sorted((ROOT / folder).rglob("*.py")):
        if name == "say" and not re.search(r"catalogue import .*\bsay\b", file.read_text()):
            continue  # another function of that name
        for named, node in calls_in(file):
            if named == name:
                yield f"{file.relative_to(ROOT)}:{node.lineno}", *node.args


def pattern(text: ast.expr) -> str | None:
    """A text with `{}` for what is filled in; None for one that is made elsewhere."""
    match text:
        case ast.Constant(value=str(said)):
            return said
        case ast.JoinedStr(values=parts):
            return "".join(str(part.value) if isinstance(part, ast.Constant) else "{}" for part in parts)
    return None


def sets() -> set[type[Worded]]:
    found: set[type[Worded]] = set()
    left = [Worded]
    for module in SETS_IN:
        importlib.import_module(module)
    while left:
        for one in left.pop().__subclasses__():
            left.append(one)
            if one.__module__.startswith(("table_fsm", "feltd")):
                found.add(one)
    return found


def ids() -> dict[str, str]:
    """Every message id and its English."""
    told = {member.message_id: member.words for members in sets() for member in members}
    told |= {f"Phase.{phase}": words for phase, words in PHASE_WORDS.items()}
    told |= {f"Street.{street}": words for street, words in STREETS.items()}
    told |= {f"HouseRule.{rule}": words for rule, words in HOUSE_RULES.items()}
    told |= {f"Level.{level}": words for level, words in LEVEL_WORDS.items()}
    told |= {f"Effect.{decision}": words for decision, words in EFFECTS.items()}
    told |= {f"Deck.{colour}": colour for colour in DECK_COLOURS} | {f"Device.{name}": name for name in DEVICES}
    told |= {f"Zone.{zone}": zone_in_words(zone) for zone in ZONES}
    return told | {f"CardIn.{zone}": card_in_words(zone) for zone in ZONES}


def sentences() -> set[str]:
    said = {ast.literal_eval(text) for _, text, *_ in calls("feltd", "say") if isinstance(text, ast.Constant)}
    for row in ALARMS.values():
        said |= {row.cause, row.consequence, row.action} | ({row.many} if row.many else set())
    return said | {text for stop in STOPS for text in (stop.title, stop.shows)}


REFUSALS: Final = {
    "table_fsm": ("Refused",),
    "feltd/page/access": (
        "PasswordError",
        "SignInRefused",
        "FactorNeeded",
        "_factor_needed",
        "SecurityKeyError",
        "_refused",
    ),
    "feltd/page/history": ("HistoryError", "NotToldError"),
    "feltd/page/limits": ("TooManyQuestionsError",),
    "feltd/page": ("ApiProblem", "Away", "Ended", "_told_by_log"),
    "feltd/page/pit": ("NotShownError", "CommandRefused", "MovedOn"),
    "feltd/floor": ("CommandRefused", "MovedOn", "StepNotKnownError", "StepRefused"),
    "floor_fsm": ("Refused",),
    "feltd/door/asking": ("TableAwayError", "CommandRefused", "Away"),
    "feltd/table/keeper": ("CommandRefused", "SignatureRefused", "BadgeRefusedError", "PlayStopped"),
    "feltd/table/workshop": ("DeviceTestRefused", "DeviceKeyError"),
}
"""What a person at the page may be refused with: the folder, and what refuses there."""


def refusals() -> set[str]:
    """The patterns of all refusals, as far as they stand where they are made."""
    told = {
        pattern(argument)
        for folder, names in REFUSALS.items()
        for name in names
        for _, *arguments in calls(folder, name)
        for argument in arguments
    }
    return {text for text in told if text is not None and re.search("[a-z]", text)}


def reasons() -> set[str]:
    """Why the table would refuse a decision: what each function of its decisions that tells it gives back."""
    tree = ast.parse((ROOT / "table_fsm/play/floor/decisions.py").read_text())
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    asked = [one for one in functions if one.name.lstrip("_").startswith("why")]
    told = [node.value for one in asked for node in ast.walk(one) if isinstance(node, ast.Return) and node.value]
    told += [part for value in told if isinstance(value, ast.Call) for part in value.args]
    return {text for text in map(pattern, told) if text}


LINKS: Final = ("FaultError", "TransportError", "SessionError", "DeliveryError", "LinkFault", "_lose", "_failed")
"""What says that something is wrong with a device's link."""


def link_faults() -> set[str]:
    """The patterns of what may be wrong with a link, as far as they stand where they are said."""
    found: set[str | None] = set()
    for folder in ("firmware_bridge", "devices/adapters/link.py"):
        place = ROOT / folder
        for file in sorted(place.rglob("*.py")) if place.is_dir() else [place]:
            tree = ast.parse(file.read_text())
            for function in ast.walk(tree):
                if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
                    found |= set(_faults_of(function))
    return {text for text in found if text is not None and re.search("[a-z]", text)}


def _faults_of(function: ast.AST) -> Iterator[str | None]:
    named: dict[str, list[ast.expr]] = {}
    for node in ast.walk(function):
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            named.setdefault(node.targets[0].id, []).append(node.value)
    for node in ast.walk(function):
        if isinstance(node, ast.Call):
            name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", None)
            if name in LINKS:
                for said in node.args:
                    yield from map(pattern, named.get(said.id, []) if isinstance(said, ast.Name) else [said])


def places(text: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(text) if name is not None}


@pytest.mark.parametrize("language", OTHERS)
def test_every_member_of_a_closed_set_has_its_words(language: Language) -> None:
    known = {f"{members}.{member}" for members, words in catalogue(language, "words").items() for member in words}
    assert known == set(ids())


@pytest.mark.parametrize("language", OTHERS)
def test_every_sentence_is_in_the_catalogue_with_what_is_filled_in(language: Language) -> None:
    known = catalogue(language, "sentences")
    assert set(known) == sentences()
    assert {english for english, said in known.items() if places(english) != places(said)} == set()


def phrases() -> set[str]:
    """Every phrase that a printed rulebook is made of."""
    said = {text for table in TABLES for text in table.values() if text}
    said |= {kind_words(OptionRule(kind=kind), "{unit}") for kind in get_args(OptionKind)}
    for irregularity in Irregularity:
        if (
            irregularity is not Irregularity.SHOE_MALFUNCTION
        ):  # its facts are the faults of the shoe, a set of their own
            said |= {text for values in irregularity.facts.values() for text in values.values()}
    return said


@pytest.mark.parametrize("language", OTHERS)
def test_every_phrase_of_a_printed_rulebook_is_in_the_catalogue(language: Language) -> None:
    known = catalogue(language, "phrases")
    assert set(known) == phrases()
    assert {english for english, said in known.items() if places(english) != places(said)} == set()


def test_a_sentence_stands_where_it_is_said() -> None:
    """A text that is made elsewhere would be in no catalogue, and nobody would see that it is not."""
    made = [place for place, text, *_ in calls("feltd", "say") if not isinstance(text, ast.Constant)]
    assert [place for place in made if "test_" not in place] == []


@pytest.mark.parametrize("language", OTHERS)
def test_every_refusal_of_the_table_has_its_pattern(language: Language) -> None:
    known = catalogue(language, "refusals")
    assert refusals() - set(known) == set()
    assert len(reasons()) >= 5
    assert reasons() - set(known) == set()
    for english, said in known.items():
        assert places(said) == {str(number) for number in range(english.count("{}"))}, english


@pytest.mark.parametrize("language", OTHERS)
def test_every_fault_of_a_link_has_its_pattern(language: Language) -> None:
    known = catalogue(language, "faults")["texts"]
    assert len(link_faults()) > 40
    assert link_faults() - set(known) == set()
    for english, said in known.items():
        assert places(said) == {str(number) for number in range(english.count("{}"))}, english


def test_a_fault_says_its_place_and_what_was_filled_in_too() -> None:
    path = "/dev/serial/by-path/x:1.0"
    with speaking(Language.GERMAN):
        for english, german in (
            (f"badge at {path}: {path}: there is no such port: is the device plugged in?",
             f"badge an {path}: {path}: diesen Anschluss gibt es nicht: ist das Gerät eingesteckt?"),
            (f"badge at {path} has been silent for 6.0 s: look at its power and its cable",
             f"badge an {path} schweigt seit 6.0 s: Stromversorgung und Kabel prüfen"),
            (f"reader:board at {path}: a shoe (S1) where a reader belongs: plug in the right device",
             f"reader:board an {path}: Rolle shoe (S1), wo Rolle reader hingehört: das richtige Gerät einstecken"),
            ("badge: the adapter x failed (y): mend or update the package that has the adapter x",
             "badge: der Adapter x hat versagt (y): das Paket reparieren oder aktualisieren, das den Adapter x hat"),
            ("the device speaks protocol versions 1 to 1, the controller 2 to 3: update the device",
             "Das Gerät spricht die Protokollversionen 1 bis 1, der Controller 2 bis 3: zu aktualisieren ist: Gerät"),
            ("the device ended the session (reason 2): told to stop",
             "Das Gerät hat die Sitzung beendet (Grund 2): told to stop"),
            ("no words of ours", "no words of ours"),
        ):  # fmt: skip
            assert device_fault(english) == german
    assert device_fault("its time is over") == "its time is over"


STRANGE, TWICE = bytes.fromhex("04a1a2a3a4a5a6"), bytes.fromhex("04b1b2b3b4b5b6")


class TwoChips:
    """A list of packs with one card and one chip that is none."""

    def __init__(self, fault: PackFault) -> None:
        self.known: dict[bytes, str | PackFault] = {TWICE: "As", STRANGE: fault}

    def card_of(self, uid: bytes) -> str | PackFault:
        return self.known[uid]

    def pack_of(self, uid: bytes) -> str | None:
        return None

    def has_near(self, number: bytes, bits: int) -> bool:
        return False

    def has_mark(self, mark: bytes) -> bool:
        return True


def chips_not_taken() -> list[str]:
    """What may be told of a chip that is no card in play, or of which there are two."""
    said = [f"reader at seat:3: there is {fault.value}" for fault in PackFault]
    for fault in PackFault:
        chips = ChipNames(partial(TwoChips, fault))
        chips.observe(CardPlaced(t=0.0, zone="burn", card=None, face="down"))
        chips.named("r", {"ev": "placed", "zone": "seat:3", "card": TWICE, "face": "down"}, 1.0)
        for ev, zone, number in (
            ("placed", "seat:4", STRANGE), ("placed", "seat:4", TWICE), ("turned", "seat:4", TWICE),
            ("placed", "seat:4", b"\4\5"),
        ):  # fmt: skip
            with pytest.raises(DeviceMessageError) as raised:
                chips.named("r", {"ev": ev, "zone": zone, "card": number, "face": "up"}, 2.0)
            said.append(str(raised.value))
        with pytest.raises(DeviceMessageError) as raised:
            chips.check_stickers("r", {"seat:4": b"mark"})
        said.append(str(raised.value))
        with pytest.raises(DeviceMessageError) as raised:
            chips.named_state("r", {"zones": {"seat:4": [[TWICE, "up"]]}})
        said.append(str(raised.value))
        chips.named("shoe", {"ev": "card_out", "card": TWICE, "face": "down"}, 3.0)
        chips.named("r", {"ev": "removed", "zone": "seat:3", "card": TWICE}, 3.0)
        chips.named("r", {"ev": "placed", "zone": "seat:4", "card": TWICE, "face": "up"}, 1.1)
        said += [f"r: {doubt}" for doubt in chips.doubts()]
    return said


def test_what_is_told_of_a_chip_is_said_whole() -> None:
    told = chips_not_taken()
    assert len(told) > 20
    words = re.compile(r"\b(the|there|is|and|take|call|of|update)\b")
    with speaking(Language.GERMAN):
        for english in (*told, f"{told[-1]} (3 times)"):
            assert not words.search(device_fault(english)), device_fault(english)


def rulebook_texts() -> set[str]:
    """Every text of the rulebooks that are shipped: of rulings, and of what the table does by itself."""
    found: set[str] = set()

    def walk(value: Any) -> None:
        match value:
            case dict():
                found.update(text for key, text in value.items() if key == "text" and isinstance(text, str))
                walk(list(value.values()))
            case list():
                for one in value:
                    walk(one)

    for text in rulebook_sources().values():
        walk(tomllib.loads(text))
    return found


@pytest.mark.parametrize("language", OTHERS)
def test_every_text_of_a_shipped_rulebook_has_its_translation(language: Language) -> None:
    known = catalogue(language, "rulings")
    assert set(known) == rulebook_texts()
    for english, said in known.items():
        assert set(re.findall(r"\$[\d,]+|\b\d+(?:\.\d+)?\b", english)) <= set(
            re.findall(r"\$[\d,]+|\b\d+(?:\.\d+)?\b", said)
        ), english


def test_a_text_of_ones_own_book_has_no_translation() -> None:
    with speaking(Language.GERMAN):
        assert ruling_text("A rule of the house.") is None
        assert ruling_text("There are no rebuys.") == "Es gibt keine Rebuys."
    assert ruling_text("There are no rebuys.") is None


def test_what_is_filled_into_a_refusal_stays() -> None:
    with speaking(Language.GERMAN):
        assert refusal("there is no seat 12: 1 to 10") == "Es gibt keinen Platz 12: 1 bis 10"
        assert refusal("run_twice has no meaning under onyx-cash: the board is dealt once") == (
            "run_twice hat unter onyx-cash keine Bedeutung: das Board wird einmal gegeben"
        )
        assert refusal("cannot resume while a fault stands: jam (present), double_feed (not acknowledged)") == (
            "Fortsetzen ist nicht möglich, solange eine Störung besteht: "
            "Kartenstau (liegt an), Doppeleinzug (nicht quittiert)"
        )
        assert refusal("something that nobody wrote") == "something that nobody wrote"
    assert refusal("there is no seat 12: 1 to 10") == "there is no seat 12: 1 to 10"


def test_a_language_is_spoken_for_a_block_and_the_tables_else() -> None:
    assert (spoken(), chosen()) == (Language.ENGLISH, Language.ENGLISH)
    with speaking(Language.GERMAN):
        assert word(Outcome.MISDEAL) == "Fehlgabe"
        assert in_sentence(word(Decision.VOID)) == "Runde für ungültig erklären"
        assert by_id("Outcome.of_a_later_version", "of a later version") == "of a later version"
        with speaking(Language.ENGLISH):
            assert word(Outcome.MISDEAL) == "misdeal"
    try:
        choose(Language.GERMAN)
        assert say("Wait for players") == "Auf Spieler warten"
    finally:
        choose(Language.ENGLISH)
    assert say("Wait for players") == "Wait for players"


def test_no_german_text_has_a_word_that_it_should_not() -> None:
    """Commands are infinitives: nobody is addressed, neither `du` nor `Sie`."""
    addressed = re.compile(r"\b(Sie|Ihre?[nmrs]?|[Dd]u|[Dd]ein[a-z]*)\b")
    texts = [*ids().values(), *catalogue(Language.GERMAN, "sentences").values()]
    texts += catalogue(Language.GERMAN, "refusals").values()
    texts += catalogue(Language.GERMAN, "faults")["texts"].values()
    for words in catalogue(Language.GERMAN, "words").values():
        texts += words.values()
    assert [text for text in texts if addressed.search(text)] == []


def test_one_matter_has_one_german_word() -> None:
    """Of two words for one thing the other one is in no German text."""
    level = r"(?<!volle )\bstufe|\bsaal|ausrennen|auszurennen"  # "die volle Stufe": of a bet in limit games
    other = re.compile(rf"{level}|\bshoe\b", re.IGNORECASE)

    def texts(node: Any) -> Iterator[str]:
        if isinstance(node, str):
            yield node
        else:
            for one in node.values():
                yield from texts(one)

    for name in ("words", "sentences", "rulings", "page", "troubles"):
        assert [text for text in texts(catalogue(Language.GERMAN, name)) if other.search(text)] == []
    scripts = texts(catalogue(Language.GERMAN, "scripts"))
    assert [text for text in scripts if re.search(level, text, re.IGNORECASE)] == []


def test_a_decks_colour_and_the_faulty_shoe_are_named_in_german() -> None:
    with speaking(Language.GERMAN):
        assert alarm_in_words({"kind": "jam", "device": "shoe", "deck": "blue"}) == (
            "Kartenstau: Schlitten, Kartenspiel blau"
        )
        assert deck_in_words("Winter 7") == "Winter 7"
        for device, words in (("shoe", "Schlitten"), ("reader:seat-3", "Kartenleser Platz 3"), ("spare", "spare")):
            assert alarm_in_words({"kind": "device_offline", "device": device}) == f"Gerät offline: {words}"
