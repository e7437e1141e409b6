#include "fuzz_checks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void must(bool truth, const char *what)
{
    if (!truth) {
        fprintf(stderr, "does not hold: %s\n", what);
        abort(); /* libFuzzer keeps an input by which a program is aborted */
    }
}

uint8_t *piece_of(const uint8_t *data, size_t length)
{
    uint8_t *piece = malloc(length > 0 ? length : 1);
    must(piece != NULL, "memory");
    if (length > 0) {
        memcpy(piece, data, length);
    }
    return piece;
}

size_t feed(struct frame_receiver *receiver, const uint8_t *data, size_t length)
{
    size_t found = 0;
    for (size_t i = 0; i < length; i++) {
        found += frame_feed(receiver, data[i]);
        must(receiver->collected <= ENCODED_MAX && receiver->length <= FRAME_MAX, "the receiver keeps its bounds");
    }
    return found;
}

void check_cobs(const uint8_t *data, size_t length)
{
    static uint8_t again[2 * ENCODED_MAX];
    uint8_t *exact = piece_of(data, length);
    long decoded = cobs_decode(exact, length);
    must(decoded <= (long)length, "what is decoded is no longer");
    if (decoded > 0) {
        size_t encoded = cobs_encode(exact, (size_t)decoded, again);
        must(memchr(again, 0, encoded) == NULL, "no zero in what is encoded");
        must(cobs_decode(again, encoded) == decoded && memcmp(again, exact, (size_t)decoded) == 0, "there and back");
    }
    free(exact);
}

void check_message(uint8_t version, const uint8_t *data, size_t length, void (*ask)(struct cbor_in map))
{
    struct host_message message;
    uint8_t *exact = piece_of(data, length);
    if (message_read(version, (struct cbor_in){exact, exact + length}, &message)) {
        must(message.kind >= WELCOME && message.kind <= CLOSE, "a kind");
        must(message.name_length <= 32, "a name");
        ask(message.map);
    }
    free(exact);
}
