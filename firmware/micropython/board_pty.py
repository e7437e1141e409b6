"""A board on a desk: MicroPython's unix port, standard input and output as the wire, a pipe for fingers and cards.

Lines on the pipe: `press NAME`, `switch on|off`, `lay ZONE CHIP [down|up]`, `take ZONE CHIP`, `blink ZONE CHIP` (one
scan does not see it), `flash ZONE CHIP` (one scan sees it), `dull ZONE CHIP EVERY` (it gets too little power: every so
many scans see it; 0: none does), `bright ZONE CHIP`, `trouble ZONE [WORD]` (what the module says of it), `off` (the
power goes). What lies there when the power comes is in the settings, `laid`: zone to chips.

With `chip` in the settings the antennas are modelled chips behind two pipes, `model`; then the pipe takes the lines of
`c/models/check_multiplexer.c` for a zone, which is named.
"""

import os
import select
import sys

from antennas import Antennas
from model_bus import ModelBus

_PIECE = 64  # bytes written at once: a terminal that takes any takes these
WAIT_MS = 5


class Board:
    """What `board.Board` is on a real one."""

    def __init__(self, settings, controls):
        """`controls`: path of the pipe."""
        self.powered = True
        self.identified = 0
        self._in = sys.stdin.buffer
        self._out = sys.stdout.buffer
        self._controls = open(controls, "rb")  # noqa: SIM115 - as long as there is power
        self._line = b""
        self._press = None  # while one waits the pipe is not read on
        self._switch = False
        self._zones = {zone: dict.fromkeys(chips) for zone, chips in settings.get("laid", {}).items()}
        self._scanning = {}
        self._blinking = {}
        self._flashing = {}
        self._dull = {}
        self._looks = {}
        self._troubles = {}
        self._antennas = _modelled(settings) if "chip" in settings else None
        self.knows_sides = self._antennas is None
        self._readable = select.poll()
        self._readable.register(self._in, select.POLLIN)
        self._readable.register(self._controls, select.POLLIN)
        self._writable = select.poll()
        self._writable.register(self._out, select.POLLOUT)

    def read(self):
        """What came, or nothing; waits a little for it."""
        data = bytearray()
        wait = WAIT_MS if self._antennas is None else 0
        while self.powered and len(data) < 4096:
            ready = self._readable.poll(wait)
            wait = 0
            if not ready:
                break
            for stream, _ in ready:
                byte = stream.read(1)
                if byte == b"":
                    self.powered = False  # whoever held the other end is gone
                elif byte is not None and stream is self._in:
                    data += byte
                elif byte is not None:
                    self._control(byte)
        return data

    def write(self, data):
        """As much as the wire takes now: how many bytes."""
        sent = 0
        while sent < len(data) and self._writable.poll(0):
            count = self._out.write(data[sent : sent + _PIECE])
            if not count:
                break
            sent += count
        return sent

    def random(self, count):
        return os.urandom(count)

    def pressed(self):
        """The next button that was pressed, or None."""
        press = self._press
        if press is not None:
            self._press = None
            self._readable.register(self._controls, select.POLLIN)
        return press

    def test_switch(self):
        return self._switch

    def fault_lamp(self, on):
        pass

    def identify(self):
        self.identified += 1

    def look(self):
        """Go on with what the antennas see."""
        if self._antennas is not None:
            self._antennas.step()

    def chips(self, zone):
        """The chips in a zone: (chip, face or None). A scan takes two looks."""
        if self._antennas is not None:
            return self._antennas.chips(zone)
        self._scanning[zone] = not self._scanning.get(zone, False)
        if not self._scanning[zone]:
            return None
        blinked = self._blinking.pop(zone, None)
        self._looks[zone] = self._looks.get(zone, 0) + 1
        lying = self._zones.get(zone, {})
        seen = [(chip, face) for chip, face in lying.items() if chip != blinked and self._answers(zone, chip)]
        flashed = self._flashing.pop(zone, None)
        return seen if flashed is None else seen + [(flashed, None)]  # noqa: RUF005 - no stars in lists there

    def _answers(self, zone, chip):
        every = self._dull.get((zone, chip))
        return every is None or (every > 0 and self._looks[zone] % every == 0)

    def trouble(self, zone):
        """Why a zone is not read whole, as the module says it: a word of MESSAGES.md; None: it is."""
        return self._troubles.get(zone) if self._antennas is None else self._antennas.trouble(zone)

    def margin(self, zone):
        """How well it is read, three numbers of the status: a module does not say."""
        return [None, None, None] if self._antennas is None else self._antennas.margin(zone)

    def sticker(self, zone):
        """The mark of the chip that is fixed to its antenna, or None."""
        return None if self._antennas is None else self._antennas.mark(zone)

    def _control(self, byte):
        if byte != b"\n":
            self._line += byte
            return
        words = self._line.decode().split()
        self._line = b""
        if self._antennas is not None and words[0] != "off":
            self._antennas.control(words)
        elif words[0] == "press":
            self._press = words[1]
            self._readable.unregister(self._controls)
        elif words[0] == "switch":
            self._switch = words[1] == "on"
        elif words[0] == "lay":
            self._zones.setdefault(words[1], {})[words[2]] = words[3] if len(words) > 3 else None
        elif words[0] == "take":
            self._zones[words[1]].pop(words[2])
        elif words[0] == "blink":
            self._blinking[words[1]] = words[2]
        elif words[0] == "dull":
            self._dull[words[1], words[2]] = int(words[3])
        elif words[0] == "bright":
            self._dull.pop((words[1], words[2]), None)
        elif words[0] == "trouble":
            self._troubles[words[1]] = words[2] if len(words) > 2 else None
        elif words[0] == "flash":
            self._flashing[words[1]] = words[2]
        elif words[0] == "off":
            self.powered = False


def _modelled(settings):
    antennas = _ModelledAntennas(ModelBus(*settings["model"], follows=True), settings)
    antennas.first_scans()
    return antennas


class _ModelledAntennas(Antennas):
    def control(self, words):
        """A line of the pipe on its way to the models, which know zones by their numbers."""
        self.bus.say(" ".join([words[0], str(self.channel(words[1]))] + words[2:]))  # noqa: RUF005 - no stars in lists there
