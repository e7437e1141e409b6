"""A dialog that is opened for one matter after another is opened and sent by `late.js` alone.

An answer that comes when a person has left it, or has opened it for something else, must not close it, fill it or free
its buttons.
"""

from importlib.resources import files
from typing import Final

import pytest

SCRIPTS: Final = {
    one.name: one.read_text("utf-8")
    for one in (files("feltd.page") / "static").iterdir()
    if one.name.endswith(".js") and ".showModal()" in one.read_text("utf-8")
}


@pytest.mark.parametrize("name", sorted(SCRIPTS))
def test_a_dialog_of_the_page_is_wanted_for_one_matter(name: str) -> None:
    script = SCRIPTS[name]
    made_for_one_matter = 'make("dialog")' in script
    known_by_matter = "wantedFor(" in script or "openKnowing(" in script
    sent = "sendFrom(" in script or "sendAbout(" in script
    assert made_for_one_matter or (known_by_matter and sent)


def test_there_are_dialogs_of_both_kinds() -> None:
    assert {"decisions.js", "shelving.js"} <= set(SCRIPTS)
