/* One reader chip for several antennas, or several chips at one address: what stands between, and the way through it. */
#ifndef MULTIPLEXER_H
#define MULTIPLEXER_H

#include "chip_bus.h"

struct multiplexer {
    const struct chip_bus *bus;
    uint8_t address; /* of a TCA9548A on I2C, 0x70 to 0x77; 0: an analogue switch, moved by the board's pins */
};

enum way {
    WAY_OPEN,
    WAY_HELD,   /* the multiplexer answers, but not with this channel open: somebody behind it holds the bus */
    WAY_SILENT, /* it does not answer, or not as told */
};

/* Opens the way to one channel and shuts all others. The field must be off. A bus that the channel before has left hanging is freed
   first, so that one dead channel costs no other. */
enum way multiplexer_choose(const struct multiplexer *multiplexer, uint8_t channel);

#endif
