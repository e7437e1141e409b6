/* The reader's board of a Pico (`boards/pico/reader_pico.c`) on a desk: its chip and its antennas are models, the lines of its switch
   choose among these. Its settings are the file `settings.bin` of the folder, as `settings.py` makes it; `laid` (lines: zone, UID) is
   what lies or is fixed there when the power comes. Lines on the pipe: `table_lines.c`. */
#define _POSIX_C_SOURCE 200809L

#include "../antennas_pty.h"
#include "../boards/parts/pins.h"
#include "../boards/pico/board_pico.h"
#include "table_model.h"

#include <hardware/gpio.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { WAYS = 4, AHEAD = 2 }; /* seconds by which the model's clock is ahead of the board's */

static struct pico_settings settings;
static struct antennas antennas;
static struct chip_bus model;
static uint8_t way;

const struct pico_settings *pico_settings(void) { return &settings; }

void pico_breathe(void) {}

void pico_output(unsigned line, bool level) { (void)line, (void)level; }

/* The line of a switch that has moved: the antenna that it leads to now. */
void gpio_put(unsigned line, bool level)
{
    if (line < READER_WAY_0 || line >= READER_WAY_0 + WAYS) {
        return;
    }
    unsigned bit = 1u << (line - READER_WAY_0);
    way = (uint8_t)(level ? way | bit : way & ~bit);
    const struct chip_bus *moves = antennas.list[0].multiplexer->bus;
    moves->choose(moves->board, way);
}

/* The model's clock follows the board's, or a field would never settle while the board waits. */
static uint32_t microseconds(void *board)
{
    table_model_wait(((uint64_t)board_milliseconds() + AHEAD * 1000) * 1000000);
    return model.microseconds(board);
}

struct chip_bus pico_chip_bus(void (*choose)(void *board, uint8_t channel))
{
    struct chip_bus bus = model;
    bus.choose = choose;
    bus.microseconds = microseconds;
    return bus;
}

static FILE *file_of(int folder, const char *name)
{
    int file = openat(folder, name, O_RDONLY);
    FILE *stream = file < 0 ? NULL : fdopen(file, "r");
    if (stream == NULL) {
        fprintf(stderr, "%s: cannot be read\n", name);
        exit(2);
    }
    return stream;
}

void antennas_desk_start(int folder)
{
    char line[48];
    FILE *file = file_of(folder, "settings.bin");
    if (fread(&settings, sizeof settings, 1, file) != 1 || settings.mark != SETTINGS_MARK) {
        fprintf(stderr, "settings.bin: not as settings.py makes it\n");
        exit(2);
    }
    fclose(file);
    if (!table_model_start(&antennas, "mfrc522", ANTENNAS_MAX)) {
        exit(2);
    }
    model = *antennas.list[0].bus;
    file = file_of(folder, "laid");
    while (fgets(line, sizeof line, file) != NULL) {
        char laid[sizeof line + 4];
        (void)snprintf(laid, sizeof laid, "lay %s", line);
        (void)antennas_control(laid);
    }
    fclose(file);
    pico_role_start();
}
