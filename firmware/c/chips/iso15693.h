/* ISO/IEC 15693-3: cards are told apart by rounds of sixteen slots, a card answering in the slot that its number names. */
#ifndef ISO15693_H
#define ISO15693_H

#include "finder.h"
#include "iso14443a.h"

enum { VICINITY_ANSWER = 12, MASKS_MAX = 24 }; /* bytes: flags, DSFID, number, checksum */

/* A chip that sends such requests; it appends the checksum. The first slot follows the request, each other one an EOF. */
struct vicinity {
    void *chip;
    bool (*field)(void *chip, bool on);
    enum air_result (*request)(void *chip, const uint8_t *data, size_t length, uint8_t answer[VICINITY_ANSWER]);
    enum air_result (*next_slot)(void *chip, uint8_t answer[VICINITY_ANSWER]);
};

/* The low end of a number: so many half bytes of it. */
struct mask {
    uint8_t bytes[NUMBER_MAX]; /* the least significant first, as it is sent */
    uint8_t halves;
};

struct iso15693 {
    const struct vicinity *air;
    struct mask masks[MASKS_MAX]; /* rounds that are still to do */
    uint8_t waiting;
    struct mask now;
    uint8_t slot; /* the next one of this round; 16: the round is over */
    bool answered;
    uint8_t rounds;
};

void iso15693_start(struct iso15693 *finding, const struct vicinity *air, struct finder *finder);
uint16_t iso15693_crc(const uint8_t *data, size_t length);

#endif
