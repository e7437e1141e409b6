"""The page in German: no text of a template or a script lacks it, and each answer is in its reader's language."""

import re
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from typing import Any, Final

import pytest

from feltd.page.access.roles import Role
from feltd.page.app import PAGES
from feltd.page.languages import COOKIE
from feltd.text.amounts import amount_in_words
from feltd.text.catalogue import FOLDERS, catalogue
from feltd.text.language import Language, speaking
from feltd.text.marked import filled_in, has_words, script_texts, template_texts, words_of_script
from feltd.text.pages import script, template, texts_of
from feltd.text.zone import moment
from table_fsm.events import ShoeShuffled
from table_fsm.felt import AmountUnit
from table_fsm.rulebook.denomination import Denomination
from tests.feltd.page_support import Browser, Page

OTHERS = tuple(FOLDERS)
GERMAN = {"accept-language": "de-AT,de;q=0.9,en;q=0.5"}
TEMPLATES = {one.name: one.read_text("utf-8") for one in (files("feltd.page") / "templates").iterdir()}
STATIC = files("feltd.page") / "static"
SCRIPTS = {one.name: one.read_text("utf-8") for one in STATIC.iterdir() if one.name.endswith(".js")}
NAMES: Final = re.compile(
    r"""
    [#.:\[].*                                # a selector
    | (nav\ a|main\ section|main\ tbody.*|tbody\ tr.*|button,\ .*|input,\ .*)  # selectors too
    | (pips\ red|phase\ bad|quiet\ age|bad\ age)  # names of classes
    | not\ known                             # an answer of the API
    | (translate|scale)\(.*                  # a place in a picture
    | \$\{[^}]*\}(px|\ kB|\ MB|\ GB)         # a size
    | (seat|board):\$\{.*\}                  # a zone
    | (ruling|band|feltd|state)\ \$\{.*\}    # a key, a class
    | \$\{device\.name\}\ [a-z\ ]+           # the key of what was opened
    | [a-z]+\$\{[^}]*\}                      # classes
    | back\ \$\{.*\} | seat\$\{.*
    | a\.button,\ button                     # a selector
    | feltd\ (sound|keys) | Enter | Escape | Arrow(Up|Down) | InvalidStateError | SUMMARY | SELECT | TR
    | [A-Z]+                                 # a method, a mark
    """,
    re.VERBOSE,
)
"""Literals of scripts that are names in the program and no texts, though they look like texts."""


def looks_like_text(literal: str) -> bool:
    """Whether a literal of a script is for people: it has two words, or one that begins with a capital."""
    words = words_of_script(literal).strip()
    if not re.search(r"[A-Za-z]{2}", words) or NAMES.fullmatch(literal):
        return False
    return bool(re.search(r"[A-Za-z,.:;)] +[A-Za-z(]", words) or re.match(r"[A-Z][a-z]", words))


def outer(source: str) -> Iterator[str]:
    """The literals of a script; those within a template that has German are part of it."""
    end = 0
    for place in script_texts(source):
        if place.start >= end:
            yield place.text
            if place.text in ALL_SCRIPT_TEXTS:
                end = place.end


ALL_SCRIPT_TEXTS = {
    text for name, texts in catalogue(Language.GERMAN, "scripts").items() if name != "code" for text in texts
}


@pytest.mark.parametrize("language", OTHERS)
@pytest.mark.parametrize("name", sorted(TEMPLATES))
def test_a_template_has_no_text_outside_the_catalogue(name: str, language: Language) -> None:
    texts, literals = (texts_of("page", kind, name, language) for kind in ("texts", "literals"))
    places = list(template_texts(TEMPLATES[name]))
    shown = {place.text for place in places if not place.literal and has_words(place.text)}
    assert shown - set(texts) == set()
    several = {place.text for place in places if place.literal and re.search(r"[a-z] [a-z]", place.text)}
    assert several - set(literals) == set()


@pytest.mark.parametrize("language", OTHERS)
@pytest.mark.parametrize("name", sorted(SCRIPTS))
def test_a_script_has_no_text_outside_the_catalogue(name: str, language: Language) -> None:
    texts = texts_of("scripts", "texts", name, language)
    assert [text for text in outer(SCRIPTS[name]) if looks_like_text(text) and text not in texts] == []


@pytest.mark.parametrize("language", OTHERS)
def test_the_catalogues_have_nothing_that_nothing_says(language: Language) -> None:
    places = [place for source in TEMPLATES.values() for place in template_texts(source)]
    page = catalogue(language, "page")
    assert set(page["texts"]) - {place.text for place in places if not place.literal} == set()
    assert set(page["literals"]) - {place.text for place in places if place.literal} == set()
    assert {words for _, _, words in PAGES} - set(page["said"]) == set()
    scripts = catalogue(language, "scripts")
    said = {name: {place.text for place in script_texts(source)} for name, source in SCRIPTS.items()}
    assert set(scripts["texts"]) - set().union(*said.values()) == set()
    for name in set(scripts) - {"texts", "code"}:
        assert set(scripts[name]) - said[name] == set(), name
    assert [code for code in scripts["code"] if not any(code in source for source in SCRIPTS.values())] == []


