/* A modelled chip for each zone of a Pico's reader, behind a modelled TCA9548A: what `ways_tca9548a.c` calls of the SDK moves its lines. */
#include "pico_models.h"

#include "../boards/parts/pins.h"
#include "../boards/pico/board_pico.h"

#include <hardware/gpio.h>
#include <hardware/i2c.h>
#include <pico/stdlib.h>

#include <string.h>

#ifndef READER_WIRING
#define READER_WIRING "mfrc522-tca"
#endif

enum { REGISTER_MAX = 32 };

const char pico_models_wiring[] = READER_WIRING;
const uint8_t pico_models_zones = MODEL_TCA9548A_CHANNELS;
static uint8_t said[REGISTER_MAX]; /* what was written before a repeated start */
static size_t said_length;
static bool clock_down;

unsigned i2c_init(i2c_inst_t *bus, unsigned hertz)
{
    (void)bus;
    return hertz;
}

void gpio_set_function(unsigned line, unsigned function) { (void)line, (void)function; }

void gpio_pull_up(unsigned line) { (void)line; }

void gpio_put(unsigned line, bool level)
{
    if (line == TCA_RESET && !level) {
        model_tca9548a_reset(table_model_tca());
    }
}

/* A line of I2C by hand: the clock that is let go is a pulse. */
void gpio_set_dir(unsigned line, bool out)
{
    if (line == TCA_SCL && clock_down && !out) {
        model_tca9548a_clock(table_model_tca());
    }
    clock_down = line == TCA_SCL ? out : clock_down;
}

bool pico_is_low(unsigned line) { return line == TCA_SDA && !model_tca9548a_data(table_model_tca()); }

uint32_t time_us_32(void) { return pico_models_clock(); }

int i2c_write_timeout_us(i2c_inst_t *bus, uint8_t address, const uint8_t *from, size_t length, bool nostop, unsigned within)
{
    (void)bus, (void)within;
    if (nostop && length <= sizeof said) {
        memcpy(said, from, length);
        said_length = length;
        return (int)length;
    }
    return pico_models_bus.i2c(pico_models_bus.board, address, from, length, NULL, 0) ? (int)length : PICO_ERROR_GENERIC;
}

int i2c_read_timeout_us(i2c_inst_t *bus, uint8_t address, uint8_t *into, size_t length, bool nostop, unsigned within)
{
    (void)bus, (void)nostop, (void)within;
    size_t before = said_length;
    said_length = 0;
    return pico_models_bus.i2c(pico_models_bus.board, address, said, before, into, length) ? (int)length : PICO_ERROR_GENERIC;
}
