"""`[pins]` of a configuration: what may stand there, and every fault of it named with its place."""

from pathlib import Path

import pytest

from devices.pins.facts import PinKey, Pins
from feltd.table.check.pins import pin_notes, pin_problems
from feltd.table.config.config import ConfigError, TableConfig, read_config
from feltd.table.links.pins import pin_groups
from tests.devices.pins.test_chips import kernel
from tests.feltd.test_config import LEAST

PINS = '[pins]\nfactory = "mock"\n'
CELL = '[[pins.key]]\nname = "hand_end"\nrow = 1\ncolumn = 1\n'
MATRIX = "[pins.matrix]\nrows = [1]\ncolumns = [3]\n"
LINES = LEAST.count("\n") + PINS.count("\n")


def read(text: str) -> TableConfig:
    return read_config(LEAST + text, "table.toml", Path())


def problems(text: str) -> list[str]:
    with pytest.raises(ConfigError) as error:
        read(PINS + text)
    return [str(problem).removeprefix("table.toml:") for problem in error.value.problems]


def key(name: str, line: int, more: str = "") -> str:
    return f'[[pins.key]]\nname = "{name}"\nline = {line}\n{more}'


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (key("hand_end", 4) + '[[pins.marker]]\nseat = 1\nline = 4\n',
         '"4" is used twice: each line serves one thing'),
        ("[pins.matrix]\nrows = [1, 2]\ncolumns = [3, 2]\n", '"2" is used twice: each line serves one thing'),
        ("[pins.gate]\nline = 3\n[pins.dropbox]\nlocked = { line = 3 }\n",
         '"3" is used twice: each line serves one thing'),
        ("[pins.dropbox]\n[[pins.dropbox.channel]]\ncents = 100\nline = 3\n[pins.buzzer]\nline = 3\n",
         '"3" is used twice: each line serves one thing'),
        (key("hand_end", 4) + key("hand_end", 5), '"hand_end" is used twice: each key has a name of its own'),
        ('[[pins.lamp]]\nname = "stop"\nline = 1\n' * 2, '"stop" is used twice: each lamp has a name of its own'),
        ("[[pins.marker]]\nseat = 1\nline = 1\n[[pins.marker]]\nseat = 1\nmarker = 'button'\nline = 2\n",
         '"1 button" is used twice: each marker has one sensor at a seat'),
        ('[[pins.key]]\nname = "hand_end"\n', "is missing: give line, or row and column of [pins.matrix]"),
        ('[[pins.key]]\nname = "hand_end"\nrow = 1\n', "is missing: give line, or row and column of [pins.matrix]"),
        ('[[pins.key]]\nname = "hand_end"\nrow = 1\ncolumn = 1\n', "there is no [pins.matrix]"),
        (key("hand_end", 4, "row = 1\ncolumn = 1\n"), "is on a line of its own or in the matrix, not both"),
        ('[[pins.key]]\nname = "hand_end"\nrow = 3\ncolumn = 1\n[pins.matrix]\nrows = [1, 2]\ncolumns = [3]\n',
         "3 is not allowed: [pins.matrix] has 2 rows"),
        (key("no_such_event", 4), "a press of it would be no message of keys"),
        (key("away", 4, 'says = { ev = "seat_away", seat = 11 }\n'), "seat: 11 is not from 1 to 10"),
        (key("supervisor", 4), "staff: nobody's staff card stands behind this decision"),
        ('[[pins.lamp]]\nname = "red"\nline = 1\n', '"red" is not allowed; allowed: play, attention, stop, fault'),
        ("[pins.dropbox]\n", "is empty: give present, locked, or a [[pins.dropbox.channel]]"),
        (key("hand_end", 4, "speed = 1\n"), "speed: unknown key; allowed: "),
        (CELL + 'active = "high"\n' + MATRIX,
         "pins.key.active: nobody reads it: only a key on a line of its own has one"),
        (CELL + 'pull = "up"\n' + MATRIX,
         "pins.key.pull: nobody reads it: only a key on a line of its own has one"),
        (MATRIX, "pins.matrix: no key is in it: give keys their row and column"),
        (key("hand_end", 4, "glitch_ms = 20\n"), "20 is not allowed: at most debounce_ms, which is 10"),
        ("[[pins.dropbox.channel]]\ncents = 100\nline = 3\nglitch_ms = 3\ndebounce_ms = 2\n",
         "3 is not allowed: at most debounce_ms, which is 2"),
        ("[pins.matrix]\nrows = []\ncolumns = [3]\n", "pins.matrix.rows: [] is not allowed; allowed: a list "),
        (key("no_such_event", 4).replace("line = 4", 'line = "4"'), "a press of it would be no message of keys"),
        (key("hand_end", -1), "-1 is not allowed; allowed: a whole number, at least 0"),
    ],
)  # fmt: skip
def test_each_fault_is_named_with_its_place(text: str, told: str) -> None:
    found = problems(text)
    assert any(told in problem for problem in found), found
    assert all(int(problem.split(":")[0]) > LINES - 1 for problem in found)


