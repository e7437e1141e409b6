/* What the port calls of the Pico SDK's <hardware/uart.h>, declared as the SDK declares it; it does nothing. */
#ifndef STUB_HARDWARE_UART_H
#define STUB_HARDWARE_UART_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct uart_inst uart_inst_t;
#define uart0 ((uart_inst_t *)0)
static inline unsigned uart_init(uart_inst_t *uart, unsigned baud) { return (void)uart, baud; }
static inline bool uart_is_readable(uart_inst_t *uart) { return (void)uart, false; }
static inline bool uart_is_writable(uart_inst_t *uart) { return (void)uart, false; }
static inline char uart_getc(uart_inst_t *uart) { return (void)uart, 0; }
static inline void uart_putc_raw(uart_inst_t *uart, char byte) { (void)uart, (void)byte; }
static inline void uart_set_irq_enables(uart_inst_t *uart, bool received, bool sent) { (void)uart, (void)received, (void)sent; }

#endif
