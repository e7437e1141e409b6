#include "pn532.h"

#include <string.h>

enum { GetFirmwareVersion = 0x02, ReadRegister = 0x06, WriteRegister = 0x08, SAMConfiguration = 0x14, RFConfiguration = 0x32,
       InCommunicateThru = 0x42 };
enum { CIU_TxMode = 0x02, CIU_RxMode = 0x03, CIU_Error = 0x36, CIU_BitFraming = 0x3D, CIU_Coll = 0x3E }; /* all at 0x63.. */
enum { TX_106_CRC = 0x80, COLL_ERR = 0x08, COLL_POS_NOT_VALID = 0x20, COLL_POS = 0x1F };
enum { FIELD = 0x01, TIMINGS = 0x02, WAITS_1600 = 0x05 }; /* RFConfiguration: 100 microseconds · 2^(n - 1) */
enum { STATUS_OK = 0x00, STATUS_TIMEOUT = 0x01, STATUS_CODE = 0x3F, IC = 0x32 };
enum { ANSWERS_WITHIN = 20000 }; /* microseconds: it has worked the longest frame and waited by then */

static enum pn532_reply call(struct pn532 *chip, uint8_t command, const uint8_t *data, size_t length, uint8_t *answer,
                             size_t capacity, size_t *answered)
{
    enum pn532_reply reply =
        pn532_call(&chip->link, command, data, length, answer, capacity, answered, ANSWERS_WITHIN);
    chip->ready = chip->ready && reply == PN532_REPLIED; /* what its registers hold is not known any more */
    return reply;
}

static enum air_result result_of(enum pn532_reply reply) { return reply == PN532_MUTE ? AIR_FAULT : AIR_TORN; }

static bool write_framing(struct pn532 *chip, uint8_t framing, uint8_t tx_mode)
{
    uint8_t regs[12] = {0x63, CIU_TxMode, tx_mode, 0x63, CIU_RxMode, 0, 0x63, CIU_BitFraming, framing, 0x63, CIU_Coll, 0};
    size_t none;
    if (framing == chip->framing && tx_mode == chip->tx_mode) {
        return true;
    }
    if (call(chip, WriteRegister, regs, sizeof regs, NULL, 0, &none) != PN532_REPLIED) {
        return false;
    }
    chip->framing = framing;
    chip->tx_mode = tx_mode;
    return true;
}

/* After a question to which several may have answered: where they first differ. The smaller of both readings of CollPos, as
   with the MFRC522. Whether the chip hands on the bits before a collision is not in its manual: without them, none are known. */
static enum air_result look_for_collision(struct pn532 *chip, uint8_t align, uint8_t status, size_t length,
                                          struct air_answer *answer)
{
    static const uint8_t regs[4] = {0x63, CIU_Error, 0x63, CIU_Coll};
    uint8_t values[2];
    size_t count;
    enum pn532_reply reply = call(chip, ReadRegister, regs, sizeof regs, values, sizeof values, &count);
    if (reply != PN532_REPLIED || count != sizeof values) {
        return result_of(reply);
    }
    if ((values[0] & COLL_ERR) == 0) {
        return status == STATUS_OK ? AIR_WHOLE : AIR_TORN;
    }
    uint8_t position = (values[1] & COLL_POS) == 0 ? 32 : values[1] & COLL_POS;
    bool known = (values[1] & COLL_POS_NOT_VALID) == 0 && position > align && 8 * length >= position;
    answer->bits = known ? (uint8_t)(position - 1 - align) : 0;
    return AIR_COLLISION;
}

static enum air_result exchange(void *self, const struct air_request *request, uint32_t wait, struct air_answer *answer)
{
    struct pn532 *chip = self;
    uint8_t said[1 + AIR_MAX];
    size_t count;
    (void)wait; /* one time for all, set once: to set it for each frame would take longer than to wait */
    bool anticollision = !request->crc && request->bits >= 16;
    if (!write_framing(chip, (uint8_t)(request->align << 4 | request->bits % 8), request->crc ? TX_106_CRC : 0)) {
        return AIR_FAULT;
    }
    enum pn532_reply reply = call(chip, InCommunicateThru, request->data, (size_t)(request->bits + 7) / 8, said, sizeof said, &count);
    if (reply != PN532_REPLIED || count == 0) {
        return result_of(reply);
    }
    uint8_t status = said[0] & STATUS_CODE;
    size_t length = count - 1;
    if (status == STATUS_TIMEOUT) {
        return AIR_SILENT;
    }
    memcpy(answer->data, said + 1, length);
    answer->bits = (uint8_t)(8 * length > request->align ? 8 * length - request->align : 0);
    if (anticollision) {
        return look_for_collision(chip, request->align, status, length, answer);
    }
    return status == STATUS_OK ? AIR_WHOLE : AIR_TORN;
}

static bool configure(struct pn532 *chip, uint8_t command, const uint8_t *data, size_t length)
{
    size_t none;
    return call(chip, command, data, length, NULL, 0, &none) == PN532_REPLIED;
}

enum chip_state pn532_set_up(struct pn532 *chip)
{
    static const uint8_t normal[3] = {0x01, 0x14, 0x01};
    uint8_t version[4];
    size_t count = 0;
    chip->ready = false;
    if (chip->link.bus->reset != NULL) {
        chip->link.bus->reset(chip->link.bus->board, true);
        bus_wait(chip->link.bus, 100);
        chip->link.bus->reset(chip->link.bus->board, false);
        bus_wait(chip->link.bus, 2000);
    }
    pn532_wake(&chip->link);
    enum pn532_reply reply = call(chip, GetFirmwareVersion, NULL, 0, version, sizeof version, &count);
    if (reply != PN532_REPLIED) {
        return reply == PN532_MUTE ? CHIP_SILENT : CHIP_NONSENSE;
    }
    if (count != sizeof version || version[0] != IC || !configure(chip, SAMConfiguration, normal, sizeof normal)) {
        return CHIP_NONSENSE;
    }
    chip->ready = true;
    return CHIP_WORKS;
}

static bool switch_field(struct pn532 *chip, bool on)
{
    const uint8_t state[2] = {FIELD, on};
    return configure(chip, RFConfiguration, state, sizeof state);
}

/* A chip that lost its power between two scans has forgotten its times and registers, and does not say so: they are written
   anew for each scan. */
static bool field(void *self, bool on)
{
    static const uint8_t timings[4] = {TIMINGS, 0x00, 0x0B, WAITS_1600};
    struct pn532 *chip = self;
    chip->framing = chip->tx_mode = 0xFF;
    if (!on) {
        return switch_field(chip, false);
    }
    for (int tries = 0; tries < 2; tries++) {
        if ((chip->ready || pn532_set_up(chip) == CHIP_WORKS) && configure(chip, RFConfiguration, timings, sizeof timings) &&
            switch_field(chip, true)) {
            return true;
        }
        chip->ready = false;
    }
    return false;
}

void pn532_start(struct pn532 *chip, const struct chip_bus *bus, enum pn532_wire wire)
{
    *chip = (struct pn532){.link = {bus, wire}, .air = {chip, field, exchange}};
}