def test_all_faults_are_named_at_once() -> None:
    text = key("hand_end", 4) + key("hand_end", 4) + key("nothing", 5) + '[[pins.lamp]]\nname = "red"\nline = 4\n'
    assert len(problems(text)) == 5


def test_a_device_may_not_have_the_name_of_what_hangs_on_pins() -> None:
    device = '[[device]]\nname = "keys:pins"\nrole = "keys"\nport = "/dev/serial/by-id/usb-k"\nkey_file = "k"\n'
    [told] = problems(key("hand_end", 4) + device)
    assert '"keys:pins" is what hangs on [pins]: give the device another name' in told
    read(device)  # with nothing on pins it may


def test_a_key_switch_stands_for_a_staff_card() -> None:
    pins = read(PINS + 'key_switch = "floor-key"\n' + key("supervisor", 4)).pins
    assert pins is not None
    assert pins.keys[0].message == {"ev": "decision", "decision": "acknowledge"}


def test_a_resistor_pulls_away_from_the_active_level_unless_told_otherwise() -> None:
    keys = [PinKey.model_validate({"name": "hand_end", "line": 1, **more}) for more in (
        {}, {"active": "high"}, {"pull": "none"})]  # fmt: skip
    assert [key.resistor for key in keys] == ["up", "down", "none"]


def test_what_hangs_on_pins_has_its_places_at_the_table() -> None:
    pins = read(
        PINS + key("hand_end", 1) + '[[pins.lamp]]\nname = "stop"\nline = 2\n[[pins.marker]]\nseat = 1\nline = 3\n'
        "[pins.dropbox]\nlocked = { line = 4 }\n[pins.gate]\nline = 5\n"
    ).pins
    assert [(group.name, group.lines) for group in pin_groups(pins)] == [
        ("keys:pins", (1,)), ("indicators:pins", (2,)), ("markers:pins", (3,)), ("dropbox:pins", (4,)),
        ("gate:pins", (5,)),
    ]  # fmt: skip
    assert pin_groups(None) == []


def test_the_check_names_what_this_board_lacks(tmp_path: Path) -> None:
    pins = Pins.model_validate({"key": [{"name": "hand_end", "line": 17}, {"name": "deal_start", "line": 60}]})
    [(path, told)] = pin_problems(pins, tmp_path, kernel({}))
    assert path == ("pins", "chip")
    assert "no GPIO chip of a Raspberry Pi's header; there are: none" in told
    (tmp_path / "gpiochip0").touch()
    found = list(pin_problems(pins, tmp_path, kernel({"gpiochip0": "pinctrl-rp1"}, held={17: "lirc"})))
    assert [path for path, _ in found] == [("pins", "key", 0, "line"), ("pins", "key", 1, "line")]
    assert '"lirc" holds it' in found[0][1]
    assert "has no line 60" in found[1][1]


def test_the_check_beside_a_running_table_finds_its_lines_free_and_those_of_others_not(tmp_path: Path) -> None:
    (tmp_path / "gpiochip0").touch()
    pins = Pins.model_validate({"key": [{"name": "hand_end", "line": 17}, {"name": "deal_start", "line": 18}]})
    ask = kernel({"gpiochip0": "pinctrl-rp1"}, held={17: "lg", 18: "lirc"})
    beside = pin_problems(pins, tmp_path, ask, lgpio_is_ours=True)
    assert [path for path, _ in beside] == [("pins", "key", 1, "line")]
    assert len(list(pin_problems(pins, tmp_path, ask))) == 2


def test_the_check_knows_that_rpigpio_ends_with_the_header(tmp_path: Path) -> None:
    (tmp_path / "gpiochip0").touch()
    keys = [{"name": "hand_end", "line": 27}, {"name": "deal_start", "line": 28}]
    pins = Pins.model_validate({"factory": "rpigpio", "key": keys})
    told = dict(pin_problems(pins, tmp_path, kernel({"gpiochip0": "pinctrl-bcm2711"})))
    assert "RPi.GPIO knows lines 0 to 27; choose factory lgpio" in told["pins", "key", 1, "line"]
    assert ("pins", "key", 0, "line") not in told


def test_the_check_names_a_library_that_is_not_installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("feltd.table.check.pins.find_spec", lambda _module: None)
    found = dict(pin_problems(Pins(factory="rpigpio"), tmp_path, kernel({})))
    assert "pip install rpi-lgpio, or RPi.GPIO" in found[("pins", "factory")]
    assert list(pin_problems(Pins(factory="mock"), tmp_path, kernel({}))) == []


def test_the_notes_say_which_resistor_gives_a_lamp_its_state_when_nobody_drives_it() -> None:
    lamps = [
        {"name": "stop", "line": 2, "at_crash": "on"},
        {"name": "play", "line": 3, "active": "low"},
    ]
    notes = list(pin_notes(Pins.model_validate({"lamp": lamps, "gate": {"line": 4, "active": "low"}})))
    assert next(note for note in notes if "line 2" in note).endswith("a resistor to 3.3 V gives it that")
    assert "lamp play (line 3) is off while nobody drives it: a resistor to 3.3 V gives it that" in "\n".join(notes)
    assert "gate (line 4) is locked while nobody drives it: a resistor to 3.3 V gives it that" in "\n".join(notes)
