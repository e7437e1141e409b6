/* The gate of a shoe as a servo and a bar: which pulse its signal carries, and when none. It knows no pins and no clock.

   A servo is told where to go by a pulse each 20 ms, and goes there at its own pace. It gets pulses for as long as it may take to get there, and none
   afterwards: one that is held against something gets hot, hums, and at last burns out. It keeps its place by its gears then. */
#ifndef SERVO_H
#define SERVO_H

#include <stdbool.h>
#include <stdint.h>

/* Microseconds: what no servo is told to go beyond, and how often. Milliseconds: a movement. A servo of this size takes 150 to 200 for a
   right angle. */
enum { SERVO_LEAST = 500, SERVO_MOST = 2500, SERVO_PERIOD = 20000, SERVO_MOVES = 500 };

/* The pulses of its two places, in microseconds, as the maker has found them with the bar in the shoe. */
struct servo_places {
    uint16_t locked, open;
};

struct servo {
    struct servo_places places;
    bool fitted, open, moving, hindered;
    uint32_t since; /* when it began to move */
};

/* Whether these are two places that a servo may be told to go to. */
bool servo_fits(const struct servo_places *places);
/* Power-up: it is moved to where it locks, wherever it was. Without two places there is none. */
void servo_start(struct servo *servo, const struct servo_places *places, uint32_t now);
/* Where it is to be. `clear`: nothing lies under the bar. It opens at any time, but lets a bar that comes down get there first; it locks
   only where nothing lies there, and once more where something came under the bar while it moved. */
void servo_to(struct servo *servo, bool open, bool clear, uint32_t now);
/* The pulse that its signal carries now, in microseconds; 0: none. */
uint16_t servo_pulse(struct servo *servo, uint32_t now);

#endif
