/* What the reader's board of a Pico calls of the SDK, for a desk: `pico_models.c` has it. */
#ifndef HARDWARE_GPIO_H
#define HARDWARE_GPIO_H

#include <stdbool.h>

void gpio_put(unsigned line, bool level);

#endif
