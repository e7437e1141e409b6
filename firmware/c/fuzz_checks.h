/* What holds of anything that a device is given: for the program that throws noise and for the one that coverage leads. */
#ifndef FUZZ_CHECKS_H
#define FUZZ_CHECKS_H

#include "frames.h"
#include "messages.h"

/* Ends the program where something does not hold, and says what. */
void must(bool truth, const char *what);
/* A copy in memory that ends where the bytes do: one byte read behind them is noticed. Free it. */
uint8_t *piece_of(const uint8_t *data, size_t length);
/* How many frames the receiver has found in these bytes; it keeps its bounds. */
size_t feed(struct frame_receiver *receiver, const uint8_t *data, size_t length);
/* What COBS decodes is no longer, and comes there and back. At most ENCODED_MAX bytes. */
void check_cobs(const uint8_t *data, size_t length);
/* What is read of a host's message is in bounds; its map goes to `ask`. */
void check_message(uint8_t version, const uint8_t *data, size_t length, void (*ask)(struct cbor_in map));

#endif
