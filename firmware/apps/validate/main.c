/* Serves docs/SPEC.md's protocol on the board's UART, for every model that is baked into the image. */
#include "ct_board.h"
#include "ct_platform.h"
#include "ct_server.h"
#include "ct_uart.h"
#include "models.h"

CT_ARENA CT_ARENA_SECTION static uint8_t arena[CT_MODELS_ARENA_BYTES];
static uint8_t frame[CT_FRAME_BYTES];
static ct_server server;

/* The peer notices by the session's end, and asks for the report. */
_Noreturn void ct_after_fault(void)
{
    ct_reset();
}

int main(void)
{
    const ct_device device = {.board = CT_BOARD_NAME,
                              .target = CT_BOARD_TARGET,
                              .models = ct_models,
                              .model_count = ct_model_count,
                              .arena = arena,
                              .arena_bytes = sizeof arena,
                              .sink = ct_uart_put};
    ct_server_init(&server, &device, frame, sizeof frame);
    for (;;) {
        const int byte = ct_uart_get();
        if (byte >= 0) {
            ct_server_receive(&server, (uint8_t)byte);
        } else {
            ct_uart_wait();
        }
    }
}
