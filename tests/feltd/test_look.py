"""Light and dark: the tokens, the choice of a browser, and that no page has a colour of its own."""

import re
from pathlib import Path
from typing import Final

import pytest

import feltd.page
from feltd.page.access.roles import Role
from feltd.page.looks import COOKIE
from feltd.text.look import Look, colour, tokens
from tests.feltd.page_support import Browser, Page, open_page
from tests.feltd.table_support import opening

STATIC: Final = Path(feltd.page.__file__).parent / "static"
TEMPLATES: Final = STATIC.parent / "templates"
COLOUR: Final = re.compile(r"#[0-9a-fA-F]{3,8}\b|\b(?:rgb|hsl|oklch)a?\(|light-dark\(")
_NO_COLOUR: Final = re.compile(
    r"""(?:href|to)="[^"]*"|#[a-z]+(?:-[a-z]+)+|["'`]#[a-z][^"'`]*["'`]|^#[a-z][^{]*\{""", re.MULTILINE
)
TOKEN: Final = re.compile(r"var\(--([a-z-]+)")
NAMES: Final = frozenset(re.findall(r"--([a-z-]+):", (STATIC / "tokens.css").read_text()))

READ: Final = {
    "ground": ("text", "strong", "quiet", "link", "amber", "red", "red-text"),
    "panel": ("text", "strong", "soft", "quiet", "link", "amber", "red", "red-text", "green", "bar"),
    "screen": ("strong", "soft", "screen-quiet", "link", "amber", "red-text"),
    "control": ("text",),
    "control-hover": ("text",),
    "field": ("text",),
    "main": ("on-main",),
    "chosen": ("text",),
    "amber-fill": ("on-amber",),
    "red-fill": ("on-red",),
    "unknown-fill": ("on-unknown",),
    "waits-ground": ("text", "soft", "amber", "link", "red-text"),
    "grave-ground": ("text", "quiet", "link"),
    "alarm-ground": ("text", "alarm-text", "alarm-soft", "alarm-link", "link", "red-text", "amber"),
    "stopped-ground": ("text",),
    "notice-ground": ("text",),
    "testing-ground": ("strong",),
    "felt": ("felt-text", "strong", "amber"),
    "seat": ("text",),
    "empty-seat": ("empty-seat-text",),
    "box": ("felt-text", "strong"),
    "unsafe-box": ("strong",),
    "card": ("pips", "red-pips"),
    "blue-back": ("on-back",),
    "red-back": ("on-back",),
    "green-back": ("on-back",),
    "no-back": ("on-back",),
    "paper": ("ink",),
}
"""What is read on what."""


def luminance(hexadecimal: str) -> float:
    """Of `#rrggbb` (WCAG 2.2, relative luminance)."""
    parts = [int(hexadecimal[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("light", [True, False], ids=["light", "dark"])
def test_words_are_read_on_their_ground_both_ways(light: bool) -> None:
    weak = {
        (words, ground): round(found, 2)
        for ground, all_words in READ.items()
        for words in all_words
        if (found := contrast(colour(words, light=light), colour(ground, light=light))) < 4.5
    }
    assert weak == {}


def test_no_page_has_a_colour_of_its_own() -> None:
    own = {
        file.name: found
        for file in (*STATIC.glob("*.css"), *STATIC.glob("*.js"), *TEMPLATES.glob("*.html"))
        if file.name != "tokens.css" and (found := COLOUR.findall(_without_addresses(file.read_text())))
    }
    assert own == {}


def _without_addresses(text: str) -> str:
    """Without what only looks like a colour: anchors of links, and the ids by which scripts and styles find things."""
    return re.sub(
        r"""(?:href|to)="[^"]*"|#[a-z]+(?:-[a-z]+)+|["'`]#[a-z][^"'`]*["'`]|^#[a-z][^{]*\{""", "", text, flags=re.M
    )


def test_every_token_is_there_and_used() -> None:
    used = {name for file in STATIC.glob("*.css") for name in TOKEN.findall(file.read_text())}
    assert used - NAMES - {"accent", "list-ground", "part", "letter", "wide"} == set(), "two are tokens, three sizes"
    assert NAMES - used - {"bar"} == set(), "nobody uses it"


def test_what_is_sent_has_plain_colours_and_prints_light() -> None:
    sheets = {look: tokens(look) for look in Look}
    assert not any("light-dark" in sheet for sheet in sheets.values())
    light, dark = (f"--ground: {colour('ground', light=one)};" for one in (True, False))
    assert light in sheets[Look.LIGHT]
    assert dark not in sheets[Look.LIGHT]
    for look, medium in (
        (Look.DARK, "@media print {"),
        (Look.BROWSER, "@media print, (prefers-color-scheme: light) {"),
    ):
        first, _, then = sheets[look].partition(medium)
        assert (dark in first, light in then) == (True, True)
        assert "color-scheme: dark;" in first
        assert "color-scheme: light;" in then


def sheet(page: Page, cookie: str | None) -> tuple[str, str]:
    """The colours as a browser with this cookie gets them, and their tag."""
    answer = Browser(page).get("/static/tokens.css", headers={} if cookie is None else {"cookie": cookie})
    return answer.text, answer.headers["etag"]


def test_the_choice_is_kept_in_the_browser_and_holds_for_who_is_not_signed_in(tmp_path: Path) -> None:
    with open_page(tmp_path, opening()) as page:
        chosen = Browser(page).get("/look/dark?to=/clock")
        assert (chosen.status_code, chosen.headers["location"]) == (303, "/clock")
        assert chosen.headers["set-cookie"].startswith(f"{COOKIE}=dark;")
        for elsewhere in ("https://example.com", "//example.com", "/\\\\example.com"):
            assert Browser(page).get(f"/look/dark?to={elsewhere}").headers["location"] == "/"
        assert Browser(page).get("/look/pink").status_code == 404
        found = {look: sheet(page, f"{COOKIE}={look}") for look in Look}
        assert {look: text for look, (text, _) in found.items()} == {look: tokens(look) for look in Look}
        assert len({tag for _, tag in found.values()}) == len(Look), "a browser would keep the look that it had"
        assert sheet(page, None) == sheet(page, f"{COOKIE}=pink") == found[Look.BROWSER]
        assert sheet(page, "?;;=")[0] == tokens(Look.BROWSER)
        door = Browser(page).get("/sign-in", headers={"cookie": f"{COOKIE}=dark"}).text
        assert re.findall(r'aria-current="true">(\w+)', door) == ["Dark"]


def test_a_picture_of_figures_has_the_look_of_its_page(tmp_path: Path) -> None:
    with open_page(tmp_path, opening()) as page:
        browser, signed = Browser(page), page.session(Role.SUPERVISOR)["cookie"]
        drawn = {
            look: browser.get("/api/v1/trends/rounds.svg", headers={"cookie": f"{signed}; {COOKIE}={look}"}).text
            for look in Look
        }
        light, dark = (colour("panel", light=one) for one in (True, False))
        assert [(light in drawn[look], dark in drawn[look]) for look in (Look.LIGHT, Look.DARK, Look.BROWSER)] == [
            (True, False), (False, True), (True, True),
        ]  # fmt: skip
