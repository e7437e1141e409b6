/* A bare Cortex-M: the board MPS2 as QEMU has it (`mps2-an386`), without an operating system. A port to read, and to run.

   UART 0 is the wire, UART 1 the fingers (`press NAME`, `switch on|off`). Key, serial number and what outlives the power are files
   of the PC that emulates (semihosting); so is chance. On a board of metal these are a page of flash, an FRAM and a generator. */
#include "board.h"
#include "outbox.h"

#include <string.h>

int main(int count, char **arguments);

/* ---- the processor */

extern uint32_t data_in_flash[], data_begin[], data_end[], bss_begin[], bss_end[], stack_top[];

static volatile uint32_t milliseconds;

static void tick(void) { milliseconds++; }

static void stuck(void)
{
    for (;;) {
    }
}

/* What libsodium calls where it is used as it must not be. */
_Noreturn void sodium_misuse(void);
_Noreturn void sodium_misuse(void)
{
    for (;;) {
    }
}

static void reset(void)
{
    memcpy(data_begin, data_in_flash, (size_t)((char *)data_end - (char *)data_begin));
    memset(bss_begin, 0, (size_t)((char *)bss_end - (char *)bss_begin));
    main(0, NULL);
    stuck();
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

/* ---- the PC's files */

enum { OPEN = 1, CLOSE_FILE = 2, WRITE = 5, READ = 6, SEEK = 10 };
enum { READ_BINARY = 1, UPDATE_BINARY = 3, CREATE_BINARY = 7 };

static int semihosting(int what, const uint32_t *with)
{
    register int r0 __asm__("r0") = what;
    register const uint32_t *r1 __asm__("r1") = with;
    __asm__ volatile("bkpt 0xAB" : "+r"(r0) : "r"(r1) : "memory");
    return r0;
}

static int open_file(const char *name, uint32_t mode)
{
    return semihosting(OPEN, (const uint32_t[]){(uint32_t)name, mode, strlen(name)});
}

/* How many bytes were not read, or not written. */
static size_t move(int what, int file, const void *data, size_t length)
{
    return (size_t)semihosting(what, (const uint32_t[]){(uint32_t)file, (uint32_t)data, length});
}

static void seek(int file, uint32_t at) { semihosting(SEEK, (const uint32_t[]){(uint32_t)file, at}); }

static size_t read_file(const char *name, void *data, size_t length)
{
    int file = open_file(name, READ_BINARY);
    if (file < 0) {
        return 0;
    }
    size_t left = move(READ, file, data, length);
    semihosting(CLOSE_FILE, (const uint32_t[]){(uint32_t)file});
    return length - left;
}

static uint8_t key[32];
static char serial[33];
static int storage = -1;
static int chance = -1;

void board_storage_read(uint32_t at, void *data, size_t length)
{
    seek(storage, at);
    if (move(READ, storage, data, length) != 0) {
        memset(data, 0, length);
    }
}

void board_storage_write(uint32_t at, const void *data, size_t length)
{
    seek(storage, at);
    (void)move(WRITE, storage, data, length); /* the outbox reads it back */
}

static void start_storage(void)
{
    storage = open_file("storage", UPDATE_BINARY);
    if (storage < 0) {
        static const uint8_t nothing[256];
        storage = open_file("storage", CREATE_BINARY);
        for (size_t at = 0; at < OUTBOX_STORAGE; at += sizeof nothing) {
            (void)move(WRITE, storage, nothing, sizeof nothing);
        }
    }
}

void board_random(uint8_t *data, size_t length)
{
    if (move(READ, chance, data, length) != 0) {
        stuck(); /* no session without chance */
    }
}

const uint8_t *board_key(void) { return key; }

const char *board_serial(void) { return serial; }

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

/* ---- the fingers */

static bool testing;

const char *board_happened(void)
{
    static char line[40];
    static size_t length;
    while ((fingers->state & RECEIVED) != 0) {
        char value = (char)fingers->data;
        if (value != '\n') {
            line[length] = value;
            length += length < sizeof line - 1;
            continue;
        }
        line[length] = 0;
        length = 0;
        if (strncmp(line, "press ", 6) == 0) {
            return line + 6;
        }
        if (strncmp(line, "switch ", 7) == 0) {
            testing = strcmp(line + 7, "on") == 0;
        }
    }
    return NULL;
}

bool board_test_switch(void) { return testing; }

void board_fault_lamp(bool on) { *(volatile uint32_t *)0x40028000 = on; }

void board_identify(void) {}

void board_gate(bool locked) { *(volatile uint32_t *)0x4002800C = locked; }

bool board_powered(void) { return true; }

void board_start(int count, char **arguments)
{
    (void)count;
    (void)arguments;
    start_ticking();
    start_uart(wire);
    start_uart(fingers);
    chance = open_file("/dev/urandom", READ_BINARY);
    if (read_file("key", key, sizeof key) != sizeof key || read_file("serial", serial, sizeof serial - 1) == 0) {
        stuck(); /* it was never given a key: without one it is no device */
    }
    serial[strcspn(serial, "\n")] = 0;
    start_storage();
}
