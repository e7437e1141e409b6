#include "multiplexer.h"

enum { SWITCH_SETTLES = 50, CHANNELS = 8 }; /* microseconds, until an analogue switch has closed; ways of a TCA9548A */

/* Its one register: a bit a channel, which counts once the transfer has stopped. Read back, or a channel that pulls the bus down would
   pass for one that is open. */
static enum way open_only(const struct multiplexer *multiplexer, uint8_t channel)
{
    const struct chip_bus *bus = multiplexer->bus;
    uint8_t wanted = (uint8_t)(1u << channel), is = 0;
    if (!bus->i2c(bus->board, multiplexer->address, &wanted, 1, NULL, 0)) {
        return WAY_SILENT;
    }
    if (!bus->i2c(bus->board, multiplexer->address, NULL, 0, &is, 1)) {
        return WAY_HELD;
    }
    return is == wanted ? WAY_OPEN : WAY_SILENT;
}

static void free_lines(const struct chip_bus *bus)
{
    if (bus->free_lines != NULL) {
        bus->free_lines(bus->board);
    }
}

enum way multiplexer_choose(const struct multiplexer *multiplexer, uint8_t channel)
{
    const struct chip_bus *bus = multiplexer->bus;
    if (multiplexer->address == 0) {
        bus->choose(bus->board, channel);
        bus_wait(bus, SWITCH_SETTLES);
        return WAY_OPEN;
    }
    if (channel >= CHANNELS) {
        return WAY_SILENT;
    }
    if (open_only(multiplexer, channel) == WAY_OPEN) {
        return WAY_OPEN;
    }
    free_lines(bus); /* the channel before held it; or this one's chip was in the midst of a byte, and the clocks have ended it */
    enum way way = open_only(multiplexer, channel);
    if (way != WAY_OPEN) {
        free_lines(bus);
    }
    return way;
}
