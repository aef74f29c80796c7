/* The Lanczos process on K/n from a vector y, with full reorthogonalization:
 *     (K/n) V_k = V_k T_k + b_k v_{k+1} e_k'.
 * Rows can be held out: then K is the matrix of the other rows, n their number, vectors are 0 in
 * the held rows, and what K V_k would say there is kept for predictions.  With features that are
 * not penalised all of that is what they leave of it, having been fitted to the other rows. */
#ifndef SRI_OP_LANCZOS_H
#define SRI_OP_LANCZOS_H

#include <stdbool.h>

#include "core/context.h"
#include "op/projection.h"

typedef struct sri_lanczos {
    int64_t n, k;        /* k steps are done                                      */
    int64_t capacity;    /* rows of V                                             */
    double *V;           /* row i: v_{i+1}; k + 1 rows, k when the space is whole */
    double *a, *b;       /* diagonal and off-diagonal of T_k; b[k-1] is b_k       */
    double norm;         /* |y|                                                   */
    bool whole;          /* the space is invariant: results are exact             */
    double mass;         /* what K is divided by: n, or as the caller has it      */
    const int32_t *fold; /* the fold of each row; NULL: none is held out       */
    int32_t held;        /* the fold that is held out                             */
    int64_t n_held;
    double *H;                           /* row i: the held rows of K v_{i+1}; k rows             */
    double *held_y;                      /* the held rows of y                                    */
    const sri_part_projection *features; /* NULL: none                         */
    double *room;                        /* for their coefficients                                */
} sri_lanczos;

/* Starts from column t of Y (n x T). */
specreg_status sri_lanczos_start(specreg_context *ctx, sri_lanczos *z, const double *Y, int64_t n,
                                 int64_t T, int64_t t);
/* The same without the rows of one fold; K is divided by `mass`.  `features` are those without
 * the fold, kept by reference. */
specreg_status sri_lanczos_start_without(specreg_context *ctx, sri_lanczos *z, const double *Y,
                                         int64_t n, int64_t T, int64_t t, const int32_t *fold,
                                         int32_t held, double mass,
                                         const sri_part_projection *features);
/* What both kinds of spaces begin with, but for the basis: y without held rows in w (n), its
 * norm. */
specreg_status sri_lanczos_begin(specreg_context *ctx, sri_lanczos *z, const double *Y, int64_t T,
                                 int64_t t, double *w);
/* Keeps the held rows of w, K v_k, and makes them 0. */
void sri_lanczos_hold(sri_lanczos *z, double *w);
/* Takes what rounding has left of features out of w, which is 0 in the held rows. */
void sri_lanczos_clean(const sri_lanczos *z, double *w);
/* How many steps there can be. */
static inline int64_t sri_lanczos_most(const sri_lanczos *z)
{
    return z->n - z->n_held - (z->features ? z->features->p->l : 0);
}
/* One step; `w` holds K v_k and is overwritten. */
specreg_status sri_lanczos_extend(specreg_context *ctx, sri_lanczos *z, double *w);
const double *sri_lanczos_last(const sri_lanczos *z); /* v_{k+1} */
/* T_k = Z' diag(s) Z: s (k) ascending, Z (k x k) with an eigenvector in each row; allocated. */
specreg_status sri_lanczos_spectrum(specreg_context *ctx, const sri_lanczos *z, double **s,
                                    double **Z);
void sri_lanczos_free(sri_lanczos *z);

/* Coefficients c (t) of t steps of conjugate gradients, T_t c = |y| e_1, or of the minimal
 * residual, min | |y| e_1 - T_{t+1,t} c |. */
specreg_status sri_lanczos_cg(specreg_context *ctx, const sri_lanczos *z, int64_t t,
                              bool residual_norm, double *c);

#endif
