#include "model_servo.h"

/* A pulse as far from the last is 90 degrees at 1,000 microseconds; 0.12 seconds for 60 degrees, as small ones say of themselves. */
enum { LEAST = 500, MOST = 2500, PERIOD = 20, PACE = 1000 * PERIOD / 180 };

static int within(int value, int least, int most) { return value < least ? least : value > most ? most : value; }

void model_servo_period(struct model_servo *servo, uint16_t pulse)
{
    servo->driven = pulse != 0;
    if (!servo->driven) {
        servo->hot = 0;
        return;
    }
    servo->wanted = within(pulse, LEAST, MOST);
    int next = servo->place + within(servo->wanted - servo->place, -PACE, PACE);
    bool meets = servo->blocked_at != 0 && (next < servo->blocked_at) != (servo->place < servo->blocked_at);
    servo->hot = meets ? servo->hot + PERIOD : 0;
    servo->place = meets ? servo->place : next;
}
