#include "outbox.h"

#include "board.h"
#include "frames.h"

#include <string.h>

enum { READINGS = 3 };

static struct event slot; /* the one looked at */
static struct outbox_head head;
static struct outbox_acknowledged acknowledged; /* its turn is 0 while nothing is remembered */
static uint32_t next; /* number of the next event */
static size_t sent;
static bool damaged; /* something that was kept cannot be read any more */
static bool forgets; /* something written could not be read again */

static uint32_t place_of(uint32_t number)
{
    return (uint32_t)(2 * sizeof head + number % OUTBOX_CAPACITY * sizeof slot);
}

/* Whether this event could be read; it is in `slot` then. Read again where it could not: the bus may have been to blame. */
static bool load(uint32_t number)
{
    for (int reading = 0; reading < READINGS; reading++) {
        board_storage_read(place_of(number), &slot, sizeof slot);
        if (slot.number == number && slot.length <= EVENT_MAX &&
            slot.checksum == crc32((const uint8_t *)&slot, offsetof(struct event, checksum))) {
            return true;
        }
    }
    return false;
}

static bool load_head(uint32_t place, struct outbox_head *found)
{
    for (int reading = 0; reading < READINGS; reading++) {
        board_storage_read(place * (uint32_t)sizeof *found, found, sizeof *found);
        if (found->turn != 0 && found->capacity == OUTBOX_CAPACITY &&
            found->checksum == crc32((const uint8_t *)found, offsetof(struct outbox_head, checksum))) {
            return true;
        }
    }
    return false;
}

static void write_head(void)
{
    head.turn++;
    head.capacity = OUTBOX_CAPACITY;
    head.checksum = crc32((const uint8_t *)&head, offsetof(struct outbox_head, checksum));
    board_storage_write(head.turn % 2 * (uint32_t)sizeof head, &head, sizeof head);
}

static bool load_acknowledged(uint32_t place, struct outbox_acknowledged *found)
{
    for (int reading = 0; reading < READINGS; reading++) {
        board_storage_read(OUTBOX_ACKNOWLEDGED + place * (uint32_t)sizeof *found, found, sizeof *found);
        if (found->turn != 0 &&
            found->checksum == crc32((const uint8_t *)found, offsetof(struct outbox_acknowledged, checksum))) {
            return true;
        }
    }
    return false;
}

/* Before the head record that forgets the event: a power loss between leaves one that is kept and acknowledged. */
static void write_acknowledged(void)
{
    acknowledged.turn++;
    acknowledged.sequence = slot.sequence;
    memcpy(acknowledged.boot_id, slot.boot_id, BOOT_ID_SIZE);
    acknowledged.checksum = crc32((const uint8_t *)&acknowledged, offsetof(struct outbox_acknowledged, checksum));
    board_storage_write(OUTBOX_ACKNOWLEDGED + acknowledged.turn % 2 * (uint32_t)sizeof acknowledged, &acknowledged,
                        sizeof acknowledged);
}

static void start_acknowledged(void)
{
    struct outbox_acknowledged other;
    bool have_first = load_acknowledged(0, &acknowledged), have_second = load_acknowledged(1, &other);
    if (have_second && (!have_first || other.turn > acknowledged.turn)) {
        acknowledged = other;
    } else if (!have_first) {
        memset(&acknowledged, 0, sizeof acknowledged);
    }
}

static bool is_blank(const struct outbox_head *found)
{
    const uint8_t *bytes = (const uint8_t *)found;
    for (size_t i = 1; i < sizeof *found; i++) {
        if (bytes[i] != bytes[0]) {
            return false;
        }
    }
    return bytes[0] == 0 || bytes[0] == 0xFF;
}

/* An empty ring: what the slots hold must not come to life again. */
static void format(void)
{
    memset(&slot, 0, sizeof slot);
    for (uint32_t number = 0; number < OUTBOX_CAPACITY; number++) {
        board_storage_write(place_of(number), &slot, sizeof slot);
    }
    memset(&head, 0, sizeof head);
    head.first = 1;
    write_head();
}

