/* Sums whose bits do not depend on the order of their addends.
 *
 * Every addend is rounded once to a whole multiple of 2^-74 and added as an integer, which is
 * associative.  The integer has two words, high 2^50 + low in units of 2^-74, so that the loop
 * over an array (`add` of backend/square.h) has no carries.  Addends are below 2^27 in magnitude,
 * sums below 2^38. */
#ifndef SRI_SUMS_EXACT_H
#define SRI_SUMS_EXACT_H

#include <stdbool.h>
#include <stdint.h>

/* Additions before sri_exact_carry must be called. */
enum { SRI_EXACT_ADDITIONS = 4096 };

/* Of an addend: 2^27, less what rounding may add to it. */
#define SRI_EXACT_LARGEST (0x1p27 * (1 - 0x1p-20))

typedef struct sri_exact {
    int64_t *high, *low;
} sri_exact;

/* Brings sums to the one form in which equal sums have equal words.  False: one is too large. */
bool sri_exact_carry(sri_exact sum, int64_t n);
/* sum[i] += sign other[i], sign 1 or -1, both carried before. */
bool sri_exact_merge(sri_exact sum, sri_exact other, int64_t n, int sign);
/* The sum as a double, rounded once. */
static inline double sri_exact_value(sri_exact sum, int64_t i)
{
    return (double)sum.high[i] * 0x1p-24 + (double)sum.low[i] * 0x1p-74;
}

#endif
