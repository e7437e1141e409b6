/* A Raspberry Pi Pico or Pico 2 over their SDK: what the reader's board and the shoe's have in common. Their lines are those of
   `../parts/pins.h`. Both processors' images are built and looked at by a test; none has run on a board. */
#include "board_pico.h"

#include "../../outbox.h"
#include "../parts/pins.h"

#include <hardware/flash.h>
#include <hardware/gpio.h>
#include <hardware/i2c.h>
#include <hardware/irq.h>
#include <hardware/spi.h>
#include <hardware/uart.h>
#include <hardware/watchdog.h>
#include <pico/stdlib.h>

#include <string.h>

/* One file serves both boards only as long as they agree. */
_Static_assert((int)READER_WIRE_TX == (int)SHOE_WIRE_TX && (int)READER_WIRE_RX == (int)SHOE_WIRE_RX, "the wire");
_Static_assert((int)READER_WIRE_TX == (int)TCA_WIRE_TX && (int)READER_WIRE_RX == (int)TCA_WIRE_RX &&
                   (int)READER_FRAM_SDA == (int)TCA_FRAM_SDA && (int)READER_FRAM_SCL == (int)TCA_FRAM_SCL &&
                   (int)READER_FAULT_LAMP == (int)TCA_FAULT_LAMP && (int)READER_TEST_SWITCH == (int)TCA_TEST_SWITCH,
               "a reader with a TCA9548A");
_Static_assert((int)READER_FRAM_SDA == (int)SHOE_FRAM_SDA && (int)READER_FRAM_SCL == (int)SHOE_FRAM_SCL, "the FRAM");
_Static_assert((int)READER_FAULT_LAMP == (int)SHOE_FAULT_LAMP && (int)READER_TEST_SWITCH == (int)SHOE_TEST_SWITCH, "lamp and switch");
_Static_assert((int)READER_SPI_MISO == (int)SHOE_SPI_MISO && (int)READER_SPI_SELECT == (int)SHOE_SPI_SELECT &&
                   (int)READER_SPI_SCK == (int)SHOE_SPI_SCK && (int)READER_SPI_MOSI == (int)SHOE_SPI_MOSI &&
                   (int)READER_CHIP_RESET == (int)SHOE_CHIP_RESET, "the reader chip");

enum { WIRE_BAUD = 115200, FRAM_HERTZ = 400000, CHIP_HERTZ = 4000000, BITES_AFTER = 4000, BLINK_FOR = 3000, BLINK = 125 };

/* ---- settings */

/* The last sector but one: picotool puts a block of its own at the very end of an RP2350's flash (erratum E10), which would erase the
   last one with each new firmware. */
enum { SETTINGS_BEFORE_END = 2 * FLASH_SECTOR_SIZE };
_Static_assert(sizeof(struct pico_settings) <= FLASH_SECTOR_SIZE, "the settings are one sector");
_Static_assert(sizeof(struct pico_settings) == 364 && offsetof(struct pico_settings, zone) == 72 &&
                   offsetof(struct pico_settings, reference) == 220, "as settings.py writes them");

const struct pico_settings *pico_settings(void)
{
    return (const struct pico_settings *)(XIP_BASE + PICO_FLASH_SIZE_BYTES - SETTINGS_BEFORE_END);
}

const uint8_t *board_key(void) { return pico_settings()->key; }

const char *board_serial(void) { return pico_settings()->serial; }

/* ---- lines */

void pico_input(unsigned line)
{
    gpio_init(line);
    gpio_set_dir(line, false);
    gpio_pull_up(line);
}

bool pico_is_low(unsigned line) { return !gpio_get(line); }

void pico_output(unsigned line, bool level)
{
    gpio_init(line);
    gpio_put(line, level); /* before it is an output: no line flickers at power-up */
    gpio_set_dir(line, true);
}

/* ---- time, lamp, watchdog */

static bool fault;
static uint32_t blinks_until;

uint32_t board_milliseconds(void) { return to_ms_since_boot(get_absolute_time()); }

void board_fault_lamp(bool on) { fault = on; }

void board_identify(void) { blinks_until = board_milliseconds() + BLINK_FOR; }

void pico_breathe(void)
{
    uint32_t now = board_milliseconds();
    bool blinks = (int32_t)(blinks_until - now) > 0;
    gpio_put(READER_FAULT_LAMP, blinks ? now / BLINK % 2 == 0 : fault);
    watchdog_update();
}

bool board_powered(void)
{
    pico_breathe();
    pico_role_turn();
    return true;
}

bool board_test_switch(void) { return pico_is_low(READER_TEST_SWITCH); }

/* ---- the wire. A step of a scan takes some milliseconds, and the UART holds 32 bytes: an interrupt takes them out. */

enum { CAME = 1024 };
static volatile uint8_t came[CAME];
static volatile uint32_t came_in, came_out;

