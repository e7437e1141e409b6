#include "iso15693.h"

#include <string.h>

enum { SLOTS = 16, HALVES = 2 * NUMBER_MAX, ROUNDS_MAX = 48, ISSUED = 0xE0 };
enum { INVENTORY = 0x01, HIGH_RATE = 0x02, IS_INVENTORY = 0x04 }; /* the command, and flags of the request */

uint16_t iso15693_crc(const uint8_t *data, size_t length)
{
    uint16_t crc = 0xFFFF;
    for (size_t i = 0; i < length; i++) {
        crc ^= data[i];
        for (int bit = 0; bit < 8; bit++) {
            crc = (uint16_t)((crc & 1) != 0 ? (crc >> 1) ^ 0x8408 : crc >> 1);
        }
    }
    return (uint16_t)~crc;
}

static bool begin(void *self)
{
    struct iso15693 *finding = self;
    memset(&finding->masks[0], 0, sizeof finding->masks[0]);
    finding->waiting = 1;
    finding->rounds = 0;
    finding->slot = SLOTS;
    finding->answered = true;
    return finding->air->field(finding->air->chip, true);
}

static bool end(void *self)
{
    struct iso15693 *finding = self;
    return finding->air->field(finding->air->chip, false);
}

/* The first slot of a round among those whose number ends as the mask says. */
static enum air_result ask(struct iso15693 *finding, uint8_t answer[VICINITY_ANSWER])
{
    uint8_t request[3 + NUMBER_MAX] = {HIGH_RATE | IS_INVENTORY, INVENTORY, (uint8_t)(4 * finding->now.halves)};
    size_t bytes = (finding->now.halves + 1u) / 2;
    memcpy(request + 3, finding->now.bytes, bytes);
    return finding->air->request(finding->air->chip, request, 3 + bytes, answer);
}

/* Several have answered in this slot, or one that noise has torn: a round of its own, among those alone. */
static enum found look_closer(struct iso15693 *finding, uint8_t slot)
{
    struct mask mask = finding->now;
    if (mask.halves == HALVES || finding->waiting == MASKS_MAX) {
        return FOUND_TORN;
    }
    mask.bytes[mask.halves / 2] |= (uint8_t)(mask.halves % 2 == 0 ? slot : slot << 4);
    mask.halves++;
    finding->masks[finding->waiting++] = mask;
    return FOUND_NOTHING;
}

static unsigned half_of(const uint8_t *bytes, unsigned at) { return ((unsigned)bytes[at / 2] >> (at % 2 * 4)) & 0x0Fu; }

/* Whether the number ends as this slot's must: one that does not was not answered in it. */
static bool belongs(const struct iso15693 *finding, uint8_t slot, const uint8_t *number)
{
    for (uint8_t i = 0; i <= finding->now.halves && i < HALVES; i++) {
        if (half_of(number, i) != (i == finding->now.halves ? slot : half_of(finding->now.bytes, i))) {
            return false;
        }
    }
    return true;
}

static enum found read_answer(struct iso15693 *finding, uint8_t slot, const uint8_t *answer, struct card_number *number)
{
    uint16_t crc = iso15693_crc(answer, VICINITY_ANSWER - 2);
    if ((answer[0] & 1) != 0 || answer[10] != (uint8_t)crc || answer[11] != crc >> 8 || answer[9] != ISSUED ||
        !belongs(finding, slot, answer + 2)) {
        return look_closer(finding, slot);
    }
    number->length = NUMBER_MAX;
    for (uint8_t i = 0; i < NUMBER_MAX; i++) {
        number->bytes[i] = answer[9 - i]; /* the most significant comes last */
    }
    return FOUND_CARD;
}

/* A round is over: was there nobody among those who had answered together, one has gone meanwhile, or it was noise. */
static enum found next_round(struct iso15693 *finding)
{
    bool lost = !finding->answered;
    if (finding->waiting == 0) {
        return lost ? (finding->answered = true, FOUND_TORN) : FOUND_ALL;
    }
    if (finding->rounds == ROUNDS_MAX) {
        return FOUND_TORN;
    }
    finding->rounds++;
    finding->now = finding->masks[--finding->waiting];
    finding->slot = 0;
    finding->answered = finding->now.halves == 0;
    return lost ? FOUND_TORN : FOUND_NOTHING;
}

static enum found next(void *self, struct card_number *number)
{
    struct iso15693 *finding = self;
    uint8_t answer[VICINITY_ANSWER] = {0};
    if (finding->slot == SLOTS) {
        return next_round(finding);
    }
    uint8_t slot = finding->slot++;
    enum air_result result = slot == 0 ? ask(finding, answer) : finding->air->next_slot(finding->air->chip, answer);
    finding->answered = finding->answered || result != AIR_SILENT;
    switch (result) {
    case AIR_WHOLE:
        return read_answer(finding, slot, answer, number);
    case AIR_SILENT:
        return FOUND_NOTHING;
    case AIR_FAULT:
        return FOUND_FAULT;
    default:
        return look_closer(finding, slot);
    }
}

void iso15693_start(struct iso15693 *finding, const struct vicinity *air, struct finder *finder)
{
    *finding = (struct iso15693){.air = air};
    *finder = (struct finder){finding, begin, next, end};
}
