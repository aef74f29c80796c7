/* What conjugate gradients take, to choose the sample and to plan. */
#include <math.h>

#include "sums/conjugate.h"

/* Eigenvalues of the preconditioned matrix lie between (1 - q)^2 and (1 + q)^2 where q^2 = m/sample
 * and coordinates are like independent ones, so that every step takes a factor q of the error.
 * Three more: the right sides, the residual at the end, and the scores. */
double sri_conjugate_passes(const sri_conjugate_size *size, double sample)
{
    const double ratio = fmax(1.2, sample / size->m);
    if (size->steps > 0)
        return size->steps + 2;
    return 3 + size->solves * ceil(log(2 / size->residual) / (log(ratio) / 2));
}

/* Whitening and summing the sample, its reduction to a band, and the passes. */
static double flops_with(const sri_conjugate_size *size, double sample)
{
    const double m = size->m, each = size->rows * m * (size->value + 4 * size->columns);
    const double columns = 12 * m * m * size->columns; /* substitutions and rotations */
    const double preconditioner = size->steps > 0 ? 0 : m * m * (2 * sample + 4 * m);
    return preconditioner + sri_conjugate_passes(size, sample) * (each + columns);
}

/* As if kernel values were computed in every pass: the result must not depend on the memory that
 * there is to keep them. */
int64_t sri_conjugate_sample(const sri_conjugate_size *size, int64_t most)
{
    sri_conjugate_size computed = *size;
    double best = fmin((double)most, 8 * size->m);
    computed.value = SRI_VALUE_COMPUTED;
    for (int times = 4; times >= 2; times /= 2) {
        const double sample = times * size->m;
        if (sample <= (double)most && flops_with(&computed, sample) < flops_with(&computed, best))
            best = sample;
    }
    return (int64_t)best;
}

double sri_conjugate_flops(const sri_conjugate_size *size, int64_t most)
{
    return flops_with(size, (double)sri_conjugate_sample(size, most));
}

/* L, half of it once more for rows, the sums of the sample and the work of their reduction; blocks;
 * vectors of every column. */
double sri_conjugate_bytes(double m, double columns)
{
    enum { ROWS = 2 * 2048, VECTORS = 12 };
    static const double MATRICES = 3.5;
    return 8 * m * (MATRICES * m + ROWS + VECTORS * columns);
}
