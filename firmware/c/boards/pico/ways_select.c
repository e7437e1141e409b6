/* A reader chip for each zone on SPI, each with its own coil. All share the bus; the switch of sixteen ways leads the one select line to the
   chip whose turn it is, and the others are pulled up. Only signals of 3.3 volts pass it. */
#include "board_pico.h"
#include "reader_chip.h"
#include "reader_ways.h"

#include "../parts/pins.h"

#include <hardware/gpio.h>

enum { WAYS = 4 }; /* lines of the switch */

#define WAY(place, way, pin) [place] = (way),
static const uint8_t WAY_OF[] = {READER_ANTENNAS(WAY)};
#undef WAY
_Static_assert(sizeof WAY_OF >= ZONES_MAX && READER_CHIPS >= (int)ZONES_MAX, "a zone has no way of the switch, or no chip");

static struct chip_bus bus;
static struct finder finders[READER_CHIPS];
static const struct multiplexer multiplexer = {.bus = &bus};

static void choose(void *board, uint8_t channel)
{
    (void)board;
    for (unsigned way = 0; way < WAYS; way++) {
        gpio_put(READER_WAY_0 + way, (channel >> way & 1) != 0);
    }
}

void reader_ways_start(struct antenna *list, uint8_t zones)
{
    for (unsigned way = 0; way < WAYS; way++) {
        pico_output(READER_WAY_0 + way, false);
    }
    bus = pico_chip_bus(choose);
    bus.reset = NULL; /* the line is one for all chips: one that is dead would take the others' work away in each round */
    for (uint8_t zone = 0; zone < zones; zone++) {
        reader_chip_start(zone, &bus, &finders[zone]);
        list[zone].bus = &bus;
        list[zone].finder = &finders[zone];
        list[zone].multiplexer = &multiplexer;
        list[zone].channel = WAY_OF[zone];
    }
}
