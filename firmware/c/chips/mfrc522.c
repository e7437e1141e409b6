#include "mfrc522.h"

#include <string.h>

enum reg {
    CommandReg = 0x01, ComIrqReg = 0x04, DivIrqReg = 0x05, ErrorReg = 0x06, FIFODataReg = 0x09, FIFOLevelReg = 0x0A,
    ControlReg = 0x0C, BitFramingReg = 0x0D, CollReg = 0x0E, ModeReg = 0x11, TxModeReg = 0x12, RxModeReg = 0x13,
    TxControlReg = 0x14, TxASKReg = 0x15, CRCResultRegH = 0x21, CRCResultRegL = 0x22, RFCfgReg = 0x26, TModeReg = 0x2A,
    TPrescalerReg = 0x2B, TReloadRegH = 0x2C, TReloadRegL = 0x2D, VersionReg = 0x37,
};
enum command { Idle = 0x00, CalcCRC = 0x03, Transceive = 0x0C, SoftReset = 0x0F };
enum {
    PowerDown = 0x10, RxIRq = 0x20, TimerIRq = 0x01, CRCIRq = 0x04, ClearIrqs = 0x7F, BufferOvfl = 0x10, CollErr = 0x08,
    ParityErr = 0x02, ProtocolErr = 0x01, FlushBuffer = 0x80, StartSend = 0x80, CollPosNotValid = 0x20, CollPos = 0x1F,
    AntennaOn = 0x03, TxCRCEn = 0x80, Force100ASK = 0x40, TAuto = 0x80, Gain38dB = 0x50, CRCPreset6363 = 0x3D,
};
/* Microseconds. A frame and its answer take less than 3 ms; a chip that has said nothing by then has stopped. */
enum { TICK = 25, STOPPED_AFTER = 8000, RESET_TAKES = 50000 };
enum { PRESCALER = 0x0A9 }; /* 13.56 MHz / (2 · 169 + 1): a tick of 25 microseconds */

/* Reads one register so many times: the FIFO's bytes come one after the other. What I2C does not bring reads as zeros. */
static void get_all(const struct mfrc522 *chip, enum reg reg, uint8_t *data, size_t length)
{
    uint8_t out[1 + AIR_MAX], in[1 + AIR_MAX] = {0};
    memset(data, 0, length);
    if (chip->address != 0) {
        out[0] = (uint8_t)reg;
        (void)chip->bus->i2c(chip->bus->board, chip->address, out, 1, data, length);
        return;
    }
    memset(out, (int)(0x80u | (unsigned)reg << 1), sizeof out);
    out[length] = 0;
    chip->bus->spi(chip->bus->board, out, in, 1 + length);
    memcpy(data, in + 1, length);
}

static void put_all(const struct mfrc522 *chip, enum reg reg, const uint8_t *data, size_t length)
{
    uint8_t out[1 + AIR_MAX] = {(uint8_t)(chip->address != 0 ? (unsigned)reg : (unsigned)reg << 1)};
    memcpy(out + 1, data, length);
    if (chip->address != 0) {
        (void)chip->bus->i2c(chip->bus->board, chip->address, out, 1 + length, NULL, 0);
    } else {
        chip->bus->spi(chip->bus->board, out, NULL, 1 + length);
    }
}

static uint8_t get(const struct mfrc522 *chip, enum reg reg)
{
    uint8_t value;
    get_all(chip, reg, &value, 1);
    return value;
}

static void put(const struct mfrc522 *chip, enum reg reg, uint8_t value) { put_all(chip, reg, &value, 1); }

/* Waits until a register has one of these bits: those that it has, 0: none came in time. */
static uint8_t await(const struct mfrc522 *chip, enum reg reg, uint8_t bits, uint32_t limit)
{
    uint32_t from = bus_now(chip->bus);
    uint8_t set;
    do {
        set = get(chip, reg) & bits;
    } while (set == 0 && bus_now(chip->bus) - from <= limit);
    return set;
}

/* Where the first collision is, as the number of bits of this answer that came before it. The data sheet does not say whether
   CollPos counts the bits that RxAlign has skipped. The smaller of both readings holds in either case: what comes before it
   was heard, and a bit too few costs one question more. */
static uint8_t bits_before_collision(const struct mfrc522 *chip, uint8_t align)
{
    uint8_t coll = get(chip, CollReg);
    if ((coll & CollPosNotValid) != 0) {
        return 0;
    }
    uint8_t position = (coll & CollPos) == 0 ? 32 : coll & CollPos; /* 1: the first bit */
    return position > align ? (uint8_t)(position - 1 - align) : 0;
}

static enum air_result take_answer(const struct mfrc522 *chip, uint8_t align, struct air_answer *answer)
{
    uint8_t error = get(chip, ErrorReg), length = get(chip, FIFOLevelReg);
    uint8_t last = get(chip, ControlReg) & 0x07;
    if ((error & CollErr) != 0) {
        answer->bits = bits_before_collision(chip, align);
    }
    if (length > AIR_MAX || length == 0) {
        return AIR_TORN;
    }
    get_all(chip, FIFODataReg, answer->data, length);
    if ((error & CollErr) != 0) {
        return answer->bits <= 8 * length - align ? AIR_COLLISION : AIR_TORN;
    }
    if ((error & (BufferOvfl | ParityErr | ProtocolErr)) != 0 || 8 * length - (last == 0 ? 0 : 8 - last) <= align) {
        return AIR_TORN;
    }
    answer->bits = (uint8_t)(8 * length - (last == 0 ? 0 : 8 - last) - align);
    return AIR_WHOLE;
}

