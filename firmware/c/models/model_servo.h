/* A servo as its data sheets have it: it measures the pulse on its signal, and goes where the last whole one told it, at its own pace. */
#ifndef MODEL_SERVO_H
#define MODEL_SERVO_H

#include <stdbool.h>
#include <stdint.h>

struct model_servo {
    int place;      /* where it is, in microseconds of the pulse that holds it there */
    int blocked_at; /* something lies between this place and the locked one; 0: nothing does */
    int wanted;     /* 0: no pulse has come yet */
    bool driven;    /* whether it got a pulse in the last period */
    uint32_t hot;   /* milliseconds in a row for which it was driven against what blocks it */
};

/* A period of 20 ms has passed whose pulse was so long; 0: there was none. */
void model_servo_period(struct model_servo *servo, uint16_t pulse);

#endif
