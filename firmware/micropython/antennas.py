"""The zones of a reader that has a PN532 for each: one alone on the bus, or up to eight behind a TCA9548A.

A round looks at one zone after the other, and once more at one that has just changed. A step of it takes at most some
milliseconds: the wire to the host is read between two of them.
"""

from binascii import hexlify, unhexlify
from hashlib import sha256

from pn532 import Pn532, Scan

STEP = 3000  # microseconds of one step, and a transfer more
_MULTIPLEXER = 0x70
_FORGETS = 5100  # microseconds without field until cards that were silenced have forgotten it
_AGAIN_MAX = 3
_TROUBLED_AFTER = 5  # scans in a row: a hand that lays cards tangles them for one or two
_SCANS_MAX = 200
_FIRST_SCANS = 6  # of each zone: two that are alike, and some to spare
_FIRST_WITHIN = 4000000  # microseconds: the board's watchdog waits twice as long


class Antennas:
    """What lies in each zone. The bus is as `pn532` wants it, and has `wait(microseconds)` and `free()`.

    `free` gives nine clocks where somebody holds the data line, and resets the multiplexer.
    """

    def __init__(self, bus, settings):
        """`settings` (`device_file` has checked them): `zones`, `stickers`, and `channels` of a multiplexer."""
        zones, channels = settings["zones"], settings.get("channels")
        self.bus = bus
        self._multiplexed = channels is not None
        ways = channels if self._multiplexed else dict.fromkeys(zones, 0)
        stickers = settings.get("stickers", {})
        in_order = sorted(zones, key=lambda name: ways[name])
        self._zones = [_Zone(bus, name, ways[name], stickers.get(name)) for name in in_order]
        self._by_name = {zone.name: zone for zone in self._zones}
        self._now = 0
        self._again = 0
        self._scan = None  # the one that runs
        bus.free()  # a chip may hold it in the midst of what it said before a restart
        self._began = self._from = bus.now()
        self._wait = 0

    def channel(self, zone):
        """Where its chip hangs."""
        return self._by_name[zone].channel

    def first_scans(self):
        """Look at every zone before the loop begins, until it is known what lies there.

        A zone whose first scan fails would have its cards told as placed.
        """
        began = self.bus.now()
        unknown = set(self._by_name)
        while unknown and self.bus.passed(began) < _FIRST_WITHIN:
            ended = self.step()
            if ended is not None and (self._by_name[ended].known or self._by_name[ended].scans >= _FIRST_SCANS):
                unknown.discard(ended)

    def chips(self, zone):
        """The chips of a zone, (number in hexadecimal, None), each whole scan once; None: none has ended since."""
        zone = self._by_name[zone]
        fresh, zone.fresh = zone.fresh, None
        return fresh

    def trouble(self, zone):
        """Why a zone is not read whole, as a word of MESSAGES.md; None: it is."""
        zone = self._by_name[zone]
        if zone.strange >= _TROUBLED_AFTER:
            return "stranger"
        return zone.trouble if zone.failed >= _TROUBLED_AFTER else None

    def last(self, zone):
        """Why its last scan did not read it whole, the same words; None: it did."""
        return self._by_name[zone].trouble

    def mark(self, zone):
        """The mark of its sticker (MESSAGES.md, statuses), or None."""
        return self._by_name[zone].mark

    def margin(self, zone):
        """Of a hundred scans those that were whole, torn answers of a hundred scans, milliseconds of the last one."""
        zone = self._by_name[zone]
        scans = zone.scans or 1
        return [100 * zone.whole // scans, 100 * zone.torn // scans, zone.took // 1000]

    def step(self):
        """Go on with the round. The name of the zone whose scan has ended, or None."""
        begun = self.bus.now()
        while self.bus.passed(begun) < STEP:
            left = self._wait - self.bus.passed(self._from)
            if left > STEP:
                break
            if left > 0:
                self.bus.wait(left)
            zone = self._zones[self._now]
            if self._scan is None:
                self._begin(zone)
            else:
                self._go_on(zone)
            if self._scan is None:
                return zone.name
        return None

    def _begin(self, zone):
        self._began = self.bus.now()
        self._wait = 0
        self._scan = zone.chip.scan(zone.sticker)
        held = self._choose(zone.channel) if self._multiplexed else None
        if held is not None:
            self._scan.close()
            self._end(zone, Scan(trouble=held))

    def _go_on(self, zone):
        try:
            self._wait, self._from = next(self._scan), self.bus.now()
        except StopIteration as ended:
            if ended.value.trouble == "chip":
                self.bus.free()
            self._end(zone, ended.value)

    def _end(self, zone, found):
        zone.note(found, self.bus.passed(self._began))
        self._scan = None
        self._again = self._again + 1 if found.trouble is None and not zone.known else 0
        self._again %= _AGAIN_MAX
        if self._again == 0:
            self._now = (self._now + 1) % len(self._zones)
        same = self._again > 0 or len(self._zones) == 1
        self._wait, self._from = _FORGETS if same else 0, self.bus.now()

    def _choose(self, channel):
        """Open the way to one channel and shut the others; where that fails, why.

        It is read back: a channel that pulls the bus down would pass for one that is open.
        """
        trouble = self._open(channel)
        if trouble is not None:
            self.bus.free()
            trouble = self._open(channel)
        if trouble is not None:
            self.bus.free()
        return trouble

    def _open(self, channel):
        wanted = bytes((1 << channel,))
        try:
            self.bus.write(_MULTIPLEXER, wanted)
        except OSError:
            return "multiplexer"
        try:
            return None if self.bus.read(_MULTIPLEXER, 1) == wanted else "multiplexer"
        except OSError:
            return "chip"


class _Zone:
    def __init__(self, bus, name, channel, sticker):
        self.name = name
        self.channel = channel
        self.sticker = None if sticker is None else unhexlify(sticker.replace(":", ""))
        self.mark = None if sticker is None else sha256(b"feltd sticker" + self.sticker).digest()[:4]
        self.chip = Pn532(bus)
        self.fresh = None
        self.known = False  # two scans in a row have seen the same
        self.trouble = None
        self.failed = 0  # scans in a row that ended with that trouble
        self.strange = 0  # scans in a row that met a telephone or a bank card
        self.scans = self.whole = self.torn = self.took = 0
        self._seen = None

    def note(self, found, took):
        if self.scans == _SCANS_MAX:
            self.scans, self.whole, self.torn = self.scans // 2, self.whole // 2, self.torn // 2
        whole = found.trouble is None
        self.failed = 0 if whole else self.failed + 1 if found.trouble == self.trouble else 1
        self.strange = self.strange + 1 if found.strangers else 0
        seen = sorted(found.cards) if whole else None
        self.known = whole and seen == self._seen
        self._seen, self.trouble = seen, found.trouble
        self.scans += 1
        self.whole += whole
        self.torn += found.torn
        self.took = took
        if whole:
            self.fresh = [(str(hexlify(card), "ascii"), None) for card in found.cards]
