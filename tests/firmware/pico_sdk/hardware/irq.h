/* What the port calls of the Pico SDK's <hardware/irq.h>, declared as the SDK declares it; it does nothing. */
#ifndef STUB_HARDWARE_IRQ_H
#define STUB_HARDWARE_IRQ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { UART0_IRQ = 20 };
typedef void (*irq_handler_t)(void);
static inline void irq_set_exclusive_handler(unsigned number, irq_handler_t handler) { (void)number, handler(); }
static inline void irq_set_enabled(unsigned number, bool enabled) { (void)number, (void)enabled; }

#endif
