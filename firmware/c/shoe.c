/* What a shoe says and is told: role `shoe` (MESSAGES.md). The mechanics are the board's: it tells of a card that has left
   ("out As"; "out #04A1B2C3": by its chip's number; "out -": not read), of a shuffle ("shuffled"), of a fault ("jam", "double_feed"), and that all are mended ("cleared"). */
#include "board.h"
#include "main.h"
#include "outbox.h"

#include <string.h>

static bool told_to_lock = true; /* at power-up, before the first post */

enum { KINDS = 2 };
static const char *const KIND[KINDS] = {"jam", "double_feed"};
static bool faulty[KINDS];

static uint8_t faults(void)
{
    uint8_t count = 0;
    for (int i = 0; i < KINDS; i++) {
        count = (uint8_t)(count + faulty[i]);
    }
    return count;
}

static bool is_locked(void) { return told_to_lock || faults() > 0 || outbox_refuses(); }

static void set_gate(void) { board_gate(is_locked()); }

static void put_pair(struct cbor_out *out, const char *name, const char *value)
{
    cbor_put_text(out, name);
    cbor_put_text(out, value);
}

static void start(void) { set_gate(); }

static bool say_fault(const char *event, const char *kind)
{
    struct cbor_out *out = wire_event();
    cbor_put_map(out, 2);
    put_pair(out, "ev", event);
    put_pair(out, "kind", kind);
    return wire_emit();
}

enum { NUMBER_SIZE = 10 };

/* 16: no digit. */
static uint8_t digit(char one)
{
    static const char digits[] = "0123456789ABCDEF";
    const char *at = one != 0 ? strchr(digits, one) : NULL;
    return at == NULL ? 16 : (uint8_t)(at - digits);
}

/* A number that is not whole is none: a card that was not read. */
static void put_number(struct cbor_out *out, const char *digits)
{
    uint8_t number[NUMBER_SIZE];
    size_t length = strlen(digits);
    for (size_t i = 0; i < length && length % 2 == 0 && length <= 2 * sizeof number; i += 2) {
        uint8_t high = digit(digits[i]), low = digit(digits[i + 1]);
        if (high == 16 || low == 16) {
            break;
        }
        number[i / 2] = (uint8_t)(high << 4 | low);
        if (i + 2 == length) {
            cbor_put_bytes(out, number, length / 2);
            return;
        }
    }
    cbor_put_null(out);
}

static void card_out(const char *card)
{
    struct cbor_out *out = wire_event();
    cbor_put_map(out, 3);
    put_pair(out, "ev", "card_out");
    cbor_put_text(out, "card");
    if (strcmp(card, "-") == 0) {
        cbor_put_null(out);
    } else if (card[0] == '#') {
        put_number(out, card + 1);
    } else {
        cbor_put_text(out, card);
    }
    put_pair(out, "face", "down");
    wire_emit();
}

/* A fault begins, or all that stand end: each once. Where there is no room it has not happened, and it is the board's to say it again. */
static void fault(const char *what)
{
    bool ends = strcmp(what, "cleared") == 0;
    for (int i = 0; i < KINDS; i++) {
        if (faulty[i] == ends && (ends || strcmp(what, KIND[i]) == 0) && say_fault(ends ? "cleared" : "fault", KIND[i])) {
            faulty[i] = !ends;
        }
    }
}

static void happened(const char *what)
{
    if (strncmp(what, "out ", 4) == 0) {
        card_out(what + 4);
    } else if (strcmp(what, "shuffled") == 0) {
        struct cbor_out *out = wire_event();
        cbor_put_map(out, 1);
        put_pair(out, "ev", "shuffled");
        wire_emit();
    } else {
        fault(what);
    }
}

static void poll_shoe(void)
{
    board_fault_lamp(outbox_refuses());
    set_gate();
    const char *what = outbox_refuses() ? NULL : board_happened();
    if (what != NULL) {
        happened(what);
    }
}

static void state_of_shoe(struct cbor_out *out)
{
    cbor_put_map(out, 2);
    cbor_put_text(out, "locked");
    cbor_put_bool(out, is_locked());
    cbor_put_text(out, "faults");
    cbor_put_array(out, faults());
    for (int i = 0; i < KINDS; i++) {
        if (faulty[i]) {
            cbor_put_map(out, 1);
            put_pair(out, "kind", KIND[i]);
        }
    }
}

static void post_to_shoe(const char *name, size_t length, struct cbor_in args)
{
    struct cbor_in value;
    bool locked;
    if (length == 4 && memcmp(name, "gate", 4) == 0 && cbor_find_text(args, "locked", &value) &&
        cbor_get_bool(value, &locked)) {
        told_to_lock = locked;
        set_gate();
    }
}

const struct role the_role = {"shoe", "feltd-c 1.0", start, state_of_shoe, post_to_shoe, poll_shoe, NULL, NULL};
