// What the port calls when main.py has ended, in the place of its console: the device begins anew.
#include "hardware/watchdog.h"
#include "py/mpconfig.h"
#include "shared/runtime/pyexec.h"

int pyexec_friendly_repl(void) {
    watchdog_reboot(0, 0, 0);
    for (;;) {
    }
}

int pyexec_raw_repl(void) { return pyexec_friendly_repl(); }

#if MICROPY_VERSION < MICROPY_MAKE_VERSION(1, 26, 0)
// What the port asks for characters of, also where no console gives it any: later versions do not.
#include "py/ringbuf.h"
ringbuf_t stdin_ringbuf;
#endif
