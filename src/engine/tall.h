/* Matrices of n rows and a few columns, in blocks of rows that stay in a cache: there the
 * products of block methods with small matrices run at the speed of arithmetic. */
#ifndef SRI_ENGINE_TALL_H
#define SRI_ENGINE_TALL_H

#include <stdbool.h>

#include "core/arena.h"

enum { SRI_TALL_MOST = 64 }; /* columns */

typedef struct sri_tall {
    int64_t n;
    int threads;
    double *sums; /* threads x most x most */
} sri_tall;

/* For matrices of at most `most` <= SRI_TALL_MOST columns. */
specreg_status sri_tall_new(specreg_context *ctx, sri_arena *memory, int64_t n, int64_t most,
                            sri_tall *out);

/* AP (n x r) += mu P, and D (r x r) = P'AP of that. */
void sri_tall_shift(const sri_tall *tall, int64_t r, double mu, const double *P, double *AP,
                    double *D);
/* X (n x w) += P C, Q (n x r) -= AP E, and G (r x r) = Q'Q of that. */
typedef struct sri_tall_step {
    const double *P, *C, *AP, *E; /* n x r, r x w, n x r, r x r */
    double *X, *Q, *G;
} sri_tall_step;
void sri_tall_advance(const sri_tall *tall, int64_t r, int64_t w, const sri_tall_step *step);
/* Q (n x k) = W F, W n x r. */
void sri_tall_times(const sri_tall *tall, int64_t r, int64_t k, const double *W, const double *F,
                    double *Q);
/* The same, and N (n x k) = Q + P Z', P n x m, Z k x m. */
typedef struct sri_tall_directions {
    int64_t m;
    const double *W, *F, *P, *Z;
    double *Q, *N;
} sri_tall_directions;
void sri_tall_redirect(const sri_tall *tall, int64_t r, int64_t k, const sri_tall_directions *d);
/* G (r x r) = Q'Q. */
void sri_tall_gram(const sri_tall *tall, int64_t r, const double *Q, double *G);

/* G (r x r), a Gram matrix of columns Q, as G = Z'Z with Z k x r and F (r x k) so that the
 * columns of Q F are orthonormal and Q = Q F Z; k <= r is the rank beyond rounding, which is
 * returned, and `sound` says whether rounding left orthogonality alone.  G is destroyed. */
int64_t sri_tall_factor(int64_t r, double *G, double *Z, double *F, bool *sound);

#endif
