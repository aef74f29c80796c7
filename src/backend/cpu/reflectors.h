/* Products of Householder reflectors, H_1 ... H_k = I - U T U', U with a reflector in each column. */
#ifndef SRI_BACKEND_CPU_REFLECTORS_H
#define SRI_BACKEND_CPU_REFLECTORS_H

#include <stdint.h>

/* T (k x k by columns, upper triangle, 0 below) from U'U, in its place, and the factors tau. */
void sri_reflectors_T(int64_t k, const double *tau, double *T);

#endif
