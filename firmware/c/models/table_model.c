#include "table_model.h"

#include "../chips/mfrc522.h"
#include "../chips/pn5180.h"
#include "../chips/pn532.h"
#include "model_mfrc522.h"
#include "model_pn5180.h"
#include "model_pn532.h"
#include "model_tca9548a.h"

#include <string.h>

/* Zones that there is memory for: an emulated core has less than a PC. */
#ifndef MODEL_ZONES
#define MODEL_ZONES ANTENNAS_MAX
#endif
enum { CHANNELS = (int)MODEL_ZONES < (int)MODEL_TCA9548A_CHANNELS ? MODEL_ZONES : MODEL_TCA9548A_CHANNELS };
enum { FREES_AFTER = 9 }; /* clocks */

static struct air_model airs[MODEL_ZONES];
static uint8_t chosen;
static struct antenna antennas_of[MODEL_ZONES];
static struct multiplexer multiplexer;
static struct chip_bus switch_bus, chip_bus, tca_bus;

/* Behind the switch. */
static struct model_pn5180 pn5180_model;
static struct pn5180 pn5180;
static struct air_model **chip_air; /* where the one chip's model keeps what its antenna sees */
static bool *chip_gone;

/* A chip for each zone, selected or behind the TCA9548A; the first of them also alone behind the switch. */
static struct model_mfrc522 mfrc522_models[MODEL_ZONES];
static struct mfrc522 mfrc522s[MODEL_ZONES];
static struct model_pn532 pn532_models[MODEL_ZONES];
static struct pn532 pn532s[MODEL_ZONES];
static bool of_mfrc522; /* what they are */
static bool each;       /* a zone, a chip */
static struct model_tca9548a tca_model;
static uint64_t tca_clock;

static struct iso14443a type_a[MODEL_ZONES];
static struct iso15693 vicinity;
static struct finder finders[MODEL_ZONES];

/* One clock: the air that is chosen takes it over. */
static void choose_air(uint8_t zone)
{
    uint64_t now = airs[chosen].nanoseconds;
    chosen = zone;
    airs[zone].nanoseconds = now;
}

/* A chip behind the TCA9548A, its antenna's air the one that time passes in. */
static bool behind(void *self, uint8_t channel, uint8_t address, const uint8_t *out, size_t out_length, uint8_t *in, size_t in_length)
{
    (void)self;
    choose_air(channel);
    struct chip_bus bus = of_mfrc522 ? model_mfrc522_bus(&mfrc522_models[channel]) : model_pn532_bus(&pn532_models[channel]);
    return bus.i2c(bus.board, address, out, out_length, in, in_length);
}

static uint32_t microseconds(void *board)
{
    (void)board;
    airs[chosen].nanoseconds += 1000;
    return (uint32_t)(airs[chosen].nanoseconds / 1000);
}

static void move_switch(void *board, uint8_t channel)
{
    (void)board;
    bool on = airs[chosen].field;
    air_field(&airs[chosen], false);
    choose_air(channel);
    air_field(&airs[channel], on);
    *chip_air = &airs[channel];
}

static bool tca(void *board, uint8_t address, const uint8_t *out, size_t out_length, uint8_t *in, size_t in_length)
{
    (void)board;
    tca_clock = 0;
    bool answered = model_tca9548a_i2c(&tca_model, address, out, out_length, in, in_length);
    airs[chosen].nanoseconds += tca_clock;
    return answered;
}

static void free_lines(void *board)
{
    (void)board;
    tca_clock = 0;
    for (int i = 0; i < FREES_AFTER && !model_tca9548a_data(&tca_model); i++) {
        model_tca9548a_clock(&tca_model);
    }
    model_tca9548a_reset(&tca_model);
    airs[chosen].nanoseconds += tca_clock;
}

static void behind_switch(uint8_t zones)
{
    switch_bus = (struct chip_bus){.choose = move_switch, .microseconds = microseconds};
    multiplexer = (struct multiplexer){&switch_bus, 0};
    for (uint8_t i = 0; i < zones; i++) {
        antennas_of[i] = (struct antenna){.bus = &chip_bus, .finder = &finders[0], .multiplexer = &multiplexer, .channel = i};
    }
}

/* The select line leads to one chip: the others hear nothing of what passes on their bus. */
static void select_spi(void *board, const uint8_t *out, uint8_t *in, size_t length)
{
    (void)board;
    struct chip_bus bus = of_mfrc522 ? model_mfrc522_bus(&mfrc522_models[chosen]) : model_pn532_bus(&pn532_models[chosen]);
    bus.spi(bus.board, out, in, length);
}

static void select_chip(void *board, uint8_t channel)
{
    (void)board;
    choose_air(channel);
}

