#include "model_pn5180.h"

#include <string.h>

enum { SPI_BYTE_NS = 1200, CLOCK_NS = 1000 }; /* 7 MHz */
enum { SYSTEM_CONFIG = 0x00, IRQ_STATUS = 0x02, IRQ_CLEAR = 0x03, CRC_RX = 0x12, RX_STATUS = 0x13, TX_CONFIG = 0x18, CRC_TX = 0x19 };
static const uint32_t RX_IRQ = 1, TX_IRQ = 2, IDLE_IRQ = 4, SOF_IRQ = 1u << 14, ERROR_IRQ = 1u << 17, DATA_ENABLE = 1u << 10;

void model_pn5180_reset(struct model_pn5180 *chip)
{
    memset(chip->regs, 0, sizeof chip->regs);
    chip->regs[IRQ_STATUS] = IDLE_IRQ;
    chip->answer_length = chip->read_length = 0;
    chip->raised = 0;
    air_field(chip->air, false);
}

static uint16_t crc_of(const struct model_pn5180 *chip, const uint8_t *data, size_t length)
{
    uint16_t crc = chip->vicinity ? 0xFFFF : 0x6363;
    for (size_t i = 0; i < length; i++) {
        crc ^= data[i];
        for (int bit = 0; bit < 8; bit++) {
            crc = (uint16_t)((crc & 1) != 0 ? (crc >> 1) ^ 0x8408 : crc >> 1);
        }
    }
    return (uint16_t)(chip->vicinity ? ~crc : crc);
}

static void receive(struct model_pn5180 *chip, const struct heard *heard)
{
    size_t align = chip->regs[CRC_RX] >> 6 & 7, end = align + heard->count;
    bool collided = heard->collision < heard->count, cleared = (chip->regs[CRC_RX] & 1u << 9) == 0;
    memset(chip->answer, 0, sizeof chip->answer);
    chip->answer_length = (end + 7) / 8;
    for (size_t i = align; i < end; i++) {
        bool on = heard->bits[i - align] != 0 && !(collided && cleared && i - align > heard->collision);
        chip->answer[i / 8] = (uint8_t)(chip->answer[i / 8] | on << (i % 8));
    }
    uint32_t status = (uint32_t)(chip->answer_length | end % 8 << 13);
    if (collided) {
        status |= 1u << 18 | (uint32_t)(heard->collision + align + chip->counts_from_one) << 19;
    }
    chip->regs[RX_STATUS] = status | (heard->torn ? 1u << 16 : 0);
    chip->raised = RX_IRQ | SOF_IRQ;
}

static void send_data(struct model_pn5180 *chip, uint8_t last, const uint8_t *data, size_t length)
{
    uint8_t sent[40], bits[MODEL_BITS];
    struct heard heard;
    uint64_t now = chip->air->nanoseconds;
    if (chip->hangs || (chip->regs[SYSTEM_CONFIG] & 7) != 3) {
        chip->regs[IRQ_STATUS] |= ERROR_IRQ;
        return;
    }
    memcpy(sent, data, length);
    size_t count = 8 * length;
    if (last != 0) {
        count = count - 8 + last;
    } else if (length > 0 && (chip->regs[CRC_TX] & 1) != 0) {
        uint16_t crc = crc_of(chip, sent, length);
        sent[length++] = (uint8_t)crc;
        sent[length++] = (uint8_t)(crc >> 8);
        count += 16;
    }
    chip->raised = 0;
    chip->regs[RX_STATUS] = 0;
    if (chip->vicinity && (chip->regs[TX_CONFIG] & DATA_ENABLE) == 0) {
        air_next_slot(chip->air, &heard);
    } else if (chip->vicinity) {
        air_vicinity(chip->air, sent, length, &heard);
    } else {
        for (size_t i = 0; i < count; i++) {
            bits[i] = sent[i / 8] >> (i % 8) & 1;
        }
        air_type_a(chip->air, bits, count, &heard);
    }
    chip->regs[IRQ_STATUS] |= TX_IRQ;
    chip->answered_at = chip->air->nanoseconds;
    if (heard.count > 0) {
        receive(chip, &heard);
    } else {
        chip->answered_at = now;
    }
}

static void load_config(struct model_pn5180 *chip, uint8_t tx)
{
    chip->vicinity = tx == 0x0D;
    chip->regs[TX_CONFIG] = DATA_ENABLE | 0xC0;
    chip->regs[CRC_TX] = chip->vicinity;
    chip->regs[CRC_RX] = 0x200 | chip->vicinity;
}

