"""What a board runs at power-up: settings and key from the flash, then the loop. Nothing in it knows a pin."""

import gc
import sys

from keys import Keys
from outbox import Outbox
from reader import Reader
from wire import Device

FIRMWARE = "feltd-mpy 1.0"


def build(settings, key, board, folder):
    """The device of these settings (a map, see README.md)."""
    app = (Keys if settings["role"] == "keys" else Reader)(settings, board)
    path = folder + "/events.log" if settings.get("persistent", True) else None
    outbox = Outbox(settings.get("capacity", 256), path)
    device = Device(app.role, settings["serial"], key, FIRMWARE, app, outbox, board.random)
    app.device = device
    return device, app


def run(device, app, board):
    """For as long as there is power."""
    gc.collect()
    while board.powered:
        data = board.read()
        if data:
            device.received(data)
        app.poll()
        device.tick()
        out = device.out()
        if out:
            device.gone(board.write(out))


def start(make_board, folder):
    """Read what the flash holds, and run. Raises ValueError, with the file, where that is no device's."""
    import device_file

    settings = device_file.load(folder + "/device.json")
    key = device_file.load_key(folder + "/key")
    del device_file, sys.modules["device_file"]  # it has said all that it will, and the heap is small
    gc.collect()
    board = make_board(settings)
    device, app = build(settings, key, board, folder)
    run(device, app, board)


if __name__ == "__main__":
    if sys.platform == "linux":
        from board_pty import Board

        start(lambda settings: Board(settings, sys.argv[2]), sys.argv[1])
    else:
        from board import Board, show_fault

        try:
            start(Board, "")
        except ValueError:
            show_fault()
            raise
