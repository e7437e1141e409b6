"""A bus with modelled chips at its other end, for tests: lines to and from `c/models/check_readers.c` and its kin."""

from binascii import hexlify, unhexlify
from time import ticks_diff, ticks_us


class ModelBus:
    """What `board.Bus` is on a real one. Its clock is the model's; `spent`: this machine's microseconds in it."""

    def __init__(self, to_model, from_model, follows=False):
        """Paths of two pipes. `follows`: the model's clock follows this machine's, where that is ahead."""
        self._to = open(to_model, "wb")  # noqa: SIM115 - as long as there is power
        self._from = open(from_model, "rb")  # noqa: SIM115 - as long as there is power
        self._follows = follows
        self._ahead = 0  # how far the model's clock is before this machine's
        self._clock = 0
        self.spent = 0
        self._follow()

    def say(self, line):
        """A line to the model that it does not answer."""
        self._to.write(line.encode() + b"\n")

    def answer(self):
        """A line that the model says."""
        return str(self._from.readline(), "ascii").rstrip("\n")

    def write(self, address, data):
        self._ask("i2c-write {:x} {}".format(address, str(hexlify(data), "ascii")))

    def read(self, address, count):
        return unhexlify(self._ask(f"i2c-read {address:x} {count}"))

    def wait(self, microseconds):
        self._ask(f"clock {microseconds}")

    def free(self):
        self._ask("i2c-free")

    def now(self):
        self._follow()
        return self._clock

    def passed(self, since):
        """Microseconds since then."""
        self._follow()
        return (self._clock - since) & 0xFFFFFFFF

    def _follow(self):
        if self._follows:
            behind = (ticks_us() + self._ahead - self._clock) & 0x3FFFFFFF
            self.wait(behind if behind < 0x1FFFFFFF else 0)

    def _ask(self, line):
        began = ticks_us()
        self.say(line)
        clock, data = self.answer().split(" ")
        self._clock = int(clock)
        self.spent += ticks_diff(ticks_us(), began)
        if data == "-":
            raise OSError("nobody has acknowledged")
        return "" if data == "+" else data
