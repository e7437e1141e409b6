#include "pn532_link.h"

#include <string.h>

enum { TO_CHIP = 0xD4, TO_HOST = 0xD5, I2C_ADDRESS = 0x24, READY = 0x01 };
enum { SPI_WRITE = 0x01, SPI_STATUS = 0x02, SPI_READ = 0x03 };
enum { ACK_WITHIN = 5000, BYTE_WITHIN = 500 }; /* microseconds */
static const uint8_t ACK[6] = {0x00, 0x00, 0xFF, 0x00, 0xFF, 0x00};

/* The chip's SPI has the least significant bit first; the bus has it last. */
static uint8_t turned(uint8_t value)
{
    uint8_t out = 0;
    for (int bit = 0; bit < 8; bit++) {
        out = (uint8_t)(out << 1 | (value >> bit & 1));
    }
    return out;
}

static void spi(const struct pn532_link *link, uint8_t code, const uint8_t *out, uint8_t *in, size_t length)
{
    uint8_t sent[1 + PN532_FRAME_MAX] = {turned(code)}, came[1 + PN532_FRAME_MAX] = {0};
    for (size_t i = 0; i < length; i++) {
        sent[1 + i] = out != NULL ? turned(out[i]) : 0;
    }
    link->bus->spi(link->bus->board, sent, came, 1 + length);
    for (size_t i = 0; in != NULL && i < length; i++) {
        in[i] = turned(came[1 + i]);
    }
}

static void send(const struct pn532_link *link, const uint8_t *frame, size_t length)
{
    void *board = link->bus->board;
    switch (link->wire) {
    case PN532_UART:
        link->bus->uart_write(board, frame, length);
        break;
    case PN532_I2C:
        (void)link->bus->i2c(board, I2C_ADDRESS, frame, length, NULL, 0);
        break;
    case PN532_SPI:
        spi(link, SPI_WRITE, frame, NULL, length);
        break;
    }
}

/* What there is of a frame now, at most `want`. On I2C and SPI a frame is read in one piece, once the chip says it is ready. */
static size_t take(const struct pn532_link *link, uint8_t *data, size_t want)
{
    void *board = link->bus->board;
    uint8_t came[1 + PN532_FRAME_MAX] = {0};
    switch (link->wire) {
    case PN532_UART:
        return link->bus->uart_read(board, data, want);
    case PN532_I2C:
        if (!link->bus->i2c(board, I2C_ADDRESS, NULL, 0, came, 1) || came[0] != READY ||
            !link->bus->i2c(board, I2C_ADDRESS, NULL, 0, came, 1 + want)) {
            return 0;
        }
        memcpy(data, came + 1, want);
        return want;
    case PN532_SPI:
        spi(link, SPI_STATUS, NULL, came, 1);
        if (came[0] != READY) {
            return 0;
        }
        spi(link, SPI_READ, NULL, data, want);
        return want;
    }
    return 0;
}

/* Where the frame's length stands: behind any number of zeros and the start code. `have`: nowhere yet. */
static size_t length_at(const uint8_t *data, size_t have)
{
    for (size_t i = 0; i + 1 < have; i++) {
        if (data[i] == 0x00 && data[i + 1] == 0xFF) {
            return i + 2;
        }
    }
    return have;
}

static bool is_ack(const uint8_t *data, size_t have)
{
    size_t at = length_at(data, have);
    return at + 2 <= have && data[at] == 0x00 && data[at + 1] == 0xFF;
}

/* How many bytes the frame has whole, with all before it; 0: that is not known yet. */
static size_t whole(const uint8_t *data, size_t have)
{
    size_t at = length_at(data, have);
    if (at + 2 > have) {
        return 0;
    }
    return is_ack(data, have) ? at + 2 : at + 2 + data[at] + 1u;
}

/* Waits for a frame of at most `want` bytes. On the UART a frame that has begun must go on. */
static enum pn532_reply receive(const struct pn532_link *link, uint8_t *data, size_t want, size_t *have, uint32_t limit)
{
    uint32_t from = bus_now(link->bus), last = from;
    *have = 0;
    while (*have < want && (whole(data, *have) == 0 || whole(data, *have) > *have)) {
        size_t came = take(link, data + *have, want - *have);
        uint32_t now = bus_now(link->bus);
        *have += came;
        last = came > 0 ? now : last;
        bool begun = length_at(data, *have) < *have; /* a zero alone may be the end of an earlier frame */
        if (came == 0 && (begun ? now - last > BYTE_WITHIN : now - from > limit)) {
            break;
        }
    }
    size_t length = whole(data, *have);
    return *have == 0 || (*have == 1 && data[0] == 0) ? PN532_MUTE : length == 0 || length > *have ? PN532_DAMAGED : PN532_REPLIED;
}

