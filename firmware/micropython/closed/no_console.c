// What the port calls when main.py has ended, in the place of its console: the device begins anew.
#include "hardware/watchdog.h"
#include "shared/runtime/pyexec.h"

int pyexec_friendly_repl(void) {
    watchdog_reboot(0, 0, 0);
    for (;;) {
    }
}

int pyexec_raw_repl(void) { return pyexec_friendly_repl(); }
