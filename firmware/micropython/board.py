"""The hardware of a Raspberry Pi Pico (RP2040): the one file to change for another board.

Wire: UART 0 on GP0 (out) and GP1 (in). Lamp that shows a fault or which device is meant: the one on the board.
Buttons: from GPIO to ground, named in the settings by the number of the GPIO. Maintenance switch: GP22 to ground.
Cards: a multi-antenna reader module on UART 1, GP4 (out) and GP5 (in), which sends a line after each scan of an
antenna: the antenna's name, then the chips it found, hexadecimal, each with `/up` or `/down` behind it if it can tell:
`seat:3 04a1b2c3 04a1b2c4/up`. Where it could not read the zone whole it says why instead, `seat:3 ?chip`, in a word
that MESSAGES.md has for it. A line with anything else counts as `?chip`, and so does a zone of which no line comes for
some seconds; the number of a phone is no card, and counts as `?stranger`. A module that speaks otherwise is met in
`_Antennas`.

Or, with `"chip": "pn532"` in the settings, a PN532 with its coil for each zone, on I2C: GP6 (SDA) and GP7 (SCL), one
alone or up to eight behind a TCA9548A, its RESET on GP8; then the fault lamp is on GP14 and the maintenance switch on
GP15. These are the lines of `TCA9548A_PINS` in `../c/boards/parts/pins.h`, without its FRAM: events are kept in flash.
"""

import os
from time import sleep_ms, sleep_us, ticks_diff, ticks_ms, ticks_us

import machine
from antennas import Antennas
from chip_numbers import digits_of, is_changing, is_whole
from machine import I2C, UART, Pin

BAUD = 115200
CLOCK = 200_000_000  # hertz; the handshake is the one thing that needs it
SETTLED_MS = 15  # a button must stay so long in its new position
CHIP, STRANGER = "?chip", "?stranger"
TROUBLES = ("?antenna", CHIP, "?multiplexer", "?tangled", STRANGER)
FACES = ("", "down", "up")  # behind a chip's number
SILENT_MS = 3000  # without a line of a zone: its antenna, or the whole module, counts as silent
TROUBLED_AFTER = 5  # scans in a row: a hand that lays cards tangles them for one or two
FAULT_MS = 2000  # for which a fault's lamp is lit before the closed image begins anew
CHIPS_SDA, CHIPS_SCL, CHIPS_RESET, CHIPS_LAMP, CHIPS_SWITCH = 6, 7, 8, 14, 15
FIRST_SCAN_MS = 1000  # what is waited at power-up for a module to name every antenna


def show_fault():
    """Light the lamp on the board: no device can be made of what the flash holds. It is called before any board is."""
    Pin("LED", Pin.OUT, value=1)
    sleep_ms(FAULT_MS)


class Board:
    """Pins, wire and antennas."""

    powered = True

    def __init__(self, settings):
        machine.freq(CLOCK)
        self._watchdog = machine.WDT(timeout=8000)  # a loop that has ended for any reason begins anew
        self._wire = UART(0, BAUD, tx=Pin(0), rx=Pin(1), rxbuf=4096, txbuf=2560, timeout=0)
        self._chips = settings.get("chip") == "pn532"
        self.knows_sides = not self._chips  # a module may say them; False: each zone has one side
        self._lamp = Pin(CHIPS_LAMP if self._chips else "LED", Pin.OUT, value=0)
        self._switch = Pin(CHIPS_SWITCH if self._chips else 22, Pin.IN, Pin.PULL_UP)
        self._buttons = [_Button(name) for name in settings.get("buttons", {})]
        zones = settings.get("zones", {})
        self._antennas = _chips_of(settings) if self._chips else _Antennas(zones) if zones else None

    def read(self):
        """What came over the wire, or nothing; waits a little for it."""
        self._watchdog.feed()
        if not self._wire.any() and not self._chips:  # a scan goes on meanwhile
            sleep_ms(1)
        return self._wire.read(self._wire.any()) if self._wire.any() else b""

    def write(self, data):
        """As much of a memoryview as the wire takes now: how many bytes."""
        return self._wire.write(data[:256]) or 0

    def random(self, count):
        """From the ring oscillator, as the port gives it."""
        return os.urandom(count)

    def pressed(self):
        """The next button that was pressed, or None."""
        for button in self._buttons:
            if button.pressed():
                return button.name
        return None

    def test_switch(self):
        """Whether the switch closes."""
        return not self._switch.value()

    def fault_lamp(self, on):
        """Show that nothing is taken any more."""
        self._lamp.value(on)

    def identify(self):
        """Flash once. Short: while it lasts nothing else is done."""
        self._lamp.value(1)
        sleep_ms(200)
        self._lamp.value(0)

    def look(self):
        """Go on with what the antennas see, for some milliseconds at most."""
        self._antennas.step()

    def chips(self, zone):
        """The chips in a zone: (chip, face or None), each scan once; None: none has ended since it was asked last."""
        return self._antennas.chips(zone)

    def margin(self, zone):
        """How well it is read, three numbers of the status: a module does not say."""
        return self._antennas.margin(zone)

    def sticker(self, zone):
        """The mark of the chip that is fixed to its antenna; None: there is none, or a module knows it."""
        return self._antennas.mark(zone)

    def trouble(self, zone):
        """Why a zone is not read whole, scan after scan, as the module says it; None: it is."""
        return self._antennas.trouble(zone)


