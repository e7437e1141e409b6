"""Adapters are found among installed packages; each way in which a package can be bad is named."""

import threading
from pathlib import Path
from typing import Any

import pytest

from devices.adapters import Adapter, AdapterFault, At, FaultCode, TableSide
from devices.adapters.loading import (
    Wanted,
    adapter_names,
    load_adapter,
    load_in_time,
    misfits,
    misfits_in_time,
    weak_key_in_time,
)
from tests.devices.entry_points import install, install_own_adapter

GOOD = """
from dataclasses import dataclass
from devices.adapters import Adapter, At
class Shoe(Adapter):
    role = "shoe"
    def run(self, table):
        pass
class Keyed(Shoe):
    key_bytes = 16
    at = frozenset({At.USB})
class Roleless(Adapter):
    def run(self, table):
        pass
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder on the path, for packages."""
    monkeypatch.syspath_prepend(str(tmp_path))
    return tmp_path


def refusal(name: str) -> str:
    with pytest.raises(AdapterFault) as caught:
        load_adapter(name)
    assert caught.value.fault.code is FaultCode.ADAPTER_FAILED
    return str(caught.value)


def wanted(**changes: Any) -> Wanted:
    facts: dict[str, Any] = {"device": "shoe", "adapter": "a", "role": "shoe", "at": At.PORT, "has_key": False}
    return Wanted(**{"settings": {}, **facts, **changes})


def test_the_worked_example_is_found_where_it_is_installed(folder: Path) -> None:
    install_own_adapter(folder)
    assert "ascii-shoe" in adapter_names()
    kind = load_adapter("ascii-shoe")
    assert issubclass(kind, Adapter)
    assert list(misfits(kind, wanted())) == []
    assert kind.authenticated is False


def test_one_that_nobody_has_installed_names_those_there_are(folder: Path) -> None:
    install_own_adapter(folder)
    text = refusal("acsii-shoe")
    assert "no adapter acsii-shoe is installed" in text
    assert "ascii-shoe" in text


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ("bad_syntax:X", "cannot be loaded (SyntaxError"),
        ("bad_exit:X", "cannot be loaded (SystemExit at bad_exit.py:1)"),
        ("bad_raise:X", "cannot be loaded (RuntimeError at bad_raise.py:2)"),
        ("not_there:X", "cannot be loaded (ModuleNotFoundError"),
        ("bad_class:missing", "cannot be loaded (AttributeError"),
        ("bad_class:Plain", "is no Adapter (bad_class:Plain)"),
        ("bad_class:number", "is no Adapter (bad_class:number)"),
    ],
)
def test_a_bad_entry_point_is_named_with_its_package(folder: Path, value: str, words: str) -> None:
    modules = {
        "bad_syntax": "def (:\n",
        "bad_exit": "raise SystemExit('bye')\n",
        "bad_raise": "\nraise RuntimeError('As')\n",
        "bad_class": "class Plain: ...\nnumber = 3\n",
    }
    install(folder, "maker-bad", {"bad": value}, modules)
    text = refusal("bad")
    assert words in text
    assert "the adapter bad of maker-bad" in text
    assert "mend or update the package that has the adapter bad" in text
    assert "As" not in text.replace("AttributeError", "")


def test_two_packages_with_one_name_are_both_named(folder: Path) -> None:
    install(folder, "maker-one", {"twice": "one:Shoe"}, {"one": GOOD})
    install(folder, "maker-two", {"twice": "two:Shoe"}, {"two": GOOD})
    assert "is in maker-one and maker-two: uninstall all but one" in refusal("twice")


def test_one_that_never_finishes_loading_is_left_behind(folder: Path) -> None:
    install(folder, "maker-slow", {"slow": "slow:X"}, {"slow": "import threading\nthreading.Event().wait(30)\n"})
    with pytest.raises(AdapterFault, match=r"has not finished loading within 0\.1 s"):
        load_in_time("slow", 0.1)
    with pytest.raises(AdapterFault, match="no adapter gone"):
        load_in_time("gone")


