/* What the port calls of the Pico SDK's <hardware/i2c.h>, declared as the SDK declares it; it does nothing. */
#ifndef STUB_HARDWARE_I2C_H
#define STUB_HARDWARE_I2C_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct i2c_inst i2c_inst_t;
#define i2c0 ((i2c_inst_t *)0)
static inline unsigned i2c_init(i2c_inst_t *i2c, unsigned hertz) { return (void)i2c, hertz; }
static inline int i2c_write_blocking(i2c_inst_t *i2c, uint8_t address, const uint8_t *data, size_t length, bool goes_on)
{
    return (void)i2c, (void)address, (void)data, (void)goes_on, (int)length;
}
static inline int i2c_read_blocking(i2c_inst_t *i2c, uint8_t address, uint8_t *data, size_t length, bool goes_on)
{
    return (void)i2c, (void)address, (void)data, (void)goes_on, (int)length;
}

#endif
