#include "pn5180.h"

#include <string.h>

enum command { WRITE_REGISTER = 0x00, WRITE_REGISTER_OR_MASK = 0x01, WRITE_REGISTER_AND_MASK = 0x02, READ_REGISTER = 0x04,
               READ_EEPROM = 0x07, SEND_DATA = 0x09, READ_DATA = 0x0A, LOAD_RF_CONFIG = 0x11, RF_ON = 0x16, RF_OFF = 0x17 };
enum reg { SYSTEM_CONFIG = 0x00, IRQ_STATUS = 0x02, IRQ_CLEAR = 0x03, TIMER1_RELOAD = 0x0C, CRC_RX_CONFIG = 0x12,
           RX_STATUS = 0x13, TX_CONFIG = 0x18, CRC_TX_CONFIG = 0x19 };
enum { PRODUCT_VERSION = 0x10 }; /* EEPROM */
static const uint32_t RX_IRQ = 1u << 0, TX_IRQ = 1u << 1, IDLE_IRQ = 1u << 2, RX_SOF_DET_IRQ = 1u << 14,
                      GENERAL_ERROR_IRQ = 1u << 17, ALL_IRQS = 0xFFFFF, TRANSCEIVE = 3, COMMAND = 7, CRC_ENABLE = 1,
                      RX_BIT_ALIGN = 7u << 6, VALUES_AFTER_COLLISION = 1u << 9, COLLISION_DETECTED = 1u << 18,
                      ERRORS = 3u << 16, EOF_ALONE = 0xFFFFFB3F; /* no data, no start symbol */
static const uint32_t MARK = 0x5A5A5; /* in a timer that is not used: it is gone when the chip has lost its power */
/* Microseconds. */
enum { BUSY_RISES = 20, BUSY_FALLS = 5000, RESET_TAKES = 10000, SENT_WITHIN = 12000, FRAME_WITHIN = 8000 };
enum { SLOT_WAIT = 700 }; /* a card begins 0.32 ms after the request's end; PN5180 and its EOF take their part of the rest */
enum { COMMAND_MAX = 20 };

static bool await_busy(const struct pn5180 *chip, bool busy, uint32_t limit)
{
    uint32_t from = bus_now(chip->bus);
    while (chip->bus->busy(chip->bus->board) != busy) {
        if (bus_now(chip->bus) - from > limit) {
            return false;
        }
    }
    return true;
}

/* One transfer: the chip must be idle before, and has done what it was told when BUSY falls again. */
static bool transfer(struct pn5180 *chip, const uint8_t *out, uint8_t *in, size_t length)
{
    bool ok = await_busy(chip, false, BUSY_FALLS);
    if (ok) {
        chip->bus->spi(chip->bus->board, out, in, length);
        (void)await_busy(chip, true, BUSY_RISES); /* it may have risen and fallen before we looked */
        ok = await_busy(chip, false, BUSY_FALLS);
    }
    chip->ready = chip->ready && ok;
    return ok;
}

static bool put(struct pn5180 *chip, enum command how, enum reg reg, uint32_t value)
{
    const uint8_t out[6] = {(uint8_t)how, (uint8_t)reg, (uint8_t)value, (uint8_t)(value >> 8), (uint8_t)(value >> 16),
                            (uint8_t)(value >> 24)};
    return transfer(chip, out, NULL, sizeof out);
}

static bool read_back(struct pn5180 *chip, const uint8_t *command, size_t length, uint8_t *data, size_t count)
{
    uint8_t idle[COMMAND_MAX];
    memset(idle, 0xFF, sizeof idle);
    memset(data, 0, count);
    return transfer(chip, command, NULL, length) && transfer(chip, idle, data, count);
}

static uint32_t get(struct pn5180 *chip, enum reg reg)
{
    const uint8_t out[2] = {READ_REGISTER, (uint8_t)reg};
    uint8_t in[4];
    (void)read_back(chip, out, sizeof out, in, sizeof in);
    return (uint32_t)in[0] | (uint32_t)in[1] << 8 | (uint32_t)in[2] << 16 | (uint32_t)in[3] << 24;
}

