"""A card reader: role `reader` (MESSAGES.md). An antenna for each zone; which chip is which card is in the settings."""

from binascii import unhexlify

from keys import identify

SEEN_TWICE = 2  # scans in a row before a card is believed to lie there
MISSED_TIMES = 3  # scans in a row without it before it is believed to be gone
CARDS_MAX = 60  # in all zones together: a state must fit into a message, and a zone's list has no more
NUMBERS_MAX = 52  # the same, where the reader tells its chips' numbers
# A card that gets too little power answers now and then, or no more once another one lies on it: it has not gone.
FLICKER = 8  # for each time that it is seen again after it was missed; each scan that sees it takes one off
FLICKERS_MAX = 64
FLICKERS = 20  # above it the card is believed to be gone after MISSED_FLICKERING scans in a row without it
MISSED_FLICKERING = 30
COVERED_WITHIN = 3  # scans between another card's coming and the first that missed this one, which lay there for longer


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
                    zone.lying.append(_Card(chip, face or zone.face, 0))

    def poll(self):
        """Take up the scans that have ended since."""
        self._board.fault_lamp(self.device.full or self._lying() >= self._most)
        self._board.look()
        for name, zone in self._zones.items():
            chips = self._board.chips(name)
            if chips is not None:
                zone.scans += 1
                self._scan(name, zone, {chip: face or zone.face for chip, face in chips})

    def _scan(self, name, zone, seen):
        lying = [card.chip for card in zone.lying]
        new = [chip for chip in seen if chip not in lying]
        for card in list(zone.lying):
            if card.chip not in seen:
                if self._has_gone(zone, card, new) and self._gone(name, card.chip):
                    zone.lying.remove(card)
                    zone.settle(card.chip)
                continue
            card.seen()
            if seen[card.chip] == card.face:
                zone.settle(card.chip)
            elif zone.count(card.chip) >= SEEN_TWICE and self._say("turned", name, card.chip, seen[card.chip]):
                card.face = seen[card.chip]
                zone.settle(card.chip)
        for chip in list(zone.doubts):
            if chip not in seen:
                zone.settle(chip)
        for chip in new:
            if self._lying() >= self._most or zone.count(chip) < SEEN_TWICE:
                continue
            if self._leaves_where_it_was(chip, zone) and self._say("placed", name, chip, seen[chip]):
                zone.lying.append(_Card(chip, seen[chip], zone.scans - SEEN_TWICE + 1))
                zone.settle(chip)

    def _has_gone(self, zone, card, new):
        """One more scan without a card: whether it is believed to be gone. `new`: chips seen and not believed yet."""
        card.missed += 1
        if card.missed == 1:
            card.missed_at = zone.scans
        if card.missed < MISSED_TIMES or self._collecting:
            return card.missed >= MISSED_TIMES
        if zone.covers(card, new):
            card.covered = True
            return False
        if card.covered:  # what lay on it has gone: now it can answer again
            card.covered = False
            card.missed = 1
            return False
        return card.flickers <= FLICKERS or card.missed >= MISSED_FLICKERING

    def _leaves_where_it_was(self, chip, now):
        """A card that is covered, or flickers, and is seen in another zone has gone there; False: it cannot be said."""
        for name, zone in self._zones.items():
            for card in list(zone.lying):
                if zone is not now and card.chip == chip and card.missed >= MISSED_TIMES:
                    if not self._gone(name, chip):
                        return False
                    zone.lying.remove(card)
        return True

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
        zones = {name: [[self._card(one.chip), one.face] for one in zone.lying] for name, zone in self._zones.items()}
        state = {"zones": zones, "collecting": self._collecting}
        if not self._board.knows_sides:
            state["faces"] = False
        return state

    def status(self):
        """How well each zone is read, and what is wrong there (MESSAGES.md, statuses)."""
        return {"zones": {name: self._told(name, zone) for name, zone in self._zones.items()}}

    def _told(self, name, zone):
        told = self._board.margin(name)
        told.append(self._trouble(name, zone))
        mark = self._board.sticker(name)
        if mark is not None:
            told.append(mark)
        return told

    def _trouble(self, name, zone):
        return self._board.trouble(name) or ("weak" if any(card.is_weak() for card in zone.lying) else None)

    def post(self, name, args):
        if name == "collect" and isinstance(args.get("on"), bool):
            self._collecting = args["on"]

    def command(self, name, args):
        return identify(self._board, name)


class _Card:
    """A card that lies there, its face as it was last said. `came`: the scan of its zone that saw it first."""

    def __init__(self, chip, face, came):
        self.chip = chip
        self.face = face
        self.came = came
        self.missed = 0  # scans in a row
        self.missed_at = 0  # the first of them
        self.flickers = 0
        self.covered = False

    def seen(self):
        if self.missed:
            self.flickers = min(self.flickers + FLICKER, FLICKERS_MAX)
        elif self.flickers:
            self.flickers -= 1
        self.missed = 0
        self.covered = False

    def is_weak(self):
        return self.covered or self.flickers > FLICKERS


class _Zone:
    def __init__(self, face):
        self.face = face
        self.lying = []  # in the order in which they came
        self.doubts = {}  # chip to scans in a row: it has come, or has turned
        self.scans = 0

    def count(self, chip):
        """One more scan in which there is this doubt: how many in a row."""
        self.doubts[chip] = self.doubts.get(chip, 0) + 1
        return self.doubts[chip]

    def settle(self, chip):
        """There is no doubt about it any more."""
        self.doubts.pop(chip, None)

    def covers(self, card, new):
        """Whether another card came as this one was missed first, and lies there; `new`: those not believed yet."""
        came = [other.came for other in self.lying if not other.covered]
        if new:
            came.append(self.scans)
        return any(abs(at - card.missed_at) <= COVERED_WITHIN < at - card.came for at in came)
