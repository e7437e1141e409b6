"""Reads frames while the heap is in pieces: `micropython check_heap.py PLACE [many]`. How many it has read.

Half of the heap is free, in places of less than a kibibyte, but one of PLACE bytes. They are five of the longest, or
many short ones that have come at once.
"""

import gc
import sys

from aead import seal, unseal
from frames import FRAME_MAX, FRAME_OVERHEAD, TRANSPORT, FrameReceiver, put_frame

KEY = bytes(32)
TAG = 16
FRAMES = 5
SHORT = 300

body = seal(KEY, 0, b"", bytes(FRAME_MAX - FRAME_OVERHEAD - TAG))
room = bytearray(FRAME_MAX + 16)
wire = memoryview(room)[: put_frame(room, 0, TRANSPORT, body)]
if "many" in sys.argv:
    wire = bytes(memoryview(room)[: put_frame(room, 0, TRANSPORT, b"x")]) * SHORT
receiver = FrameReceiver()
place = bytearray(int(sys.argv[1]))
body = None
gc.collect()
pieces = []
try:
    while True:
        pieces.append(bytearray(700))
except MemoryError:
    pass
for at in range(0, len(pieces), 2):
    pieces[at] = None
place = None
read = 0
if "many" in sys.argv:
    gc.collect()
    for _frame in receiver.feed(wire):
        read += 1
    print(read)
    sys.exit()
for _ in range(FRAMES):
    gc.collect()
    for _kind, body in receiver.feed(wire):
        if unseal(KEY, 0, b"", body) is not None:
            read += 1
    body = None
print(read)
