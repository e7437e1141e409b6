/* One reader chip on SPI, whose antenna goes through an analogue switch of sixteen ways. */
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

static struct chip_bus bus;
static struct finder finder;
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
    reader_chip_start(0, &bus, &finder);
    for (uint8_t zone = 0; zone < zones; zone++) {
        list[zone].bus = &bus;
        list[zone].finder = &finder;
        list[zone].multiplexer = &multiplexer;
        list[zone].channel = WAY_OF[zone];
    }
}
