"""The dealer's display in the table's language: what is shown changes, what is recorded and judged does not."""

import ast
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from feltd.table.keeper.signatures import ONCE_MORE_AFTER
from feltd.table.links.display_words import StoppedBy, notice_in_words, shown, shown_again, stop_in_words
from feltd.text.language import Language
from table_fsm.outputs import Display, Lamp, LampName, Output, Ruling
from tests.feltd.test_api_signatures import Scene as Signing
from tests.feltd.test_daemon_bridge import Scene

GERMAN = Language.GERMAN
TEXT = "The first card is replaced by the first burn card. Play on."
RULING = Ruling(
    id=1,
    supersedes=None,
    rulebook="book",
    rule="9.4",
    irregularity="hole_exposed",
    outcome="replace_with_first_burn",
    also=(),
    seat=3,
    authority="dealer",
    pending=False,
    text=TEXT,
)
SAID = "Eine Hole-Karte wurde aufgedeckt: Die Karte durch die erste Burn-Karte ersetzen"
OUTPUTS = [Output(1.0, RULING), Output(1.0, Display(TEXT, "9.4"))]


def test_a_ruling_is_shown_as_what_happened_and_what_follows() -> None:
    assert shown(OUTPUTS[1], OUTPUTS, GERMAN)["display"] == {"text": SAID, "rule": "9.4"}
    assert shown(OUTPUTS[1], OUTPUTS, Language.ENGLISH) == OUTPUTS[1].to_dict()


def test_what_has_no_ruling_is_shown_as_the_table_gave_it() -> None:
    for output in (Output(1.0, Display()), Output(1.0, Lamp(LampName.STOP, on=True)), OUTPUTS[1]):
        assert shown(output, [output], GERMAN) == output.to_dict()
        assert shown_again(output, [], GERMAN) == output.to_dict()


def test_a_ruling_that_waits_is_shown_again_in_the_same_language() -> None:
    waits: Any = {"irregularity": "foreign_card", "outcome": "stop_table"}
    said = "Eine Karte gehört nicht zum Kartenspiel: Nichts geben, bis die Sache geklärt ist"
    assert shown_again(OUTPUTS[1], [waits], GERMAN)["display"]["text"] == said
    assert shown_again(OUTPUTS[1], [waits], Language.ENGLISH) == OUTPUTS[1].to_dict()


@pytest.mark.parametrize("by", list(StoppedBy))
def test_every_cause_of_a_stop_is_said_in_both(by: StoppedBy) -> None:
    english, german = (stop_in_words(by, language) for language in Language)
    assert english != german
    assert german.split(":")[0].isupper()


WRITES_DISPLAYS = {
    "core/core.py": {"row.text"},  # of a ruling, which stands beside it
    "play/tournament/moves.py": {"notice"},
    "view/indicators.py": {"pending[-1].text", "said or standing.tournament.notice"},
}
"""What a table's display is given, by the module that gives it. A text of the table's own is in `NOTICES_IN`."""
NOTICES_IN = {"play/tournament/moves.py": ("say", "_race", "_carried", "_notice"), "view/indicators.py": ("_notice",)}
CORE = Path(__file__).parents[2] / "table_fsm"


def test_each_text_that_a_table_gives_its_display_comes_from_a_known_place() -> None:
    found: dict[str, set[str]] = {}
    for file in CORE.rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text())):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "Display":
                found.setdefault(str(file.relative_to(CORE)), set()).add(ast.unparse(node.args[0]))
    assert found == WRITES_DISPLAYS


def notices() -> Iterator[str]:
    """Each sentence of the table's own, with numbers in its places."""
    for module, functions in NOTICES_IN.items():
        for node in ast.walk(ast.parse((CORE / module).read_text())):
            if not isinstance(node, ast.FunctionDef) or node.name not in functions:
                continue
            body = node.body[1:] if ast.get_docstring(node) else node.body
            for part in (part for line in body for part in ast.walk(line)):
                if isinstance(part, ast.JoinedStr):
                    yield from filled(part)


def filled(text: ast.JoinedStr) -> Iterator[str]:
    parts = [part.value if isinstance(part, ast.Constant) else None for part in text.values]
    for unit in ("hands", "rounds of the button"):
        last = max((at for at, part in enumerate(parts) if part is None), default=None)
        units = "sits out" in "".join(str(part) for part in parts if part)
        yield "".join(str(part) if part else unit if units and at == last else "3" for at, part in enumerate(parts))


def test_each_sentence_of_the_table_on_the_display_has_its_german() -> None:
    told = set(notices())
    assert len(told) >= 8
    for english in told:
        german = notice_in_words(english, GERMAN)
        assert not re.search(r"\b(Seat|seat|A|Begin|Hands|Press|Race chips|the|for|is|after|out)\b", german), english
    assert notice_in_words("Race chips of 0.5 for chips of 1 before the next hand.", GERMAN).count("0,5") == 1


def display(posts: list[tuple[str, str, Mapping[str, Any]]]) -> str:
    return " ".join([args["lines"] for _, post, args in posts if post == "display"][-1])


def test_the_bridge_speaks_the_tables_language(monkeypatch: pytest.MonkeyPatch) -> None:
    scene = Scene(monkeypatch)
    scene.bridge.indicating.language = GERMAN
    scene.bridge.send(OUTPUTS)
    assert display(scene.posts) == f"[9.4] {SAID}"
    scene.bridge.stop_play("the disk is full")
    assert display(scene.posts).startswith("SPIEL GESTOPPT")
    scene.bridge.indicating.leave()
    assert display(scene.posts).startswith("NICHT ÜBERWACHT")


@pytest.fixture
def signing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Signing]:
    scene = Signing(tmp_path, monkeypatch)
    yield scene
    scene.page.close()


def test_a_badge_signs_what_a_german_display_says(signing: Signing) -> None:
    signing.page.bridge.indicating.language = GERMAN
    asked = signing.ask()
    assert "Ausweis: Weiterspielen Regelentscheidung 1" in " ".join(signing.lines[-1])
    signing.badge("Q9", "director")
    assert "Ausweis nicht angenommen" in " ".join(signing.lines[-1])
    signing.badge("S1042", "supervisor")
    assert "S1042: Weiterspielen Regelentscheidung 1?" in " ".join(signing.lines[-1])
    signing.page.bench.time.pass_(ONCE_MORE_AFTER)
    signing.badge("S1042", "supervisor")
    assert signing.told(asked["id"])["state"] == "done"
    [decision] = signing.record("supervisor")
    assert decision["decision"] == "play_on"
