/* The quick way to read a plain number in place, eight digits at a time. */
#ifndef SRI_DATA_IO_NUMBER_H
#define SRI_DATA_IO_NUMBER_H

#include <endian.h>
#include <string.h>

#include "core/text.h"

/* How many of the 8 characters at s are digits, from the first on; their value goes to *value. */
static inline int sri_scan_8(const char *s, uint64_t *value)
{
    uint64_t x;
    memcpy(&x, s, sizeof x);
    x = le64toh(x) ^ UINT64_C(0x3030303030303030); /* digits become 0..9 */
    /* The high bit marks bytes above 9; carries spoil only what comes after the first of them. */
    const uint64_t other = ((x + UINT64_C(0x7676767676767676)) | x) & UINT64_C(0x8080808080808080);
    const int n = other ? __builtin_ctzll(other) / 8 : 8;
    if (n == 0) {
        *value = 0;
        return 0;
    }
    x <<= 64 - 8 * n; /* right-aligned, with leading zeros */
    x = (x * 10 + (x >> 8)) & UINT64_C(0x00ff00ff00ff00ff);
    x = (x * 100 + (x >> 16)) & UINT64_C(0x0000ffff0000ffff);
    x = (x * 10000 + (x >> 32)) & UINT64_C(0xffffffff);
    *value = x;
    return n;
}

/* Reads a number at s and returns what follows it, or NULL when this is not plain enough (then
 * sri_parse_double decides): a sign '-', at most 19 digits, a point, an exponent.  s[0..8) beyond
 * the number must be readable. */
static inline const char *sri_scan_number(const char *s, double *value)
{
    static const uint64_t power[9] = {1,      10,      100,      1000,     10000,
                                      100000, 1000000, 10000000, 100000000};
    static const double ten[23] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                   1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                   1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    const bool negative = *s == '-';
    s += negative;
    const char *first = s;
    uint64_t w = 0, part;
    while ((unsigned char)(*s - '0') < 10)
        w = w * 10 + (uint64_t)(*s++ - '0');
    int64_t digits = s - first;
    int e = 0;
    if (*s == '.') {
        const char *fraction = ++s;
        int n;
        do {
            n = sri_scan_8(s, &part);
            w = w * power[n] + part;
            s += n;
        } while (n == 8);
        digits += s - fraction;
        e = (int)(fraction - s);
    }
    if (digits == 0 || digits > 19)
        return NULL;
    if ((*s | 0x20) == 'e') {
        s++;
        const bool minus = *s == '-';
        s += minus || *s == '+';
        const int n = sri_scan_8(s, &part);
        if (n == 0 || n > 4)
            return NULL;
        s += n;
        e += minus ? -(int)part : (int)part;
    }
    /* Both exact in a double: one rounding (Clinger). */
    if (w <= UINT64_C(1) << 53 && e >= -22 && e <= 22)
        *value = e < 0 ? (double)w / ten[-e] : (double)w * ten[e];
    else if (e >= -SRI_SCALE_MAX && e <= SRI_SCALE_MAX)
        *value = sri_scale_ten(w, e);
    else
        return NULL;
    if (negative)
        *value = -*value;
    return s;
}

#endif