static void on_wire(void)
{
    while (uart_is_readable(uart0)) {
        uint8_t byte = (uint8_t)uart_getc(uart0);
        if (came_in - came_out < CAME) { /* else the frame is torn: its checksum says so, and the host sends it again */
            came[came_in % CAME] = byte;
            came_in++;
        }
    }
}

size_t board_read(uint8_t *data, size_t capacity)
{
    size_t count = 0;
    while (count < capacity && came_out != came_in) {
        data[count++] = came[came_out % CAME];
        came_out++;
    }
    return count;
}

size_t board_write(const uint8_t *data, size_t length)
{
    size_t count = 0;
    while (count < length && uart_is_writable(uart0)) {
        uart_putc_raw(uart0, (char)data[count++]);
    }
    return count;
}

static void start_wire(void)
{
    (void)uart_init(uart0, WIRE_BAUD);
    gpio_set_function(READER_WIRE_TX, GPIO_FUNC_UART);
    gpio_set_function(READER_WIRE_RX, GPIO_FUNC_UART);
    irq_set_exclusive_handler(UART0_IRQ, on_wire);
    irq_set_enabled(UART0_IRQ, true);
    uart_set_irq_enables(uart0, true, false);
}

/* ---- storage: FRAM MB85RC256V. A write is done when the bus has acknowledged it. */

enum { FRAM = 0x50, FRAM_SIZE = 32768, CHUNK = 64 };
_Static_assert((int)OUTBOX_STORAGE <= (int)FRAM_SIZE, "build with -DOUTBOX_CAPACITY=200: so many events fit into the FRAM");

void board_storage_read(uint32_t at, void *data, size_t length)
{
    uint8_t address[2] = {(uint8_t)(at >> 8), (uint8_t)at};
    bool there = i2c_write_blocking(i2c0, FRAM, address, sizeof address, true) == (int)sizeof address;
    if (!there || i2c_read_blocking(i2c0, FRAM, data, length, false) != (int)length) {
        memset(data, 0, length); /* the outbox finds it damaged */
    }
}

void board_storage_write(uint32_t at, const void *data, size_t length)
{
    const uint8_t *from = data;
    while (length > 0) {
        uint8_t chunk[2 + CHUNK] = {(uint8_t)(at >> 8), (uint8_t)at};
        size_t part = length < CHUNK ? length : CHUNK;
        memcpy(chunk + 2, from, part);
        (void)i2c_write_blocking(i2c0, FRAM, chunk, 2 + part, false); /* the outbox reads it back */
        at += (uint32_t)part;
        from += part;
        length -= part;
    }
}

static void start_storage(void)
{
    (void)i2c_init(i2c0, FRAM_HERTZ);
    gpio_set_function(READER_FRAM_SDA, GPIO_FUNC_I2C);
    gpio_set_function(READER_FRAM_SCL, GPIO_FUNC_I2C);
    gpio_pull_up(READER_FRAM_SDA);
    gpio_pull_up(READER_FRAM_SCL);
}

/* What libsodium calls where it is used as it must not be: the watchdog ends it. */
_Noreturn void sodium_misuse(void);
_Noreturn void sodium_misuse(void)
{
    for (;;) {
        tight_loop_contents();
    }
}

/* ---- the reader chip */

static void transfer(void *board, const uint8_t *out, uint8_t *in, size_t length)
{
    (void)board;
    gpio_put(READER_SPI_SELECT, false);
    if (in != NULL) {
        (void)spi_write_read_blocking(spi0, out, in, length);
    } else {
        (void)spi_write_blocking(spi0, out, length);
    }
    gpio_put(READER_SPI_SELECT, true);
}

static void reset(void *board, bool held)
{
    (void)board;
    gpio_put(READER_CHIP_RESET, !held);
}

static uint32_t microseconds(void *board)
{
    (void)board;
    return time_us_32();
}

static void start_chip(void)
{
    (void)spi_init(spi0, CHIP_HERTZ);
    gpio_set_function(READER_SPI_MISO, GPIO_FUNC_SPI);
    gpio_set_function(READER_SPI_SCK, GPIO_FUNC_SPI);
    gpio_set_function(READER_SPI_MOSI, GPIO_FUNC_SPI);
    pico_output(READER_SPI_SELECT, true);
    pico_output(READER_CHIP_RESET, true);
}

struct chip_bus pico_chip_bus(void (*choose)(void *board, uint8_t channel))
{
    start_chip();
    return (struct chip_bus){.spi = transfer, .reset = reset, .choose = choose, .microseconds = microseconds};
}

void board_start(int count, char **arguments)
{
    (void)count;
    (void)arguments;
    pico_output(READER_FAULT_LAMP, true); /* until it is known to be well */
    pico_input(READER_TEST_SWITCH);
    while (pico_settings()->mark != SETTINGS_MARK) {
        tight_loop_contents(); /* it was never given a key: without one it is no device. The lamp is lit */
    }
    watchdog_enable(BITES_AFTER, true);
    start_wire();
    start_storage();
    pico_role_start();
}