def names(expression: str) -> set[str]:
    """The names that an expression of a script reads: those with a dot, and an expression that is a name."""
    bare = re.sub(r"\"[^\"]*\"|'[^']*'", "", expression)
    return set(re.findall(r"[A-Za-z_$][\w$]*\.[\w.]+|^[A-Za-z_$]\w*$", bare))


@pytest.mark.parametrize("language", OTHERS)
def test_what_is_filled_into_a_text_is_filled_into_the_other(language: Language) -> None:
    for english, said in catalogue(language, "page")["texts"].items():
        filled = [re.findall(r"\{\{\s*\(?\[?([\w.]+?)(?:\.words)?\b(?![\w.])", text) for text in (english, said)]
        assert sorted(filled[0]) == sorted(filled[1]), english
    scripts = catalogue(language, "scripts")
    for name in set(scripts) - {"code"}:
        for english, said in scripts[name].items():
            wants, has = ({one for part in filled_in(text) for one in names(part)} for text in (english, said))
            assert [one for one in wants if not any(other.startswith(one) for other in has)] == [], english


def test_english_is_what_stands_there() -> None:
    for name, source in TEMPLATES.items():
        assert template(name, Language.ENGLISH) == source
    for name, source in SCRIPTS.items():
        assert script(name, source, Language.ENGLISH) == source
    assert template("none.html", Language.GERMAN) is None


def test_a_template_is_divided_where_its_tags_and_its_code_are() -> None:
    source = '{# note #}<a title="A {{ b }}" href="c">Go {{ d }}</a><!-- no --><pre>code</pre>{% if x %}Yes{% endif %}'
    assert [place.text for place in template_texts(source)] == ["A {{ b }}", "Go {{ d }}", "Yes"]


def test_a_script_is_divided_into_its_literals() -> None:
    source = 'const a = "one"; // "no"\n/* "no" */ const b = /"no[/]"/.test(c) / 2; '
    source += "d(`two ${e ? `three` : {f: 'four'}.f}`, '/')"
    found = [place.text for place in script_texts(source)]
    assert found == ["one", "two ${e ? `three` : {f: 'four'}.f}", "three", "four", "/"]


# ---- a page that is asked


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    import asyncio

    async def make() -> Page:
        made = Page(tmp_path_factory.mktemp("german"))
        made.bench.open_table()
        made.bench.take(ShoeShuffled, deck="blue", count=36)
        await made.bench.synced()
        return made

    made = asyncio.run(make())
    yield made
    made.close()


@pytest.mark.parametrize(
    "path", ["/", "/history", "/trends", "/tournament", "/devices", "/account", "/sign-in", "/clock"]
)
def test_each_page_is_german_for_who_asks_for_it(page: Page, path: str) -> None:
    browser = Browser(page, page.session(Role.SUPERVISOR))
    german, english = browser.get(path, headers=GERMAN), browser.get(path, headers={"accept-language": "fr"})
    assert (german.status_code, english.status_code) == (200, 200)
    assert '<html lang="de"' in german.text
    assert '<html lang="en"' in english.text
    shown = re.sub(r"<script.*?</script>|<[^>]*>", " ", german.text, flags=re.DOTALL)
    assert re.findall(r"\b(the|The|and|not|with|Sign|Cards|Devices)\b", shown) == []


def test_a_rulebook_has_its_translation_before_the_approved_text(page: Page) -> None:
    german, english = (Browser(page).get("/rules/tas-2018-holdem", headers=asked).text for asked in (GERMAN, {}))
    approved = "A player was missed. Nobody looked: put the cards where they belong."
    said = "Ein Spieler wurde übergangen. Niemand hat Karten angesehen: die Karten dorthin legen, wohin sie gehören."
    assert f'<span lang="de">{said}</span> <span lang="en">({approved})</span>' in german
    assert (">Regelwerke<" in german, '<main lang="en">' in german) == (True, True)
    assert (approved in english, said in english, "<main>" in english) == (True, False, True)
    assert "an diesem Tisch in Kraft" in Browser(page).get("/rules", headers=GERMAN).text


