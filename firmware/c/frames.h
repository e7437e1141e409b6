/* Frames on the wire (PROTOCOL.md, section 1). */
#ifndef FRAMES_H
#define FRAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { HANDSHAKE_REQUEST = 1, HANDSHAKE_ANSWER = 2, TRANSPORT = 3, REJECT = 4 };
enum { FRAME_MAX = 2048, ENCODED_MAX = 2057, FRAME_OVERHEAD = 5 };

uint32_t crc32(const uint8_t *data, size_t length);

/* COBS. `out` must hold length + length / 254 + 1 bytes; gives the bytes written. */
size_t cobs_encode(const uint8_t *data, size_t length, uint8_t *out);
/* In place; gives the bytes left, or -1: no COBS. */
long cobs_decode(uint8_t *data, size_t length);

/* The wire bytes of a frame whose type and body (`length` of both) stand in `frame`, which has room for four more.
   `out` must hold length + 4, plus one for each 254 begun, plus 2. Gives the bytes written. */
size_t frame_encode(uint8_t *frame, size_t length, uint8_t *out);

/* Collects bytes. After `frame_feed` has given true, `data` holds type and body, `length` of both, until the next byte. */
struct frame_receiver {
    uint8_t data[ENCODED_MAX];
    size_t collected;
    bool overlong;
    size_t length;
    uint32_t dropped;
};

bool frame_feed(struct frame_receiver *receiver, uint8_t value);

#endif
