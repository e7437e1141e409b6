/* A button box: role `keys` (MESSAGES.md). What each button says is in the table: yours. */
#include "board.h"
#include "main.h"
#include "outbox.h"

#include <string.h>

/* The board's name of a button, the event that a press is, and one more key of it: a text or, without one, a number. */
static const struct button {
    const char *name;
    const char *event;
    const char *key;
    const char *text;
    uint64_t number;
} BUTTONS[] = {
    {"deal", "deal_start", NULL, NULL, 0},    {"floor", "floor_called", "by", "dealer", 0},
    {"seat1", "seat_away", "seat", NULL, 1},  {"seat2", "seat_away", "seat", NULL, 2},
    {"seat3", "seat_away", "seat", NULL, 3},  {"seat4", "seat_away", "seat", NULL, 4},
    {"seat5", "seat_away", "seat", NULL, 5},  {"seat6", "seat_away", "seat", NULL, 6},
    {"seat7", "seat_away", "seat", NULL, 7},  {"seat8", "seat_away", "seat", NULL, 8},
    {"seat9", "seat_away", "seat", NULL, 9},  {"seat10", "seat_away", "seat", NULL, 10},
};

static bool testing;

static void start(void) { testing = board_test_switch(); /* it was not turned: that is state, and no event */ }

static void say(const struct button *button)
{
    struct cbor_out *out = wire_event();
    cbor_put_map(out, button->key == NULL ? 1 : 2);
    cbor_put_text(out, "ev");
    cbor_put_text(out, button->event);
    if (button->key != NULL) {
        cbor_put_text(out, button->key);
        if (button->text != NULL) {
            cbor_put_text(out, button->text);
        } else {
            cbor_put_uint(out, button->number);
        }
    }
    wire_emit();
}

static void look_at_switch(void)
{
    if (board_test_switch() == testing) {
        return;
    }
    struct cbor_out *out = wire_event();
    cbor_put_map(out, 2);
    cbor_put_text(out, "ev");
    cbor_put_text(out, "test_mode");
    cbor_put_text(out, "on");
    cbor_put_bool(out, !testing);
    if (wire_emit()) {
        testing = !testing;
    }
}

static void poll_keys(void)
{
    board_fault_lamp(outbox_refuses());
    look_at_switch();
    if (outbox_refuses()) {
        return; /* nothing is asked of the buttons: a press now would be lost */
    }
    const char *name = board_happened();
    for (size_t i = 0; name != NULL && i < sizeof BUTTONS / sizeof BUTTONS[0]; i++) {
        if (strcmp(name, BUTTONS[i].name) == 0) {
            say(&BUTTONS[i]);
        }
    }
}

static void state_of_keys(struct cbor_out *out)
{
    cbor_put_map(out, 1);
    cbor_put_text(out, "testing");
    cbor_put_bool(out, testing);
}

static void no_post(const char *name, size_t length, struct cbor_in args)
{
    (void)name;
    (void)length;
    (void)args;
}

const struct role the_role = {"keys", "feltd-c 1.0", start, state_of_keys, no_post, poll_keys, NULL, NULL};
