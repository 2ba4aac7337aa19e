/* Status of every call of the C library. 0 is success; a caller tests `!= CT_OK`. */
#ifndef CT_STATUS_H
#define CT_STATUS_H

/* One line a code: X(name, value, text). The Python side reads this table, so it stands nowhere else. */
#define CT_STATUS_TABLE(X)                                                       \
    X(CT_OK, 0, "ok")                                                            \
    X(CT_ERR_ARGUMENT, 1, "null pointer or index out of range")                  \
    X(CT_ERR_ABI, 2, "model was baked for another version of the C library")     \
    X(CT_ERR_TARGET, 3, "model was baked for another CPU or instruction set")    \
    X(CT_ERR_ARENA_BYTES, 4, "arena is smaller than the model needs")            \
    X(CT_ERR_ARENA_ALIGNMENT, 5, "arena is not aligned to CT_ARENA_ALIGNMENT")   \
    X(CT_ERR_PARAMETER, 6, "a kernel parameter is outside its documented range") \
    X(CT_ERR_SCRATCH, 7, "scratch buffer is missing or too small")               \
    X(CT_ERR_TENSOR, 8, "a tensor has the wrong dtype, rank or size")

typedef enum ct_status {
#define CT_STATUS_ENUM(name, value, text) name = (value),
    CT_STATUS_TABLE(CT_STATUS_ENUM)
#undef CT_STATUS_ENUM
} ct_status;

#endif
