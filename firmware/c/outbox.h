/* The events that the host does not hold yet (PROTOCOL.md, section 4), in memory that outlives a loss of power.

   The storage holds two head records, written in turn, and a ring of slots; the processor's own memory holds one event.
   Each slot has a number that only grows, so a slot belongs to the ring if its number is the one due at its place; a
   checksum says that it was written whole. */
#ifndef OUTBOX_H
#define OUTBOX_H

#include "messages.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifndef OUTBOX_CAPACITY
#define OUTBOX_CAPACITY 1024
#endif

enum { EVENT_MAX = 128 };

struct event {
    uint32_t number;
    uint32_t sequence;
    uint8_t boot_id[BOOT_ID_SIZE];
    uint8_t length;
    uint8_t message[EVENT_MAX + 3]; /* to the next multiple of four: no bytes between that nobody set */
    uint32_t checksum;
};

struct outbox_head {
    uint32_t turn;  /* of the two records the one with the later turn holds */
    uint32_t first; /* number of the oldest event kept */
    uint32_t capacity;
    uint32_t checksum;
};

/* The last event that was acknowledged, of which nothing else is kept. */
struct outbox_acknowledged {
    uint32_t turn; /* as a head record's */
    uint32_t sequence;
    uint8_t boot_id[BOOT_ID_SIZE];
    uint32_t checksum;
};

_Static_assert(OUTBOX_CAPACITY >= 64, "the protocol asks for 64 events at least");
_Static_assert(sizeof(struct event) == 152 && sizeof(struct outbox_head) == 16 &&
                   sizeof(struct outbox_acknowledged) == 20, "the storage's layout has no gaps");

/* Bytes: both head records, the slots, and both records of what was acknowledged. */
enum { OUTBOX_ACKNOWLEDGED = 2 * sizeof(struct outbox_head) + OUTBOX_CAPACITY * sizeof(struct event) };
enum { OUTBOX_STORAGE = OUTBOX_ACKNOWLEDGED + 2 * sizeof(struct outbox_acknowledged) };

void outbox_start(void);
size_t outbox_count(void);
/* Whether nothing more can be kept: stop what makes events. It is full, or the storage forgets what is written. */
bool outbox_refuses(void);
/* Why, or what was found damaged at the start; NULL: all is well. */
const char *outbox_note(void);
bool outbox_all_sent(void);
/* Keeps an event; it is safe when this returns. False: it is not kept, for one of those reasons or as too long. */
bool outbox_append(const uint8_t boot_id[BOOT_ID_SIZE], uint32_t sequence, const uint8_t *message, size_t length);
/* A session begins: everything counts as unsent. */
void outbox_begin(void);
/* Forgets this event and all before it; nothing if it is not kept. */
void outbox_forget_through(const uint8_t *boot_id, uint32_t sequence);
/* Whether this event is kept. */
bool outbox_keeps(const uint8_t *boot_id, uint32_t sequence);
/* The last event that was acknowledged; NULL: none is remembered. */
const struct outbox_acknowledged *outbox_acknowledged(void);
/* The oldest event kept, not counted as sent; NULL: none. It stands until the next call of the outbox. */
const struct event *outbox_oldest(void);
/* The event to send now, which counts as sent; NULL: none. It stands until the next call of the outbox. */
const struct event *outbox_next(size_t window);

#endif
