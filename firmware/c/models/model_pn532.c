#include "model_pn532.h"

#include "model_pn532_list.h"

#include <string.h>

enum { UART_BYTE_NS = 86806, I2C_BYTE_NS = 22500, SPI_BYTE_NS = 2000, CLOCK_NS = 1000 }; /* 115200 baud, 400 kHz, 4 MHz */
enum { NO_ANSWER = MODEL_FRAME + 1, SILENCE_NS = 1000000 }; /* how long a silence is waited for, an estimate */
enum { TX_MODE = 0x02, ERROR = 0x36, BIT_FRAMING = 0x3D, COLL = 0x3E };
static const uint8_t ACK[6] = {0x00, 0x00, 0xFF, 0x00, 0xFF, 0x00};

void model_pn532_reset(struct model_pn532 *chip)
{
    memset(chip->regs, 0, sizeof chip->regs);
    chip->regs[COLL] = 0xA0;
    chip->wait_code = 0x0A;
    chip->more_tries = 0xFF;
    chip->listed = false;
    chip->asleep = chip->wire == PN532_UART;
    chip->came_length = chip->out_count = 0;
    air_field(chip->air, false);
}

/* ---- what a command does */

static size_t thru(struct model_pn532 *chip, const uint8_t *data, size_t length, uint8_t *answer)
{
    uint8_t bits[MODEL_BITS], sent[MODEL_FRAME];
    struct heard heard;
    unsigned align = chip->regs[BIT_FRAMING] >> 4 & 7, last = chip->regs[BIT_FRAMING] & 7;
    size_t count = 8 * length;
    memcpy(sent, data, length);
    if (last != 0) {
        count = count - 8 + last;
    } else if ((chip->regs[TX_MODE] & 0x80) != 0) {
        uint16_t crc = air_crc_a(data, length);
        sent[length] = (uint8_t)crc;
        sent[length + 1] = (uint8_t)(crc >> 8);
        count += 16;
    }
    for (size_t i = 0; i < count; i++) {
        bits[i] = sent[i / 8] >> (i % 8) & 1;
    }
    air_type_a(chip->air, bits, count, &heard);
    if (chip->air->cut) {
        chip->air->cut = false;
        model_pn532_reset(chip);
        return MODEL_FRAME;
    }
    chip->regs[ERROR] = 0;
    chip->regs[COLL] |= 0x20;
    if (heard.count == 0) {
        chip->air->nanoseconds += (uint64_t)100000 << (chip->wait_code - 1);
        answer[0] = 0x01;
        return 1;
    }
    bool collided = heard.collision < heard.count;
    size_t end = align + heard.count, bytes = (end + 7) / 8;
    memset(answer, 0, 1 + bytes);
    for (size_t i = align; i < end; i++) {
        bool on = heard.bits[i - align] != 0 && !(collided && i - align > heard.collision && (chip->regs[COLL] & 0x80) == 0);
        answer[1 + i / 8] = (uint8_t)(answer[1 + i / 8] | on << (i % 8));
    }
    if (collided) {
        size_t position = heard.collision + 1 + (chip->counts_align ? align : 0);
        chip->regs[ERROR] |= 0x08;
        chip->regs[COLL] = (uint8_t)((chip->regs[COLL] & 0x80) | (position > 32 || chip->no_position ? 0x20 : position % 32));
    }
    answer[0] = heard.torn ? 0x03 : collided ? 0x06 : 0x00;
    return collided && chip->keeps_collided ? 1 : 1 + bytes;
}

/* One target at most. Without a bound of its tries it asks for ever: then there is no answer (NO_ANSWER). */
static size_t list(struct model_pn532 *chip, const uint8_t *data, size_t length, uint8_t *answer)
{
    if (length < 2 || data[0] != 1 || data[1] != 0) {
        return MODEL_FRAME;
    }
    chip->listed = false;
    answer[0] = 0;
    for (unsigned tries = 0; tries <= chip->more_tries; tries++) {
        size_t count = model_pn532_find(chip->air, answer + 1);
        if (chip->air->cut) {
            chip->air->cut = false;
            model_pn532_reset(chip);
            return MODEL_FRAME;
        }
        if (count > 0) {
            chip->listed = true;
            answer[0] = 1;
            return 1 + count;
        }
        if (chip->more_tries == 0xFF) {
            return NO_ANSWER;
        }
        chip->air->nanoseconds += SILENCE_NS;
    }
    return 1;
}

/* 00: done; 27: there is no such target. */
static size_t deselect(struct model_pn532 *chip, uint8_t *answer)
{
    answer[0] = chip->listed ? 0x00 : 0x27;
    if (chip->listed) {
        model_pn532_halt(chip->air);
        chip->air->nanoseconds += SILENCE_NS;
    }
    if (chip->air->cut) {
        chip->air->cut = false;
        model_pn532_reset(chip);
        return MODEL_FRAME;
    }
    chip->listed = false;
    return 1;
}

