/* Unpenalised terms: the columns of P (n x l), with W^(1/2) before them where rows
 * have weights.  With U a basis of their span and D such that D'U = I,
 *
 *     S = I - U D',   S P = 0,   c = S'a   =>   P'c = 0,
 *
 * the kernel has to explain S Y by the operator S K S', and what it finds, a, gives c = S'a and the
 * terms' own coefficients D'(Y - K c) in the basis U.  Where D = U is orthonormal, S is the
 * orthogonal projection on what the terms cannot explain, and the result is the minimiser.
 * Where D picks l rows ("pivots"), those are met exactly: the algorithm that the paper of
 * predefined features prints. */
#ifndef SRI_OP_PROJECTION_H
#define SRI_OP_PROJECTION_H

#include <stdbool.h>
#include <stdint.h>

#include "core/arena.h"
#include "op/fold.h"

/* The unpenalised terms of a problem. */
typedef struct sri_features {
    const double *P;   /* n x l                                            */
    int64_t l;         /* 0: nothing                                       */
    char *const *name; /* l                                                */
    bool pivots;       /* the printed algorithm in place of the minimiser  */
    bool dropped;      /* those that depend on others in all rows were left out */
} sri_features;

typedef struct sri_projection {
    sri_arena memory; /* of the arrays below */
    int64_t n, l;
    bool pivots;
    double *U, *D;     /* l x n: a vector in each row; one array where D = U     */
    double *back;      /* l x l: coefficients of P are back times those of U     */
    double *explained; /* n: (U D')_ii, what a row says of itself             */
} sri_projection;

/* Terms that depend on each other are an error that names the first which depends on those
 * before it; `weight` may be NULL. */
specreg_status sri_projection_new(specreg_context *ctx, const sri_features *features, int64_t n,
                                  const double *weight, sri_projection **out);
void sri_projection_free(sri_projection *p); /* accepts NULL */
/* The first column of n x l that depends on those before it, -1: none does. */
specreg_status sri_features_dependent(specreg_context *ctx, const double *P, int64_t n, int64_t l,
                                      const double *weight, int64_t *first);
/* F (m x t) += P beta, P m x l, beta l x t; nothing for l 0. */
void sri_features_add(const double *P, int64_t m, int64_t l, const double *beta, int64_t t,
                      double *F);
/* X = S X and X = S'X, X n x t row-major. */
specreg_status sri_project(specreg_context *ctx, const sri_projection *p, int64_t t, double *X);
specreg_status sri_project_back(specreg_context *ctx, const sri_projection *p, int64_t t,
                                double *X);

/* The same for a predictor that is trained without the rows F of a fold: w - U b, where b fits w in
 * the other rows, T.  In the rows F that is what the predictor's unpenalised terms leave of w. */
typedef struct sri_fold_projection {
    const sri_projection *p;
    sri_fold fold;
    double *L; /* l x l: the Cholesky factor of U_T'U_T */
} sri_fold_projection;

/* For p NULL it projects nothing.  An error where the terms depend on each other in the rows T. */
specreg_status sri_fold_projection_make(specreg_context *ctx, const sri_projection *p,
                                        sri_fold fold, sri_fold_projection *out);
void sri_fold_projection_free(sri_fold_projection *projection);
/* The first term that depends on those before it in the rows T, -1: none does.  D = U. */
specreg_status sri_fold_dependent(specreg_context *ctx, const sri_projection *p, sri_fold fold,
                                  int64_t *first);
/* w (n numbers, `stride` apart) projected in place; b (l) gets what was taken away. */
void sri_fold_project(const sri_fold_projection *projection, double *w, int64_t stride, double *b);
/* x (l numbers) = (U_T'U_T)^-1 x. */
void sri_fold_solve(const sri_fold_projection *projection, double *x);

#endif
