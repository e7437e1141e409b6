#include "outbox.h"

#include "board.h"
#include "frames.h"

#include <string.h>

struct head {
    uint32_t turn;  /* of two records the one with the later turn holds */
    uint32_t first; /* number of the oldest event kept */
    uint32_t checksum;
};

_Static_assert(sizeof(struct head) == 12, "the storage's layout");

static struct event ring[OUTBOX_CAPACITY];
static struct head head;
static uint32_t next; /* number of the next event */
static size_t sent;

static uint32_t slot_at(uint32_t number)
{
    return (uint32_t)(2 * sizeof head + number % OUTBOX_CAPACITY * sizeof(struct event));
}

static uint32_t checksum_of(const struct event *event)
{
    return crc32((const uint8_t *)event, offsetof(struct event, checksum));
}

static bool read_head(uint32_t place, struct head *found)
{
    board_storage_read(place * (uint32_t)sizeof *found, found, sizeof *found);
    return found->turn != 0 && found->checksum == crc32((const uint8_t *)found, offsetof(struct head, checksum));
}

static void write_head(void)
{
    head.turn++;
    head.checksum = crc32((const uint8_t *)&head, offsetof(struct head, checksum));
    board_storage_write(head.turn % 2 * (uint32_t)sizeof head, &head, sizeof head);
}

void outbox_start(void)
{
    struct head other;
    memset(ring, 0, sizeof ring);
    sent = 0;
    bool have_first = read_head(0, &head), have_second = read_head(1, &other);
    if (have_second && (!have_first || other.turn > head.turn)) {
        head = other;
    }
    if (!have_first && !have_second) {
        head = (struct head){0, 1, 0};
        write_head();
    }
    for (next = head.first; next - head.first < OUTBOX_CAPACITY; next++) {
        struct event *event = &ring[next % OUTBOX_CAPACITY];
        board_storage_read(slot_at(next), event, sizeof *event);
        if (event->number != next || event->length > EVENT_MAX || event->checksum != checksum_of(event)) {
            break;
        }
    }
    /* Should a slot have gone bad in the middle, those behind it must not come to life again when `next` gets there. */
    for (uint32_t later = next + 1; later - head.first < OUTBOX_CAPACITY; later++) {
        struct event *event = &ring[later % OUTBOX_CAPACITY];
        board_storage_read(slot_at(later), event, sizeof *event);
        if (event->number == later) {
            memset(event, 0, sizeof *event);
            board_storage_write(slot_at(later), event, sizeof *event);
        }
    }
}

size_t outbox_count(void) { return next - head.first; }

bool outbox_full(void) { return outbox_count() >= OUTBOX_CAPACITY; }

bool outbox_all_sent(void) { return sent == outbox_count(); }

bool outbox_append(const uint8_t boot_id[BOOT_ID_SIZE], uint32_t sequence, const uint8_t *message, size_t length)
{
    if (outbox_full() || length > EVENT_MAX) {
        return false;
    }
    struct event *event = &ring[next % OUTBOX_CAPACITY];
    memset(event, 0, sizeof *event);
    event->number = next;
    event->sequence = sequence;
    memcpy(event->boot_id, boot_id, BOOT_ID_SIZE);
    event->length = (uint8_t)length;
    memcpy(event->message, message, length);
    event->checksum = checksum_of(event);
    board_storage_write(slot_at(next), event, sizeof *event);
    next++;
    return true;
}

void outbox_begin(void) { sent = 0; }

void outbox_forget_through(const uint8_t *boot_id, uint32_t sequence)
{
    for (uint32_t number = head.first; number != next; number++) {
        const struct event *event = &ring[number % OUTBOX_CAPACITY];
        if (event->sequence == sequence && memcmp(event->boot_id, boot_id, BOOT_ID_SIZE) == 0) {
            size_t count = number + 1 - head.first;
            sent = sent > count ? sent - count : 0;
            head.first = number + 1;
            write_head();
            return;
        }
    }
}

const struct event *outbox_next(size_t window)
{
    if (sent >= window || sent >= outbox_count()) {
        return NULL;
    }
    return &ring[(head.first + sent++) % OUTBOX_CAPACITY];
}
