/* The seam between a driver of a reader chip and the board that the chip sits on. A board fills in what its wiring has; the
   rest stays NULL. Nothing here knows a chip. */
#ifndef CHIP_BUS_H
#define CHIP_BUS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct chip_bus {
    void *board; /* handed back with each call */
    /* SPI, mode 0, the most significant bit first: select, both ways at once, deselect. `in` may be NULL. */
    void (*spi)(void *board, const uint8_t *out, uint8_t *in, size_t length);
    /* I2C: write, then read after a repeated start; either length may be 0. False: nobody has acknowledged. */
    bool (*i2c)(void *board, uint8_t address, const uint8_t *out, size_t out_length, uint8_t *in, size_t in_length);
    /* UART: all of it goes out; what has come is taken, at most `capacity`, without waiting. */
    void (*uart_write)(void *board, const uint8_t *data, size_t length);
    size_t (*uart_read)(void *board, uint8_t *data, size_t capacity);
    void (*reset)(void *board, bool held);
    bool (*irq)(void *board);  /* whether the chip's interrupt pin is at its active level */
    /* I2C, where somebody holds a line: clocks until the data line is let go, then resets the multiplexer by its
       pin, which shuts all channels. NULL: no such lines. */
    void (*free_lines)(void *board);
    void (*choose)(void *board, uint8_t channel); /* the pins of an analogue switch between chip and antennas */
    bool (*busy)(void *board); /* the BUSY pin of a chip that has one */
    uint32_t (*microseconds)(void *board); /* may wrap, must not stop */
};

static inline uint32_t bus_now(const struct chip_bus *bus) { return bus->microseconds(bus->board); }

static inline void bus_wait(const struct chip_bus *bus, uint32_t microseconds)
{
    uint32_t from = bus_now(bus);
    while (bus_now(bus) - from < microseconds) {
    }
}

#endif
