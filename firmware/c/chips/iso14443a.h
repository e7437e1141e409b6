/* ISO/IEC 14443-3 type A: cards that lie on one another are told apart bit by bit. */
#ifndef ISO14443A_H
#define ISO14443A_H

#include "finder.h"

#include <stddef.h>

enum { AIR_MAX = 12 };

/* What is sent over the air: whole bytes and perhaps a part of one, the least significant bit first. */
struct air_request {
    uint8_t data[AIR_MAX];
    uint8_t bits;
    uint8_t align; /* where in the first byte of the answer its first bit belongs */
    bool crc;      /* CRC_A is appended */
};

enum air_result {
    AIR_WHOLE,     /* all bits are there, their parity is right */
    AIR_SILENT,    /* nobody has answered in time */
    AIR_COLLISION, /* cards have said different things: `bits` are those before that */
    AIR_TORN,      /* parity, length or framing are wrong: nothing of it may be used */
    AIR_FAULT,     /* the chip has not done as it was told */
};

struct air_answer {
    uint8_t data[AIR_MAX];
    uint8_t bits; /* how many came, those skipped by `align` not counted */
};

/* A chip that sends such frames. `field` off: false when it was off already, or the chip has forgotten how to work. `exchange` waits `wait` microseconds for the answer's begin, after the request's end. */
struct air {
    void *chip;
    bool (*field)(void *chip, bool on);
    enum air_result (*exchange)(void *chip, const struct air_request *request, uint32_t wait, struct air_answer *answer);
};

struct iso14443a {
    const struct air *air;
    uint8_t silences; /* requests in a row that nobody has answered */
};

void iso14443a_start(struct iso14443a *finding, const struct air *air, struct finder *finder);
uint16_t iso14443a_crc(const uint8_t *data, size_t length);

#endif
