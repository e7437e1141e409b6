/* The modelled chips of a Pico's reader and its switch, whose lines choose among antennas or, where each has a chip, among these. */
#include "pico_models.h"

#include "../boards/parts/pins.h"
#include "../boards/pico/board_pico.h"

#include <hardware/gpio.h>

enum { WAYS = 4 };

#ifdef READER_SELECTED
const char pico_models_wiring[] = "mfrc522-each";
#else
const char pico_models_wiring[] = "mfrc522";
#endif
const uint8_t pico_models_zones = ANTENNAS_MAX;
static uint8_t way;

/* The line of a switch that has moved: the antenna that it leads to now. */
void gpio_put(unsigned line, bool level)
{
    if (line < READER_WAY_0 || line >= READER_WAY_0 + WAYS) {
        return;
    }
    unsigned bit = 1u << (line - READER_WAY_0);
    way = (uint8_t)(level ? way | bit : way & ~bit);
    pico_models_way->choose(pico_models_way->board, way);
}

static uint32_t microseconds(void *board)
{
    (void)board;
    return pico_models_clock();
}

struct chip_bus pico_chip_bus(void (*choose)(void *board, uint8_t channel))
{
    struct chip_bus bus = pico_models_bus;
    bus.choose = choose;
    bus.microseconds = microseconds;
    return bus;
}
