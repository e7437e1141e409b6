/* A button box: role `keys` (MESSAGES.md). */
#include "board.h"
#include "main.h"
#include "outbox.h"

#include <string.h>

static bool testing;

static bool say(const char *event, const char *name, uint64_t seat)
{
    struct cbor_out *out = wire_event();
    cbor_put_map(out, name == NULL ? 1 : 2);
    cbor_put_text(out, "ev");
    cbor_put_text(out, event);
    if (name != NULL) {
        cbor_put_text(out, name);
        if (seat > 0) {
            cbor_put_uint(out, seat);
        } else {
            cbor_put_text(out, "dealer");
        }
    }
    return wire_emit();
}

static void pressed(const char *button)
{
    if (strcmp(button, "deal") == 0) {
        say("deal_start", NULL, 0);
    } else if (strcmp(button, "floor") == 0) {
        say("floor_called", "by", 0);
    } else if (strncmp(button, "seat", 4) == 0 && button[4] >= '1' && button[4] <= '9') {
        say("seat_away", "seat", button[5] == '0' ? 10 : (uint64_t)(button[4] - '0'));
    }
}

static void poll_keys(void)
{
    board_fault_lamp(outbox_full());
    if (outbox_full()) {
        return; /* nothing is asked of the buttons: a press now would be lost */
    }
    if (board_test_switch() != testing) {
        struct cbor_out *out = wire_event();
        cbor_put_map(out, 2);
        cbor_put_text(out, "ev");
        cbor_put_text(out, "test_mode");
        cbor_put_text(out, "on");
        cbor_put_bool(out, !testing);
        if (!wire_emit()) {
            return;
        }
        testing = !testing;
    }
    const char *button = outbox_full() ? NULL : board_happened();
    if (button != NULL) {
        pressed(button);
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

const struct role the_role = {"keys", "feltd-c 1.0", state_of_keys, no_post, poll_keys};
