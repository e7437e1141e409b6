"""Reads the longest frames while the heap is in pieces: `micropython check_heap.py PLACE`. How many it has read.

Half of the heap is free, in places of less than a kibibyte, but one of PLACE bytes.
"""

import gc
import sys

from aead import seal, unseal
from frames import FRAME_MAX, FRAME_OVERHEAD, TRANSPORT, FrameReceiver, put_frame

KEY = bytes(32)
TAG = 16
FRAMES = 5

body = seal(KEY, 0, b"", bytes(FRAME_MAX - FRAME_OVERHEAD - TAG))
room = bytearray(FRAME_MAX + 16)
wire = memoryview(room)[: put_frame(room, 0, TRANSPORT, body)]
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
for _ in range(FRAMES):
    gc.collect()
    for _kind, body in receiver.feed(wire):
        if unseal(KEY, 0, b"", body) is not None:
            read += 1
    body = None
print(read)