/* Waits for one of these flags; what is set then, 0: none came in time. */
static uint32_t await(struct pn5180 *chip, uint32_t flags, uint32_t limit)
{
    uint32_t from = bus_now(chip->bus), set;
    do {
        set = get(chip, IRQ_STATUS) & flags;
    } while (set == 0 && bus_now(chip->bus) - from <= limit && chip->ready);
    return set;
}

/* Sends bits, and waits until somebody's answer is there whole. */
static enum air_result send(struct pn5180 *chip, const uint8_t *data, size_t length, uint8_t last_bits, uint32_t wait)
{
    uint8_t out[COMMAND_MAX] = {SEND_DATA, last_bits};
    memcpy(out + 2, data, length);
    (void)put(chip, WRITE_REGISTER_AND_MASK, SYSTEM_CONFIG, ~COMMAND);
    (void)put(chip, WRITE_REGISTER_OR_MASK, SYSTEM_CONFIG, TRANSCEIVE);
    (void)put(chip, WRITE_REGISTER, IRQ_CLEAR, ALL_IRQS);
    if (!transfer(chip, out, NULL, 2 + length) || await(chip, TX_IRQ, SENT_WITHIN) == 0) {
        chip->ready = false;
        return AIR_FAULT;
    }
    if (await(chip, RX_SOF_DET_IRQ | RX_IRQ, wait) == 0) {
        return chip->ready ? AIR_SILENT : AIR_FAULT;
    }
    uint32_t set = await(chip, RX_IRQ | GENERAL_ERROR_IRQ, FRAME_WITHIN);
    return !chip->ready ? AIR_FAULT : (set & RX_IRQ) != 0 ? AIR_WHOLE : AIR_TORN;
}

/* The bytes that came, at most `capacity`; how many, 0: none, or too many. */
static size_t take(struct pn5180 *chip, uint32_t status, uint8_t *data, size_t capacity)
{
    static const uint8_t command[2] = {READ_DATA, 0x00};
    size_t length = status & 0x1FF;
    if (length == 0 || length > capacity || !read_back(chip, command, sizeof command, data, length)) {
        return 0;
    }
    return length;
}

/* ---- type A */

static enum air_result exchange(void *self, const struct air_request *request, uint32_t wait, struct air_answer *answer)
{
    struct pn5180 *chip = self;
    (void)put(chip, request->crc ? WRITE_REGISTER_OR_MASK : WRITE_REGISTER_AND_MASK, CRC_TX_CONFIG,
              request->crc ? CRC_ENABLE : ~CRC_ENABLE);
    (void)put(chip, WRITE_REGISTER_AND_MASK, CRC_RX_CONFIG, ~(CRC_ENABLE | RX_BIT_ALIGN | VALUES_AFTER_COLLISION));
    (void)put(chip, WRITE_REGISTER_OR_MASK, CRC_RX_CONFIG, (uint32_t)request->align << 6);
    enum air_result result = send(chip, request->data, (request->bits + 7u) / 8, request->bits % 8, wait);
    if (result != AIR_WHOLE) {
        return result;
    }
    uint32_t status = get(chip, RX_STATUS);
    size_t bits = 8 * take(chip, status, answer->data, AIR_MAX), last = status >> 13 & 7;
    bits = last == 0 || bits == 0 ? bits : bits - 8 + last;
    if (bits <= request->align) {
        return AIR_TORN;
    }
    answer->bits = (uint8_t)(bits - request->align);
    if ((status & COLLISION_DETECTED) != 0) {
        /* The position counts the bits that were skipped. Whether it begins with 0 or 1 is not said: the smaller holds. */
        size_t position = status >> 19 & 0x7F;
        answer->bits = (uint8_t)(position > request->align + 1u ? position - 1 - request->align : 0);
        return request->align + answer->bits < bits ? AIR_COLLISION : AIR_TORN;
    }
    return (status & ERRORS) == 0 ? AIR_WHOLE : AIR_TORN;
}

