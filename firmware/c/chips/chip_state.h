/* What a driver found when it set its chip up. */
#ifndef CHIP_STATE_H
#define CHIP_STATE_H

enum chip_state { CHIP_WORKS, CHIP_SILENT, CHIP_NONSENSE };

#endif
