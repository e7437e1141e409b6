/* What the port calls of the Pico SDK's <hardware/watchdog.h>, declared as the SDK declares it; it does nothing. */
#ifndef STUB_HARDWARE_WATCHDOG_H
#define STUB_HARDWARE_WATCHDOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

static inline void watchdog_enable(uint32_t milliseconds, bool pause) { (void)milliseconds, (void)pause; }
static inline void watchdog_update(void) {}

#endif