static void write_reg(struct model_pn5180 *chip, const uint8_t *out)
{
    uint32_t value = (uint32_t)out[2] | (uint32_t)out[3] << 8 | (uint32_t)out[4] << 16 | (uint32_t)out[5] << 24;
    uint32_t *reg = &chip->regs[out[1] & 0x3F];
    if (chip->air->cut && out[1] == SYSTEM_CONFIG) { /* between two frames: what follows goes to a chip without a field */
        chip->air->cut = false;
        model_pn5180_reset(chip);
    }
    if (out[1] == IRQ_CLEAR) {
        chip->regs[IRQ_STATUS] &= ~value;
    } else if (out[1] != RX_STATUS && out[1] != IRQ_STATUS) {
        *reg = out[0] == 0 ? value : out[0] == 1 ? *reg | value : *reg & value;
    }
}

static void read_reg(struct model_pn5180 *chip, uint8_t reg)
{
    if (chip->raised != 0 && chip->air->nanoseconds >= chip->answered_at) {
        chip->regs[IRQ_STATUS] |= chip->raised;
        chip->raised = 0;
    }
    for (unsigned i = 0; i < 4; i++) {
        chip->read[i] = (uint8_t)(chip->regs[reg & 0x3F] >> (8 * i));
    }
    chip->read_length = 4;
}

static void obey(struct model_pn5180 *chip, const uint8_t *out, size_t length)
{
    static const uint8_t version[2] = {0x05, 0x03};
    switch (out[0]) {
    case 0x00:
    case 0x01:
    case 0x02:
        if (length == 6) {
            write_reg(chip, out);
        }
        break;
    case 0x04:
        read_reg(chip, out[1]);
        break;
    case 0x07:
        memcpy(chip->read, version, sizeof version);
        chip->read_length = sizeof version;
        break;
    case 0x09:
        if (length >= 2 && length < 34) {
            send_data(chip, out[1], out + 2, length - 2);
        }
        break;
    case 0x0A:
        memcpy(chip->read, chip->answer, chip->answer_length);
        chip->read_length = chip->answer_length;
        break;
    case 0x11:
        load_config(chip, out[1]);
        break;
    case 0x16:
    case 0x17:
        air_field(chip->air, out[0] == 0x16);
        break;
    default:
        chip->regs[IRQ_STATUS] |= ERROR_IRQ;
    }
}

static void spi(void *board, const uint8_t *out, uint8_t *in, size_t length)
{
    struct model_pn5180 *chip = board;
    chip->air->nanoseconds += length * SPI_BYTE_NS;
    if (chip->gone || chip->shorted) {
        if (in != NULL) {
            memset(in, chip->gone ? 0xFF : 0x00, length);
        }
        return;
    }
    if (chip->read_length > 0) {
        for (size_t i = 0; in != NULL && i < length; i++) {
            bool hit = chip->flips_each > 0 && air_chance(chip->air) % chip->flips_each == 0;
            in[i] = i < chip->read_length ? chip->read[i] : 0xFF;
            in[i] = (uint8_t)(hit ? in[i] ^ (1u << air_chance(chip->air) % 8) : in[i]);
        }
        chip->read_length = 0;
    } else {
        obey(chip, out, length);
    }
    chip->busy_until = chip->air->nanoseconds + MODEL_BUSY;
}

static bool busy(void *board)
{
    struct model_pn5180 *chip = board;
    return chip->stuck || (!chip->gone && chip->air->nanoseconds < chip->busy_until);
}

static void reset(void *board, bool held)
{
    if (held) {
        model_pn5180_reset(board);
    }
}

static uint32_t microseconds(void *board)
{
    struct model_pn5180 *chip = board;
    chip->air->nanoseconds += CLOCK_NS;
    return (uint32_t)(chip->air->nanoseconds / 1000);
}

void model_pn5180_start(struct model_pn5180 *chip, struct air_model *air)
{
    *chip = (struct model_pn5180){.air = air};
    model_pn5180_reset(chip);
}

struct chip_bus model_pn5180_bus(struct model_pn5180 *chip)
{
    return (struct chip_bus){.board = chip, .spi = spi, .reset = reset, .busy = busy, .microseconds = microseconds};
}
