/* The Lanczos process on K/n from a vector y, with full reorthogonalization:
 *     (K/n) V_k = V_k T_k + b_k v_{k+1} e_k'.
 * Rows can be held out: then K is the matrix of the other rows, n their number, vectors are 0 in
 * the held-out rows, and what K V_k would say there is kept for predictions.  With unpenalised
 * terms all of that is what they leave of it, having been fitted to the other rows. */
#ifndef SRI_OP_LANCZOS_H
#define SRI_OP_LANCZOS_H

#include <stdbool.h>

#include "core/arena.h"
#include "op/projection.h"

enum { SRI_LANCZOS_FIRST = 32 }; /* vectors that there is space for at first */

typedef struct sri_lanczos {
    int64_t n, k;     /* k steps are done                                      */
    int64_t capacity; /* rows of V                                             */
    double *V;        /* row i: v_{i+1}; k + 1 rows, k when the space is whole */
    double *a, *b;    /* diagonal and off-diagonal of T_k; b[k-1] is b_k       */
    double norm;      /* |y|                                                   */
    bool whole;       /* the space is invariant: results are exact             */
    double mass;      /* what K is divided by: n, or as the caller has it      */
    sri_fold fold;    /* the rows that are held out                            */
    int64_t n_held;   /* how many                                              */
    double *H;        /* row i: the held-out rows of K v_{i+1}; k rows         */
    double *held_y;   /* the held-out rows of y                                */
    const sri_fold_projection *projection; /* of unpenalised terms; NULL: none    */
    double *workspace;                     /* for their coefficients              */
} sri_lanczos;

/* What a space starts from. */
typedef struct sri_lanczos_source {
    const double *y; /* n numbers, `stride` apart                                     */
    int64_t n, stride;
    double mass;
    sri_fold fold;                         /* rows that are held out                  */
    const sri_fold_projection *projection; /* without them; by reference; NULL: none  */
} sri_lanczos_source;

specreg_status sri_lanczos_start(specreg_context *ctx, sri_lanczos *z,
                                 const sri_lanczos_source *source);
/* What all kinds of spaces begin with, but for the basis: y without held-out rows in w (n), its
 * norm. */
specreg_status sri_lanczos_begin(specreg_context *ctx, sri_lanczos *z,
                                 const sri_lanczos_source *source, double *w);
/* Keeps the held-out rows of w, K v_k, and makes them 0. */
void sri_lanczos_hold(sri_lanczos *z, double *w);
/* Takes what rounding has left of unpenalised terms out of w, which is 0 in the held-out rows. */
void sri_lanczos_clean(const sri_lanczos *z, double *w);
/* How many steps there can be. */
static inline int64_t sri_lanczos_most(const sri_lanczos *z)
{
    return z->n - z->n_held - (z->projection ? z->projection->p->l : 0);
}
/* One step; `w` holds K v_k and is overwritten. */
specreg_status sri_lanczos_extend(specreg_context *ctx, sri_lanczos *z, double *w);
const double *sri_lanczos_last(const sri_lanczos *z); /* v_{k+1} */
/* T_k = Z' diag(s) Z: s (k) ascending, Z (k x k) with an eigenvector in each row; taken
 * from `memory`. */
specreg_status sri_lanczos_spectrum(specreg_context *ctx, const sri_lanczos *z, sri_arena *memory,
                                    double **s, double **Z);
void sri_lanczos_free(sri_lanczos *z);
/* Grows *block from `rows` to `capacity` rows of `width` numbers of `size` bytes. */
specreg_status sri_regrow(specreg_context *ctx, void **block, int64_t rows, int64_t capacity,
                          int64_t width, size_t size);

/* Coefficients c (t) of t steps of conjugate gradients, T_t c = |y| e_1, or of the minimal
 * residual, min | |y| e_1 - T_{t+1,t} c |. */
specreg_status sri_lanczos_cg(specreg_context *ctx, const sri_lanczos *z, int64_t t,
                              bool residual_norm, double *c);

#endif
