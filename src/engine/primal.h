/* What engine primal and its folds share. */
#ifndef SRI_ENGINE_PRIMAL_H
#define SRI_ENGINE_PRIMAL_H

#include "core/arena.h"
#include "engine/spectrum.h"
#include "kernel/linear_map.h"

typedef struct sri_primal {
    sri_arena scratch;
    const sri_job *job;
    sri_linear_map map; /* A, with the square roots of the weights */
    double *root;       /* these; NULL: none                       */
    int64_t *row;       /* n: 0, 1, ...                            */
    double *C;          /* p x p: the lower triangle of A'A        */
    double *AY;         /* p x T: A'Y                              */
    double *V, *s;      /* p x p, p: eigenvectors and eigenvalues of A'A/mass, ascending */
    double *b;          /* p x T: V A'Y / mass                     */
    double noise;       /* below this an eigenvalue is rounding    */
    double *UA;         /* p x l: A'U', with unpenalised terms; else NULL */
} sri_primal;

/* From A'A in V and A'Y in AY: eigenvectors, eigenvalues and b. */
specreg_status sri_primal_decompose(specreg_context *ctx, sri_primal *s, double mass);
/* The parameters as the filter is to see them. */
specreg_status sri_primal_params(specreg_context *ctx, const sri_primal *s, double *param);

/* g and r at an eigenvalue for `count` parameters; g is 0 where it would amplify one that is
 * rounding. */
void sri_primal_filter(const sri_primal *s, double value, const double *param, int64_t count,
                       double *g, double *r);

/* primal_folds.c: `out` gets job->path.count times repeats x n x T residuals of held-out rows. */
specreg_status sri_primal_folds(specreg_context *ctx, const sri_primal *all, double *out);

#endif
