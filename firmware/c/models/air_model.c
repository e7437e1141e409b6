#include "air_model.h"

#include <stdio.h>
#include <string.h>

enum { BIT_NS = 9440, FRAME_DELAY_NS = 91000, NEEDS_FIELD_NS = 4990000, FORGETS_NS = 5000000 };
enum { CASCADE_TAG = 0x88, LEVEL_BYTES = 5, ANSWER_BYTES = 8 };

uint32_t air_chance(struct air_model *air)
{
    air->chance = air->chance * 1664525u + 1013904223u;
    return air->chance >> 8;
}

/* Bit by bit from the standard's text, and not as the driver reckons it. */
uint16_t air_crc_a(const uint8_t *data, size_t length)
{
    uint16_t crc = 0x6363;
    for (size_t i = 0; i < 8 * length; i++) {
        unsigned in = ((unsigned)data[i / 8] >> (i % 8) & 1u) ^ (crc & 1u);
        crc = (uint16_t)(crc >> 1);
        if (in != 0) {
            crc ^= 0x8408;
        }
    }
    return crc;
}

/* A card forgets its state only when the field was away long enough. */
void air_field(struct air_model *air, bool on)
{
    bool forgets = air->nanoseconds - air->unpowered_at >= FORGETS_NS;
    if (on && !air->field) {
        air->powered_at = air->nanoseconds;
    } else if (!on && air->field) {
        air->unpowered_at = air->nanoseconds;
    }
    for (size_t i = 0; on && !air->field && i < air->count; i++) {
        struct card_model *card = &air->cards[i];
        if (card->dull && (card->every == 0 || ++card->fields % card->every != 0)) {
            card->state = CARD_UNPOWERED;
            continue;
        }
        if (forgets || card->state == CARD_UNPOWERED) {
            card->state = CARD_IDLE;
            card->was_halted = false;
            for (uint8_t b = 1; card->random && b < card->uid_length; b++) {
                card->uid[b] = (uint8_t)air_chance(air);
            }
        }
    }
    air->field = on;
}

static bool uid_of(const char *text, struct card_model *card)
{
    size_t digits = strlen(text);
    if (digits % 2 != 0 || digits / 2 > MODEL_UID) {
        return false;
    }
    for (size_t i = 0; i < digits / 2; i++) {
        unsigned byte;
        if (sscanf(text + 2 * i, "%2x", &byte) != 1) {
            return false;
        }
        card->uid[i] = (uint8_t)byte;
    }
    card->uid_length = (uint8_t)(digits / 2);
    return true;
}

bool air_lay(struct air_model *air, const char *uid, bool vicinity)
{
    struct card_model card = {.vicinity = vicinity};
    if (air->count == MODEL_CARDS || !uid_of(uid, &card)) {
        return false;
    }
    card.random = card.uid_length == 4 && card.uid[0] == 0x08 && !vicinity;
    card.state = air->field ? CARD_IDLE : CARD_UNPOWERED;
    air->cards[air->count++] = card;
    return true;
}

bool air_take(struct air_model *air, const char *uid)
{
    struct card_model card = {.random = false};
    for (size_t i = 0; uid_of(uid, &card) && i < air->count; i++) {
        if (memcmp(air->cards[i].uid, card.uid, MODEL_UID) == 0) {
            air->cards[i] = air->cards[--air->count];
            return true;
        }
    }
    return false;
}

bool air_dull(struct air_model *air, const char *uid, bool dull, unsigned every)
{
    struct card_model card = {.random = false};
    for (size_t i = 0; uid_of(uid, &card) && i < air->count; i++) {
        if (memcmp(air->cards[i].uid, card.uid, MODEL_UID) == 0) {
            air->cards[i].dull = dull;
            air->cards[i].every = every;
            return true;
        }
    }
    return false;
}

void air_count(struct air_model *air)
{
    air->exchanges++;
    air->cut = air->cut || (air->cut_after > 0 && --air->cut_after == 0);
    if (air->lift_after > 0 && --air->lift_after == 0 && air->count > 0) {
        air->count--;
        memmove(air->cards, air->cards + 1, air->count * sizeof air->cards[0]);
    }
}

void air_noise(struct air_model *air, struct heard *heard)
{
    air->collisions += heard->collision < heard->count;
    if (heard->count > 0 && air->torn_each > 0 && air_chance(air) % air->torn_each == 0) {
        heard->bits[air_chance(air) % heard->count] ^= 1;
        heard->torn = true;
        if (air_chance(air) % 3 == 0) {
            heard->count = 1 + air_chance(air) % heard->count; /* it ends too early */
            heard->collision = heard->collision > heard->count ? heard->count : heard->collision;
        }
    }
}

void air_hear(struct heard *heard, const uint8_t *answer, size_t length)
{
    size_t collision = heard->collision < heard->count ? heard->collision : MODEL_BITS;
    for (size_t b = 0; b < length; b++) {
        if (b < heard->count && heard->bits[b] != answer[b] && b < collision) {
            collision = b;
        }
        heard->bits[b] |= answer[b];
    }
    heard->count = length > heard->count ? length : heard->count;
    heard->collision = collision < heard->count ? collision : heard->count;
}

