/* The half of an emulated board that is the same on each processor: key, serial number and what outlives the power are files of the
   PC that emulates (semihosting), and so is chance; the fingers come as lines (`press NAME`, `switch on|off`). On a board of metal
   these are a page of flash, an FRAM, a generator and pins. */
#include "bare.h"
#include "board.h"
#include "outbox.h"

#include <string.h>

/* What libsodium calls where it is used as it must not be. */
_Noreturn void sodium_misuse(void);
_Noreturn void sodium_misuse(void) { bare_stuck(); }

/* ---- the PC's files */

enum { OPEN = 1, CLOSE_FILE = 2, WRITE = 5, READ = 6, SEEK = 10 };
enum { READ_BINARY = 1, UPDATE_BINARY = 3, CREATE_BINARY = 7 };

static int open_file(const char *name, uint32_t mode)
{
    return bare_semihosting(OPEN, (const uint32_t[]){(uint32_t)name, mode, strlen(name)});
}

/* How many bytes were not read, or not written. */
static size_t move(int what, int file, const void *data, size_t length)
{
    return (size_t)bare_semihosting(what, (const uint32_t[]){(uint32_t)file, (uint32_t)data, length});
}

static void seek(int file, uint32_t at) { bare_semihosting(SEEK, (const uint32_t[]){(uint32_t)file, at}); }

static size_t read_file(const char *name, void *data, size_t length)
{
    int file = open_file(name, READ_BINARY);
    if (file < 0) {
        return 0;
    }
    size_t left = move(READ, file, data, length);
    bare_semihosting(CLOSE_FILE, (const uint32_t[]){(uint32_t)file});
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
        bare_stuck(); /* no session without chance */
    }
}

const uint8_t *board_key(void) { return key; }

const char *board_serial(void) { return serial; }

/* ---- the fingers */

static bool testing;

const char *board_happened(void)
{
    static char line[40];
    static size_t length;
    int value;
    while ((value = bare_finger()) >= 0) {
        if (value != '\n') {
            line[length] = (char)value;
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

void board_identify(void) {}

bool board_powered(void) { return true; }

void board_start(int count, char **arguments)
{
    (void)count;
    (void)arguments;
    bare_start();
    chance = open_file("/dev/urandom", READ_BINARY);
    if (read_file("key", key, sizeof key) != sizeof key || read_file("serial", serial, sizeof serial - 1) == 0) {
        bare_stuck(); /* it was never given a key: without one it is no device */
    }
    serial[strcspn(serial, "\n")] = 0;
    start_storage();
}