/* ---- ISO/IEC 15693 */

static enum air_result slot(struct pn5180 *chip, const uint8_t *data, size_t length, uint8_t *answer)
{
    enum air_result result = send(chip, data, length, 0, SLOT_WAIT);
    if (result != AIR_WHOLE) {
        return result;
    }
    uint32_t status = get(chip, RX_STATUS);
    if ((status & COLLISION_DETECTED) != 0) {
        return AIR_COLLISION;
    }
    return (status & ERRORS) == 0 && take(chip, status, answer, VICINITY_ANSWER) == VICINITY_ANSWER ? AIR_WHOLE : AIR_TORN;
}

static enum air_result request_slots(void *self, const uint8_t *data, size_t length, uint8_t *answer)
{
    struct pn5180 *chip = self;
    (void)put(chip, WRITE_REGISTER, TX_CONFIG, chip->tx_config);
    return slot(chip, data, length, answer);
}

static enum air_result next_slot(void *self, uint8_t *answer)
{
    struct pn5180 *chip = self;
    static const uint8_t nothing[1] = {0};
    (void)put(chip, WRITE_REGISTER_AND_MASK, TX_CONFIG, EOF_ALONE);
    return slot(chip, nothing, 0, answer);
}

/* ---- set-up */

static bool load(struct pn5180 *chip)
{
    const uint8_t command[3] = {LOAD_RF_CONFIG, chip->for_vicinity ? 0x0D : 0x00, chip->for_vicinity ? 0x8D : 0x80};
    if (!transfer(chip, command, NULL, sizeof command)) {
        return false;
    }
    chip->tx_config = get(chip, TX_CONFIG);
    return put(chip, WRITE_REGISTER_AND_MASK, CRC_RX_CONFIG, ~CRC_ENABLE); /* we check it: a flag may be misread, a sum not */
}

enum chip_state pn5180_set_up(struct pn5180 *chip)
{
    static const uint8_t version[3] = {READ_EEPROM, PRODUCT_VERSION, 2};
    uint8_t said[2] = {0xFF, 0xFF};
    chip->ready = true;
    if (chip->bus->reset != NULL) {
        chip->bus->reset(chip->bus->board, true);
        bus_wait(chip->bus, 20);
        chip->bus->reset(chip->bus->board, false);
        bus_wait(chip->bus, 2000);
    }
    bool spoke = read_back(chip, version, sizeof version, said, sizeof said);
    if (!spoke || (said[0] == said[1] && (said[0] == 0xFF || said[0] == 0x00))) {
        chip->ready = false;
        return CHIP_SILENT;
    }
    (void)put(chip, WRITE_REGISTER, TIMER1_RELOAD, MARK);
    chip->ready = await(chip, IDLE_IRQ, RESET_TAKES) != 0 && get(chip, TIMER1_RELOAD) == MARK && load(chip);
    return chip->ready ? CHIP_WORKS : CHIP_NONSENSE;
}

static bool field(void *self, bool on)
{
    struct pn5180 *chip = self;
    const uint8_t command[2] = {(uint8_t)(on ? RF_ON : RF_OFF), 0x00};
    if (on && (!chip->ready || get(chip, TIMER1_RELOAD) != MARK) && pn5180_set_up(chip) != CHIP_WORKS) {
        return false;
    }
    bool kept = on || get(chip, TIMER1_RELOAD) == MARK;
    return transfer(chip, command, NULL, sizeof command) && kept;
}

void pn5180_start(struct pn5180 *chip, const struct chip_bus *bus, bool for_vicinity)
{
    *chip = (struct pn5180){.bus = bus,
                            .for_vicinity = for_vicinity,
                            .air = {chip, field, exchange},
                            .vicinity = {chip, field, request_slots, next_slot}};
}
