/* Binary BCH codes: narrow-sense, primitive, of length 2^m - 1 with m = 4 .. 7. */
#ifndef SRI_CODING_BCH_CODE_H
#define SRI_CODING_BCH_CODE_H

#include <stdbool.h>
#include <stdint.h>

enum { SRI_BCH_LONGEST = 127 };

typedef struct sri_bch {
    int length;
    int dimension; /* 2^dimension words                                                 */
    int corrects;  /* t wrong bits: any two words differ in 2t + 1 or more              */
    uint8_t generator[SRI_BCH_LONGEST + 1]; /* coefficients of g(x), x^0 first; the degree is
                                               length - dimension                       */
} sri_bch;

/* The code of the smallest dimension with at least so many words; false when there is none, or
 * the length is another than 15, 31, 63 or 127. */
bool sri_bch_make(int length, int64_t words, sri_bch *out);
/* The code of the smallest dimension that is `least` or more; of that dimension.  False when there
 * is none. */
bool sri_bch_at_least(int length, int least, sri_bch *out);
bool sri_bch_of_dimension(int length, int dimension, sri_bch *out);
/* The word g(x) m(x), where the bits of `message` are the coefficients of m(x): `length` bits. */
void sri_bch_word(const sri_bch *code, uint64_t message, uint8_t *bit);

#endif
