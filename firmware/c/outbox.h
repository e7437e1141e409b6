/* The events that the host does not hold yet (PROTOCOL.md, section 4), in memory that outlives a loss of power.

   The storage holds two head records, written in turn, and a ring of slots. Each slot has a number that only grows, so a
   slot belongs to the ring if its number is the one due at its place; a checksum says that it was written whole. */
#ifndef OUTBOX_H
#define OUTBOX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifndef OUTBOX_CAPACITY
#define OUTBOX_CAPACITY 256
#endif

enum { BOOT_ID_SIZE = 8, EVENT_MAX = 128 };

struct event {
    uint32_t number;
    uint32_t sequence;
    uint8_t boot_id[BOOT_ID_SIZE];
    uint8_t length;
    uint8_t message[EVENT_MAX];
    uint32_t checksum;
};

_Static_assert(OUTBOX_CAPACITY >= 64, "the protocol asks for 64 events at least");

enum { OUTBOX_STORAGE = 2 * 12 + OUTBOX_CAPACITY * sizeof(struct event) }; /* bytes of the board's storage */

void outbox_start(void);
size_t outbox_count(void);
bool outbox_full(void);
bool outbox_all_sent(void);
/* Keeps an event; it is safe when this returns. False: no room, or longer than EVENT_MAX. */
bool outbox_append(const uint8_t boot_id[BOOT_ID_SIZE], uint32_t sequence, const uint8_t *message, size_t length);
/* A session begins: everything counts as unsent. */
void outbox_begin(void);
/* Forgets this event and all before it; nothing if it is not kept. */
void outbox_forget_through(const uint8_t *boot_id, uint32_t sequence);
/* The message to send now, which counts as sent; NULL: none. */
const struct event *outbox_next(size_t window);

#endif
