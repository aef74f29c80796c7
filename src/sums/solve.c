#include "sums/solve.h"

#include <math.h>
#include <string.h>

#include "backend/blas.h"
#include "core/arena.h"
#include "engine/engine.h"
#include "sums/accumulate.h"
#include "sums/spectrum.h"

/* The step of an iteration: that of the kernel itself, or one by the norm of these sums. */
static specreg_status find_step(specreg_context *ctx, const sri_sums_question *q,
                                const sri_sums_spectrum *sp, const sri_scales *scales,
                                sri_filter *filter)
{
    double a = 0;
    for (int64_t k = 0; k < scales->count; k++)
        a = fmax(a, scales->value[k]);
    return sri_filter_settle(ctx, filter, q->kappa2, a * sp->s[sp->at.r - 1]);
}

static specreg_status solve(specreg_context *ctx, const sri_sums_question *q,
                            const sri_sums_layout *at, const double *M, sri_sums_path *out,
                            sri_leverages *leverages)
{
    specreg_status st = SPECREG_OK;
    sri_arena scratch = {0};
    sri_sums_spectrum sp = {.mass = 0};
    sri_scales scales;
    SRI_TRY(sri_scales_make(ctx, &scratch, q->coupling, at->T, &scales));
    SRI_TRY(sri_sums_spectrum_make(ctx, at, M, &sp));
    out->filter = q->filter;
    if (sri_filter_nonlinear(&q->filter)) {
        SRI_TRY(sri_sums_gradients_path(ctx, &sp, q, &scales, M, out));
        goto done;
    }
    SRI_TRY(sri_sums_spectrum_decompose(ctx, &sp));
    SRI_TRY(find_step(ctx, q, &sp, &scales, &out->filter));
    SRI_TRY(sri_sums_spectrum_path(ctx, &sp, q, &scales, M, out));
    if (leverages)
        SRI_TRY(sri_leverages_make(ctx, &sp, q, &out->filter, leverages));
done:
    sri_sums_spectrum_free(&sp);
    sri_arena_free(&scratch);
    return st;
}

specreg_status sri_sums_solve(specreg_context *ctx, const sri_sums_question *q,
                              const sri_sums_layout *at, const double *M, sri_sums_path *out,
                              sri_leverages *leverages)
{
    specreg_status st = SPECREG_OK;
    const int64_t order = sri_sums_order(at);
    double *apart = NULL; /* sums with targets U y */
    *out = (sri_sums_path){.count = q->path.count, .width = at->r + at->l, .T = at->T};
    if (q->coupling) {
        SRI_ALLOC(ctx, apart, order, order);
        memcpy(apart, M, (size_t)(order * order) * sizeof *apart);
        SRI_TRY(sri_sums_apart(ctx, q->coupling, order, at->r + at->l, apart));
    }
    SRI_ALLOC(ctx, out->W, out->width, out->count * at->T);
    SRI_ALLOC(ctx, out->df, out->count, 1);
    SRI_TRY(solve(ctx, q, at, apart ? apart : M, out, leverages));
    SRI_TRY(sri_outputs_together(ctx, q->coupling, out->width * out->count, out->W));
done:
    sri_free(apart);
    if (st != SPECREG_OK)
        sri_sums_path_free(out);
    return st;
}

void sri_sums_path_free(sri_sums_path *path)
{
    sri_free(path->df);
    sri_free(path->W);
    *path = (sri_sums_path){0};
}

/* With u = (-W, 1 at output t) the sum of squares is u'M u. */
specreg_status sri_sums_errors(specreg_context *ctx, const sri_sums_path *path,
                               const sri_sums_layout *at, const double *M, double *error)
{
    specreg_status st = SPECREG_OK;
    sri_arena scratch = {0};
    const int64_t n = path->width, T = path->T, columns = path->count * T;
    const int64_t rows = n + T, order = sri_sums_order(at);
    double *U, *MU;
    SRI_SCRATCH_ZERO(ctx, &scratch, U, rows, columns);
    SRI_SCRATCH(ctx, &scratch, MU, rows, columns);
    for (int64_t k = 0; k < n * columns; k++)
        U[k] = -path->W[k];
    for (int64_t c = 0; c < columns; c++)
        U[(n + c % T) * columns + c] = 1;
    sri_gemm(false, false, rows, columns, rows, 1, M, order, U, columns, 0, MU, columns);
    memset(error, 0, (size_t)columns * sizeof *error);
    for (int64_t k = 0; k < rows * columns; k++)
        error[k % columns] += U[k] * MU[k];
    for (int64_t c = 0; c < columns; c++)
        error[c] = fmax(0, error[c]);
done:
    sri_arena_free(&scratch);
    return st;
}
