"""The labels of new tables as they are drawn: whatever the names are, code, serial number and QR code are whole."""

import re
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser

from feltd.books.shipped import model_of_tables
from feltd.provision.model import NAME_MOST, read_model
from feltd.provision.printed import labels
from feltd.provision.sheet import read_sheet
from feltd.provision.tables import NewTable, plan_tables

HEADING = "table,name,rulebook,seats,page,shoe,reader:board,reader:seats,dropbox"
NAMES = {
    "short": "Table 7",
    "words": "The salon of the friends of the game of poker on the first floor beside the lift to the roof terrace",
    "one word": "Donaudampfschifffahrtsgesellschaftskapitaensgesellschaftsspielsalonvorzimmer",
    "wide": "W" * 200,
    "Chinese": "\u6f22\u5b57" * 40,
}
HOST = ".".join(["w" * 63] * 3)
CODE = "WWWWW-MMMMM"

MEASURED = """() => [...document.querySelectorAll("li")].map(label => {
  const box = label.getBoundingClientRect();
  const within = one => one.width > 0 && one.left >= box.left && one.right <= box.right + 0.01
    && one.top >= box.top && one.bottom <= box.bottom + 0.01;
  const drawn = one => one.getBoundingClientRect();
  const all = selector => [...label.querySelectorAll(selector)];
  const needed = label.querySelector(".code, .serial"), letters = document.createRange();
  letters.selectNodeContents(needed);
  const names = all("b, span").filter(one => one !== needed), qr = drawn(label.querySelector("svg"));
  return {
    kind: label.className,
    whole: all("svg, div").every(one => within(drawn(one))) && within(letters.getBoundingClientRect())
      && needed.scrollWidth <= needed.clientWidth,
    free: names.every(one => drawn(one).bottom <= drawn(needed).top + 0.5),
    qr: Math.min(qr.width, qr.height),
    cut: names.some(one => one.scrollHeight > one.clientHeight + 1),
    lines: Math.round(label.querySelector("b").clientHeight / (11 * 1.2 * 96 / 72)),
  };
})"""
"""Of each label: what is drawn of it, in its browser's pixels."""


def _table(name: str, folder: str, host: str, serial: str, reader: str = "reader:board") -> NewTable:
    model = read_model(model_of_tables().replace('"reader:board"', f'"{reader}"'), "model.toml")
    cells = ",".join(f"{serial}{n}" for n in range(4))
    line = f'{folder},"{name}",tas-2018-holdem,1-9,{host},{cells}'
    sheet = read_sheet(f"{HEADING.replace('reader:board', reader)}\n{line}".encode(), "t.csv", model.devices)
    tables, problems = plan_tables(sheet, model)
    assert problems == []
    return tables[0]


def _drawn(chromium: Browser, table: NewTable, picture: Path) -> list[dict[str, Any]]:
    page = chromium.new_page(viewport={"width": 1000, "height": 700})
    try:
        page.set_content(labels([table], {table.folder: CODE}))
        measured: list[dict[str, Any]] = page.evaluate(MEASURED)
        page.screenshot(path=picture)
    finally:
        page.close()
    return measured


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("long", [False, True], ids=["plain", "long"])
def test_code_serial_number_and_qr_code_are_whole_whatever_the_name_is(
    name: str, long: bool, chromium: Browser, tmp_path: Path
) -> None:
    folder, host, serial = (
        ("W" * 32, f"{HOST}.wwwwwwww:12345", "W" * 63) if long else ("7", "192.168.20.7:8080", "S104")
    )
    reader = "reader:board".ljust(NAME_MOST, "m") if long else "reader:board"
    drawn = _drawn(chromium, _table(NAMES[name], folder, host, serial, reader), tmp_path / "labels.png")
    assert [label["kind"] for label in drawn] == ["table"] + ["device"] * 4
    for label in drawn:
        assert (label["whole"], label["free"]) == (True, True), label
        assert label["qr"] == pytest.approx(27 / 25.4 * 96, abs=0.5)
    assert drawn[0]["cut"] is (long or name != "short")
    assert drawn[0]["lines"] == (1 if name == "short" else 2)


def test_a_short_name_is_whole(chromium: Browser, tmp_path: Path) -> None:
    table = _table("Salon priv\u00e9", "vip", "192.168.20.3:8080", "R2103")
    drawn = _drawn(chromium, table, tmp_path / "labels.png")
    assert not any(label["cut"] for label in drawn)
    assert re.search(rf"feltd uplink enrol {CODE}", labels([table], {"vip": CODE}))