/* ---- one type A card */

/* The five bytes of a cascade level: the part of the number, and their exclusive or. */
static void level_of(const struct card_model *card, uint8_t level, uint8_t out[LEVEL_BYTES])
{
    uint8_t levels = (uint8_t)(card->uid_length == 4 ? 1 : card->uid_length == 7 ? 2 : 3);
    const uint8_t *from = card->uid + 3 * level;
    if (level + 1 < levels) {
        out[0] = CASCADE_TAG;
        memcpy(out + 1, from, 3);
    } else {
        memcpy(out, from, 4);
    }
    out[4] = out[0] ^ out[1] ^ out[2] ^ out[3];
}

static size_t put_bytes(uint8_t *bits, const uint8_t *bytes, size_t from, size_t count)
{
    for (size_t i = from; i < count; i++) {
        bits[i - from] = bytes[i / 8] >> (i % 8) & 1;
    }
    return count - from;
}

static size_t sleeps(struct card_model *card)
{
    card->state = card->was_halted ? CARD_HALT : CARD_IDLE;
    return 0;
}

static size_t selected(struct card_model *card, uint8_t *answer)
{
    bool more = card->level + 1 < (card->uid_length == 4 ? 1 : card->uid_length == 7 ? 2 : 3);
    uint8_t said[3] = {more ? 0x04 : 0x00, 0, 0};
    uint16_t crc = air_crc_a(said, 1);
    said[1] = (uint8_t)crc;
    said[2] = (uint8_t)(crc >> 8);
    card->level++;
    card->state = more ? CARD_READY : CARD_ACTIVE;
    return put_bytes(answer, said, 0, 24);
}

static size_t woken(struct card_model *card, uint8_t command, uint8_t *answer)
{
    const uint8_t atqa[2] = {(uint8_t)(card->uid_length == 4 ? 0x04 : card->uid_length == 7 ? 0x44 : 0x84), 0x00};
    if (card->state == CARD_IDLE || (card->state == CARD_HALT && command == 0x52)) {
        card->was_halted = card->state == CARD_HALT;
        card->state = CARD_READY;
        card->level = 0;
        return put_bytes(answer, atqa, 0, 16);
    }
    return card->state == CARD_HALT ? 0 : sleeps(card);
}

/* How many bits the card answers with. */
static size_t answer_of(struct air_model *air, struct card_model *card, const uint8_t *frame, size_t count, uint8_t *answer)
{
    static const uint8_t select[3] = {0x93, 0x95, 0x97};
    uint8_t level[LEVEL_BYTES];
    if (card->vicinity || air->nanoseconds - air->powered_at < NEEDS_FIELD_NS || card->state == CARD_UNPOWERED) {
        return 0;
    }
    if (count == 7) {
        return frame[0] == 0x26 || frame[0] == 0x52 ? woken(card, frame[0], answer) : sleeps(card);
    }
    if (card->state == CARD_ACTIVE && count == 32 && frame[0] == 0x50 && frame[1] == 0 && air_crc_a(frame, 2) == (frame[2] | frame[3] << 8)) {
        if (air->silent_halts > 0) {
            air->silent_halts--;
            return sleeps(card);
        }
        card->state = CARD_HALT;
        card->was_halted = true;
        return 0;
    }
    if (card->state != CARD_READY || count < 16 || frame[0] != select[card->level]) {
        return card->state == CARD_HALT ? 0 : sleeps(card);
    }
    level_of(card, card->level, level);
    if (frame[1] == 0x70) {
        bool mine = count == 72 && memcmp(frame + 2, level, LEVEL_BYTES) == 0 && air_crc_a(frame, 7) == (frame[7] | frame[8] << 8);
        return mine ? selected(card, answer) : sleeps(card);
    }
    size_t known = 8 * ((size_t)(frame[1] >> 4) - 2) + (frame[1] & 7);
    if (frame[1] >> 4 < 2 || known > 39 || count != 16 + known) {
        return sleeps(card);
    }
    for (size_t i = 0; i < known; i++) {
        if (((frame[2 + i / 8] ^ level[i / 8]) >> (i % 8) & 1) != 0) {
            return sleeps(card);
        }
    }
    return put_bytes(answer, level, known, 8 * LEVEL_BYTES);
}

void air_type_a(struct air_model *air, const uint8_t *bits, size_t count, struct heard *heard)
{
    uint8_t frame[MODEL_BITS / 8] = {0}, answer[8 * ANSWER_BYTES];
    memset(heard, 0, sizeof *heard);
    air->nanoseconds += (count + count / 8 + 2) * BIT_NS;
    if (!air->field || air->antenna_dead || count > MODEL_BITS) {
        return;
    }
    for (size_t i = 0; i < count; i++) {
        frame[i / 8] = (uint8_t)(frame[i / 8] | bits[i] << (i % 8));
    }
    air_count(air);
    for (size_t i = 0; i < air->count; i++) {
        air_hear(heard, answer, answer_of(air, &air->cards[i], frame, count, answer));
    }
    if (heard->count > 0) {
        air->nanoseconds += FRAME_DELAY_NS + (heard->count + heard->count / 8 + 1) * BIT_NS;
    }
    air_noise(air, heard);
}
