/* Tells the boot ROM what the image is. Source: RP2350 Datasheet, 5.9 "Metadata block details" and 5.9.5
 * "Minimum viable image metadata". It must stand in the first 4 KB. */
#include <stdint.h>

#define BLOCK_START 0xFFFFDED3u
#define BLOCK_END 0xAB123579u
/* IMAGE_TYPE, one word long: an executable for RP2350's Arm cores, in Secure state. */
#define ITEM_IMAGE_TYPE 0x10210142u
/* LAST: the items before it are one word long. */
#define ITEM_LAST 0x000001FFu
/* The loop of blocks has this one only. */
#define NEXT_BLOCK 0u

extern const uint32_t ct_picobin[5];
__attribute__((section(".ct_boot"), used)) const uint32_t ct_picobin[5] = {
    BLOCK_START, ITEM_IMAGE_TYPE, ITEM_LAST, NEXT_BLOCK, BLOCK_END,
};
