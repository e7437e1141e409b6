/* The air over one antenna, and the ISO/IEC 14443-3 type A cards in it, as a reader chip's receiver hears them: every card
   answers in Manchester code at the same time, and where they say different bits, both are heard at once.

   What no such model shows: how strong a card's answer is beside another's (a near card drowns a far one, and no collision is
   heard), when a card under others gets too little power (a test says so), detuning by metal and hands, noise of displays and supplies, and what a copy of a chip does otherwise. */
#ifndef AIR_MODEL_H
#define AIR_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { MODEL_CARDS = 24, MODEL_UID = 10, MODEL_BITS = 160 };

enum card_state { CARD_UNPOWERED, CARD_IDLE, CARD_READY, CARD_ACTIVE, CARD_HALT };

struct card_model {
    uint8_t uid[MODEL_UID], uid_length;
    bool vicinity; /* ISO/IEC 15693 */
    bool random;   /* throws its number each time the field comes */
    bool was_halted; /* READY and ACTIVE fall back to HALT */
    enum card_state state;
    uint8_t level; /* the cascade level that comes next */
    bool dull;     /* it gets too little power, as under another card */
    unsigned every, fields; /* of so many fields one feeds it; 0: none does */
};

struct air_model {
    uint64_t nanoseconds; /* the one clock of chip, air and cards */
    bool field;
    uint64_t powered_at, unpowered_at;
    struct card_model cards[MODEL_CARDS];
    size_t count;
    /* Faults that a test sets. */
    bool antenna_dead;
    unsigned torn_each;    /* of so many answers one has a bit that is noise; 0: none */
    unsigned lift_after;   /* frames until the card at 0 is lifted; 0: it stays */
    unsigned cut_after;    /* frames until the chip's power blinks; 0: it stays */
    bool cut;              /* it has: the chip's model starts anew */
    unsigned silent_halts; /* so many HLTA are not heard */
    unsigned exchanges, collisions; /* what has passed */
    /* The ISO/IEC 15693 round that runs: its mask, the slot that is open. */
    uint8_t mask[8], mask_bits, slot;
    bool in_round;
    uint32_t chance;
};

/* What the receiver hears. */
struct heard {
    uint8_t bits[MODEL_BITS]; /* each 0 or 1; a collided one is 1, as both halves of its time are modulated */
    size_t count;
    size_t collision; /* the first collided bit; `count`: none */
    bool torn;        /* a parity or framing that is wrong */
};

void air_field(struct air_model *air, bool on);
bool air_lay(struct air_model *air, const char *uid, bool vicinity);
bool air_take(struct air_model *air, const char *uid);
bool air_dull(struct air_model *air, const char *uid, bool dull, unsigned every);
/* A type A frame, bits least significant first, and what comes back. Time passes. `count` 0: silence. */
void air_type_a(struct air_model *air, const uint8_t *bits, size_t count, struct heard *heard);
/* An ISO/IEC 15693 request, its checksum with it, as whole bytes; and an EOF alone, which opens the next slot. */
void air_vicinity(struct air_model *air, const uint8_t *bytes, size_t count, struct heard *heard);
void air_next_slot(struct air_model *air, struct heard *heard);
/* Adds a card's answer to what others say at the same time. */
void air_hear(struct heard *heard, const uint8_t *answer, size_t length);
uint32_t air_chance(struct air_model *air);
uint16_t air_crc_a(const uint8_t *data, size_t length);
/* One card of a pile has been lifted if its frame has come; and noise, if it is time for it. */
void air_count(struct air_model *air);
void air_noise(struct air_model *air, struct heard *heard);

#endif
