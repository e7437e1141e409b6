/* What the port calls of the Pico SDK's <hardware/spi.h>, declared as the SDK declares it; it does nothing. */
#ifndef STUB_HARDWARE_SPI_H
#define STUB_HARDWARE_SPI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct spi_inst spi_inst_t;
#define spi0 ((spi_inst_t *)0)
static inline unsigned spi_init(spi_inst_t *spi, unsigned hertz) { return (void)spi, hertz; }
static inline int spi_write_blocking(spi_inst_t *spi, const uint8_t *data, size_t length) { return (void)spi, (void)data, (int)length; }
static inline int spi_write_read_blocking(spi_inst_t *spi, const uint8_t *out, uint8_t *in, size_t length)
{
    return (void)spi, (void)out, (void)in, (int)length;
}

#endif