def test_the_state_is_in_the_language_of_its_reader(page: Page) -> None:
    browser = Browser(page, page.session(Role.SUPERVISOR))
    german, english = (browser.get("/api/v1/state", headers=asked).json() for asked in (GERMAN, {}))
    assert english["prompt"] == "Wait: a person must decide"
    assert german["prompt"] == "Warten: eine Person muss entscheiden"
    assert english["rulings"][0]["text"] == german["rulings"][0]["text"], "the approved text is English"
    assert english["rulings"][0]["translation"] is None
    assert german["rulings"][0]["translation"].startswith("Das Kartenspiel ist unvollständig.")
    assert german["rulings"][0]["irregularity_words"] == "Das Kartenspiel ist unvollständig"
    assert german["band"]["words"].startswith("Aufsicht entscheidet")
    english_why, german_why = ({one["why"] for one in told["refused"]} for told in (english, german))
    assert "seat 1 has no hand in play to exclude" in english_why
    assert "Platz 1 hat keine Hand im Spiel, die ausgeschlossen werden kann" in german_why
    assert english_why & german_why == set()
    words = browser.get("/api/v1/vocabulary", headers=GERMAN).json()
    assert {"name": "misdeal", "words": "Fehlgabe"}.items() <= words["outcomes"][2].items()


def test_a_refusal_is_in_the_language_of_its_reader(page: Page) -> None:
    browser = Browser(page, page.session(Role.SUPERVISOR))
    german, english = (browser.get("/api/v1/rounds/77", headers=asked).json()["detail"] for asked in (GERMAN, {}))
    assert (german, english) == ("Im Protokoll gibt es keine Runde 77", "there is no round 77 in the record")


def test_a_choice_is_kept_and_stands_over_the_browsers(page: Page) -> None:
    browser = Browser(page, page.session(Role.SUPERVISOR))
    chosen = browser.get("/language/de?to=/history")
    assert (chosen.status_code, chosen.headers["location"]) == (303, "/history")
    assert chosen.headers["set-cookie"].startswith(f"{COOKIE}=de;")
    assert browser.get("/language/xx").status_code == 404
    for elsewhere in ("https://example.com", "//example.com", "/\\\\example.com"):
        assert browser.get(f"/language/en?to={elsewhere}").headers["location"] == "/"
    asked: dict[str, Any] = {"cookie": f"{COOKIE}=de", "accept-language": "en"}
    assert '<html lang="de"' in Browser(page).get("/sign-in", headers=asked).text
    assert (
        '<html lang="en"'
        in Browser(page)
        .get(
            "/sign-in",
            headers={
                "cookie": f"{COOKIE}=?;;=",
            },
        )
        .text
    )


def test_scripts_come_in_the_language_too(page: Page) -> None:
    german, english = (Browser(page).get("/static/keys.js", headers=asked) for asked in (GERMAN, {}))
    assert "Zu den Alarmen" in german.text
    assert english.text == SCRIPTS["keys.js"]
    assert german.headers["etag"] != english.headers["etag"]


def test_no_script_shows_a_name_of_the_program_for_a_word() -> None:
    """The band's level is an English name: in capitals it was shown to everybody."""
    for name, source in SCRIPTS.items():
        assert "level.toUpperCase()" not in script(name, source, Language.GERMAN), name
        assert not re.search(r"\$\{[^{}]*\.toFixed\([1-9]", source), f"{name}: decimal()"
        assert not re.search(r"\$\{[\w.]+_ms\}", source), f"{name}: decimal()"
    assert 'toLocaleString("de", { minimumFractionDigits: places' in script(
        "shell.js", SCRIPTS["shell.js"], Language.GERMAN
    )
    assert 'up: "verbunden"' in script("devices.js", SCRIPTS["devices.js"], Language.GERMAN)
    assert '"frei"' in script("table.js", SCRIPTS["table.js"], Language.GERMAN)


def test_numbers_amounts_and_dates_are_as_the_language_has_them() -> None:
    aud, points = Denomination(AmountUnit.CENTS, "AUD"), Denomination(AmountUnit.POINTS)
    with speaking(Language.GERMAN):
        assert amount_in_words(123450, aud) == "1.234,50\N{NO-BREAK SPACE}$"
        assert amount_in_words(20000, Denomination(AmountUnit.CENTS, "CHF")) == "200\N{NO-BREAK SPACE}CHF"
        assert amount_in_words(20000, points) == "20.000"
        assert re.match(r"\d\d\.\d\d\.2027 \d\d:\d\d:\d\d ", moment(1800000000.0))
    assert amount_in_words(123450, aud) == "$1,234.50"
    assert moment(1800000000.0).startswith("2027-")


def test_no_german_of_the_page_addresses_anybody() -> None:
    addressed = re.compile(r"\b(?<!\. )(Sie (?!fehlt|fiel)|Ihre?[nmrs]?\b|[Dd]u\b|[Dd]ein)")
    texts = [said for part in catalogue(Language.GERMAN, "page").values() for said in part.values()]
    texts += [said for part in catalogue(Language.GERMAN, "scripts").values() for said in part.values()]
    assert [text for text in texts if addressed.search(text)] == []


def test_every_file_of_a_catalogue_is_read() -> None:
    folder = Path(str(files("feltd.text") / "german"))
    assert {file.stem for file in folder.iterdir()} == {
        "words",
        "sentences",
        "refusals",
        "page",
        "scripts",
        "rulings",
        "troubles",
    }
