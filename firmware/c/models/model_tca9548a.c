#include "model_tca9548a.h"

enum { I2C_BYTE_NS = 22500 }; /* nine clocks at 400 kHz */

void model_tca9548a_start(struct model_tca9548a *model, uint64_t *nanoseconds)
{
    *model = (struct model_tca9548a){.nanoseconds = nanoseconds, .address = MODEL_TCA9548A_ADDRESS};
}

bool model_tca9548a_data(const struct model_tca9548a *model) { return !model->host_held && (model->control & model->held) == 0; }

/* All channels that are open are one bus: whoever answers, answers at once, and a zero of one is a zero. */
static bool pass(const struct model_tca9548a *model, uint8_t address, const uint8_t *out, size_t out_length, uint8_t *in, size_t in_length)
{
    bool answered = false;
    for (uint8_t channel = 0; channel < MODEL_TCA9548A_CHANNELS; channel++) {
        uint8_t one[256];
        if ((model->control >> channel & 1) == 0 || in_length > sizeof one ||
            !model->behind(model->self, channel, address, out, out_length, one, in_length)) {
            continue;
        }
        for (size_t i = 0; i < in_length; i++) {
            in[i] = answered ? in[i] & one[i] : one[i];
        }
        answered = true;
    }
    return answered;
}

bool model_tca9548a_i2c(struct model_tca9548a *model, uint8_t address, const uint8_t *out, size_t out_length, uint8_t *in, size_t in_length)
{
    if (!model_tca9548a_data(model)) {
        *model->nanoseconds += I2C_BYTE_NS; /* no transfer can begin: the line never rises */
        return false;
    }
    if (address != model->address || model->gone) {
        return pass(model, address, out, out_length, in, in_length);
    }
    *model->nanoseconds += (1 + out_length + in_length) * I2C_BYTE_NS;
    for (size_t i = 0; i < in_length; i++) {
        in[i] = model->control;
    }
    if (out_length > 0 && !model->deaf) {
        model->control = out[out_length - 1];
    }
    return true;
}

void model_tca9548a_clock(struct model_tca9548a *model)
{
    *model->nanoseconds += I2C_BYTE_NS / 9;
    for (uint8_t channel = 0; channel < MODEL_TCA9548A_CHANNELS; channel++) {
        uint8_t bit = (uint8_t)(1u << channel);
        if ((model->control & model->held & bit) != 0 && model->clocks[channel] > 0 && --model->clocks[channel] == 0) {
            model->held = (uint8_t)(model->held & ~bit);
        }
    }
}

void model_tca9548a_reset(struct model_tca9548a *model)
{
    if (!model->gone) {
        model->control = 0;
    }
}
