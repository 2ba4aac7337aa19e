/* Frames on a byte stream: COBS between 0x00 delimiters, CRC-32 at the end (docs/SPEC.md, "Frames"). */
#ifndef CT_FRAME_H
#define CT_FRAME_H

#include <stdbool.h>
#include <stdint.h>

typedef enum ct_frame_event {
    CT_FRAME_NONE,    /* nothing yet */
    CT_FRAME_READY,   /* `buffer` holds `bytes` of header and payload; the CRC is checked and cut off */
    CT_FRAME_DAMAGED, /* something ended that was no frame */
    CT_FRAME_TOO_LONG /* something ended that `buffer` could not hold */
} ct_frame_event;

/* Decodes in place: the buffer holds one decoded frame, and stays the caller's between two frames. */
typedef struct ct_frame_reader {
    uint8_t *buffer;
    uint32_t limit; /* bytes of buffer */
    uint32_t bytes;
    uint32_t crc;       /* of the frame that is READY */
    uint8_t block_left; /* bytes that the COBS block still has */
    bool zero_due;      /* a zero stands between this block and the next */
    bool started;       /* something came after the delimiter */
    bool too_long;
} ct_frame_reader;

void ct_frame_reader_init(ct_frame_reader *reader, uint8_t *buffer, uint32_t limit);
ct_frame_event ct_frame_receive(ct_frame_reader *reader, uint8_t byte);

typedef void (*ct_frame_sink)(uint8_t byte);

/* Sends `bytes` of header and payload; the buffer needs room for 4 more, where the CRC is put. */
void ct_frame_send(uint8_t *buffer, uint32_t bytes, ct_frame_sink sink);

#endif
