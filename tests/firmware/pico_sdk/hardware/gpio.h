/* What the port calls of the Pico SDK's <hardware/gpio.h>, declared as the SDK declares it; it does nothing. */
#ifndef STUB_HARDWARE_GPIO_H
#define STUB_HARDWARE_GPIO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum gpio_function { GPIO_FUNC_SPI = 1, GPIO_FUNC_UART = 2, GPIO_FUNC_I2C = 3 };
static inline void gpio_init(unsigned line) { (void)line; }
static inline void gpio_set_dir(unsigned line, bool out) { (void)line, (void)out; }
static inline void gpio_pull_up(unsigned line) { (void)line; }
static inline bool gpio_get(unsigned line) { return line != 0; }
static inline void gpio_put(unsigned line, bool level) { (void)line, (void)level; }
static inline void gpio_set_function(unsigned line, enum gpio_function function) { (void)line, (void)function; }

#endif
