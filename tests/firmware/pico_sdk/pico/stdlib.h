/* What the port calls of the Pico SDK's <pico/stdlib.h>, declared as the SDK declares it; it does nothing. */
#ifndef STUB_PICO_STDLIB_H
#define STUB_PICO_STDLIB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef unsigned int uint;
typedef uint64_t absolute_time_t;
typedef struct repeating_timer {
    int unused;
} repeating_timer_t;
typedef bool (*repeating_timer_callback_t)(repeating_timer_t *);
#define XIP_BASE ((uintptr_t)0x10000000)
#define PICO_FLASH_SIZE_BYTES (2 * 1024 * 1024)
static inline absolute_time_t get_absolute_time(void) { return 0; }
static inline uint32_t to_ms_since_boot(absolute_time_t time) { return (uint32_t)(time / 1000); }
static inline uint32_t time_us_32(void) { return 0; }
static inline void busy_wait_us_32(uint32_t delay) { (void)delay; }
static inline void tight_loop_contents(void) {}
static inline bool add_repeating_timer_ms(int32_t delay, repeating_timer_callback_t callback, void *data, repeating_timer_t *out)
{
    (void)data;
    return delay != 0 && callback(out);
}

#endif
