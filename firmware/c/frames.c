#include "frames.h"

#include <string.h>

uint32_t crc32(const uint8_t *data, size_t length)
{
    uint32_t crc = 0xFFFFFFFF;
    for (size_t i = 0; i < length; i++) {
        crc ^= data[i];
        for (int bit = 0; bit < 8; bit++) {
            crc = crc >> 1 ^ (0xEDB88320 & (0 - (crc & 1)));
        }
    }
    return ~crc;
}

size_t cobs_encode(const uint8_t *data, size_t length, uint8_t *out)
{
    size_t code_at = 0, at = 1;
    for (size_t i = 0; i < length; i++) {
        if (data[i] != 0) {
            out[at++] = data[i];
        }
        if (data[i] == 0 || (at - code_at == 255 && i + 1 < length)) {
            out[code_at] = (uint8_t)(at - code_at);
            code_at = at++;
        }
    }
    out[code_at] = (uint8_t)(at - code_at);
    return at;
}

long cobs_decode(uint8_t *data, size_t length)
{
    size_t at = 0, put = 0;
    while (at < length) {
        size_t code = data[at];
        if (code == 0 || code > length - at) {
            return -1;
        }
        memmove(data + put, data + at + 1, code - 1);
        put += code - 1;
        at += code;
        if (code < 255 && at < length) {
            data[put++] = 0;
        }
    }
    return (long)put;
}

size_t frame_encode(uint8_t *frame, size_t length, uint8_t *out)
{
    uint32_t crc = crc32(frame, length);
    for (int i = 0; i < 4; i++) {
        frame[length + (size_t)i] = (uint8_t)(crc >> (8 * i));
    }
    out[0] = 0;
    size_t encoded = cobs_encode(frame, length + 4, out + 1);
    out[1 + encoded] = 0;
    return encoded + 2;
}

static bool is_frame(struct frame_receiver *receiver)
{
    long size = cobs_decode(receiver->data, receiver->collected);
    if (size < FRAME_OVERHEAD || size > FRAME_MAX) {
        return false;
    }
    size_t length = (size_t)size - 4;
    uint32_t crc = crc32(receiver->data, length);
    for (int i = 0; i < 4; i++) {
        if (receiver->data[length + (size_t)i] != (uint8_t)(crc >> (8 * i))) {
            return false;
        }
    }
    receiver->length = length;
    return receiver->data[0] >= HANDSHAKE_REQUEST && receiver->data[0] <= REJECT;
}

bool frame_feed(struct frame_receiver *receiver, uint8_t value)
{
    if (value != 0) {
        if (receiver->collected < ENCODED_MAX) {
            receiver->data[receiver->collected++] = value;
        } else {
            receiver->overlong = true;
        }
        return false;
    }
    bool empty = receiver->collected == 0;
    bool good = !empty && !receiver->overlong && is_frame(receiver);
    if (!empty && !good) {
        receiver->dropped++;
    }
    receiver->collected = 0;
    receiver->overlong = false;
    return good;
}
