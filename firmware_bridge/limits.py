"""Every number of the protocol, in one place. `PROTOCOL.md` states the same numbers; a test compares the two.

Sizes are bytes, times are seconds.
"""

from typing import Final

# Versions this implementation speaks: the lowest and the highest.
PROTOCOL_MIN: Final = 1
PROTOCOL_MAX: Final = 2

# Frames (section "Frames").
FRAME_MAX: Final = 2048  # decoded: type, body and checksum
FRAME_OVERHEAD: Final = 5  # one byte of type, four of checksum
BODY_MAX: Final = FRAME_MAX - FRAME_OVERHEAD
ENCODED_MAX: Final = FRAME_MAX + FRAME_MAX // 254 + 1  # COBS adds one byte for each 254 begun
FRAME_SMALLEST: Final = 256  # version 2: what a device that speaks nothing else must take
FRAME_LARGEST: Final = 8192  # version 2: what may be agreed on, and what this host takes

# Session (section "Session").
KEY_SIZE: Final = 32
TAG_SIZE: Final = 16
EPHEMERAL_SIZE: Final = 32
ECHO_SIZE: Final = 4  # the first bytes of the host's ephemeral key: they tie an answer to its attempt
MESSAGE_MAX: Final = BODY_MAX - TAG_SIZE  # CBOR, before encryption
REJECT_MAX: Final = 128

# Messages (section "Messages").
BOOT_ID_SIZE: Final = 8
ROLE_MAX: Final = 16
SERIAL_MAX: Final = 32
FIRMWARE_MAX: Final = 32
NAME_MAX: Final = 32
CODE_MAX: Final = 32
TEXT_MAX: Final = 128
DEPTH_MAX: Final = 8  # containers within containers, the message's own map included
SEQUENCE_MAX: Final = 2**32 - 1
IDENTIFIER_MAX: Final = 2**32 - 1
INTEGER_MIN: Final = -(2**63)
INTEGER_MAX: Final = 2**63 - 1

# Delivery (section "Delivery").
WINDOW: Final = 32  # events in flight that the host grants
WINDOW_MAX: Final = 256
PENDING_CAPACITY: Final = 1024  # events a DevicePeer keeps by default
COMMANDS_IN_FLIGHT_MAX: Final = 16  # what a device may say it takes at once
COMMANDS_QUEUED_MAX: Final = 64  # waiting on the host behind those in flight
POST_NAMES_MAX: Final = 64

# Timing (section "Timing").
HANDSHAKE_TIMEOUT: Final = 1.0
WELCOME_TIMEOUT: Final = 1.0
STATE_TIMEOUT: Final = 5.0
COMMAND_TIMEOUT: Final = 5.0
PING_INTERVAL: Final = 1.0
PING_TOGETHER: Final = 0.25  # links ping at multiples of it by the loop's clock, so that fewer moments wake a table
STATUS_INTERVAL: Final = 1.0
SILENCE: Final = 3.0
BACKOFF_FIRST: Final = 0.1
BACKOFF_CAP: Final = 5.0
PRESENCE_EVERY: Final = 0.25  # polls of the modem line that shows a device's presence, if one is wired

# Buffers of a transport (section "Buffers").
READ_CHUNK: Final = 16384
CONGESTED_ABOVE: Final = 16384
STALLED_ABOVE: Final = 65536
