#include "iso14443a.h"

#include <string.h>

enum { REQA = 0x26, CASCADE_TAG = 0x88, RANDOM_NUMBER = 0x08, SAK_CASCADE = 0x04, LEVELS = 3 };
enum { NUMBER_BITS = 32, LEVEL_BITS = 40 }; /* of one cascade level: without its check byte, and with it */
/* Microseconds. A card begins to answer within 92 of the request's end; of SELECT, some take longer than the standard says. */
enum { ANSWERS_WITHIN = 400, SELECT_WITHIN = 1000, HALT_SILENCE = 1100 };
enum { TRIES = 3, STEPS_MAX = 3 * LEVEL_BITS };
static const uint8_t SELECT_OF[LEVELS] = {0x93, 0x95, 0x97};

/* One walk to one card: the levels that are known whole, and the bits of the next one. */
struct walk {
    const struct air *air;
    uint8_t level;
    uint8_t known; /* bits of this level */
    bool chosen;   /* the last of them was not heard but chosen, and the other has not been tried */
    uint8_t levels[LEVELS][LEVEL_BITS / 8];
};

uint16_t iso14443a_crc(const uint8_t *data, size_t length)
{
    uint16_t crc = 0x6363;
    for (size_t i = 0; i < length; i++) {
        crc ^= data[i];
        for (int bit = 0; bit < 8; bit++) {
            crc = (uint16_t)((crc & 1) != 0 ? (crc >> 1) ^ 0x8408 : crc >> 1);
        }
    }
    return crc;
}

static bool bit_of(const uint8_t *data, unsigned at) { return (data[at / 8] >> (at % 8) & 1) != 0; }

static void set_bit(uint8_t *data, unsigned at, bool on)
{
    data[at / 8] = (uint8_t)((data[at / 8] & ~(1u << (at % 8))) | (unsigned)on << (at % 8));
}

static enum air_result send(const struct air *air, struct air_request *request, uint32_t wait, struct air_answer *answer)
{
    memset(answer, 0, sizeof *answer);
    return air->exchange(air->chip, request, wait, answer);
}

/* Calls all cards that are not halted. The answers of several collide: that they answer is all that counts. */
static enum air_result call(const struct air *air)
{
    struct air_request request = {{REQA}, 7, 0, false};
    struct air_answer answer;
    return send(air, &request, ANSWERS_WITHIN, &answer);
}

/* Says a level's number whole: only the card that has it answers, with a checksum. That makes a number sure: what two cards
   said at once, or noise has changed, no card answers to. */
static enum air_result select(const struct air *air, uint8_t level, const uint8_t *number, uint8_t *sak)
{
    struct air_request request = {{SELECT_OF[level], 0x70}, 8 * (2 + LEVEL_BITS / 8), 0, true};
    struct air_answer answer;
    memcpy(request.data + 2, number, LEVEL_BITS / 8);
    enum air_result result = send(air, &request, SELECT_WITHIN, &answer);
    if (result != AIR_WHOLE) {
        return result == AIR_COLLISION ? AIR_TORN : result;
    }
    uint16_t crc = iso14443a_crc(answer.data, 1);
    if (answer.bits != 24 || answer.data[1] != (uint8_t)crc || answer.data[2] != crc >> 8) {
        return AIR_TORN;
    }
    *sak = answer.data[0];
    return AIR_WHOLE;
}

/* A card that was asked for bits that it does not have has gone back to sleep: call it anew, and up to this level. */
static enum air_result return_to_level(const struct walk *walk)
{
    enum air_result result = call(walk->air);
    if (result == AIR_SILENT || result == AIR_FAULT) {
        return result;
    }
    for (uint8_t level = 0; level < walk->level; level++) {
        uint8_t sak;
        result = select(walk->air, level, walk->levels[level], &sak);
        if (result != AIR_WHOLE) {
            return result;
        }
    }
    return AIR_WHOLE;
}

/* Asks who has the bits known so far, for the rest of them. */
static enum air_result ask(const struct walk *walk, struct air_answer *answer)
{
    const uint8_t *number = walk->levels[walk->level];
    uint8_t bytes = walk->known / 8, rest = walk->known % 8;
    struct air_request request = {{SELECT_OF[walk->level], (uint8_t)((2 + bytes) << 4 | rest)},
                                  (uint8_t)(16 + walk->known), rest, false};
    memcpy(request.data + 2, number, bytes + (size_t)(rest > 0));
    return send(walk->air, &request, ANSWERS_WITHIN, answer);
}

