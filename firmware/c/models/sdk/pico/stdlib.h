/* A Pico's clock, for a desk: `pico_models_tca9548a.c` has it. */
#ifndef PICO_STDLIB_H
#define PICO_STDLIB_H

#include <stdint.h>

uint32_t time_us_32(void);

#endif
