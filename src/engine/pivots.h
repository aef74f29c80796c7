/* For engines that factor K + mu I: whether rounding has eaten mu. */
#ifndef SRI_ENGINE_PIVOTS_H
#define SRI_ENGINE_PIVOTS_H

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>

/* The sum of the magnitudes of `count` numbers. */
static inline double sri_magnitude(int64_t count, const double *a)
{
    double sum = 0;
    for (int64_t i = 0; i < count; i++)
        sum += fabs(a[i]);
    return sum;
}

/* A pivot is at least the smallest eigenvalue, so at least mu: one that is clearly less shows that
 * rounding has eaten the regularization, although the factorization went through.  So does one
 * below the noise of K where mu is below it as well.  Diagonal entries of the factor L lie `stride`
 * apart. */
static inline bool sri_pivots_are_sound(int64_t n, const double *L, int64_t stride, double mu,
                                        double noise)
{
    const double least = mu < noise ? noise : 0.5 * mu;
    for (int64_t i = 0; i < n; i++)
        if (!(L[i * stride] * L[i * stride] > least))
            return false;
    return true;
}

#endif
