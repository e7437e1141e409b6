/* A bare RISC-V: the FE310 of SiFive as QEMU has it (`sifive_e`, RV32IMAC), without an operating system. A port to read, and to run.

   UART 0 is the wire, UART 1 the fingers; `bare/board.c` has the rest. */
#include "bare.h"
#include "board.h"

#include <string.h>

int main(int count, char **arguments);

/* ---- the processor */

extern uint32_t data_in_flash[], data_begin[], data_end[], bss_begin[], bss_end[];

void bare_stuck(void)
{
    for (;;) {
    }
}

static volatile uint32_t milliseconds;

/* Registers of control are an extension of their own for the compiler; each processor here has them. */
#define CONTROL ".option arch, +zicsr\n\t"

/* The clock counts ten million a second, in two words. The time of the next tick is another two words. */
enum { CLOCK = 10000000, TICKS = 1000, CLOCK_S_INTERRUPT = 1 << 7, INTERRUPTS = 1 << 3 };
static volatile uint32_t *const now = (volatile uint32_t *)0x0200BFF8;
static volatile uint32_t *const next_tick = (volatile uint32_t *)0x02004000;
static uint64_t next;

static uint64_t clock_now(void)
{
    for (;;) {
        uint32_t high = now[1], low = now[0];
        if (high == now[1]) { /* else the low word has run over meanwhile */
            return (uint64_t)high << 32 | low;
        }
    }
}

static void ask_for_next_tick(void)
{
    next += CLOCK / TICKS;
    next_tick[1] = UINT32_MAX; /* no tick between the two words */
    next_tick[0] = (uint32_t)next;
    next_tick[1] = (uint32_t)(next >> 32);
}

__attribute__((interrupt("machine"), aligned(4))) static void trap(void)
{
    uint32_t cause;
    __asm__ volatile(CONTROL "csrr %0, mcause" : "=r"(cause));
    if (cause != (UINT32_C(1) << 31 | 7)) {
        bare_stuck(); /* no interrupt of the clock: the program did what it must not */
    }
    milliseconds++;
    ask_for_next_tick();
}

static void start_ticking(void)
{
    next = clock_now();
    ask_for_next_tick();
    __asm__ volatile(CONTROL "csrw mtvec, %0" : : "r"(trap));
    __asm__ volatile(CONTROL "csrs mie, %0" : : "r"(CLOCK_S_INTERRUPT));
    __asm__ volatile(CONTROL "csrs mstatus, %0" : : "r"(INTERRUPTS));
}

__attribute__((used)) static void reset(void)
{
    memcpy(data_begin, data_in_flash, (size_t)((char *)data_end - (char *)data_begin));
    memset(bss_begin, 0, (size_t)((char *)bss_end - (char *)bss_begin));
    main(0, NULL);
    bare_stuck();
}

/* A RISC-V begins without a stack. */
__attribute__((naked, section(".start"), used)) void start(void);
void start(void) { __asm__ volatile("la sp, stack_top\n\tj reset"); }

uint32_t board_milliseconds(void) { return milliseconds; }

/* The three instructions that an emulator takes for a question: none of them in two bytes, all in one page. */
__attribute__((noinline, aligned(16))) int bare_semihosting(int what, const uint32_t *with)
{
    register int a0 __asm__("a0") = what;
    register const uint32_t *a1 __asm__("a1") = with;
    __asm__ volatile(".option push\n\t.option norvc\n\t.balign 16\n\t"
                     "slli x0, x0, 0x1f\n\tebreak\n\tsrai x0, x0, 7\n\t.option pop"
                     : "+r"(a0)
                     : "r"(a1)
                     : "memory");
    return a0;
}

/* ---- the wires */

struct uart {
    uint32_t send, receive, sender, receiver, interrupt, pending, divider;
};
enum { ON = 1 };
static const uint32_t NOT_NOW = UINT32_C(1) << 31; /* nothing received, or no room to send */

static volatile struct uart *const wire = (volatile struct uart *)0x10013000;
static volatile struct uart *const fingers = (volatile struct uart *)0x10023000;

static void start_uart(volatile struct uart *uart)
{
    uart->divider = 138; /* of 16 MHz: 115,200 baud */
    uart->sender = ON;
    uart->receiver = ON;
}

static int received(volatile struct uart *uart)
{
    uint32_t value = uart->receive;
    return (value & NOT_NOW) != 0 ? -1 : (int)(value & 0xFF);
}

size_t board_read(uint8_t *data, size_t capacity)
{
    size_t count = 0;
    int value;
    while (count < capacity && (value = received(wire)) >= 0) {
        data[count++] = (uint8_t)value;
    }
    if (count == 0) {
        __asm__ volatile("wfi"); /* at most until the next tick */
    }
    return count;
}

size_t board_write(const uint8_t *data, size_t length)
{
    size_t count = 0;
    while (count < length && (wire->send & NOT_NOW) == 0) {
        wire->send = data[count++];
    }
    return count;
}

int bare_finger(void) { return received(fingers); }

/* ---- lamp and gate: lines 19 and 21 */

enum { LAMP = 1 << 19, GATE = 1 << 21 };

static volatile uint32_t *const lines_driven = (volatile uint32_t *)0x10012008;
static volatile uint32_t *const lines = (volatile uint32_t *)0x1001200C;

static void set(uint32_t line, bool on) { *lines = on ? *lines | line : *lines & ~line; }

void board_fault_lamp(bool on) { set(LAMP, on); }

void board_gate(bool locked) { set(GATE, locked); }

void bare_start(void)
{
    start_ticking();
    start_uart(wire);
    start_uart(fingers);
    *lines_driven = LAMP | GATE;
}
