/* A bare Cortex-M: the board MPS2 as QEMU has it (`mps2-an386`), without an operating system. A port to read, and to run.

   UART 0 is the wire, UART 1 the fingers; `bare/board.c` has the rest. */
#include "bare.h"
#include "board.h"

#include <string.h>

int main(int count, char **arguments);

/* ---- the processor */

extern uint32_t data_in_flash[], data_begin[], data_end[], bss_begin[], bss_end[], stack_top[];

static volatile uint32_t milliseconds;

static void tick(void) { milliseconds++; }

void bare_stuck(void)
{
    for (;;) {
    }
}

static void stuck(void) { bare_stuck(); }

static void reset(void)
{
    memcpy(data_begin, data_in_flash, (size_t)((char *)data_end - (char *)data_begin));
    memset(bss_begin, 0, (size_t)((char *)bss_end - (char *)bss_begin));
    main(0, NULL);
    bare_stuck();
}

typedef void (*vector)(void);

__attribute__((section(".vectors"), used)) static const struct {
    uint32_t *stack;
    vector handlers[15];
} vectors = {stack_top, {[0] = reset, [1] = stuck, [2] = stuck, [3] = stuck, [4] = stuck, [5] = stuck, [14] = tick}};

enum { CLOCK = 25000000, TICKS = 1000 };

static void start_ticking(void)
{
    volatile uint32_t *systick = (volatile uint32_t *)0xE000E010;
    systick[1] = CLOCK / TICKS - 1;
    systick[2] = 0;
    systick[0] = 7; /* the processor's clock, with its interrupt, on */
}

uint32_t board_milliseconds(void) { return milliseconds; }

int bare_semihosting(int what, const uint32_t *with)
{
    register int r0 __asm__("r0") = what;
    register const uint32_t *r1 __asm__("r1") = with;
    __asm__ volatile("bkpt 0xAB" : "+r"(r0) : "r"(r1) : "memory");
    return r0;
}

/* ---- the wires */

struct uart {
    uint32_t data, state, control, interrupt, divider;
};
enum { SENDING = 1, RECEIVED = 2 };

static volatile struct uart *const wire = (volatile struct uart *)0x40004000;
static volatile struct uart *const fingers = (volatile struct uart *)0x40005000;

static void start_uart(volatile struct uart *uart)
{
    uart->divider = CLOCK / 115200;
    uart->control = 3;
}

size_t board_read(uint8_t *data, size_t capacity)
{
    size_t count = 0;
    while (count < capacity && (wire->state & RECEIVED) != 0) {
        data[count++] = (uint8_t)wire->data;
    }
    if (count == 0) {
        __asm__ volatile("wfi"); /* at most until the next tick */
    }
    return count;
}

size_t board_write(const uint8_t *data, size_t length)
{
    size_t count = 0;
    while (count < length && (wire->state & SENDING) == 0) {
        wire->data = data[count++];
    }
    return count;
}

int bare_finger(void) { return (fingers->state & RECEIVED) != 0 ? (int)(fingers->data & 0xFF) : -1; }

/* ---- lamp and gate */

void board_fault_lamp(bool on) { *(volatile uint32_t *)0x40028000 = on; }

void board_gate(bool locked) { *(volatile uint32_t *)0x4002800C = locked; }

void bare_start(void)
{
    start_ticking();
    start_uart(wire);
    start_uart(fingers);
}
