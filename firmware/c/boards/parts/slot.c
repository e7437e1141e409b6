#include "slot.h"

#include <string.h>

void slot_start(struct slot *slot, bool broken, uint32_t now) { *slot = (struct slot){.broken = broken, .since = now}; }

static void stop(struct slot *slot, enum slot_is why);

/* The last places are for a fault and its end. A card for which there is none was forced past the locked gate: it is told as a jam,
   or the count would be wrong and nobody would know. */
static void tell(struct slot *slot, enum slot_is is)
{
    if (slot->waiting >= SLOT_WAITING_MAX - 2 && (is == SLOT_CARD || is == SLOT_SHUFFLED)) {
        stop(slot, SLOT_JAM_BEGAN);
        return;
    }
    if (slot->waiting == SLOT_WAITING_MAX) {
        return;
    }
    struct slot_told *told = &slot->told[(slot->first + slot->waiting++) % SLOT_WAITING_MAX];
    *told = (struct slot_told){.is = is};
    if (is == SLOT_CARD && slot->seen == 1 && !slot->doubled) {
        told->card = slot->card;
    }
}

static void forget_card(struct slot *slot, uint32_t now)
{
    slot->seen = 0;
    slot->ended = now;
    slot->any_left = true;
}

static void beam_is_whole(struct slot *slot, uint32_t now)
{
    if (now - slot->since < SLOT_SPARK) {
        return;
    }
    tell(slot, SLOT_CARD);
    forget_card(slot, now);
}

static void stop(struct slot *slot, enum slot_is why)
{
    if (slot->stopped) {
        return;
    }
    slot->stopped = true;
    slot->doubled = why == SLOT_DOUBLE;
    tell(slot, why);
}

/* True: it has just been pressed. */
static bool pressed(struct slot_key *key, bool level, uint32_t now)
{
    if (level != key->level) {
        key->level = level;
        key->since = now;
    }
    if (key->believed == level || now - key->since < SLOT_KEY_SETTLES) {
        return false;
    }
    key->believed = level;
    return level;
}

void slot_look(struct slot *slot, bool broken, bool clear_key, bool shuffled_key, uint32_t now)
{
    if (broken != slot->broken) {
        if (!broken) {
            beam_is_whole(slot, now);
        }
        slot->broken = broken;
        slot->since = now;
    }
    if (broken && now - slot->since >= SLOT_JAM) {
        stop(slot, SLOT_JAM_BEGAN);
    }
    if (pressed(&slot->clear, clear_key, now) && slot->stopped && !broken) {
        slot->stopped = slot->doubled = false;
        forget_card(slot, now);
        tell(slot, SLOT_CLEARED);
    }
    if (pressed(&slot->shuffled, shuffled_key, now) && !slot->stopped && !broken) {
        forget_card(slot, now);
        tell(slot, SLOT_SHUFFLED);
    }
}

/* A scan that was under way as the card before left has seen that card. */
void slot_read(struct slot *slot, const struct card_number *card, uint32_t began)
{
    if (slot->any_left && (int32_t)(began - slot->ended) < 0) {
        return;
    }
    if (slot->seen == 0) {
        slot->card = *card;
        slot->seen = 1;
        return;
    }
    if (card->length == slot->card.length && memcmp(card->bytes, slot->card.bytes, sizeof card->bytes) == 0) {
        return;
    }
    slot->seen = 2;
    stop(slot, SLOT_DOUBLE);
}

struct slot_told slot_next(struct slot *slot)
{
    if (slot->waiting == 0) {
        return (struct slot_told){.is = SLOT_NOTHING};
    }
    struct slot_told told = slot->told[slot->first];
    slot->first = (uint8_t)((slot->first + 1) % SLOT_WAITING_MAX);
    slot->waiting--;
    return told;
}

bool slot_holds(const struct slot *slot) { return slot->stopped || slot->waiting >= SLOT_WAITING_MAX / 2; }

bool slot_free(const struct slot *slot) { return !slot->broken; }