class Bus:
    """I2C to the chips, as `antennas` wants it."""

    def __init__(self):
        self._reset = Pin(CHIPS_RESET, Pin.OUT, value=1)
        self._start()

    def _start(self):
        # a PN532 holds the clock while it thinks
        self._i2c = I2C(1, sda=Pin(CHIPS_SDA), scl=Pin(CHIPS_SCL), freq=400_000, timeout=5000)

    def write(self, address, data):
        self._i2c.writeto(address, data)

    def read(self, address, count):
        return self._i2c.readfrom(address, count)

    def now(self):
        return ticks_us()

    def passed(self, since):
        return ticks_diff(ticks_us(), since)

    def wait(self, microseconds):
        sleep_us(microseconds)

    def free(self):
        data, clock = (Pin(line, Pin.OPEN_DRAIN, value=1) for line in (CHIPS_SDA, CHIPS_SCL))
        for _ in range(9):
            if data.value():
                break
            for level in (0, 1):
                clock.value(level)
                sleep_us(5)
        for line, level in ((clock, 0), (data, 0), (clock, 1), (data, 1)):  # a stop
            line.value(level)
            sleep_us(5)
        for level in (0, 1):
            self._reset.value(level)
            sleep_us(5)
        self._start()


def _chips_of(settings):
    antennas = Antennas(Bus(), settings)
    antennas.first_scans()
    return antennas


class _Button:
    def __init__(self, name):
        self.name = name
        self._pin = Pin(int(name), Pin.IN, Pin.PULL_UP)
        self._down = not self._pin.value()
        self._changed = None

    def pressed(self):
        """Whether it has just gone down and stayed there."""
        down = not self._pin.value()
        if down == self._down:
            self._changed = None
            return False
        if self._changed is None:
            self._changed = ticks_ms()
        if ticks_diff(ticks_ms(), self._changed) < SETTLED_MS:
            return False
        self._down = down
        self._changed = None
        return down


class _Antennas:
    def __init__(self, zones):
        self._module = UART(1, BAUD, tx=Pin(4), rx=Pin(5), rxbuf=1024, timeout=0)
        self._zones = dict.fromkeys(zones)
        self._troubles = {zone: [None, 0] for zone in zones}  # the last one, and scans in a row with it
        self._heard = dict.fromkeys(zones)  # when its last line came; None: too long ago to count
        self._line = b""
        begun = ticks_ms()
        while None in self._zones.values() and ticks_diff(ticks_ms(), begun) < FIRST_SCAN_MS:
            self.step()

    def chips(self, zone):
        found = self._zones[zone]
        self._zones[zone] = None
        return found

    def trouble(self, zone):
        heard = self._heard[zone]
        if heard is None or ticks_diff(ticks_ms(), heard) > SILENT_MS:
            self._heard[zone] = None  # the clock goes round: what is silent for days must not seem fresh again
            return CHIP[1:]
        trouble, scans = self._troubles[zone]
        return trouble[1:] if trouble is not None and scans >= TROUBLED_AFTER else None

    def margin(self, _zone):
        return [None, None, None]

    def mark(self, _zone):
        return None

    def step(self):
        """Take up the lines that have come."""
        waiting = self._module.any()
        if not waiting:
            return
        lines = (self._line + self._module.read(waiting)).split(b"\n")
        self._line = lines.pop()[-512:]
        for line in lines:
            try:
                words = str(line, "ascii").split()
            except UnicodeError:  # noise on the module's wire: the next scan says it again
                continue
            if not words or words[0] not in self._zones:
                continue
            self._take(words[0], words[1:])

    def _take(self, zone, words):
        """What a line says of a zone. Words that are no chips are a trouble, and take no card away."""
        found, trouble = (None, words[0]) if len(words) == 1 and words[0] in TROUBLES else _chips(words)
        last, scans = self._troubles[zone]
        self._troubles[zone] = [trouble, scans + 1 if trouble == last else 1]
        self._heard[zone] = ticks_ms()
        if found is not None:
            self._zones[zone] = found


def _chips(words):
    """The chips that a line names, and its trouble: it is noise (then there are none), or a phone lies among them."""
    found, trouble = [], None
    for word in words:
        number, _, face = word.partition("/")
        digits = None if ":" in number else digits_of(number)
        if digits is None or not is_whole(digits) or face not in FACES:
            return None, CHIP
        if is_changing(digits):
            trouble = STRANGER
        else:
            found.append((digits, face or None))
    return found, trouble
