"""A table's file: what it may say, and how every fault of it is told."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from feltd.table.config.config import ConfigError, ConfigFileError, TableConfig, load_config, read_config
from feltd.table.config.key_files import KeyFile
from tests.feltd.seal_support import OTHER, PUBLIC

EXAMPLE = Path(__file__).parents[2] / "config" / "table.example.toml"
FOLDER = Path("/etc/feltd")
LEAST = """\
[table]
name = "Table 7"
rulebook = "tas-2018-holdem"
seats = [1, 2, 3]
[journal]
path = "table.journal"
sealing_key_file = "journal.key"
"""
SHOE = """\
[[device]]
name = "shoe"
role = "shoe"
port = "/dev/serial/by-id/usb-shoe"
key_file = "shoe.key"
"""


def read(text: str) -> TableConfig:
    return read_config(text, "table.toml", FOLDER)


def problems(text: str) -> list[str]:
    with pytest.raises(ConfigError) as caught:
        read(text)
    assert str(caught.value).splitlines() == [str(problem) for problem in caught.value.problems]
    return [str(problem) for problem in caught.value.problems]


def test_the_example_is_a_whole_table() -> None:
    config = load_config(EXAMPLE)
    assert config.table.rulebook == "tas-2018-holdem"
    assert config.table.options["blinds"] == [100, 200]
    assert [device.role for device in config.devices] == [
        "shoe", "reader", "reader", "markers", "dropbox", "keys", "badge", "indicators",
    ]  # fmt: skip
    assert config.devices[1].settings == {"zones": [*(f"board:{n}" for n in range(1, 6)), "burn"]}
    assert config.devices[0].settings == {}
    # In /etc/feltd/keys only root can read.
    assert {str(device.key_file).rpartition("/")[0] for device in config.devices} == {"/var/lib/feltd/keys"}
    assert config.journal.sealing_key_file == KeyFile(credential="journal-key")
    assert config.pins is None


def test_the_examples_pin_section_is_valid_too() -> None:
    text = EXAMPLE.read_text(encoding="utf-8")
    before, after = text.split("# [pins]")
    commented, rest = after.split("\n[page]")
    lines = [line.removeprefix("# ").removeprefix("#") for line in commented.splitlines()]
    pins = read("\n".join([before, "[pins]", *lines, "[page]", rest])).pins
    assert pins is not None
    assert (pins.keys[0].line, pins.lamps[0].at_stop) == (17, "on")


def test_paths_count_from_the_files_folder_and_what_is_left_out_has_a_default() -> None:
    config = read(LEAST + SHOE)
    assert config.journal.path == FOLDER / "table.journal"
    assert config.devices[0].key_file == KeyFile(path=FOLDER / "shoe.key")
    assert (config.page.host, config.page.port) == ("127.0.0.1", 8080)
    assert config.table.button is None
    assert config.links.short_loss_seconds == 2.0


def test_the_zone_and_the_clock_that_people_read_can_be_set() -> None:
    table = read(LEAST.replace("[table]", '[table]\nzone = "Australia/Melbourne"\nclock_hours = 12') + SHOE).table
    assert (table.zone, table.clock_hours) == ("Australia/Melbourne", 12)
    assert (read(LEAST + SHOE).table.zone, read(LEAST + SHOE).table.clock_hours) == (None, 24)
    (told,) = problems(LEAST.replace("[table]", '[table]\nzone = "Nowhere/Atlantis"') + SHOE)
    assert '"Nowhere/Atlantis" is no time zone that this machine knows' in told


def test_how_long_a_line_may_be_lost_can_be_set_within_limits() -> None:
    assert read(LEAST + SHOE + "[links]\nshort_loss_seconds = 0\n").links.short_loss_seconds == 0.0
    assert problems(LEAST + "[links]\nshort_loss_seconds = 11\n") == [
        "table.toml:9: links.short_loss_seconds: 11 is not allowed; allowed: a number, at least 0.0, at most 10.0"
    ]


def test_how_long_events_may_wait_to_be_written_together_can_be_set_within_limits() -> None:
    assert read(LEAST).journal.gather_seconds == 0.0
    assert read(f"{LEAST}gather_seconds = 10\n").journal.gather_seconds == 10.0
    assert read(f"{LEAST}sign_at_rest_seconds = 20\n").journal.sign_at_rest_seconds == 20.0
    rests = {"": 0.0, "witness = true\n": 20.0, "witness = true\nsign_at_rest_seconds = 0\n": 0.0}
    rests["sign_at_rest_seconds = 30\n"] = 30.0
    assert {text: read(f"{LEAST}{text}").journal.signs_at_rest for text in rests} == rests
    (told,) = problems(f"{LEAST}sign_at_rest_seconds = 5\n")
    assert told.endswith("journal.sign_at_rest_seconds: 5: give 0, or 10 at least: each one is written to the disk")
    (told,) = problems(f"{LEAST}gather_seconds = 10.5\n")
    assert told.endswith("journal.gather_seconds: 10.5 is not allowed; allowed: a number, at least 0.0, at most 10.0")


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("connections = 0", "0 is not allowed; allowed: a whole number, at least 4, at most 8192"),
        ("streams_per_person = -1", "-1 is not allowed; allowed: a whole number, at least 1, at most 4096"),
        ("burst_per_address = 99999999999999999999",
         "99999999999999999999 is not allowed; allowed: a whole number, at least 1, at most 100000"),
        ("at_once_per_person = 'ten'", '"ten" is not allowed; allowed: a whole number, at least 1, at most 4096'),
        ("at_once_per_person = 2.5", "2.5 is not allowed; allowed: a whole number, at least 1, at most 4096"),
        ("requests_per_person = 0", "0 is not allowed; allowed: a number, at least 0.1, at most 10000.0"),
        ("requests_per_address = nan", "nan is not allowed; allowed: finite numbers"),
        ("seconds_to_ask = true", "true is not allowed; allowed: a number, at least 1.0, at most 600.0"),
        ("connections_per_address = 257",
         "connections_per_address is 257 and connections is 512: it may be half of that at most"),
        ("connections = 400", "streams is 256 and connections is 400: it may be half of that at most"),
        ("streams_per_person = 129", "streams_per_person is 129 and streams is 256: it may be half of that at most"),
    ],
)  # fmt: skip
def test_a_limit_of_the_page_that_is_none_is_told(line: str, told: str) -> None:
    key = line.split(" ")[0]
    assert problems(f"{LEAST}[page.limits]\n{line}\n") == [f"table.toml:9: page.limits.{key}: {told}"]


def test_limits_of_the_page_can_be_set_and_proxies_be_named() -> None:
    page = read(
        f"{LEAST}[page]\nproxies = ['10.0.0.2', 'fd00::/64']\n[page.limits]\nconnections = 1024\nstreams = 512\n"
    ).page
    assert (page.limits.connections, page.limits.streams, page.limits.streams_per_person) == (1024, 512, 16)
    assert [str(proxy) for proxy in page.proxies] == ["10.0.0.2/32", "fd00::/64"]
    assert problems(f"{LEAST}[page]\nproxies = ['10.0.0.2', 'the proxy', 7]\n") == [
        'table.toml:9: page.proxies: "the proxy" is no address and no network: write 10.0.0.2, 10.0.0.0/24 or fd00::2',
        "table.toml:9: page.proxies: 7 is not allowed; allowed: a text in quotes",
    ]


def test_the_example_shows_the_limits_as_they_are() -> None:
    text = EXAMPLE.read_text(encoding="utf-8")
    shown = text.partition("# [page.limits]")[2].partition("# [page.webhook]")[0]
    lines = [line.removeprefix("# ") for line in shown.splitlines() if " = " in line]
    limits = read("\n".join([LEAST, "[page.limits]", *lines])).page.limits
    assert limits == read(LEAST).page.limits
    assert limits.model_fields_set == set(type(limits).model_fields)


PORTS = "a whole number, at least 1, at most 65535"


def test_every_fault_is_told_at_once_with_its_line() -> None:
    text = """\
