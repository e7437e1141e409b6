#include "check_readers.h"

#include "../chips/mfrc522.h"
#include "model_mfrc522.h"

#include <string.h>

static struct iso14443a type_a;

static struct model_mfrc522 mfrc522_model;
static struct mfrc522 mfrc522;

static bool set_mfrc522(const char *what, unsigned number)
{
    struct model_mfrc522 *chip = &mfrc522_model;
    if (strcmp(what, "gone") == 0) {
        chip->gone = number != 0;
    } else if (strcmp(what, "shorted") == 0) {
        chip->shorted = number != 0;
    } else if (strcmp(what, "counts-align") == 0) {
        chip->counts_align = number != 0;
    } else if (strcmp(what, "no-position") == 0) {
        chip->no_position = number != 0;
    } else if (strcmp(what, "flips") == 0) {
        chip->flips_each = number;
    } else if (strcmp(what, "hangs") == 0) {
        chip->hangs = number != 0;
    } else {
        return false;
    }
    return true;
}

static void lose_mfrc522(void) { model_mfrc522_reset(&mfrc522_model); }

static void start_mfrc522(struct rig *rig, struct air_model *air)
{
    model_mfrc522_start(&mfrc522_model, air);
    rig->bus = model_mfrc522_bus(&mfrc522_model);
    rig->set = set_mfrc522;
    rig->lose_power = lose_mfrc522;
    mfrc522_start(&mfrc522, &rig->bus);
    iso14443a_start(&type_a, &mfrc522.air, &rig->finder);
}

bool rig_start(struct rig *rig, const char *chip, struct air_model *air)
{
    if (strcmp(chip, "mfrc522") == 0) {
        start_mfrc522(rig, air);
        return true;
    }
    return false;
}