static enum air_result exchange(void *self, const struct air_request *request, uint32_t wait, struct air_answer *answer)
{
    struct mfrc522 *chip = self;
    uint8_t mode = request->crc ? TxCRCEn : 0, ticks = (uint8_t)(wait / TICK);
    put(chip, CommandReg, Idle);
    put(chip, ComIrqReg, ClearIrqs);
    put(chip, FIFOLevelReg, FlushBuffer);
    if (chip->tx_mode != mode) {
        put(chip, TxModeReg, mode);
    }
    if (chip->ticks != ticks) {
        put(chip, TReloadRegL, ticks);
    }
    chip->tx_mode = mode;
    chip->ticks = ticks;
    put_all(chip, FIFODataReg, request->data, (size_t)(request->bits + 7) / 8);
    put(chip, CommandReg, Transceive);
    put(chip, BitFramingReg, (uint8_t)(StartSend | request->align << 4 | request->bits % 8));
    uint8_t irq = await(chip, ComIrqReg, RxIRq | TimerIRq, STOPPED_AFTER);
    if (irq == 0) {
        chip->ready = false;
        return AIR_FAULT;
    }
    return (irq & RxIRq) != 0 ? take_answer(chip, request->align, answer) : AIR_SILENT;
}

/* Proves the chip's own checksum against ours: a bus that carries nonsense is found here, not in a card's number. */
static bool crc_is_right(const struct mfrc522 *chip)
{
    static const uint8_t said[4] = {0x0F, 0xA5, 0x5A, 0xF1};
    uint16_t crc = iso14443a_crc(said, sizeof said);
    put(chip, CommandReg, Idle);
    put(chip, DivIrqReg, CRCIRq);
    put(chip, FIFOLevelReg, FlushBuffer);
    put_all(chip, FIFODataReg, said, sizeof said);
    put(chip, CommandReg, CalcCRC);
    bool done = await(chip, DivIrqReg, CRCIRq, STOPPED_AFTER) != 0;
    put(chip, CommandReg, Idle);
    return done && get(chip, CRCResultRegL) == (uint8_t)crc && get(chip, CRCResultRegH) == crc >> 8;
}

enum chip_state mfrc522_set_up(struct mfrc522 *chip)
{
    chip->ready = false;
    if (chip->bus->reset != NULL) {
        chip->bus->reset(chip->bus->board, true);
        bus_wait(chip->bus, 2);
        chip->bus->reset(chip->bus->board, false);
        bus_wait(chip->bus, 100);
    }
    chip->version = get(chip, VersionReg);
    if (chip->version == 0x00 || chip->version == 0xFF) {
        return CHIP_SILENT;
    }
    put(chip, CommandReg, SoftReset);
    uint32_t from = bus_now(chip->bus);
    while ((get(chip, CommandReg) & PowerDown) != 0) {
        if (bus_now(chip->bus) - from > RESET_TAKES) {
            return CHIP_NONSENSE;
        }
    }
    put(chip, TModeReg, TAuto | PRESCALER >> 8);
    put(chip, TPrescalerReg, PRESCALER & 0xFF);
    put(chip, TReloadRegH, 0);
    put(chip, TxASKReg, Force100ASK);
    put(chip, ModeReg, CRCPreset6363);
    put(chip, RFCfgReg, Gain38dB);
    put(chip, RxModeReg, 0);
    put(chip, CollReg, 0); /* ValuesAfterColl 0: what comes after a collision reads as zeros */
    chip->tx_mode = chip->ticks = 0xFF; /* not known */
    if (get(chip, TPrescalerReg) != (PRESCALER & 0xFF) || get(chip, TxASKReg) != Force100ASK || !crc_is_right(chip)) {
        return CHIP_NONSENSE;
    }
    chip->ready = true;
    return CHIP_WORKS;
}

/* A chip that lost its power between two scans has forgotten how to work, and says so by what its registers hold. */
static bool is_set_up(const struct mfrc522 *chip)
{
    return chip->ready && get(chip, VersionReg) == chip->version && get(chip, TxASKReg) == Force100ASK &&
           get(chip, TPrescalerReg) == (PRESCALER & 0xFF);
}

static bool field(void *self, bool on)
{
    struct mfrc522 *chip = self;
    if (on && !is_set_up(chip) && mfrc522_set_up(chip) != CHIP_WORKS) {
        return false;
    }
    uint8_t control = get(chip, TxControlReg);
    bool was_on = (control & AntennaOn) == AntennaOn;
    put(chip, TxControlReg, (uint8_t)(on ? control | AntennaOn : control & ~AntennaOn));
    return on ? (get(chip, TxControlReg) & AntennaOn) == AntennaOn : was_on && is_set_up(chip);
}

void mfrc522_start(struct mfrc522 *chip, const struct chip_bus *bus, uint8_t address)
{
    *chip = (struct mfrc522){.bus = bus, .address = address, .air = {chip, field, exchange}};
}