/* The answer's data; MODEL_FRAME: this command, or its data, is not known. */
static size_t obey(struct model_pn532 *chip, uint8_t command, const uint8_t *data, size_t length, uint8_t *answer)
{
    static const uint8_t version[4] = {0x32, 0x01, 0x06, 0x07};
    size_t count = 0;
    switch (command) {
    case 0x02:
        memcpy(answer, version, sizeof version);
        return sizeof version;
    case 0x06:
        for (size_t i = 0; i + 1 < length; i += 2) {
            answer[count++] = data[i] == 0x63 && data[i + 1] < sizeof chip->regs ? chip->regs[data[i + 1]] : 0;
        }
        return count;
    case 0x08:
        for (size_t i = 0; i + 2 < length; i += 3) {
            if (data[i] == 0x63 && data[i + 1] < sizeof chip->regs) {
                chip->regs[data[i + 1]] = data[i + 2];
            }
        }
        return 0;
    case 0x12: /* SetParameters */
        return length == 1 ? 0 : MODEL_FRAME;
    case 0x14:
        return length >= 1 ? 0 : MODEL_FRAME;
    case 0x32:
        if (length == 2 && data[0] == 0x01) {
            air_field(chip->air, (data[1] & 1) != 0);
        } else if (length == 4 && data[0] == 0x02) {
            chip->wait_code = data[3];
        } else if (length == 4 && data[0] == 0x05) {
            chip->more_tries = data[3];
        } else {
            return MODEL_FRAME;
        }
        return 0;
    case 0x42:
        return length > 0 && length < 20 ? thru(chip, data, length, answer) : MODEL_FRAME;
    case 0x44: /* InDeselect */
        return deselect(chip, answer);
    case 0x4A: /* InListPassiveTarget */
        return list(chip, data, length, answer);
    default:
        return MODEL_FRAME;
    }
}

static void put_frame(struct model_pn532 *chip, const uint8_t *data, size_t length)
{
    struct model_frame *frame = &chip->out[chip->out_count++];
    memcpy(frame->data, data, length);
    frame->length = length;
    frame->taken = 0;
    frame->ready_at = chip->air->nanoseconds;
}

static void carry_out(struct model_pn532 *chip, const uint8_t *body, size_t length)
{
    static const uint8_t syntax_error[8] = {0x00, 0x00, 0xFF, 0x01, 0xFF, 0x7F, 0x81, 0x00};
    uint8_t frame[MODEL_FRAME] = {0x00, 0x00, 0xFF, 0, 0, 0xD5};
    uint64_t now = chip->air->nanoseconds;
    chip->out_count = 0;
    put_frame(chip, ACK, sizeof ACK);
    if (chip->hangs) {
        return;
    }
    chip->air->nanoseconds += MODEL_THINKS;
    size_t count = obey(chip, body[1], body + 2, length - 2, frame + 7);
    if (chip->out_count == 0 || count == NO_ANSWER) {
        return; /* its power has gone meanwhile, or it still asks */
    }
    if (count == MODEL_FRAME) {
        put_frame(chip, syntax_error, sizeof syntax_error);
    } else {
        uint8_t sum = 0;
        frame[3] = (uint8_t)(count + 2);
        frame[4] = (uint8_t)(0x100 - frame[3]);
        frame[6] = (uint8_t)(body[1] + 1);
        for (size_t i = 0; i < count + 2; i++) {
            sum = (uint8_t)(sum + frame[5 + i]);
        }
        frame[7 + count] = (uint8_t)(0x100 - sum);
        put_frame(chip, frame, 9 + count);
    }
    chip->out[1].ready_at = chip->air->nanoseconds;
    chip->air->nanoseconds = now; /* the host's time goes on by itself meanwhile */
}

/* Takes the bytes of one frame from the host, if it is there whole. */
static bool take_frame(struct model_pn532 *chip, const uint8_t *data, size_t length)
{
    for (size_t i = 0; i + 4 < length; i++) {
        if (data[i] != 0x00 || data[i + 1] != 0xFF) {
            continue;
        }
        if (data[i + 2] == 0x00) {
            chip->out_count = 0; /* the host gives up */
            return true;
        }
        size_t size = data[i + 2];
        uint8_t sum = 0;
        if ((uint8_t)(data[i + 2] + data[i + 3]) != 0 || i + 4 + size >= length || size < 2) {
            return false;
        }
        for (size_t b = 0; b <= size; b++) {
            sum = (uint8_t)(sum + data[i + 4 + b]);
        }
        if (sum == 0 && data[i + 4] == 0xD4) {
            carry_out(chip, data + i + 4, size);
        }
        return true;
    }
    return false;
}

/* ---- the three links */

static uint8_t spoilt(struct model_pn532 *chip, uint8_t value)
{
    bool hit = chip->flips_each > 0 && air_chance(chip->air) % chip->flips_each == 0;
    return (uint8_t)(hit ? value ^ (1u << air_chance(chip->air) % 8) : value);
}