static void take_bits(struct walk *walk, const struct air_answer *answer)
{
    uint8_t align = walk->known % 8;
    for (unsigned i = 0; i < answer->bits && walk->known < LEVEL_BITS; i++) {
        set_bit(walk->levels[walk->level], walk->known++, bit_of(answer->data, align + i));
    }
}

/* All bits of one level. At a collision the bit is taken as the chip has it: where the collision was one bit later, that is what
   was heard; where it was here, there are cards with either. AIR_TORN: try the card again; AIR_SILENT: it has gone. */
static enum air_result find_level(struct walk *walk)
{
    uint8_t tries = 0;
    walk->known = 0;
    walk->chosen = false;
    for (unsigned step = 0; step < STEPS_MAX && tries < TRIES; step++) {
        struct air_answer answer;
        enum air_result result = ask(walk, &answer);
        if (result == AIR_COLLISION && walk->known + answer.bits < NUMBER_BITS) {
            bool heard = bit_of(answer.data, walk->known % 8u + answer.bits);
            take_bits(walk, &answer);
            set_bit(walk->levels[walk->level], walk->known++, heard);
            walk->chosen = true;
        } else if (result == AIR_WHOLE && answer.bits == LEVEL_BITS - walk->known) {
            take_bits(walk, &answer);
            const uint8_t *n = walk->levels[walk->level];
            return (n[0] ^ n[1] ^ n[2] ^ n[3]) == n[4] ? AIR_WHOLE : AIR_TORN;
        } else if (result == AIR_FAULT) {
            return result;
        } else {
            bool other = result == AIR_SILENT && walk->chosen;
            if (other) {
                set_bit(walk->levels[walk->level], walk->known - 1u, !bit_of(walk->levels[walk->level], walk->known - 1u));
                walk->chosen = false;
            }
            tries = (uint8_t)(other ? tries : tries + 1);
            result = return_to_level(walk);
            if (result != AIR_WHOLE) {
                return result == AIR_COLLISION ? AIR_TORN : result;
            }
        }
    }
    return AIR_TORN;
}

static void halt(const struct air *air)
{
    struct air_request request = {{0x50, 0x00}, 16, 0, true};
    struct air_answer answer;
    (void)send(air, &request, HALT_SILENCE, &answer); /* silence is the answer; who has not heard it is found once more */
}

static enum found number_of(const struct walk *walk, uint8_t levels, struct card_number *number)
{
    memset(number, 0, sizeof *number);
    if (levels == LEVELS) {
        return FOUND_LONG;
    }
    for (uint8_t level = 0; level < levels; level++) {
        const uint8_t *n = walk->levels[level];
        bool cascaded = level + 1 < levels;
        if (cascaded != (n[0] == CASCADE_TAG)) {
            return FOUND_TORN;
        }
        for (uint8_t i = cascaded; i < 4; i++) {
            number->bytes[number->length++] = n[i];
        }
    }
    return levels == 1 && number->bytes[0] == RANDOM_NUMBER ? FOUND_RANDOM : FOUND_CARD;
}

static enum found walk_to_card(struct iso14443a *finding, struct card_number *number)
{
    struct walk walk = {.air = finding->air};
    for (; walk.level < LEVELS; walk.level++) {
        uint8_t sak = 0;
        enum air_result result = find_level(&walk);
        if (result == AIR_WHOLE) {
            result = select(walk.air, walk.level, walk.levels[walk.level], &sak);
        }
        if (result != AIR_WHOLE) {
            return result == AIR_FAULT ? FOUND_FAULT : FOUND_TORN;
        }
        if ((sak & SAK_CASCADE) == 0) {
            halt(walk.air);
            return number_of(&walk, (uint8_t)(walk.level + 1), number);
        }
    }
    return FOUND_TORN;
}

static bool begin(void *self)
{
    struct iso14443a *finding = self;
    finding->silences = 0;
    return finding->air->field(finding->air->chip, true);
}

static bool end(void *self)
{
    struct iso14443a *finding = self;
    return finding->air->field(finding->air->chip, false);
}

static enum found next(void *self, struct card_number *number)
{
    struct iso14443a *finding = self;
    switch (call(finding->air)) {
    case AIR_FAULT:
        return FOUND_FAULT;
    case AIR_SILENT:
        /* A card that was lost on the way to its number lets the first call pass, and answers to the second. */
        return ++finding->silences < 2 ? FOUND_NOTHING : FOUND_ALL;
    default:
        finding->silences = 0;
        return walk_to_card(finding, number);
    }
}

void iso14443a_start(struct iso14443a *finding, const struct air *air, struct finder *finder)
{
    finding->air = air;
    finding->silences = 0;
    *finder = (struct finder){finding, begin, next, end};
}