[table]
nam = "T7"
rulebook = "tas-2018-holdem"
seats = [1, 2, 2, 11,
  "x"]
[table.options]
blinds = [1, "a"]
[[device]]
name = "shoe"
role = "sho"
port = "/dev/ttyUSB0"
key_file = 3
[[device]]
name = "shoe"
role = "markers"
port = "by-id/x"
settings.zones = ["seat:1"]
[[device]]
name = "reader"
role = "reader"
port = "/dev/serial/by-id/x"
key_file = "credential:a/b"
settings = { zones = ["seat:1",
  "seta:2"] }
[[device]]
name = "display"
role = "indicators"
port = "/dev/serial/by-id/y"
key_file = "y.key"
[device.settings]
row = 4
rows = 9
[pins]
factory = "gpiod"
[[pins.key]]
name = "deal_start"
line = -1
[page]
port = "80"
host = ""
"""
    assert problems(text) == [
        "table.toml: journal: is missing: give a section [journal] with path and sealing_key_file",
        "table.toml:1: table.name: is missing: give the table's name, as people say it",
        "table.toml:2: table.nam: unknown key; "
        "allowed: name, rulebook, options, seats, button, rulebooks, zone, language, badge_pins, clock_hours; "
        'did you mean "name"?',
        "table.toml:4: table.seats: seat 2 is named twice",
        "table.toml:4: table.seats: 11 is not allowed; allowed: a whole number, at least 1, at most 10",
        'table.toml:5: table.seats: "x" is not allowed; allowed: a whole number, at least 1, at most 10',
        "table.toml:7: table.options.blinds: must be true or false, a number, a text, or a list of whole numbers "
        "or texts",
        'table.toml:10: device.role: "sho" is not allowed; '
        'allowed: shoe, reader, markers, dropbox, keys, badge, indicators; did you mean "shoe"?',
        'table.toml:11: device.port: "/dev/ttyUSB0" names another device after a replug; use its stable path in '
        "/dev/serial/by-id or /dev/serial/by-path (ls -l /dev/serial/by-id shows which)",
        "table.toml:12: device.key_file: 3 is not allowed; allowed: a text in quotes",
        "table.toml:13: device.key_file: is missing: give the file with its key of 32 bytes, or credential:NAME",
        'table.toml:14: device.name: "shoe" is used twice: each device has a name of its own',
        'table.toml:16: device.port: "by-id/x" is no full path; write one like /dev/serial/by-id/usb-…',
        "table.toml:17: device.settings.zones: unknown key; allowed: markers, seats",
        "table.toml:22: device.key_file: 'credential:a/b' names no credential: write credential:NAME, "
        "a name without slashes",
        'table.toml:23: device.settings.zones: "seat:1" is read by "shoe" already: one reader for each zone',
        "table.toml:24: device.settings.zones: a zone is seat:1 … seat:10, dealer, board:1 … board:5, "
        "board2:1 … board2:5, burn, muck, race:1 …, shoe",
        "table.toml:31: device.settings.row: unknown key; "
        'allowed: lamps, rows, columns, buzzer, clock; did you mean "rows"?',
        "table.toml:32: device.settings.rows: 9 is not allowed; allowed: a whole number, at least 0, at most 8",
        'table.toml:34: pins.factory: "gpiod" is not allowed; allowed: lgpio, rpigpio, mock; did you mean "lgpio"?',
        "table.toml:37: pins.key.line: -1 is not allowed; allowed: a whole number, at least 0, at most 511",
        f'table.toml:39: page.port: "80" is not allowed; allowed: {PORTS}',
        'table.toml:40: page.host: "" is not allowed; allowed: a text in quotes, not empty',
    ]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("a = 1\nb = = 2\n", "table.toml:2: not TOML: Invalid value at column 5"),
        ("a = 1\nb = [\n\n", "table.toml:2: not TOML: Invalid value at the end of the file"),
        ("a = 1\na = 2\n", "table.toml:2: not TOML: Cannot overwrite a value at column 6"),
    ],
)
def test_a_file_that_is_no_toml_says_where(text: str, told: str) -> None:
    assert problems(text) == [told]


@pytest.mark.parametrize(
    ("addition", "told"),
    [
        ("[pags]\nport = 1\n", 'table.toml:8: pags: unknown key; '
         'allowed: table, device, pins, usb, links, page, door, floor, journal, record, broadcast; '
         'did you mean "page"?'),
        ("[page]\nhost = 1\n", "table.toml:9: page.host: 1 is not allowed; allowed: a text in quotes, not empty"),
        ("[page]\nport = 'yes, of course, always, except when it rains and the dealer is away'\n",
         'table.toml:9: page.port: "yes, of course, always, except when it rains and the deale… is not allowed; '
         f"allowed: {PORTS}"),
        (SHOE.replace('"/dev/serial/by-id/usb-shoe"', "3"),
         "table.toml:11: device.port: 3 is not allowed; allowed: a text in quotes"),
        ("[page]\nport = true\n", f"table.toml:9: page.port: true is not allowed; allowed: {PORTS}"),
        ("[page]\nport = 65536\n", f"table.toml:9: page.port: 65536 is not allowed; allowed: {PORTS}"),
        ("[page]\nport = [1]\n", f"table.toml:9: page.port: [1] is not allowed; allowed: {PORTS}"),
        ("[page]\nport = {a = 1}\n", f"table.toml:9: page.port: a table is not allowed; allowed: {PORTS}"),
        ("page = 1\n", 'table.toml:8: journal.page: unknown key; allowed: path, sealing_key_file, gather_seconds, '
         "witness, sign_at_rest_seconds"),
        ("[device]\nname = 'shoe'\n", "table.toml:8: device: a table is not allowed; allowed: a list [ … ] of "
         "(a table with the keys name, role, port, line, usb, pcsc, key_file, serial, settings, adapter, "
         "adapter_settings)"),
        (SHOE.replace('"shoe"\nrole', '"The Shoe"\nrole'),
         'table.toml:9: device.name: "The Shoe" is not allowed; '
         "allowed: a text in quotes, of the form ^[a-z0-9][a-z0-9:_-]*$"),
        (SHOE + SHOE.replace('"shoe"\nrole', '"other"\nrole'),
         'table.toml:16: device.port: "/dev/serial/by-id/usb-shoe" is used twice: each device has a port of its own'),
        (SHOE.replace('"shoe.key"', '""'),
         "table.toml:12: device.key_file: must be the path of a file, or credential:NAME"),
        ("[pins]\nfactory = 'mock'\n[[pins.key]]\nname = 'hand_end'\nline = 4\n"
         "[[pins.lamp]]\nname = 'fault'\nline = 4\n",
         'table.toml:15: pins.lamp.line: "4" is used twice: each line serves one thing'),
    ],
)  # fmt: skip
def test_a_fault_names_file_line_key_and_what_is_allowed(addition: str, told: str) -> None:
    assert problems(LEAST + addition) == [told]


READER = """\
[[device]]
name = "{0}"
role = "reader"
port = "/dev/serial/by-id/{0}"
key_file = "{0}.key"
"""


SERVED = """\
[[device]]
name = "reader:{0}"
role = "reader"
adapter = "pcsc"
pcsc = {{ {1} }}
settings = {{ zones = ["seat:{0}"], look = false }}
"""


@pytest.mark.parametrize(
    ("one", "other", "told"),
    [
        ('reader = "ACS"', 'reader = "ACS", socket = "1-1.2"',
         ['table.toml:18: device.pcsc: the same reader as "reader:1": tell them apart by their sockets']),
        ('reader = "ACS", socket = "1-1.2"', 'reader = "ACS", socket = "1-1.2"',
         ['table.toml:18: device.pcsc: the same reader as "reader:1": tell them apart by their sockets']),
        ('reader = "ACS", socket = "usb1"', 'reader = "SCM"',
         ['table.toml:12: device.pcsc.socket: "usb1" is not allowed; allowed: a text in quotes, of the form '
          r"^[0-9]+-[0-9]+(\.[0-9]+)*$"]),
    ],
)  # fmt: skip
def test_two_readers_of_pcscd_are_told_apart(one: str, other: str, told: list[str]) -> None:
    options = "[table.options]\nlook_sensor = false\n"
    assert problems(LEAST + SERVED.format(1, one) + SERVED.format(2, other) + options) == told


def test_readers_of_pcscd_with_other_names_or_sockets_are_well() -> None:
    names = ('reader = "ACS", socket = "1-1.3"', 'reader = "ACS", socket = "1-1.2"', 'reader = "SCM"')
    devices = "".join(SERVED.format(seat, name) for seat, name in enumerate(names, 1))
    config = read_config(LEAST + devices + "[table.options]\nlook_sensor = false\n", "table.toml", Path())
    assert [device.place for device in config.devices] == ["ACS in socket 1-1.3", "ACS in socket 1-1.2", "SCM"]


def test_a_reader_of_pcscd_is_nowhere_else_and_needs_its_adapter() -> None:
    options = "[table.options]\nlook_sensor = false\n"
    alone = SERVED.format(1, 'reader = "ACS"').replace('adapter = "pcsc"', 'key_file = "a.key"')
    there_too = SERVED.format(2, 'reader = "SCM"') + 'port = "/dev/serial/by-id/a"\n'
    assert problems(LEAST + alone + there_too + options) == [
        'table.toml:8: device.adapter: is missing: only an adapter asks pcscd, e.g. "pcsc"',
        "table.toml:18: device.pcsc: pcscd finds the device: leave port and usb out",
    ]


def test_a_broadcast_has_a_key_of_its_own_and_holds_cards_back_for_a_quarter_of_an_hour() -> None:
    line = f'sealed_to = "{PUBLIC}"'
    assert problems(f"{LEAST}[record]\n{line}\n[broadcast]\n{line}\n") == [
        "table.toml:11: broadcast.sealed_to: is the key of [record] too, which opens a round as it ends: make another"
    ]
    [told] = problems(f"{LEAST}[broadcast]\n{line}\ndelay_minutes = 14\n")
    assert told.startswith("table.toml:10: broadcast.delay_minutes: 14 is not allowed")
    config = read_config(f"{LEAST}[record]\n{line}\n[broadcast]\nsealed_to = '{OTHER.public}'\n", "table.toml", Path())
    assert config.broadcast is not None
    assert (config.broadcast.delay_minutes, config.broadcast.sealed_to.fingerprint) == (15, OTHER.public.fingerprint)


def test_two_readers_never_read_one_zone() -> None:
    one = READER.format("a") + 'settings.zones = ["burn", "dealer"]\n'
    other = READER.format("b") + 'settings.zones = ["muck", "burn"]\n'
    assert problems(LEAST + one + other) == [
        'table.toml:19: device.settings.zones: "burn" is read by "a" already: one reader for each zone'
    ]


def test_a_reader_needs_its_zones_and_settings_are_a_table() -> None:
    assert problems(LEAST + READER.format("a")) == [
        "table.toml:8: device.settings.zones: is missing; allowed: a list [ … ] of (a text in quotes), at least 1 entry"
    ]
    assert problems(LEAST + READER.format("a") + "settings = 3\n") == [
        "table.toml:13: device.settings: 3 is not allowed; allowed: a table of keys and values"
    ]


def test_a_table_that_cannot_see_looks_must_not_wait_for_them() -> None:
    blind = READER.format("a") + 'settings = { zones = ["seat:1"], look = false }\n'
    seeing = READER.format("b") + 'settings = { zones = ["seat:2"] }\n'
    words = "no reader sees a player lift cards (look = false): must be false"
    assert problems(LEAST + blind) == [f"table.toml:1: table.options.look_sensor: {words}"]
    assert problems(f"{LEAST}{blind}[table.options]\nlook_sensor = true\n") == [
        f"table.toml:15: table.options.look_sensor: {words}"
    ]
    assert read(f"{LEAST}{blind}[table.options]\nlook_sensor = false\n").table.options == {"look_sensor": False}
    assert len(read(LEAST + blind + seeing).devices) == 2


SHOE = '[[device]]\nname = "shoe"\nrole = "shoe"\nport = "/dev/serial/by-id/shoe"\nkey_file = "shoe.key"\n'
BUILT = '[table.options]\nbuilt = "{}"\n'


def test_what_a_table_is_built_with_must_be_what_its_devices_are() -> None:
    seats = READER.format("a") + 'settings = { zones = ["board:1", "seat:3"] }\n'
    board = READER.format("b") + 'settings = { zones = ["board:1", "burn"] }\n'
    quiet = SHOE + "settings = { names = false }\n"
    good = {"no_shoe": seats, "no_seat_readers": quiet + board, "full": quiet + seats}
    for built, devices in good.items():
        assert read(LEAST + devices + BUILT.format(built)).table.options == {"built": built}

    def wrong(built: str, devices: str) -> list[str]:
        return [problem.split(": ", 1)[1] for problem in problems(LEAST + devices + BUILT.format(built))]

    remedy = "say what the table has, or take that zone out"
    assert wrong("no_seat_readers", quiet + seats) == [
        f'table.options.built: "no_seat_readers", and a reader watches seat:3: {remedy}'
    ]
    assert wrong("board_only", board) == [f'table.options.built: "board_only", and a reader watches burn: {remedy}']
    assert wrong("no_shoe", quiet + seats) == [
        'table.options.built: "no_shoe", and "shoe" is a shoe: say what the table has, or take it out'
    ]
    assert wrong("no_seat_readers", board) == [
        'table.options.built: "no_seat_readers" needs a shoe, which tells that a card was dealt: '
        'without one it is "board_only"'
    ]
    assert wrong("no_seat_readers", SHOE + board) == [
        "device.settings.names: no reader watches the seats: must be false"
    ]


def test_the_table_opens_as_configured() -> None:
    opening = load_config(EXAMPLE).table.opening(2.0)
    assert (opening.t, opening.rulebook, opening.button) == (2.0, "tas-2018-holdem", 9)
    assert opening.seats == [1, 2, 3, 4, 5, 6, 7, 8, 9]
    assert opening.options["burn"] == 1


def test_a_file_of_endless_depth_is_refused() -> None:
    assert problems("a = " + "[" * 100_000) == ["table.toml:1: not TOML: lists or tables are nested too deep"]


def test_a_file_that_is_not_there_or_no_text_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigFileError, match=r"nowhere\.toml: no such file"):
        load_config(tmp_path / "nowhere.toml")
    with pytest.raises(ConfigFileError, match=r"cannot be read: Is a directory"):
        load_config(tmp_path)
    (tmp_path / "latin.toml").write_bytes(b'[table]\nname = "caf\xe9"\n')
    with pytest.raises(ConfigFileError, match=r"latin\.toml: no UTF-8 text: byte 19"):
        load_config(tmp_path / "latin.toml")


_SCALARS = st.none() | st.booleans() | st.integers() | st.text(max_size=5)
_TOML = st.recursive(_SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner))


@given(st.sampled_from(["table", "device", "pins", "page", "journal"]), _TOML)
def test_any_document_is_read_or_refused_with_problems(section: str, value: object) -> None:
    text = LEAST if section == "device" else LEAST.replace(f"[{section}]", f"[x_{section}]")
    text = f"{section} = {as_toml(value)}\n{text}"
    try:
        config = read(text)
    except ConfigError:
        return
    assert config.table.name == "Table 7"


def as_toml(value: object) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{as_toml(str(key))} = {as_toml(inner)}" for key, inner in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(as_toml(inner) for inner in value) + "]"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int):
        return str(value)
    return '"' + "".join(f"\\U{ord(letter):08x}" for letter in str(value)) + '"'


def test_a_table_whose_readers_know_no_side_says_so() -> None:
    blind = READER.format("a") + 'settings = { zones = ["burn", "seat:3"], faces = false }\n'
    words = '"a" knows no side of the cards in seat:3 (faces = false): must be false'
    assert problems(LEAST + blind) == [f"table.toml:1: table.options.faces: {words}"]
    assert read(f"{LEAST}{blind}[table.options]\nfaces = false\n").table.options == {"faces": False}
    elsewhere = READER.format("a") + 'settings = { zones = ["burn"], faces = false }\n'
    assert read(LEAST + elsewhere).table.options == {}