/* A damaged answer: the chip is told to forget the command, and what still comes is thrown away. */
static enum pn532_reply give_up(const struct pn532_link *link)
{
    uint8_t rest[PN532_FRAME_MAX];
    send(link, ACK, sizeof ACK);
    bus_wait(link->bus, BYTE_WITHIN);
    for (int i = 0; i < 4 && take(link, rest, sizeof rest) > 0; i++) {
    }
    return PN532_DAMAGED;
}

static void send_command(const struct pn532_link *link, uint8_t command, const uint8_t *data, size_t length)
{
    uint8_t frame[PN532_FRAME_MAX] = {0x00, 0x00, 0xFF, (uint8_t)(length + 2), (uint8_t)(0x100 - (length + 2)), TO_CHIP,
                                      command};
    uint8_t sum = (uint8_t)(TO_CHIP + command);
    for (size_t i = 0; i < length; i++) {
        frame[7 + i] = data[i];
        sum = (uint8_t)(sum + data[i]);
    }
    frame[7 + length] = (uint8_t)(0x100 - sum);
    frame[8 + length] = 0x00;
    send(link, frame, 9 + length);
}

/* Whether the bytes are an answer to this command, its checksums right. */
static bool is_answer(const uint8_t *data, size_t have, uint8_t command)
{
    size_t at = length_at(data, have), length = at < have ? data[at] : 0;
    uint8_t sum = 0;
    if (at + 2 + length + 1 > have || length < 2 || (uint8_t)(data[at] + data[at + 1]) != 0) {
        return false;
    }
    for (size_t i = 0; i < length + 1; i++) {
        sum = (uint8_t)(sum + data[at + 2 + i]);
    }
    return sum == 0 && data[at + 2] == TO_HOST && data[at + 3] == (uint8_t)(command + 1);
}

enum pn532_reply pn532_call(const struct pn532_link *link, uint8_t command, const uint8_t *data, size_t length,
                            uint8_t *answer, size_t capacity, size_t *answered, uint32_t limit)
{
    uint8_t came[PN532_FRAME_MAX];
    size_t have = 0;
    *answered = 0;
    if (length > PN532_DATA_MAX - 2) {
        return PN532_DAMAGED;
    }
    while (link->wire == PN532_UART && take(link, came, sizeof came) > 0) { /* what is left of an earlier answer */
    }
    send_command(link, command, data, length);
    enum pn532_reply reply = receive(link, came, sizeof ACK, &have, ACK_WITHIN);
    if (reply != PN532_REPLIED || !is_ack(came, have)) {
        return reply == PN532_MUTE ? PN532_MUTE : give_up(link);
    }
    size_t want = 10 + capacity; /* what stands around the data: nine bytes, and one more zero that some chips send first */
    reply = receive(link, came, want > sizeof came ? sizeof came : want, &have, limit);
    if (reply != PN532_REPLIED || !is_answer(came, have, command)) {
        return reply == PN532_MUTE ? PN532_MUTE : give_up(link);
    }
    size_t at = length_at(came, have);
    *answered = came[at] - 2u;
    if (*answered > capacity) {
        return give_up(link);
    }
    for (size_t i = 0; i < *answered; i++) {
        answer[i] = came[at + 4 + i];
    }
    return PN532_REPLIED;
}

void pn532_wake(const struct pn532_link *link)
{
    static const uint8_t call[16] = {0x55, 0x55};
    uint8_t rest[PN532_FRAME_MAX];
    if (link->wire == PN532_UART) {
        link->bus->uart_write(link->bus->board, call, sizeof call);
    } else {
        (void)take(link, rest, 1); /* to be selected wakes it */
    }
    bus_wait(link->bus, 2000);
    while (link->wire == PN532_UART && take(link, rest, sizeof rest) > 0) {
    }
}