static void selected(uint8_t zones)
{
    chip_bus = (struct chip_bus){.spi = select_spi, .choose = select_chip, .microseconds = microseconds};
    multiplexer = (struct multiplexer){&chip_bus, 0};
    for (uint8_t i = 0; i < zones; i++) {
        model_mfrc522_start(&mfrc522_models[i], &airs[i]);
        mfrc522_start(&mfrc522s[i], &chip_bus, 0);
        model_pn532_start(&pn532_models[i], &airs[i], PN532_SPI);
        pn532_start(&pn532s[i], &chip_bus, PN532_SPI);
        iso14443a_start(&type_a[i], of_mfrc522 ? &mfrc522s[i].air : &pn532s[i].air, &finders[i]);
        antennas_of[i] = (struct antenna){.bus = &chip_bus, .finder = &finders[i], .multiplexer = &multiplexer, .channel = i};
    }
}

static void behind_tca(uint8_t zones)
{
    model_tca9548a_start(&tca_model, &tca_clock);
    tca_model.behind = behind;
    tca_bus = (struct chip_bus){.i2c = tca, .free_lines = free_lines, .microseconds = microseconds};
    multiplexer = (struct multiplexer){&tca_bus, MODEL_TCA9548A_ADDRESS};
    for (uint8_t i = 0; i < zones; i++) {
        model_mfrc522_start(&mfrc522_models[i], &airs[i]);
        mfrc522_start(&mfrc522s[i], &tca_bus, MODEL_MFRC522_ADDRESS);
        model_pn532_start(&pn532_models[i], &airs[i], PN532_I2C);
        pn532_start(&pn532s[i], &tca_bus, PN532_I2C);
        iso14443a_start(&type_a[i], of_mfrc522 ? &mfrc522s[i].air : &pn532s[i].air, &finders[i]);
        antennas_of[i] = (struct antenna){.bus = &tca_bus, .finder = &finders[i], .multiplexer = &multiplexer, .channel = i};
    }
}

static bool start_chip(const char *wiring)
{
    const struct air *air = NULL;
    if (strcmp(wiring, "mfrc522") == 0) {
        model_mfrc522_start(&mfrc522_models[0], &airs[0]);
        chip_bus = model_mfrc522_bus(&mfrc522_models[0]);
        mfrc522_start(&mfrc522s[0], &chip_bus, 0);
        chip_air = &mfrc522_models[0].air;
        chip_gone = &mfrc522_models[0].gone;
        air = &mfrc522s[0].air;
    } else if (strcmp(wiring, "pn5180-a") == 0 || strcmp(wiring, "pn5180-15693") == 0) {
        model_pn5180_start(&pn5180_model, &airs[0]);
        chip_bus = model_pn5180_bus(&pn5180_model);
        pn5180_start(&pn5180, &chip_bus, strcmp(wiring, "pn5180-15693") == 0);
        chip_air = &pn5180_model.air;
        chip_gone = &pn5180_model.gone;
        air = pn5180.for_vicinity ? NULL : &pn5180.air;
    } else if (strcmp(wiring, "pn532-spi") == 0) {
        model_pn532_start(&pn532_models[0], &airs[0], PN532_SPI);
        chip_bus = model_pn532_bus(&pn532_models[0]);
        pn532_start(&pn532s[0], &chip_bus, PN532_SPI);
        chip_air = &pn532_models[0].air;
        chip_gone = &pn532_models[0].gone;
        air = &pn532s[0].air;
    } else {
        return false;
    }
    if (air != NULL) {
        iso14443a_start(&type_a[0], air, &finders[0]);
    } else {
        iso15693_start(&vicinity, &pn5180.vicinity, &finders[0]);
    }
    return true;
}

bool table_model_start(struct antennas *antennas, const char *wiring, uint8_t zones)
{
    memset(airs, 0, sizeof airs);
    chosen = 0;
    for (uint8_t i = 0; i < MODEL_ZONES; i++) {
        airs[i].nanoseconds = 1000000000; /* no field for a second */
        airs[i].chance = 7u + i;
    }
    of_mfrc522 = strncmp(wiring, "mfrc522-", strlen("mfrc522-")) == 0;
    each = strcmp(wiring, "mfrc522-each") == 0 || strcmp(wiring, "pn532-each") == 0;
    if (each && zones <= MODEL_ZONES) {
        selected(zones);
    } else if ((strcmp(wiring, "mfrc522-tca") == 0 || strcmp(wiring, "pn532-tca") == 0) && zones <= CHANNELS) {
        behind_tca(zones);
    } else if (zones <= MODEL_ZONES && start_chip(wiring)) {
        behind_switch(zones);
    } else {
        return false;
    }
    antennas_start(antennas, antennas_of, zones);
    return true;
}

struct air_model *table_model_air(uint8_t zone) { return &airs[zone]; }

void table_model_gone(uint8_t zone, bool gone)
{
    if (each || multiplexer.address != 0) {
        pn532_models[zone].gone = mfrc522_models[zone].gone = gone;
    } else {
        *chip_gone = gone;
    }
}

void table_model_shut(bool shut) { tca_model.gone = shut; }

struct model_tca9548a *table_model_tca(void) { return &tca_model; }

uint64_t table_model_clock(void) { return airs[chosen].nanoseconds; }

void table_model_wait(uint64_t until)
{
    if (airs[chosen].nanoseconds < until) {
        airs[chosen].nanoseconds = until;
    }
}