/* The oldest event kept is one that can be read: nobody would ever acknowledge another. */
static void skip_unreadable(void)
{
    uint32_t first = head.first;
    while (head.first != next && !load(head.first)) {
        head.first++;
    }
    if (head.first != first) {
        write_head();
    }
}

void outbox_start(void)
{
    struct outbox_head other;
    sent = 0;
    damaged = forgets = false;
    start_acknowledged();
    bool have_first = load_head(0, &head), have_second = load_head(1, &other);
    if (have_second && (!have_first || other.turn > head.turn)) {
        head = other;
    }
    if (!have_first && !have_second) {
        damaged = !is_blank(&head) || !is_blank(&other);
        format();
    }
    next = head.first;
    for (uint32_t number = head.first; number - head.first < OUTBOX_CAPACITY; number++) {
        if (load(number)) {
            damaged = damaged || number != next; /* the host will name the gap */
            next = number + 1;
        }
    }
    skip_unreadable();
}

size_t outbox_count(void) { return next - head.first; }

static bool is_full(void) { return outbox_count() >= OUTBOX_CAPACITY; }

bool outbox_refuses(void) { return is_full() || forgets; }

const char *outbox_note(void)
{
    if (forgets) {
        return "the memory for events is worn: nothing is taken";
    }
    if (is_full()) {
        return "the store of events is full: nothing is taken";
    }
    return damaged ? "the store of events was damaged: some may be lost" : NULL;
}

bool outbox_all_sent(void) { return sent == outbox_count(); }

bool outbox_append(const uint8_t boot_id[BOOT_ID_SIZE], uint32_t sequence, const uint8_t *message, size_t length)
{
    if (outbox_refuses() || length > EVENT_MAX) {
        return false;
    }
    memset(&slot, 0, sizeof slot);
    slot.number = next;
    slot.sequence = sequence;
    memcpy(slot.boot_id, boot_id, BOOT_ID_SIZE);
    slot.length = (uint8_t)length;
    memcpy(slot.message, message, length);
    slot.checksum = crc32((const uint8_t *)&slot, offsetof(struct event, checksum));
    board_storage_write(place_of(next), &slot, sizeof slot);
    if (!load(next)) {
        forgets = true;
        return false;
    }
    next++;
    return true;
}

void outbox_begin(void) { sent = 0; }

/* Whether this event is kept: `slot` and `*number` are its then. */
static bool find(const uint8_t *boot_id, uint32_t sequence, uint32_t *number)
{
    for (*number = head.first; *number != next; ++*number) {
        if (load(*number) && slot.sequence == sequence && memcmp(slot.boot_id, boot_id, BOOT_ID_SIZE) == 0) {
            return true;
        }
    }
    return false;
}

bool outbox_keeps(const uint8_t *boot_id, uint32_t sequence)
{
    uint32_t number;
    return find(boot_id, sequence, &number);
}

void outbox_forget_through(const uint8_t *boot_id, uint32_t sequence)
{
    uint32_t first = head.first, number;
    if (!find(boot_id, sequence, &number)) {
        return;
    }
    write_acknowledged();
    head.first = number + 1;
    write_head();
    skip_unreadable();
    size_t count = head.first - first;
    sent = sent > count ? sent - count : 0;
}

const struct outbox_acknowledged *outbox_acknowledged(void) { return acknowledged.turn != 0 ? &acknowledged : NULL; }

const struct event *outbox_oldest(void)
{
    skip_unreadable();
    return head.first != next && load(head.first) ? &slot : NULL;
}

const struct event *outbox_next(size_t window)
{
    while (sent < window && sent < outbox_count()) {
        if (load(head.first + (uint32_t)sent++)) {
            return &slot;
        }
        damaged = true;
    }
    return NULL;
}
