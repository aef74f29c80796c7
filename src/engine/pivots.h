/* For engines that factor K + mu I: whether rounding has eaten mu. */
#ifndef SRI_ENGINE_PIVOTS_H
#define SRI_ENGINE_PIVOTS_H

#include <stdbool.h>
#include <stdint.h>

/* A pivot is at least the smallest eigenvalue, so at least mu: one that is clearly less shows that
 * rounding has eaten the regularization, although the factorization went through.  Diagonal entries
 * of the factor L lie `stride` apart. */
static inline bool sri_pivots_are_sound(int64_t n, const double *L, int64_t stride, double mu)
{
    for (int64_t i = 0; i < n; i++)
        if (!(L[i * stride] * L[i * stride] > 0.5 * mu))
            return false;
    return true;
}

#endif
