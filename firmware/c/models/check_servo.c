/* Drives the gate of a shoe from parts by lines from standard input; its servo is a model that gets the pulses.

   start LOCKED OPEN   power-up with these pulses, in microseconds; the servo stays where it was
   gate 0|1            1: the host wants it open
   card 0|1            1: a card lies under the bar
   wait N              milliseconds
   look                where the servo is, whether it is driven, and how long it was driven against a card in a row at most */
#include "../boards/parts/servo.h"
#include "model_servo.h"

#include <stdio.h>
#include <string.h>

enum { PERIOD_MS = SERVO_PERIOD / 1000, HALF_WAY = 1500 };

static struct servo servo;
static struct model_servo model = {.place = HALF_WAY};
static uint32_t now = UINT32_MAX - 700, hottest; /* the clock wraps within each test */
static bool wants_open, card;

static void pass(unsigned milliseconds)
{
    for (unsigned i = 0; i < milliseconds; i++) {
        servo_to(&servo, wants_open, !card, ++now);
        uint16_t pulse = servo_pulse(&servo, now);
        if (now % PERIOD_MS == 0) {
            model_servo_period(&model, pulse);
            hottest = model.hot > hottest ? model.hot : hottest;
        }
    }
}

static bool obey(const char *line)
{
    char what[12];
    unsigned number = 0, other = 0;
    int words = sscanf(line, "%11s %u %u", what, &number, &other);
    if (words == 3 && strcmp(what, "start") == 0) {
        servo_start(&servo, &(struct servo_places){(uint16_t)number, (uint16_t)other}, now);
    } else if (words == 2 && strcmp(what, "gate") == 0) {
        wants_open = number != 0;
    } else if (words == 2 && strcmp(what, "card") == 0) {
        card = number != 0;
        model.blocked_at = card ? HALF_WAY : 0;
    } else if (words == 2 && strcmp(what, "wait") == 0) {
        pass(number);
    } else if (words == 1 && strcmp(what, "look") == 0) {
        printf("%d %s %u\n", model.place, model.driven ? "driven" : "free", (unsigned)hottest);
    } else {
        return false;
    }
    return true;
}

int main(void)
{
    char line[80];
    while (fgets(line, sizeof line, stdin) != NULL) {
        if (!obey(line)) {
            fprintf(stderr, "check_servo: not understood: %s", line);
            return 2;
        }
        fflush(stdout);
    }
    return 0;
}
