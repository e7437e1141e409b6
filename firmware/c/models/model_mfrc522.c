#include "model_mfrc522.h"

#include <string.h>

enum { SPI_BYTE_NS = 2000, SPI_SELECT_NS = 1000, I2C_BYTE_NS = 22500, CLOCK_NS = 1000 }; /* 4 MHz, 400 kHz */
enum { COMMAND = 0x01, COM_IRQ = 0x04, DIV_IRQ = 0x05, ERROR = 0x06, FIFO_DATA = 0x09, FIFO_LEVEL = 0x0A, CONTROL = 0x0C,
       BIT_FRAMING = 0x0D, COLL = 0x0E, TX_MODE = 0x12, TX_CONTROL = 0x14, CRC_H = 0x21, CRC_L = 0x22, T_MODE = 0x2A,
       T_PRESCALER = 0x2B, RELOAD_H = 0x2C, RELOAD_L = 0x2D, VERSION = 0x37 };

void model_mfrc522_reset(struct model_mfrc522 *chip)
{
    memset(chip->regs, 0, sizeof chip->regs);
    chip->regs[COMMAND] = 0x20;
    chip->regs[0x02] = 0x80;
    chip->regs[COM_IRQ] = 0x14;
    chip->regs[CONTROL] = 0x10;
    chip->regs[COLL] = 0xA0;
    chip->regs[0x11] = 0x3F;
    chip->regs[TX_CONTROL] = 0x80;
    chip->regs[CRC_H] = chip->regs[CRC_L] = 0xFF;
    chip->regs[0x26] = 0x48;
    chip->regs[VERSION] = 0x92;
    chip->level = 0;
    air_field(chip->air, false);
}

static void fail(struct model_mfrc522 *chip, uint8_t error)
{
    chip->regs[ERROR] |= error;
    chip->regs[COM_IRQ] |= 0x02;
}

static void push(struct model_mfrc522 *chip, uint8_t value)
{
    if (chip->level < sizeof chip->fifo) {
        chip->fifo[chip->level++] = value;
    } else {
        fail(chip, 0x10);
    }
}

static void note_collision(struct model_mfrc522 *chip, const struct heard *heard, unsigned align)
{
    size_t position = heard->collision + 1 + (chip->counts_align ? align : 0);
    fail(chip, 0x08);
    chip->regs[COLL] = (uint8_t)((chip->regs[COLL] & 0x80) | (position > 32 || chip->no_position ? 0x20 : position % 32));
}

static void receive(struct model_mfrc522 *chip, const struct heard *heard)
{
    unsigned align = chip->regs[BIT_FRAMING] >> 4 & 7;
    uint8_t byte = 0;
    bool collided = heard->collision < heard->count, cleared = collided && (chip->regs[COLL] & 0x80) == 0;
    size_t end = align + heard->count;
    chip->regs[ERROR] = 0;
    for (size_t i = align; i < end; i++) {
        bool on = heard->bits[i - align] != 0 && !(cleared && i - align > heard->collision);
        byte = (uint8_t)(byte | on << (i % 8));
        if (i % 8 == 7 || i + 1 == end) {
            push(chip, byte);
            byte = 0;
        }
    }
    chip->regs[CONTROL] = (uint8_t)((chip->regs[CONTROL] & 0xF8u) | end % 8);
    chip->regs[COLL] |= 0x20;
    if (collided) {
        note_collision(chip, heard, align);
    }
    if (heard->torn) {
        fail(chip, 0x02);
    }
    chip->regs[COM_IRQ] |= 0x20;
}

static void transceive(struct model_mfrc522 *chip)
{
    uint8_t sent[66], bits[MODEL_BITS];
    struct heard heard;
    size_t length = chip->level, count = 8 * length;
    if (chip->hangs || length == 0 || length > 16) {
        return;
    }
    memcpy(sent, chip->fifo, length);
    chip->level = 0;
    if ((chip->regs[BIT_FRAMING] & 7) != 0) {
        count = count - 8 + (chip->regs[BIT_FRAMING] & 7);
    } else if ((chip->regs[TX_MODE] & 0x80) != 0) {
        uint16_t crc = air_crc_a(sent, length);
        sent[length++] = (uint8_t)crc;
        sent[length++] = (uint8_t)(crc >> 8);
        count = 8 * length;
    }
    for (size_t i = 0; i < count; i++) {
        bits[i] = sent[i / 8] >> (i % 8) & 1;
    }
    uint64_t prescaler = (uint64_t)(chip->regs[T_MODE] & 0x0F) << 8 | chip->regs[T_PRESCALER];
    uint64_t reload = (uint64_t)chip->regs[RELOAD_H] << 8 | chip->regs[RELOAD_L];
    uint64_t limit = (reload + 1) * (2 * prescaler + 1) * 100 / 1356; /* microseconds */
    air_type_a(chip->air, bits, count, &heard);
    if (chip->air->cut) {
        chip->air->cut = false;
        model_mfrc522_reset(chip);
        return;
    }
    if (heard.count > 0 && limit > 91) {
        receive(chip, &heard);
    } else if ((chip->regs[T_MODE] & 0x80) != 0) {
        chip->air->nanoseconds += 1000 * limit;
        chip->regs[COM_IRQ] |= 0x01;
    }
}