static void uart_write(void *board, const uint8_t *data, size_t length)
{
    struct model_pn532 *chip = board;
    chip->air->nanoseconds += length * UART_BYTE_NS;
    for (size_t i = 0; i < length && !chip->gone && !chip->shorted; i++) {
        chip->asleep = chip->asleep && data[i] != 0x55;
        if (!chip->asleep && chip->came_length < sizeof chip->came) {
            chip->came[chip->came_length++] = data[i];
        }
    }
    if (take_frame(chip, chip->came, chip->came_length) || chip->came_length == sizeof chip->came) {
        chip->came_length = 0;
    }
}

static size_t uart_read(void *board, uint8_t *data, size_t capacity)
{
    struct model_pn532 *chip = board;
    size_t count = 0;
    uint64_t free_at = 0;
    for (size_t f = 0; f < chip->out_count && !chip->gone; f++) {
        struct model_frame *frame = &chip->out[f];
        uint64_t begins = frame->ready_at > free_at ? frame->ready_at : free_at;
        while (count < capacity && frame->taken < frame->length &&
               begins + (frame->taken + 1) * UART_BYTE_NS <= chip->air->nanoseconds) {
            data[count++] = spoilt(chip, frame->data[frame->taken++]);
        }
        free_at = begins + frame->length * UART_BYTE_NS;
    }
    return count;
}

static bool is_ready(const struct model_pn532 *chip)
{
    return chip->out_count > 0 && chip->out[0].ready_at <= chip->air->nanoseconds;
}

static void go_away(struct model_pn532 *chip) { chip->away_until = chip->air->nanoseconds + (uint64_t)chip->away_for * 1000; }

static void pop(struct model_pn532 *chip)
{
    chip->out[0] = chip->out[1];
    chip->out_count--;
}

/* What the host reads in one piece: zeros behind the frame's end. */
static void give(struct model_pn532 *chip, uint8_t *in, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        in[i] = spoilt(chip, i < chip->out[0].length ? chip->out[0].data[i] : 0);
    }
    pop(chip);
}

static bool i2c(void *board, uint8_t address, const uint8_t *out, size_t out_length, uint8_t *in, size_t in_length)
{
    struct model_pn532 *chip = board;
    chip->air->nanoseconds += (1 + out_length + in_length) * I2C_BYTE_NS;
    if (chip->gone || chip->shorted || address != 0x24) {
        return false;
    }
    if (chip->air->nanoseconds < chip->away_until) {
        return false;
    }
    if (out_length > 0) {
        (void)take_frame(chip, out, out_length);
        go_away(chip);
    }
    if (in_length > 0) {
        memset(in, 0, in_length);
        in[0] = is_ready(chip);
        if (in[0] != 0 && in_length > 1) {
            bool acknowledges = chip->out[0].length == sizeof ACK;
            give(chip, in + 1, in_length - 1);
            if (acknowledges) {
                go_away(chip);
            }
        }
    }
    return true;
}

static uint8_t turned(uint8_t value)
{
    uint8_t out = 0;
    for (unsigned bit = 0; bit < 8; bit++) {
        out = (uint8_t)(out | (value >> bit & 1) << (7 - bit));
    }
    return out;
}

static void spi(void *board, const uint8_t *out, uint8_t *in, size_t length)
{
    struct model_pn532 *chip = board;
    uint8_t data[1 + MODEL_FRAME] = {0};
    chip->air->nanoseconds += length * SPI_BYTE_NS;
    for (size_t i = 1; i < length && i < MODEL_FRAME; i++) {
        data[i] = turned(out[i]);
    }
    uint8_t code = turned(out[0]);
    if (chip->gone || chip->shorted) {
        memset(data, chip->gone ? 0xFF : 0x00, sizeof data);
    } else if (code == 0x01) {
        (void)take_frame(chip, data + 1, length - 1);
        memset(data, 0, sizeof data);
    } else if (code == 0x02 && length > 1) {
        data[1] = is_ready(chip);
    } else if (code == 0x03 && is_ready(chip)) {
        give(chip, data + 1, length - 1);
    }
    for (size_t i = 0; in != NULL && i < length && i <= MODEL_FRAME; i++) {
        in[i] = turned(data[i]);
    }
}

static void reset(void *board, bool held)
{
    if (held) {
        model_pn532_reset(board);
    }
}

static uint32_t microseconds(void *board)
{
    struct model_pn532 *chip = board;
    chip->air->nanoseconds += CLOCK_NS;
    return (uint32_t)(chip->air->nanoseconds / 1000);
}

void model_pn532_start(struct model_pn532 *chip, struct air_model *air, enum pn532_wire wire)
{
    *chip = (struct model_pn532){.air = air, .wire = wire};
    model_pn532_reset(chip);
}

struct chip_bus model_pn532_bus(struct model_pn532 *chip)
{
    struct chip_bus bus = {.board = chip, .reset = reset, .microseconds = microseconds};
    bus.uart_write = uart_write;
    bus.uart_read = uart_read;
    bus.i2c = i2c;
    bus.spi = spi;
    return bus;
}
