/* Tensors as text. */
#ifndef DEMO_TENSOR_H
#define DEMO_TENSOR_H

#include "ct.h"

/* Name, element type, shape and quantization. */
void demo_put_type(const ct_tensor_info *info);

/* The index of the largest element, and the first few elements. */
void demo_put_values(const ct_tensor_info *info, const void *data);

#endif
