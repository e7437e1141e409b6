/* The reader's board of a Pico (`boards/pico/reader_pico.c`) on a desk: its chips and its antennas are models: those of
   `pico_models_switch.c` or `pico_models_tca9548a.c`. Its settings are the file `settings.bin` of the folder, as `settings.py` makes it; `laid` (lines: zone, UID) is
   what lies or is fixed there when the power comes. Lines on the pipe: `table_lines.c`. */
#define _POSIX_C_SOURCE 200809L

#include "../antennas_pty.h"
#include "../boards/pico/board_pico.h"
#include "pico_models.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { AHEAD = 2 }; /* seconds by which the model's clock is ahead of the board's */

static struct pico_settings settings;
static struct antennas antennas;
struct chip_bus pico_models_bus;
const struct chip_bus *pico_models_way;

const struct pico_settings *pico_settings(void) { return &settings; }

void pico_breathe(void) {}

void pico_output(unsigned line, bool level) { (void)line, (void)level; }

void pico_input(unsigned line) { (void)line; }

/* The model's clock follows the board's, or a field would never settle while the board waits. */
uint32_t pico_models_clock(void)
{
    table_model_wait(((uint64_t)board_milliseconds() + AHEAD * 1000) * 1000000);
    return pico_models_bus.microseconds(pico_models_bus.board);
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
    if (!table_model_start(&antennas, pico_models_wiring, pico_models_zones)) {
        exit(2);
    }
    pico_models_bus = *antennas.list[0].bus;
    pico_models_way = antennas.list[0].multiplexer->bus;
    file = file_of(folder, "laid");
    while (fgets(line, sizeof line, file) != NULL) {
        char laid[sizeof line + 4];
        (void)snprintf(laid, sizeof laid, "lay %s", line);
        (void)antennas_control(laid);
    }
    fclose(file);
    pico_role_start();
}
