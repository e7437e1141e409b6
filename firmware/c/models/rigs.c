#include "check_readers.h"

#include "../chips/mfrc522.h"
#include "../chips/pn5180.h"
#include "../chips/pn532.h"
#include "model_mfrc522.h"
#include "model_pn5180.h"
#include "model_pn532.h"

#include <string.h>

static struct iso14443a type_a;
static struct iso15693 vicinity;

struct knob {
    const char *name;
    bool *on;
};

/* The knobs that are switches; false: none of that name. */
static bool turn(const struct knob *knobs, const char *what, unsigned number)
{
    for (; knobs->name != NULL; knobs++) {
        if (strcmp(knobs->name, what) == 0) {
            *knobs->on = number != 0;
            return true;
        }
    }
    return false;
}

/* ---- MFRC522 */

static struct model_mfrc522 mfrc522_model;
static struct mfrc522 mfrc522;

static bool set_mfrc522(const char *what, unsigned number)
{
    struct model_mfrc522 *chip = &mfrc522_model;
    const struct knob knobs[] = {{"gone", &chip->gone}, {"shorted", &chip->shorted}, {"hangs", &chip->hangs},
                                 {"counts-align", &chip->counts_align}, {"no-position", &chip->no_position}, {NULL, NULL}};
    if (strcmp(what, "flips") == 0) {
        chip->flips_each = number;
        return true;
    }
    return turn(knobs, what, number);
}

static void lose_mfrc522(void) { model_mfrc522_reset(&mfrc522_model); }

static void start_mfrc522(struct rig *rig, struct air_model *air, uint8_t address)
{
    model_mfrc522_start(&mfrc522_model, air);
    rig->bus = model_mfrc522_bus(&mfrc522_model);
    rig->set = set_mfrc522;
    rig->lose_power = lose_mfrc522;
    mfrc522_start(&mfrc522, &rig->bus, address);
    iso14443a_start(&type_a, &mfrc522.air, &rig->finder);
}

/* ---- PN532 */

static struct model_pn532 pn532_model;
static struct pn532 pn532;

static bool set_pn532(const char *what, unsigned number)
{
    struct model_pn532 *chip = &pn532_model;
    const struct knob knobs[] = {{"gone", &chip->gone}, {"shorted", &chip->shorted}, {"hangs", &chip->hangs},
                                 {"counts-align", &chip->counts_align}, {"no-position", &chip->no_position},
                                 {"keeps-collided", &chip->keeps_collided}, {NULL, NULL}};
    if (strcmp(what, "flips") == 0) {
        chip->flips_each = number;
        return true;
    }
    if (strcmp(what, "away-for") == 0) {
        chip->away_for = number;
        return true;
    }
    return turn(knobs, what, number);
}

static void lose_pn532(void) { model_pn532_reset(&pn532_model); }

static void start_pn532(struct rig *rig, struct air_model *air, enum pn532_wire wire)
{
    model_pn532_start(&pn532_model, air, wire);
    rig->bus = model_pn532_bus(&pn532_model);
    rig->set = set_pn532;
    rig->lose_power = lose_pn532;
    pn532_start(&pn532, &rig->bus, wire);
    iso14443a_start(&type_a, &pn532.air, &rig->finder);
}

/* ---- PN5180 */

static struct model_pn5180 pn5180_model;
static struct pn5180 pn5180;

static bool set_pn5180(const char *what, unsigned number)
{
    struct model_pn5180 *chip = &pn5180_model;
    const struct knob knobs[] = {{"gone", &chip->gone}, {"shorted", &chip->shorted}, {"hangs", &chip->hangs},
                                 {"stuck", &chip->stuck}, {"counts-from-one", &chip->counts_from_one}, {NULL, NULL}};
    if (strcmp(what, "flips") == 0) {
        chip->flips_each = number;
        return true;
    }
    return turn(knobs, what, number);
}

static void lose_pn5180(void) { model_pn5180_reset(&pn5180_model); }

static void start_pn5180(struct rig *rig, struct air_model *air, bool for_vicinity)
{
    model_pn5180_start(&pn5180_model, air);
    rig->bus = model_pn5180_bus(&pn5180_model);
    rig->set = set_pn5180;
    rig->lose_power = lose_pn5180;
    pn5180_start(&pn5180, &rig->bus, for_vicinity);
    if (for_vicinity) {
        iso15693_start(&vicinity, &pn5180.vicinity, &rig->finder);
    } else {
        iso14443a_start(&type_a, &pn5180.air, &rig->finder);
    }
}

bool rig_start(struct rig *rig, const char *chip, struct air_model *air)
{
    if (strcmp(chip, "mfrc522") == 0) {
        start_mfrc522(rig, air, 0);
    } else if (strcmp(chip, "mfrc522-i2c") == 0) {
        start_mfrc522(rig, air, MODEL_MFRC522_ADDRESS);
    } else if (strcmp(chip, "pn532-uart") == 0) {
        start_pn532(rig, air, PN532_UART);
    } else if (strcmp(chip, "pn532-i2c") == 0) {
        start_pn532(rig, air, PN532_I2C);
    } else if (strcmp(chip, "pn532-spi") == 0) {
        start_pn532(rig, air, PN532_SPI);
    } else if (strcmp(chip, "pn5180-a") == 0 || strcmp(chip, "pn5180-15693") == 0) {
        start_pn5180(rig, air, strcmp(chip, "pn5180-15693") == 0);
    } else {
        return false;
    }
    return true;
}
