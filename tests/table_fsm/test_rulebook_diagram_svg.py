"""The round as a drawing: every state and trigger in it, within the image, no name over another."""

import re
from xml.etree import ElementTree

import pytest

from feltd.books.print.diagram_svg import diagram_svg, draw
from table_fsm.core.machine import transitions_of
from tests.table_fsm.streams import books

SVG = "{http://www.w3.org/2000/svg}"
LOOPED = [
    ("begin", "waiting", "dealing"),
    ("dealt", "dealing", "draw"),
    ("closed", "draw", "showdown"),
    ("again", "showdown", "dealing"),
    ("finish", "showdown", "waiting"),
]


def texts(drawn: str) -> list[str]:
    return [str(element.text) for element in ElementTree.fromstring(drawn).iter(f"{SVG}text")]


@pytest.mark.parametrize("name", sorted(books()))
def test_every_state_and_trigger_is_drawn(name: str) -> None:
    book = books()[name]
    shown = texts(diagram_svg(book))
    for trigger, source, dest in transitions_of(book.book):
        for state in (source, dest):
            assert state.replace(".", ": ").replace("_", " ") in shown
        assert any(re.search(rf"\b{trigger.replace('_', ' ')}\b", text) for text in shown)


@pytest.mark.parametrize("name", sorted(books()))
def test_boxes_stand_within_the_image_and_not_over_each_other(name: str) -> None:
    image = ElementTree.fromstring(diagram_svg(books()[name]))
    _, _, width, height = map(float, str(image.get("viewBox")).split())
    boxes = [
        tuple(float(str(box.get(key))) for key in ("x", "y", "width", "height"))
        for box in image.iter(f"{SVG}rect")
        if "d-box" in str(box.get("class"))
    ]
    assert boxes
    for x, y, w, h in boxes:
        assert x >= 0
        assert y >= 0
        assert x + w <= width
        assert y + h <= height
    for at, (x, y, w, h) in enumerate(boxes):
        for x2, y2, w2, h2 in boxes[at + 1 :]:
            assert x + w <= x2 or x2 + w2 <= x or y + h <= y2 or y2 + h2 <= y


def test_what_comes_new_is_drawn_too() -> None:
    shown = texts(draw("A game", LOOPED))
    assert {"waiting", "dealing", "draw", "showdown", "begin", "dealt", "closed", "again", "finish"} <= set(shown)


def test_a_title_cannot_break_the_image() -> None:
    drawn = draw('<script>"&', LOOPED)
    assert ElementTree.fromstring(drawn).findtext(f"{SVG}title") == '<script>"&: the round'


def test_on_a_page_it_brings_no_style_of_its_own() -> None:
    assert "<style" not in draw("A game", LOOPED, styled=False)
    assert "<style" in draw("A game", LOOPED)
