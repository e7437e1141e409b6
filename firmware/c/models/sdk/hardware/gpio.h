/* What the reader's board of a Pico calls of the SDK, for a desk: `pico_models_switch.c` and `pico_models_tca9548a.c` have it. */
#ifndef HARDWARE_GPIO_H
#define HARDWARE_GPIO_H

#include <stdbool.h>

enum { GPIO_FUNC_I2C = 3 };

void gpio_put(unsigned line, bool level);
void gpio_set_dir(unsigned line, bool out);
void gpio_set_function(unsigned line, unsigned function);
void gpio_pull_up(unsigned line);

#endif
