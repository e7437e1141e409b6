/* A board on a desk: standard input and output as the wire, a pipe for fingers and cards, files for what outlives the power.

   Arguments: the folder with `key`, `serial` and `storage`, and the pipe. Lines on it: `press WHAT`, `switch on|off`, those
   of `antennas_pty.h`, `wear` (the storage forgets from now on what is written), `cut N` (the power goes when so many more
   bytes are written to it), `off`. */
#define _POSIX_C_SOURCE 200809L

#include "antennas_pty.h"
#include "board.h"
#include "outbox.h"

#include <fcntl.h>
#include <poll.h>
#include <sodium.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { WAIT_MS = 5, PIECE = 64 };

static uint8_t key[32];
static char serial[33];
static int storage = -1, controls = -1;
static bool powered = true, testing, worn;
static uint32_t started;
static long until_cut = -1; /* bytes; below zero: the power stays */
static char line[80], said[80];

static void die(const char *what)
{
    static const char end[] = " cannot be read: see firmware/README.md\n";
    if (write(STDERR_FILENO, what, strlen(what)) >= 0 && write(STDERR_FILENO, end, sizeof end - 1) >= 0) {
        _exit(2);
    }
    _exit(3);
}

static int open_at(int folder, const char *name, int flags)
{
    int file = openat(folder, name, flags, 0600);
    if (file < 0) {
        die(name);
    }
    return file;
}

void board_start(int count, char **arguments)
{
    if (count != 3) {
        die("folder and pipe");
    }
    if (sodium_init() < 0) {
        die("the system's source of chance");
    }
    int folder = open_at(AT_FDCWD, arguments[1], O_RDONLY | O_DIRECTORY);
    int file = open_at(folder, "key", O_RDONLY);
    if (read(file, key, sizeof key) != (ssize_t)sizeof key) {
        die("key");
    }
    close(file);
    file = open_at(folder, "serial", O_RDONLY);
    if (read(file, serial, sizeof serial - 1) < 1) {
        die("serial");
    }
    close(file);
    serial[strcspn(serial, "\n")] = 0;
    started = board_milliseconds();
    storage = open_at(folder, "storage", O_RDWR | O_CREAT);
    if (ftruncate(storage, OUTBOX_STORAGE) != 0) {
        die("storage");
    }
    antennas_desk_start(folder);
    controls = open_at(AT_FDCWD, arguments[2], O_RDONLY);
    close(folder);
}

const uint8_t *board_key(void) { return key; }

const char *board_serial(void) { return serial; }

bool board_powered(void) { return powered; }

uint32_t board_milliseconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint32_t)now.tv_sec * 1000u + (uint32_t)(now.tv_nsec / 1000000) - started;
}

void board_random(uint8_t *data, size_t length) { randombytes_buf(data, length); }

/* Reads the controls one byte at a time, and no further than the line that says what happened. */
static void control(char value)
{
    static size_t length;
    if (value != '\n') {
        if (length < sizeof line - 1) {
            line[length++] = value;
        }
        return;
    }
    line[length] = 0;
    length = 0;
    if (strncmp(line, "press ", 6) == 0) {
        memcpy(said, line + 6, sizeof line - 6);
    } else if (strncmp(line, "switch ", 7) == 0) {
        testing = strcmp(line + 7, "on") == 0;
    } else if (strcmp(line, "wear") == 0) {
        worn = true;
    } else if (strncmp(line, "cut ", 4) == 0) {
        until_cut = strtol(line + 4, NULL, 10);
    } else if (strcmp(line, "off") == 0) {
        powered = false;
    } else if (!antennas_control(line)) {
        die(line);
    }
}

size_t board_read(uint8_t *data, size_t capacity)
{
    struct pollfd ready[2] = {{STDIN_FILENO, POLLIN, 0}, {controls, POLLIN, 0}};
    if (poll(ready, said[0] == 0 ? 2 : 1, WAIT_MS) <= 0) {
        return 0;
    }
    char value;
    while (said[0] == 0 && powered && (ready[1].revents & (POLLIN | POLLHUP)) != 0) {
        if (read(controls, &value, 1) != 1) {
            powered = false; /* whoever held the other end is gone */
            break;
        }
        control(value);
        if (poll(&ready[1], 1, 0) <= 0) {
            break;
        }
    }
    if ((ready[0].revents & POLLIN) == 0) {
        powered = powered && ready[0].revents == 0; /* the wire itself is gone */
        return 0;
    }
    ssize_t count = read(STDIN_FILENO, data, capacity);
    return count > 0 ? (size_t)count : 0;
}

size_t board_write(const uint8_t *data, size_t length)
{
    size_t sent = 0;
    struct pollfd ready = {STDOUT_FILENO, POLLOUT, 0};
    while (sent < length && poll(&ready, 1, 0) > 0 && (ready.revents & POLLOUT) != 0) {
        ssize_t count = write(STDOUT_FILENO, data + sent, length - sent < PIECE ? length - sent : PIECE);
        if (count <= 0) {
            break;
        }
        sent += (size_t)count;
    }
    return sent;
}

void board_storage_read(uint32_t at, void *data, size_t length)
{
    if (pread(storage, data, length, (off_t)at) != (ssize_t)length) {
        die("storage");
    }
}

void board_storage_write(uint32_t at, const void *data, size_t length)
{
    if (worn) {
        return;
    }
    size_t whole = until_cut >= 0 && (size_t)until_cut < length ? (size_t)until_cut : length;
    if (pwrite(storage, data, whole, (off_t)at) != (ssize_t)whole) {
        die("storage");
    }
    if (whole < length) {
        _exit(0);
    }
    until_cut -= until_cut >= 0 ? (long)length : 0;
}

const char *board_happened(void)
{
    static char told[sizeof said];
    if (said[0] == 0) {
        return antennas_happened();
    }
    memcpy(told, said, sizeof told);
    said[0] = 0;
    return told;
}

bool board_test_switch(void) { return testing; }

void board_fault_lamp(bool on) { (void)on; }

void board_identify(void) {}

void board_gate(bool locked) { antennas_gate(locked); }
