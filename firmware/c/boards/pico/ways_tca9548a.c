/* A reader chip for each zone, each with its own coil, all at one address on I2C behind a TCA9548A. They hang on I2C 1: a chip that holds
   that bus takes nothing from the FRAM, which is on the other. */
#include "board_pico.h"
#include "reader_chip.h"
#include "reader_ways.h"

#include "../parts/pins.h"

#include <hardware/gpio.h>
#include <hardware/i2c.h>
#include <pico/stdlib.h>

enum { HERTZ = 400000, ADDRESS = 0x70 /* A0, A1 and A2 at ground */ };
enum { BEGINS_WITHIN = 1000, BYTE_WITHIN = 200 }; /* microseconds: a chip may hold the clock, and must not hold the loop */
enum { HALF_CLOCK = 5, FREES_AFTER = 9 }; /* microseconds; clocks: a byte and its acknowledgement (NXP UM10204, 3.1.16) */

#define CHANNEL(place, channel, data, clock) [place] = (channel),
static const uint8_t CHANNEL_OF[] = {TCA9548A_CHANNELS(CHANNEL)};
#undef CHANNEL
_Static_assert(sizeof CHANNEL_OF == READER_CHIPS, "a channel has no chip");

static struct chip_bus bus;
static struct finder finders[READER_CHIPS];
static const struct multiplexer multiplexer = {.bus = &bus, .address = ADDRESS};

static unsigned within(size_t length) { return BEGINS_WITHIN + BYTE_WITHIN * (unsigned)length; }

static bool transfer(void *board, uint8_t address, const uint8_t *out, size_t out_length, uint8_t *in, size_t in_length)
{
    (void)board;
    bool reads = in_length > 0;
    if (out_length > 0 && i2c_write_timeout_us(i2c1, address, out, out_length, reads, within(out_length)) != (int)out_length) {
        return false;
    }
    return !reads || i2c_read_timeout_us(i2c1, address, in, in_length, false, within(in_length)) == (int)in_length;
}

static uint32_t microseconds(void *board)
{
    (void)board;
    return time_us_32();
}

static void start_bus(void)
{
    (void)i2c_init(i2c1, HERTZ);
    gpio_set_function(TCA_SDA, GPIO_FUNC_I2C);
    gpio_set_function(TCA_SCL, GPIO_FUNC_I2C);
    gpio_pull_up(TCA_SDA);
    gpio_pull_up(TCA_SCL);
}

/* A line of I2C by hand: pulled down, or let go. */
static void pull(unsigned line, bool down)
{
    gpio_put(line, false);
    gpio_set_dir(line, down);
    bus_wait(&bus, HALF_CLOCK);
}

static void free_lines(void *board)
{
    (void)board;
    pico_input(TCA_SDA);
    pico_input(TCA_SCL);
    for (int i = 0; i < FREES_AFTER && pico_is_low(TCA_SDA); i++) {
        pull(TCA_SCL, true);
        pull(TCA_SCL, false);
    }
    pull(TCA_SCL, true); /* a stop: whoever has been freed waits for a start from now on */
    pull(TCA_SDA, true);
    pull(TCA_SCL, false);
    pull(TCA_SDA, false);
    gpio_put(TCA_RESET, false);
    bus_wait(&bus, HALF_CLOCK);
    gpio_put(TCA_RESET, true);
    bus_wait(&bus, HALF_CLOCK);
    start_bus();
}

/* A zone beyond the eighth has no channel, and counts as one whose multiplexer is silent. */
void reader_ways_start(struct antenna *list, uint8_t zones)
{
    pico_output(TCA_RESET, true);
    start_bus();
    bus = (struct chip_bus){.i2c = transfer, .free_lines = free_lines, .microseconds = microseconds};
    for (unsigned place = 0; place < READER_CHIPS; place++) {
        reader_chip_start(place, &bus, &finders[place]);
    }
    for (uint8_t zone = 0; zone < zones; zone++) {
        list[zone].bus = &bus;
        list[zone].finder = &finders[zone % READER_CHIPS];
        list[zone].multiplexer = &multiplexer;
        list[zone].channel = zone < READER_CHIPS ? CHANNEL_OF[zone] : READER_CHIPS;
    }
}
