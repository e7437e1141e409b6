"""The incident report on paper: each sheet says which it is of how many, and of what; the proof is the export's."""

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from feltd.page.access.roles import Role
from feltd.text.zone import zone_name
from tests.browser.conftest import PATIENT, sign_in
from tests.browser.served import Served

TO_TEXT = shutil.which("pdftotext")


def sheets(pdf: Path) -> list[str]:
    """The words on each sheet, with every run of blanks as one."""
    if TO_TEXT is None:
        pytest.skip("no pdftotext on this machine: apt install poppler-utils")
    told = subprocess.run([TO_TEXT, "-layout", str(pdf), "-"], check=True, capture_output=True, text=True).stdout
    return [re.sub(r"\s+", " ", sheet) for sheet in told.split("\f") if sheet.strip()]


def test_every_sheet_of_a_report_says_what_it_belongs_to(tab: Page, table: Served, tmp_path: Path) -> None:
    sign_in(tab, table, Role.SUPERVISOR)
    lines = tab.request.get(f"{table.address}/api/v1/rounds/2/export").text().splitlines()
    first, last = json.loads(lines[0]), json.loads(lines[-1])
    entries = [json.loads(line) for line in lines if '"entry"' in line]
    tab.goto(f"{table.address}/history/round/2/report")
    expect(tab.locator("#live")).to_have_text("live")
    pdf = tmp_path / "report.pdf"
    tab.pdf(path=str(pdf), format="A4", prefer_css_page_size=True)

    paper = sheets(pdf)
    assert len(paper) > 1
    for number, sheet in enumerate(paper, 1):
        assert f"Page {number} of {len(paper)}" in sheet
        assert f"journal {first['journal_id']}" in sheet
        assert "Sign out" not in sheet
    whole = " ".join(paper)
    begins, ends = entries[0]["entry"]["seq"], entries[-1]["entry"]["seq"]
    assert f"Entries {begins} to {ends}" in whole
    without_breaks = whole.replace(" ", "")
    assert entries[-1]["chain"] in without_breaks
    assert "feltd journal verify round-2.jsonl" in whole
    assert re.search(rf"Printed \d{{4}}-\d\d-\d\d \d\d:\d\d:\d\d [+-]\d\d:\d\d \({zone_name()}\) by supervisor", whole)
    assert last["anchor"].split()[2] == first["journal_id"]
    assert "Signed head" in whole
    assert last["signed_head"].replace(" ", "") in without_breaks


def test_every_sheet_of_a_german_report_has_its_number_in_german(
    chromium: Browser, tab: Page, table: Served, tmp_path: Path
) -> None:
    sign_in(tab, table, Role.SUPERVISOR)
    context = chromium.new_context(locale="de-DE", storage_state=tab.context.storage_state())
    context.set_default_timeout(PATIENT)
    german = context.new_page()
    german.goto(f"{table.address}/history/round/2/report")
    expect(german.locator("#live")).to_have_text("live")
    pdf = tmp_path / "report.pdf"
    german.pdf(path=str(pdf), format="A4", prefer_css_page_size=True)
    context.close()

    paper = sheets(pdf)
    assert len(paper) > 1
    for number, sheet in enumerate(paper, 1):
        assert f"Seite {number} von {len(paper)}" in sheet
        assert "Page" not in sheet
