"""A button box: role `keys` (MESSAGES.md). Which button says what is in the settings."""

from wire import Refused


class Keys:
    """Each press is one event; a held test switch is the state."""

    role = "keys"

    def __init__(self, settings, board):
        """`settings["buttons"]`: button's name to the event that its press is, for instance {"ev": "deal_start"}."""
        self._board = board
        self._events = settings["buttons"]
        self._testing = board.test_switch()
        self.device = None  # set by main

    def poll(self):
        """Look at the buttons and the switch; each change is reported once."""
        if self.device.full:
            self._board.fault_lamp(True)  # and nothing is asked of the buttons: a press now would be lost
            return
        self._board.fault_lamp(False)
        testing = self._board.test_switch()
        if testing != self._testing and self.device.emit({"ev": "test_mode", "on": testing}):
            self._testing = testing
        name = None if self.device.full else self._board.pressed()
        if name in self._events:
            self.device.emit(self._events[name])

    def state(self):
        return {"testing": self._testing}

    def status(self):
        return {}

    def post(self, name, args):
        pass

    def command(self, name, args):
        return identify(self._board, name)


def identify(board, name):
    """The one command of these devices, the maker's own: show which of them is meant."""
    if name != "x_identify":
        raise Refused("unknown", "this device knows the command x_identify only")
    board.identify()
    return {}
