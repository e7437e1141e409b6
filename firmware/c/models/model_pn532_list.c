#include "model_pn532_list.h"

#include <string.h>

enum { LEVELS = 3, LEVEL_BITS = 40, CASCADE_TAG = 0x88, SAK_CASCADE = 0x04 };

static size_t spread(const uint8_t *bytes, size_t count, uint8_t *bits)
{
    for (size_t i = 0; i < count; i++) {
        bits[i] = bytes[i / 8] >> (i % 8) & 1;
    }
    return count;
}

static void gather(const struct heard *heard, uint8_t *bytes, size_t count)
{
    memset(bytes, 0, (count + 7) / 8);
    for (size_t i = 0; i < count; i++) {
        bytes[i / 8] = (uint8_t)(bytes[i / 8] | heard->bits[i] << (i % 8));
    }
}

static void say(struct air_model *air, const uint8_t *bytes, size_t count, bool crc, struct heard *heard)
{
    uint8_t frame[MODEL_BITS / 8] = {0}, bits[MODEL_BITS];
    memcpy(frame, bytes, (count + 7) / 8);
    if (crc) {
        uint16_t sum = air_crc_a(bytes, count / 8);
        frame[count / 8] = (uint8_t)sum;
        frame[count / 8 + 1] = (uint8_t)(sum >> 8);
        count += 16;
    }
    air_type_a(air, bits, spread(frame, count, bits), heard);
}

/* All bits of one cascade level. Of cards that differ it follows those that say 1. */
static bool resolve(struct air_model *air, uint8_t select, uint8_t level[LEVEL_BITS / 8])
{
    size_t known = 0;
    memset(level, 0, LEVEL_BITS / 8);
    while (known < LEVEL_BITS) {
        uint8_t frame[2 + LEVEL_BITS / 8] = {select, (uint8_t)((2 + known / 8) << 4 | known % 8)};
        struct heard heard;
        memcpy(frame + 2, level, LEVEL_BITS / 8);
        say(air, frame, 16 + known, false, &heard);
        if (heard.count == 0 || heard.torn || known + heard.count != LEVEL_BITS) {
            return false;
        }
        size_t sure = heard.collision < heard.count ? heard.collision + 1 : heard.count;
        for (size_t i = 0; i < sure; i++, known++) {
            level[known / 8] = (uint8_t)(level[known / 8] | heard.bits[i] << (known % 8));
        }
    }
    return (level[0] ^ level[1] ^ level[2] ^ level[3]) == level[4];
}

static bool select_card(struct air_model *air, uint8_t select, const uint8_t level[LEVEL_BITS / 8], uint8_t *sak)
{
    uint8_t frame[2 + LEVEL_BITS / 8] = {select, 0x70}, said[3];
    struct heard heard;
    memcpy(frame + 2, level, LEVEL_BITS / 8);
    say(air, frame, 8 * sizeof frame, true, &heard);
    if (heard.count != 24 || heard.torn || heard.collision < heard.count) {
        return false;
    }
    gather(&heard, said, 24);
    *sak = said[0];
    return air_crc_a(said, 1) == (said[1] | said[2] << 8);
}

size_t model_pn532_find(struct air_model *air, uint8_t *entry)
{
    static const uint8_t request = 0x26, selects[LEVELS] = {0x93, 0x95, 0x97};
    struct heard heard;
    uint8_t level[LEVEL_BITS / 8], sak = 0, number[MODEL_UID];
    size_t length = 0;
    say(air, &request, 7, false, &heard);
    if (heard.count != 16 || heard.torn) {
        return 0;
    }
    gather(&heard, entry + 1, 16);
    for (size_t i = 0; i < LEVELS; i++) {
        if (!resolve(air, selects[i], level) || !select_card(air, selects[i], level, &sak)) {
            return 0;
        }
        bool more = (sak & SAK_CASCADE) != 0;
        if (more && level[0] != CASCADE_TAG) {
            return 0;
        }
        memcpy(number + length, level + more, 4u - more);
        length += 4u - more;
        if (!more) {
            entry[0] = 1;
            entry[3] = sak;
            entry[4] = (uint8_t)length;
            memcpy(entry + 5, number, length);
            return 5 + length;
        }
    }
    return 0;
}

void model_pn532_halt(struct air_model *air)
{
    static const uint8_t halt[2] = {0x50, 0x00};
    struct heard heard;
    say(air, halt, 16, true, &heard);
}
