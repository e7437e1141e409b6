/* Each program is one role over the same loop. */
#ifndef MAIN_H
#define MAIN_H

#include "wire.h"

extern const struct role the_role;

#endif
