"""Drives modelled chips by lines from standard input, and says what the driver has found, for tests.

Arguments: two pipes to the model, then nothing for one chip (`c/models/check_readers.c`), or how many zones are behind
a TCA9548A (`c/models/check_multiplexer.c`). The lines are the model's own but for `reference UID` and `scan` of the
former, `round` of the latter; so are the answers. A scan says this machine's own microseconds too: `own`.
"""

import sys
from binascii import hexlify, unhexlify
from time import ticks_diff, ticks_us

from antennas import Antennas
from model_bus import ModelBus
from pn532 import Pn532

_ENDS = {None: "whole", "tangled": "unread", "antenna": "no-antenna", "chip": "no-chip", "multiplexer": "no-way"}


def _hex(cards):
    return ",".join([str(hexlify(card), "ascii") for card in cards])


class _One:
    def __init__(self, bus):
        self._bus = bus
        self._chip = Pn532(bus)
        self._sticker = None

    def obey(self, line):
        words = line.split()
        if words == ["scan"]:
            self._scan()
        elif words[0] == "reference":
            self._sticker = unhexlify(words[1])
        else:
            self._bus.say(line)

    def _scan(self):
        bus = self._bus
        began, own, longest = bus.now(), ticks_us(), 0
        bus.spent = 0
        scan = self._chip.scan(self._sticker)
        while True:
            step = bus.now()
            try:
                wait = next(scan)
            except StopIteration as ended:
                found = ended.value
                break
            longest = max(longest, bus.passed(step))
            bus.wait(wait)
        own = ticks_diff(ticks_us(), own) - bus.spent
        print(
            _ENDS[found.trouble],
            f"us={bus.passed(began)} longest={longest} torn={found.torn} strangers={found.strangers}",
            f"exchanges=0 collisions=0 own={own} cards={_hex(found.cards)}",
        )
        bus.wait(5100)


class _Round:
    def __init__(self, bus, zones):
        self._bus = bus
        self._zones = [str(zone) for zone in range(zones)]
        channels = {name: int(name) for name in self._zones}
        self._antennas = Antennas(bus, {"zones": self._zones, "channels": channels})

    def obey(self, line):
        if line != "round":
            self._bus.say(line)
            return
        said = {}
        while len(said) < len(self._zones):
            name = self._antennas.step()
            self._bus.wait(1000)
            if name is None:
                continue
            chips = self._antennas.chips(name)
            if chips is None:
                said[name] = _ENDS[self._antennas.last(name)]
            else:
                said[name] = "whole" + ("=" + ",".join([chip for chip, _ in chips]) if chips else "")
        print(" ".join([said[name] for name in self._zones]))


def main():
    bus = ModelBus(sys.argv[1], sys.argv[2])
    work = _One(bus) if len(sys.argv) == 3 else _Round(bus, int(sys.argv[3]))
    for line in sys.stdin:
        work.obey(line.strip())


main()
