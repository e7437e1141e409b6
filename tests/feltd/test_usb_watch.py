"""What is plugged in is judged by the configuration: the table's, allowed, replaced, or a stranger."""

from devices.udev import Plugged
from feltd.table.links.usb_watch import Change, UsbChange, UsbWatch
from firmware_bridge.usb_id import UsbId

READER = UsbId(0x1209, 0xC0DE, "R1")
STICK = UsbId(0x0781, 0x5581, "4C53")


def plugged(wanted: UsbId, place: str = "1-1", *names: str) -> Plugged:
    return Plugged(wanted, place, "Thing", frozenset(names))


def watch(allowed: list[UsbId] | None = None, own: UsbId = READER) -> UsbWatch:
    return UsbWatch({"reader:muck": own}, {"shoe": "/dev/serial/by-id/usb-shoe"}, allowed)


def told(changes: list[UsbChange]) -> list[tuple[Change, str | None]]:
    return [(change.change, change.device) for change in changes]


def test_the_tables_own_device_comes_and_goes_each_told_once() -> None:
    one = watch([])
    assert told(one.came(plugged(READER))) == [(Change.CAME, "reader:muck")]
    assert one.came(plugged(READER)) == []
    assert told(one.went("1-1")) == [(Change.GONE, "reader:muck")]
    assert one.went("1-1") == []


def test_what_was_there_at_the_start_is_no_news_but_a_stranger_is() -> None:
    one = watch([STICK])
    changes = one.begin([plugged(READER), plugged(STICK, "1-2"), plugged(UsbId(9, 9), "1-3")])
    assert told(changes) == [(Change.STRANGER, None)]
    assert changes[0].words.startswith("Thing (USB 0009:0009) in socket 1-3 was plugged in and belongs to nobody here")
    assert len(one.there) == 3


def test_without_an_allow_list_nothing_is_a_stranger() -> None:
    one = watch(None)
    assert one.came(plugged(STICK)) == []
    assert one.went("1-1") == []


def test_a_port_of_the_tables_makes_its_usb_device_the_tables() -> None:
    one = watch([])
    ftdi = UsbId(0x0403, 0x6001, "A9")
    assert told(one.came(plugged(ftdi, "1-4", "/dev/ttyUSB7", "/dev/serial/by-id/usb-shoe"))) == [(Change.CAME, "shoe")]


def test_a_port_that_shows_itself_late_is_the_tables_all_the_same() -> None:
    one = watch([])
    ftdi = UsbId(0x0403, 0x6001, "A9")
    assert told(one.came(plugged(ftdi, "1-4"))) == [(Change.STRANGER, None)]
    assert told(one.came(plugged(ftdi, "1-4", "/dev/serial/by-id/usb-shoe"))) == [(Change.CAME, "shoe")]


def test_another_one_of_the_kind_is_a_replacement_and_names_the_one_before() -> None:
    anyone = UsbId(0x1209, 0xC0DE)
    one = watch([], own=anyone)
    one.begin([plugged(READER)])
    one.went("1-1")
    [change] = one.came(plugged(UsbId(0x1209, 0xC0DE, "R2")))
    assert (change.change, change.device, change.before) == (Change.REPLACED, "reader:muck", "R1")
    assert change.words == (
        "reader:muck: another one than before was plugged in: Thing (USB 1209:c0de serial R2) in socket 1-1, was R1"
    )
    one.went("1-1")
    assert told(one.came(plugged(UsbId(0x1209, 0xC0DE, "R2")))) == [(Change.CAME, "reader:muck")]


def test_another_serial_number_than_the_one_named_is_a_stranger() -> None:
    assert told(watch([]).came(plugged(UsbId(0x1209, 0xC0DE, "R2")))) == [(Change.STRANGER, None)]


def test_a_socket_whose_going_nobody_told_of_has_lost_its_first_device() -> None:
    one = watch([STICK])
    one.came(plugged(READER))
    assert told(one.came(plugged(STICK))) == [(Change.GONE, "reader:muck"), (Change.CAME, None)]


def test_a_stranger_goes_and_comes_and_is_told_each_time() -> None:
    one = watch([])
    changes = [*one.came(plugged(STICK)), *one.went("1-1"), *one.came(plugged(STICK))]
    assert [change.change for change in changes] == [Change.STRANGER, Change.GONE, Change.STRANGER]
