/* ISO/IEC 15693 cards in the air of `air_model.h`: rounds of sixteen slots at 26 kbit/s both ways. */
#include "air_model.h"

#include <string.h>

enum { BIT_NS = 37760, ANSWER_DELAY_NS = 320900, NEEDS_FIELD_NS = 1000000, ANSWER = 12 };

static uint16_t crc_of(const uint8_t *data, size_t length)
{
    uint16_t crc = 0xFFFF;
    for (size_t i = 0; i < 8 * length; i++) {
        unsigned in = ((unsigned)data[i / 8] >> (i % 8) & 1u) ^ (crc & 1u);
        crc = (uint16_t)(crc >> 1);
        if (in != 0) {
            crc ^= 0x8408;
        }
    }
    return (uint16_t)(0xFFFF ^ crc);
}

/* Bit `at` of a card's number, counted from its low end. The number is kept as it is written, its low end last. */
static unsigned bit_of(const struct card_model *card, unsigned at) { return ((unsigned)card->uid[7 - at / 8] >> (at % 8)) & 1u; }

static bool answers(const struct air_model *air, const struct card_model *card)
{
    if (!card->vicinity || card->state == CARD_UNPOWERED || air->nanoseconds - air->powered_at < NEEDS_FIELD_NS) {
        return false;
    }
    for (unsigned i = 0; i < air->mask_bits; i++) {
        if (bit_of(card, i) != (((unsigned)air->mask[i / 8] >> (i % 8)) & 1u)) {
            return false;
        }
    }
    unsigned slot = 0;
    for (unsigned i = 0; i < 4 && air->mask_bits + i < 64; i++) {
        slot |= bit_of(card, air->mask_bits + i) << i;
    }
    return slot == air->slot;
}

static void open_slot(struct air_model *air, struct heard *heard)
{
    air_count(air);
    for (size_t c = 0; c < air->count; c++) {
        uint8_t said[ANSWER] = {0x00, 0x00}, bits[8 * ANSWER];
        if (!answers(air, &air->cards[c])) {
            continue;
        }
        for (int i = 0; i < 8; i++) {
            said[2 + i] = air->cards[c].uid[7 - i];
        }
        uint16_t crc = crc_of(said, ANSWER - 2);
        said[10] = (uint8_t)crc;
        said[11] = (uint8_t)(crc >> 8);
        for (size_t i = 0; i < 8 * ANSWER; i++) {
            bits[i] = said[i / 8] >> (i % 8) & 1;
        }
        air_hear(heard, bits, 8 * ANSWER);
    }
    if (heard->count > 0) {
        air->nanoseconds += ANSWER_DELAY_NS + (heard->count + 8) * BIT_NS;
    }
    air_noise(air, heard);
}

void air_vicinity(struct air_model *air, const uint8_t *bytes, size_t count, struct heard *heard)
{
    memset(heard, 0, sizeof *heard);
    air->nanoseconds += (8 * count + 4) * BIT_NS;
    air->in_round = false;
    if (!air->field || air->antenna_dead || count < 5 || crc_of(bytes, count - 2) != (bytes[count - 2] | bytes[count - 1] << 8)) {
        return;
    }
    size_t mask_bytes = (bytes[2] + 7u) / 8;
    if (bytes[0] != 0x06 || bytes[1] != 0x01 || mask_bytes > sizeof air->mask || count != 5 + mask_bytes) {
        return;
    }
    memcpy(air->mask, bytes + 3, mask_bytes);
    air->mask_bits = bytes[2];
    air->slot = 0;
    air->in_round = true;
    open_slot(air, heard);
}

void air_next_slot(struct air_model *air, struct heard *heard)
{
    memset(heard, 0, sizeof *heard);
    air->nanoseconds += 2 * BIT_NS;
    if (air->field && !air->antenna_dead && air->in_round && air->slot < 15) {
        air->slot++;
        open_slot(air, heard);
    }
}
