/* The mouth of a shoe from parts: what its beam, its reader and its two keys say, made into what `shoe.c` asks `board_happened`
   for. It knows no pins, no clock and no cards' names.

   A card that is drawn lies over the slot's antenna first and breaks the beam then. It has left when the beam is whole again. It has
   a number where exactly one chip was read since the card before it had left; else it is a card without a name. */
#ifndef SLOT_H
#define SLOT_H

#include "../../chips/finder.h"

#include <stdbool.h>
#include <stdint.h>

/* Milliseconds. A beam that is broken for less is a spark or a thread: a card of 63 mm, torn out at 5 m/s, breaks it for 12. One that is
   broken for longer than JAM is a card that sticks, or a lamp that has died. */
enum { SLOT_SPARK = 4, SLOT_JAM = 1500, SLOT_KEY_SETTLES = 10, SLOT_WAITING_MAX = 8 };

enum slot_is {
    SLOT_NOTHING,
    SLOT_CARD,        /* a card has left */
    SLOT_SHUFFLED,    /* the dealer says that a shuffled pack is in */
    SLOT_JAM_BEGAN,   /* something has stood in the beam for too long */
    SLOT_DOUBLE,      /* two cards came to the mouth as one: what has left is in doubt */
    SLOT_CLEARED,     /* a person has mended it, and the beam is whole */
};

struct slot_told {
    enum slot_is is;
    struct card_number card; /* of SLOT_CARD; length 0: not read, or not by one number alone */
};

/* A key and how long it has been as it is. */
struct slot_key {
    bool level, believed;
    uint32_t since;
};

struct slot {
    bool broken;    /* the beam, as it was seen last */
    uint32_t since; /* when it became so */
    uint32_t ended; /* when the last card had left */
    bool any_left;  /* whether one has at all */
    bool stopped, doubled;
    uint8_t seen;   /* chips read since then: 0, 1, or 2 for more */
    struct card_number card;
    struct slot_key clear, shuffled;
    uint8_t first, waiting;
    struct slot_told told[SLOT_WAITING_MAX];
};

void slot_start(struct slot *slot, bool broken, uint32_t now);
/* The beam and the keys as they are now. To be called every millisecond or oftener: a shorter break is not seen. */
void slot_look(struct slot *slot, bool broken, bool clear_key, bool shuffled_key, uint32_t now);
/* One number that was read in a scan that began at `began`. */
void slot_read(struct slot *slot, const struct card_number *card, uint32_t began);
/* What has happened next. */
struct slot_told slot_next(struct slot *slot);
/* Whether the gate must be locked whatever the host says: a fault stands, or what happened waits to be taken. */
bool slot_holds(const struct slot *slot);
/* Whether the gate may move: it must not come down on a card. */
bool slot_free(const struct slot *slot);

#endif
