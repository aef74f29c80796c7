/* Kernels as C source: functions of x and a centre z. */
#ifndef SRI_EXPORT_C_KERNEL_H
#define SRI_EXPORT_C_KERNEL_H

#include "export/plain.h"
#include "export/text.h"

/* A function for each product of the kernel, kernel_1(x, z) and on; of fields those of the scalar
 * products, and field(x, z, a, f), which adds the matrix of x and z times a to f. */
void sri_c_kernels(sri_text *to, const sri_plain *plain);

#endif
