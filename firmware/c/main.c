#include "main.h"

#include "board.h"

int main(int count, char **arguments)
{
    static uint8_t came[256];
    board_start(count, arguments);
    wire_start(&the_role, board_serial(), board_key());
    the_role.start();
    while (board_powered()) {
        size_t length = board_read(came, sizeof came);
        wire_received(came, length);
        the_role.poll();
        wire_tick();
        const uint8_t *out = wire_out(&length);
        if (length > 0) {
            wire_gone(board_write(out, length));
        }
    }
    return 0;
}
