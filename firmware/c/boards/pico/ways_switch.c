/* The switch of sixteen ways, on SPI. By the build it leads the carrier of one reader chip to an antenna; or the select line to one of several
   chips, each of which has its own coil (`READER_SELECTED`): the others are pulled up, and only signals of 3.3 volts pass it. */
#include "board_pico.h"
#include "reader_chip.h"
#include "reader_ways.h"

#include "../parts/pins.h"

#include <hardware/gpio.h>

enum { WAYS = 4 }; /* lines of the switch */

#define WAY(place, way, pin) [place] = (way),
static const uint8_t WAY_OF[] = {READER_ANTENNAS(WAY)};
#undef WAY
_Static_assert(sizeof WAY_OF >= ZONES_MAX, "a zone has no way of the switch");
_Static_assert(READER_CHIPS == 1 || READER_CHIPS >= (int)ZONES_MAX, "a zone has no chip");

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
    if (READER_CHIPS > 1) {
        bus.reset = NULL; /* the line is one for all chips: one that is dead would take the others' work away in each round */
    }
    for (unsigned chip = 0; chip < READER_CHIPS && (chip == 0 || chip < zones); chip++) {
        reader_chip_start(chip, &bus, &finders[chip]);
    }
    for (uint8_t zone = 0; zone < zones; zone++) {
        list[zone].bus = &bus;
        list[zone].finder = &finders[zone % READER_CHIPS];
        list[zone].multiplexer = &multiplexer;
        list[zone].channel = WAY_OF[zone];
    }
}
