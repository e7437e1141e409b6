"""A card reader: role `reader` (MESSAGES.md). An antenna for each zone; which chip is which card is in the settings."""

from binascii import unhexlify

from keys import identify

SEEN_TWICE = 2  # scans in a row before a card is believed to lie there
MISSED_TIMES = 3  # scans in a row without it before it is believed to be gone
CARDS_MAX = 60  # in all zones together: a state must fit into a message, and a zone's list has no more
NUMBERS_MAX = 52  # the same, where the reader tells its chips' numbers


class Reader:
    """Compares what the antennas see with what was reported, and reports the difference."""

    role = "reader"

    def __init__(self, settings, board):
        """`settings["zones"]`: zone to the face of its cards where the board cannot tell; `["cards"]`: chip to card.

        Without `cards` the reader tells its chips' numbers: the host has the list of packs.
        """
        self._board = board
        self._cards = settings.get("cards")
        self._most = NUMBERS_MAX if self._cards is None else CARDS_MAX
        self._zones = {zone: _Zone(face) for zone, face in settings["zones"].items()}
        self._collecting = False
        self.device = None  # set by main
        # What lies there at power-up was not seen to come: it is no event. The state says it.
        for name, zone in self._zones.items():
            for chip, face in board.chips(name) or ():
                if self._lying() < self._most:
                    zone.lying.append([chip, face or zone.face])

    def poll(self):
        """Take up the scans that have ended since."""
        self._board.fault_lamp(self.device.full or self._lying() >= self._most)
        for name, zone in self._zones.items():
            chips = self._board.chips(name)
            if chips is not None:
                self._scan(name, zone, {chip: face or zone.face for chip, face in chips})

    def _scan(self, name, zone, seen):
        for card in list(zone.lying):
            chip, face = card
            if chip not in seen:
                if zone.count(chip, False) >= MISSED_TIMES and self._gone(name, chip):
                    zone.lying.remove(card)
                    zone.settle(chip)
            elif seen[chip] != face:
                if zone.count(chip, True) >= SEEN_TWICE and self._say("turned", name, chip, seen[chip]):
                    card[1] = seen[chip]
                    zone.settle(chip)
            else:
                zone.settle(chip)
        lying = [card[0] for card in zone.lying]
        for chip in list(zone.doubts):
            if chip not in seen and chip not in lying:
                zone.settle(chip)
        for chip, face in seen.items():
            if chip in lying or self._lying() >= self._most:
                continue
            if zone.count(chip, True) >= SEEN_TWICE and self._say("placed", name, chip, face):
                zone.lying.append([chip, face])
                zone.settle(chip)

    def _lying(self):
        return sum(len(zone.lying) for zone in self._zones.values())

    def _gone(self, name, chip):
        """Whether a card may be taken out of the state: while cards are collected that is silent."""
        return self._collecting or self.device.emit({"ev": "removed", "zone": name, "card": self._card(chip)})

    def _say(self, event, name, chip, face):
        return self.device.emit({"ev": event, "zone": name, "card": self._card(chip), "face": face})

    def _card(self, chip):
        if self._cards is None:
            return unhexlify(chip)
        return self._cards.get(chip)  # a chip that is in no list was not read: null

    def state(self):
        zones = {name: [[self._card(chip), face] for chip, face in zone.lying] for name, zone in self._zones.items()}
        return {"zones": zones, "collecting": self._collecting}

    def status(self):
        return {}

    def post(self, name, args):
        if name == "collect" and isinstance(args.get("on"), bool):
            self._collecting = args["on"]

    def command(self, name, args):
        return identify(self._board, name)


class _Zone:
    def __init__(self, face):
        self.face = face
        self.lying = []  # [chip, face], in the order in which they came
        self.doubts = {}  # chip to [there, scans in a row]

    def count(self, chip, there):
        """One more scan in which the chip was there, or was not: how many in a row."""
        doubt = self.doubts.get(chip)
        if doubt is None or doubt[0] != there:
            doubt = self.doubts[chip] = [there, 0]
        doubt[1] += 1
        return doubt[1]

    def settle(self, chip):
        """There is no doubt about it any more."""
        self.doubts.pop(chip, None)
