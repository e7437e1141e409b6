#include "servo.h"

static bool is_place(uint16_t pulse) { return pulse >= SERVO_LEAST && pulse <= SERVO_MOST; }

bool servo_fits(const struct servo_places *places)
{
    return is_place(places->locked) && is_place(places->open) && places->locked != places->open;
}

static void move(struct servo *servo, bool open, uint32_t now)
{
    servo->open = open;
    servo->hindered = false;
    servo->moving = true;
    servo->since = now;
}

void servo_start(struct servo *servo, const struct servo_places *places, uint32_t now)
{
    *servo = (struct servo){.places = *places, .fitted = servo_fits(places)};
    move(servo, false, now);
}

static bool moves(const struct servo *servo, uint32_t now) { return servo->moving && now - servo->since < SERVO_MOVES; }

void servo_to(struct servo *servo, bool open, bool clear, uint32_t now)
{
    bool comes_down = !servo->open && moves(servo, now);
    if (comes_down && !clear) {
        servo->hindered = true;
    }
    if (open) {
        if (!servo->open && !comes_down) {
            move(servo, true, now);
        }
    } else if (clear && (servo->open || (servo->hindered && !comes_down))) {
        move(servo, false, now);
    }
}

uint16_t servo_pulse(struct servo *servo, uint32_t now)
{
    servo->moving = moves(servo, now); /* a clock that wraps must not begin it anew */
    if (!servo->fitted || !servo->moving) {
        return 0;
    }
    return servo->open ? servo->places.open : servo->places.locked;
}
