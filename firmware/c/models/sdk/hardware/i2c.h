/* The second I2C of a Pico, for a desk: `pico_models_tca9548a.c` has it. */
#ifndef HARDWARE_I2C_H
#define HARDWARE_I2C_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct i2c_inst i2c_inst_t;
#define i2c1 ((i2c_inst_t *)NULL)
enum { PICO_ERROR_GENERIC = -1 };

unsigned i2c_init(i2c_inst_t *bus, unsigned hertz);
int i2c_write_timeout_us(i2c_inst_t *bus, uint8_t address, const uint8_t *from, size_t length, bool nostop, unsigned within);
int i2c_read_timeout_us(i2c_inst_t *bus, uint8_t address, uint8_t *into, size_t length, bool nostop, unsigned within);

#endif
