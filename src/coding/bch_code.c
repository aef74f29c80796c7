/* Let a be a primitive element of GF(2^m) and n = 2^m - 1.  The words of the code that corrects t
 * errors are the polynomials of degree below n over GF(2) with roots a, a^2, ..., a^2t; hence also
 * at all a^(j 2^i), the conjugates of these.  They are the multiples of
 *
 *     g(x) = prod (x - a^e)   over all these roots,
 *
 * whose coefficients are 0 and 1 since the roots are whole sets of conjugates. */
#include "coding/bch_code.h"

#include <string.h>

/* A primitive polynomial of degree m for each length 2^m - 1, bit i for x^i. */
static const struct field {
    int length, modulus;
} fields[] = {
    {15, 0x13},  /* x^4 + x + 1   */
    {31, 0x25},  /* x^5 + x^2 + 1 */
    {63, 0x43},  /* x^6 + x + 1   */
    {127, 0x89}, /* x^7 + x^3 + 1 */
};

static const struct field *find_field(int length)
{
    for (int i = 0; i < 4; i++)
        if (fields[i].length == length)
            return &fields[i];
    return NULL;
}

/* power[e] = a^e as a polynomial in a, and exponent[] its inverse. */
static void fill_tables(const struct field *f, int *power, int *exponent)
{
    int x = 1;
    for (int e = 0; e < f->length; e++) {
        power[e] = x;
        exponent[x] = e;
        x <<= 1;
        if (x > f->length) /* degree m */
            x ^= f->modulus;
    }
}

/* Marks the exponents of the roots and gives their number. */
static int mark_roots(int length, int corrects, bool *root)
{
    int count = 0;
    memset(root, 0, (size_t)length * sizeof *root);
    for (int j = 1; j <= 2 * corrects; j++)
        for (int e = j; !root[e]; e = 2 * e % length) {
            root[e] = true;
            count++;
        }
    return count;
}

/* The product of the factors x - a^e; in characteristic 2 the signs do not matter. */
static void multiply_roots(const struct field *f, const bool *root, uint8_t *generator)
{
    int power[SRI_BCH_LONGEST], exponent[SRI_BCH_LONGEST + 1];
    int g[SRI_BCH_LONGEST + 1] = {1}, degree = 0;
    fill_tables(f, power, exponent);
    for (int e = 0; e < f->length; e++) {
        if (!root[e])
            continue;
        degree++;
        for (int i = degree; i >= 0; i--) {
            const int times = g[i] ? power[(exponent[g[i]] + e) % f->length] : 0;
            g[i] = times ^ (i ? g[i - 1] : 0);
        }
    }
    for (int i = 0; i <= SRI_BCH_LONGEST; i++)
        generator[i] = (uint8_t)g[i];
}

bool sri_bch_at_least(int length, int least, sri_bch *out)
{
    const struct field *f = find_field(length);
    bool root[SRI_BCH_LONGEST];
    if (!f)
        return false;
    for (int t = (length - 1) / 2; t > 0; t--) {
        const int dimension = length - mark_roots(length, t, root);
        if (dimension < least)
            continue;
        *out = (sri_bch){.length = length, .dimension = dimension, .corrects = t};
        multiply_roots(f, root, out->generator);
        return true;
    }
    return false;
}

bool sri_bch_make(int length, int64_t words, sri_bch *out)
{
    int least = 1;
    while (least < 62 && INT64_C(1) << least < words)
        least++;
    return sri_bch_at_least(length, least, out);
}

bool sri_bch_of_dimension(int length, int dimension, sri_bch *out)
{
    return sri_bch_at_least(length, dimension, out) && out->dimension == dimension;
}

void sri_bch_word(const sri_bch *code, uint64_t message, uint8_t *bit)
{
    memset(bit, 0, (size_t)code->length);
    for (int s = 0; message; s++, message >>= 1)
        for (int i = 0; message & 1 && i <= code->length - code->dimension; i++)
            bit[s + i] ^= code->generator[i];
}
