#include "sums/exact.h"

#include <math.h>
#include <string.h>

static const double SHIFT =
    0x1.8p52; /* x + SHIFT has x, rounded to a whole number, in its last bits */
static const double LARGEST = 0x1p27; /* of an addend */
static const int64_t MOST_HIGH = (int64_t)1 << 62;

static inline int64_t bits_of(double x)
{
    int64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

bool sri_exact_add(sri_exact sum, int64_t n, const double *x, double a, const double *b)
{
    const int64_t zero = bits_of(SHIFT);
    int64_t bad = 0;
#pragma omp simd reduction(+ : bad)
    for (int64_t i = 0; i < n; i++) {
        const double v = x[i] * a * (b ? b[i] : 1);
        const double high = v * 0x1p24 + SHIFT;
        const double low = (v - (high - SHIFT) * 0x1p-24) * 0x1p74 + SHIFT;
        bad += !(v < LARGEST && v > -LARGEST);
        sum.high[i] += bits_of(high) - zero;
        sum.low[i] += bits_of(low) - zero;
    }
    return bad == 0;
}

bool sri_exact_carry(sri_exact sum, int64_t n)
{
    enum { LOW_BITS = 50 };
    const int64_t half = (int64_t)1 << (LOW_BITS - 1);
    bool good = true;
    for (int64_t i = 0; i < n; i++) {
        const int64_t carry = (sum.low[i] + half) >> LOW_BITS;
        sum.low[i] -= carry * ((int64_t)1 << LOW_BITS);
        sum.high[i] += carry;
        good &= sum.high[i] < MOST_HIGH && sum.high[i] > -MOST_HIGH;
    }
    return good;
}

bool sri_exact_merge(sri_exact sum, sri_exact other, int64_t n, int sign)
{
    for (int64_t i = 0; i < n; i++) {
        sum.high[i] += sign * other.high[i];
        sum.low[i] += sign * other.low[i];
    }
    return sri_exact_carry(sum, n);
}