def test_an_adapter_that_does_not_fit_its_device_is_told_by_the_key(folder: Path) -> None:
    install(folder, "maker-good", {n.lower(): f"good:{n}" for n in ("Shoe", "Keyed", "Roleless")}, {"good": GOOD})
    shoe, keyed, roleless = (load_in_time(name) for name in ("shoe", "keyed", "roleless"))
    assert list(misfits(shoe, wanted(role="reader", at=At.USB, has_key=True, settings={"x": 1}))) == [
        ("role", "the adapter a plays a shoe, not a reader"),
        ("usb", "the adapter a finds its device at: port"),
        ("key_file", "nobody reads it: the adapter a has no key, and authenticates nobody"),
        ("adapter_settings", "x: unknown key; allowed: nothing"),
    ]
    assert list(misfits(keyed, wanted())) == [
        ("port", "the adapter a finds its device at: usb"),
        ("key_file", "is missing: the adapter a needs a key of 16 bytes"),
    ]
    assert [key for key, _ in misfits(roleless, wanted())] == ["adapter"]


ODD = """
import threading
from devices.adapters import Adapter, NoSettings
class Odd(Adapter):
    role = "shoe"
    def run(self, table): ...
class Anywhere(Odd):
    at = None
class Numbers(Odd):
    at = frozenset({1})
    key_bytes = "16"
    authenticated = "yes"
    settings_type = None
class Raises:
    def __get__(self, *_): raise RuntimeError("As")
class Property(Odd):
    role = Raises()
class Exits(Odd):
    @classmethod
    def lacks(cls): raise SystemExit(3)
class Waits(Odd):
    @classmethod
    def lacks(cls): threading.Event().wait(30)
class Breaks(Odd):
    class settings_type(NoSettings):
        def __post_init__(self): raise RuntimeError("As")
"""


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        ("Anywhere", "says what cannot be as at: mend or update the package that has the adapter odd"),
        ("Numbers", "says what cannot be as at, key_bytes, authenticated, settings_type: mend"),
        ("Property", "says what cannot be as role: mend"),
    ],
)
def test_what_an_adapter_says_of_itself_and_cannot_be_is_named(folder: Path, kind: str, words: str) -> None:
    install(folder, "maker-odd", {"odd": f"odd:{kind}"}, {"odd": ODD})
    assert f"the adapter odd of maker-odd {words}" in refusal("odd")


@pytest.mark.parametrize(
    ("kind", "key", "words"),
    [
        ("Exits", "adapter", "the adapter a failed (SystemExit at odd.py:"),
        ("Waits", "adapter", "the adapter a has not said what it lacks within 0.3 s"),
        ("Breaks", "adapter_settings", "the adapter a failed to read them (RuntimeError at odd.py:"),
    ],
)
def test_an_adapter_that_fails_when_it_is_asked_is_told_and_never_quoted(
    folder: Path, kind: str, key: str, words: str
) -> None:
    install(folder, "maker-odd", {"odd": f"odd:{kind}"}, {"odd": ODD})
    [(told_of, told)] = misfits_in_time(load_in_time("odd"), wanted(), 0.3)
    assert told_of == key
    assert words in told
    assert "As" not in told


class Keyed(Adapter[Any]):
    role = "badge"
    key_bytes = 16

    def run(self, table: TableSide) -> None: ...


class RudeAboutKeys(Keyed):
    @classmethod
    def weak_key(cls, key: bytes) -> str | None:
        raise SystemExit(key.hex())


class SlowAboutKeys(Keyed):
    @classmethod
    def weak_key(cls, key: bytes) -> str | None:
        threading.Event().wait()
        return None


def test_a_key_of_one_byte_repeated_is_weak_for_every_adapter() -> None:
    assert weak_key_in_time(Keyed, "keyed", bytes(16)) == "all its bytes are the same: make another one"
    assert weak_key_in_time(Keyed, "keyed", bytes(range(16))) is None


@pytest.mark.parametrize(
    ("kind", "words"), [(RudeAboutKeys, "failed (SystemExit at"), (SlowAboutKeys, "has not judged the key within")]
)
def test_an_adapter_that_does_not_say_of_a_key_is_told_without_the_key(kind: type[Adapter[Any]], words: str) -> None:
    key = bytes(range(16))
    with pytest.raises(AdapterFault) as caught:
        weak_key_in_time(kind, "rude", key, 0.2)
    assert words in str(caught.value)
    assert key.hex() not in str(caught.value)
