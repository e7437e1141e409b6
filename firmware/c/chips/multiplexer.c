#include "multiplexer.h"

enum { SWITCH_SETTLES = 50, CHANNELS = 8 }; /* microseconds, until an analogue switch has closed; ways of a TCA9548A */

bool multiplexer_choose(const struct multiplexer *multiplexer, uint8_t channel)
{
    const struct chip_bus *bus = multiplexer->bus;
    if (multiplexer->address == 0) {
        bus->choose(bus->board, channel);
        bus_wait(bus, SWITCH_SETTLES);
        return true;
    }
    uint8_t wanted = (uint8_t)(1u << channel % CHANNELS), is = 0;
    return channel < CHANNELS && bus->i2c(bus->board, multiplexer->address, &wanted, 1, NULL, 0) &&
           bus->i2c(bus->board, multiplexer->address, NULL, 0, &is, 1) && is == wanted;
}
