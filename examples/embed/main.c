/* A baked model in a firmware of your own: no other part of CorTorch than its C library and the baked files.
 */
#include "digits.h"

#include <string.h>

static uint8_t arena[DIGITS_ARENA_BYTES] CT_ARENA;

/* Class of an 8x8 picture with pixels in 0..1; -1 if the model does not run, which only happens when it was
 * built for another target. */
int classify(const float picture[DIGITS_INPUT0_ELEMENTS])
{
    ct_instance net;
    if (ct_init(&net, &digits_model, arena, sizeof arena) != CT_OK) {
        return -1;
    }
    memcpy(ct_input(&net, 0), picture, DIGITS_INPUT0_BYTES);
    if (ct_run(&net) != CT_OK) {
        return -1;
    }
    const float *scores = ct_output(&net, 0);
    int best = 0;
    for (int i = 1; i < (int)DIGITS_OUTPUT0_ELEMENTS; i++) {
        best = scores[i] > scores[best] ? i : best;
    }
    return best;
}

int main(void)
{
    static const float seven[] = {
        0,   0,   .6f, .9f, 1, 1,   .3f, 0,   0,   0, .5f, .6f, .6f, 1,   .4f, 0,   0, 0, 0, 0, .4f, 1,
        .1f, 0,   0,   0,   0, .1f, .8f, .7f, 0,   0, 0,   0,   .4f, .9f, 1,   .6f, 0, 0, 0, 0, .2f, .9f,
        .9f, .2f, 0,   0,   0, 0,   .3f, 1,   .3f, 0, 0,   0,   0,   0,   .7f, .8f, 0, 0, 0, 0,
    };
    return classify(seven) == 7 ? 0 : 1;
}