static void command(struct model_mfrc522 *chip, uint8_t value)
{
    chip->regs[COMMAND] = (uint8_t)(value & 0x2F);
    if ((value & 0x0F) == 0x0F) {
        model_mfrc522_reset(chip);
    } else if ((value & 0x0F) == 0x03) {
        uint16_t crc = air_crc_a(chip->fifo, chip->level);
        chip->level = 0;
        chip->regs[CRC_L] = (uint8_t)crc;
        chip->regs[CRC_H] = (uint8_t)(crc >> 8);
        chip->regs[DIV_IRQ] |= 0x04;
    }
}

static void write_reg(struct model_mfrc522 *chip, uint8_t reg, uint8_t value)
{
    switch (reg) {
    case COMMAND:
        command(chip, value);
        break;
    case COM_IRQ:
    case DIV_IRQ:
        chip->regs[reg] = (uint8_t)((value & 0x80) != 0 ? chip->regs[reg] | (value & 0x7F) : chip->regs[reg] & ~value);
        break;
    case FIFO_DATA:
        push(chip, value);
        break;
    case FIFO_LEVEL:
        chip->level = (value & 0x80) != 0 ? 0 : chip->level;
        chip->regs[ERROR] &= (uint8_t)((value & 0x80) != 0 ? ~0x10 : 0xFF);
        break;
    case COLL:
        chip->regs[COLL] = (uint8_t)((chip->regs[COLL] & 0x7F) | (value & 0x80));
        break;
    case BIT_FRAMING:
        chip->regs[reg] = value & 0x7F;
        if ((value & 0x80) != 0 && (chip->regs[COMMAND] & 0x0F) == 0x0C) {
            transceive(chip);
        }
        break;
    case TX_CONTROL:
        chip->regs[reg] = value;
        air_field(chip->air, (value & 3) == 3);
        break;
    case ERROR:
    case CRC_H:
    case CRC_L:
    case VERSION:
        break; /* read only */
    default:
        chip->regs[reg] = value;
    }
}

static uint8_t read_reg(struct model_mfrc522 *chip, uint8_t reg)
{
    uint8_t value = chip->regs[reg];
    if (reg == FIFO_DATA) {
        value = chip->level > 0 ? chip->fifo[0] : 0;
        chip->level = (uint8_t)(chip->level - (chip->level > 0));
        memmove(chip->fifo, chip->fifo + 1, sizeof chip->fifo - 1);
    } else if (reg == FIFO_LEVEL) {
        value = chip->level;
    }
    if (chip->flips_each > 0 && air_chance(chip->air) % chip->flips_each == 0) {
        value ^= (uint8_t)(1u << air_chance(chip->air) % 8);
    }
    return value;
}

static void spi(void *board, const uint8_t *out, uint8_t *in, size_t length)
{
    struct model_mfrc522 *chip = board;
    chip->air->nanoseconds += SPI_SELECT_NS + length * SPI_BYTE_NS;
    if (chip->gone || chip->shorted) {
        if (in != NULL) {
            memset(in, chip->gone ? 0xFF : 0x00, length);
        }
        return;
    }
    bool reads = (out[0] & 0x80) != 0;
    for (size_t i = 1; i < length; i++) {
        uint8_t value = 0;
        if (reads) {
            value = read_reg(chip, out[i - 1] >> 1 & 0x3F);
        } else {
            write_reg(chip, out[0] >> 1 & 0x3F, out[i]);
        }
        if (in != NULL) {
            in[i] = value;
        }
    }
}

static bool i2c(void *board, uint8_t address, const uint8_t *out, size_t out_length, uint8_t *in, size_t in_length)
{
    struct model_mfrc522 *chip = board;
    chip->air->nanoseconds += (1 + out_length + in_length + (in_length > 0)) * I2C_BYTE_NS;
    if (chip->gone || chip->shorted || address != MODEL_MFRC522_ADDRESS || out_length == 0) {
        return false;
    }
    for (size_t i = 1; i < out_length; i++) {
        write_reg(chip, out[0] & 0x3F, out[i]);
    }
    for (size_t i = 0; i < in_length; i++) {
        in[i] = read_reg(chip, out[0] & 0x3F);
    }
    return true;
}

static void reset(void *board, bool held)
{
    if (held) {
        model_mfrc522_reset(board);
    }
}

static uint32_t microseconds(void *board)
{
    struct model_mfrc522 *chip = board;
    chip->air->nanoseconds += CLOCK_NS;
    return (uint32_t)(chip->air->nanoseconds / 1000);
}

void model_mfrc522_start(struct model_mfrc522 *chip, struct air_model *air)
{
    *chip = (struct model_mfrc522){.air = air};
    model_mfrc522_reset(chip);
}

struct chip_bus model_mfrc522_bus(struct model_mfrc522 *chip)
{
    return (struct chip_bus){.board = chip, .spi = spi, .i2c = i2c, .reset = reset, .microseconds = microseconds};
}
