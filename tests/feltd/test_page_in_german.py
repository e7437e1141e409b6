"""The page in German: no text of a template or a script lacks it, and each answer is in its reader's language."""

import re
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from typing import Any, Final

import pytest

from feltd.books.html import clause_lists
from feltd.page.access.roles import Role
from feltd.page.app import PAGES
from feltd.page.languages import COOKIE
from feltd.text.amounts import amount_in_words
from feltd.text.catalogue import FOLDERS, catalogue
from feltd.text.language import Language, speaking
from feltd.text.marked import Place, filled_in, has_words, script_texts, template_texts, words_of_script
from feltd.text.pages import script, template, texts_of
from feltd.text.zone import moment
from table_fsm.events import ShoeShuffled
from table_fsm.felt import AmountUnit
from table_fsm.rulebook.denomination import Denomination
from tests.feltd.page_support import Browser, Page
from tests.feltd.table_support import BOOKS

OTHERS = tuple(FOLDERS)
GERMAN = {"accept-language": "de-AT,de;q=0.9,en;q=0.5"}
TEMPLATES = {one.name: one.read_text("utf-8") for one in (files("feltd.page") / "templates").iterdir()}
STATIC = files("feltd.page") / "static"
SCRIPTS = {one.name: one.read_text("utf-8") for one in STATIC.iterdir() if one.name.endswith(".js")}
NAMES: Final = re.compile(
    r"""
    [#.:\[].*                                # a selector
    | (nav\ a.*|main\ section|main\ tbody.*|tbody\ tr.*|button,\ .*|input,\ .*)  # selectors too
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
    | live | \$\{[^}]*\}\ min               # the same in both languages
    | [\d\ /\\nb]+                           # levels of a schedule, as an example
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


SHOWS: Final = {"make": 2, "shape": 2, "put": 1, "append": 0, "prepend": 0, "replaceChildren": 0, "notice": 0}
"""What puts a text on a page, and from which of its arguments on."""
SHOWN_AS: Final = re.compile(
    r"(textContent|innerText|\btitle|placeholder|ariaLabel|\bwords|\bsaid|\btold)\s*[=:]\s*$|\bconst state\s*=\s*$"
)


def is_shown(blank: str, at: int) -> bool:
    """Whether the literal that begins at a place of a script is put on the page: by what it is set to, or passed to.

    `blank`: the script without what its literals hold.
    """
    depth = argument = 0
    for place in range(at - 1, -1, -1):
        sign = blank[place]
        if sign in ")]}":
            depth += 1
        elif sign in "([{" and depth:
            depth -= 1
        elif sign == "(":
            called = re.search(r"(\w+)$", blank[max(0, place - 40) : place])
            if called is not None:
                return called[1] in SHOWS and argument >= SHOWS[called[1]]
        elif depth:
            continue
        elif sign == ",":
            argument += 1
        elif sign in ";[{":
            return False
        elif sign in "=:" and not argument and SHOWN_AS.search(blank[max(0, place - 30) : place + 1]):
            return True
    return False


def single_words(source: str) -> Iterator[str]:
    """Words that a script puts on the page by themselves, which do not look like texts: `"none"`."""
    blank = list(source)
    within: list[Place] = []
    for place in script_texts(source):
        if within and place.start < within[-1].end:
            continue
        within.append(place)
        blank[place.start : place.end] = " " * (place.end - place.start)
    for place in within:
        before, after = source[: place.start - 1].rstrip(), source[place.end + 1 :].lstrip()
        compared = before.endswith(("===", "!==", "[")) or after.startswith(("===", "!=="))
        else_said = before.endswith(('.join(", ") ||', '.join("; ") ||'))
        if not compared and (else_said or is_shown("".join(blank), place.start - 1)):
            yield place.text


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
@pytest.mark.parametrize("name", sorted(SCRIPTS))
def test_a_script_shows_no_single_word_outside_the_catalogue(name: str, language: Language) -> None:
    texts = texts_of("scripts", "texts", name, language)
    source = SCRIPTS[name]
    for code in catalogue(language, "scripts")["code"]:  # a line of its own in the other language
        source = source.replace(code, "")
    words = [text for text in single_words(source) if re.search("[A-Za-z]{2}", words_of_script(text))]
    assert [text for text in words if text not in texts and not NAMES.fullmatch(text)] == []


def test_a_single_word_that_is_shown_is_found() -> None:
    source = (
        'a.textContent = b ? "none" : c; d.append(make("p", "quiet", "empty"), e("no")); f("no", "no"); g.x = "no";'
    )
    source += (
        ' h = { words: "due", name: "no" }; i.title = j === "no" ? `up` : "down"; return k.join(", ") || "nobody";'
    )
    assert list(single_words(source)) == ["none", "empty", "due", "up", "down", "nobody"]


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
    assert (approved in english, said in english, 'lang="en">' in english) == (True, False, True)
    assert '<html lang="en">' in english
    assert "an diesem Tisch in Kraft" in Browser(page).get("/rules", headers=GERMAN).text


ENGLISH_WORDS: Final = re.compile(r"\b(the|of|and|not|with|is|are|to|that|players?|as|it|by|always)\b", re.IGNORECASE)


def in_german(html: str) -> list[str]:
    """The texts of a page, and those of its attributes, without code and without what is marked as English."""
    rest = re.sub(r"<code>.*?</code>|<title\b.*?</title>|<script.*?</script>", "", html, flags=re.DOTALL)
    rest = re.sub(r'<(\w+)[^>]* lang="en"[^>]*>.*?</\1>', "", rest, flags=re.DOTALL)
    return re.split(r"<[^>]*>", rest) + re.findall(r'(?:data-head|aria-label)="([^"]*)"', html)


@pytest.mark.parametrize("name", ["", *sorted(BOOKS)])
def test_a_rulebooks_page_has_no_english_that_is_not_marked_as_the_sources(page: Page, name: str) -> None:
    html = Browser(page).get(f"/rules/{name}".rstrip("/"), headers=GERMAN).text
    book = BOOKS.get(name)
    clauses = {row.rule for row in book.rulings} | {item.rule for item in book.behaviours} if book else set()
    lists = clause_lists().get(str(book.book.clauses)) if book else None
    clauses |= {clause.clause for part in lists.parts for clause in part.clauses} if lists else set()
    named_by_clauses = re.compile("|".join(sorted(map(re.escape, clauses), key=len, reverse=True)) or "$^")
    quoted = re.compile(
        "(&#34;|&quot;|„).*?(&#34;|&quot;|“)|Acting Out of Turn"
    )  # what a translation quotes of its source
    texts = [named_by_clauses.sub("", quoted.sub("", text)) for text in in_german(html)]
    assert [text for text in texts if ENGLISH_WORDS.search(text)] == []


def test_rulebooks_are_printed_and_written_in_german_too(tmp_path: Path) -> None:
    from click.testing import CliRunner

    from feltd.cli import cli

    printed = CliRunner().invoke(cli, ["rules", "tas-2018-holdem", "--language", "de"]).output
    assert "## Kartenspiel, Plätze und Personen" in printed
    assert "| Klausel " in printed
    assert "\N{START OF TEXT}" not in printed
    done = CliRunner().invoke(cli, ["rules", "act-2019-uth", "--html", str(tmp_path), "--language", "de"])
    assert done.exit_code == 0, done.output
    html = (tmp_path / "act-2019-uth.html").read_text("utf-8")
    assert ('<html lang="de">' in html, ">Optionen eines Tisches<" in html) == (True, True)


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
    for asked, words in (
        ("since=-1", "query.since: muss mindestens 0 sein"),
        ("since=today", "query.since: muss eine Zahl sein"),
        ("limit=501", "query.limit: darf höchstens 500 sein"),
        ("more=1", "query.more: ist hier nicht bekannt"),
    ):
        assert browser.get(f"/api/v1/rulings?{asked}", headers=GERMAN).json()["detail"] == words


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
        "phrases",
        "words",
        "sentences",
        "refusals",
        "page",
        "scripts",
        "rulings",
        "troubles",
        "faults",
    }


def test_the_felt_names_dealer_shoe_and_deck_in_german_and_keeps_the_colours_class() -> None:
    said = script("felt.js", SCRIPTS["felt.js"], Language.GERMAN)
    assert '"label" }, "Dealer")' in said
    assert "`Schlitten, ${deckInWords(table.deck)}`" in said
    assert 'blue: "blau"' in said
    assert '`back ${table.deck || "none"}`' in said
