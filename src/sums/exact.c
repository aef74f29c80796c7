#include "sums/exact.h"

static const int64_t MOST_HIGH = (int64_t)1 << 62;

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
