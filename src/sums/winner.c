/* From the best point of a path to the coefficients of a model. */
#include <math.h>
#include <string.h>

#include "core/memory.h"
#include "sums/candidate.h"

/* The smoothest point within a standard error of the best. */
static int64_t smoothest(const sri_sums_candidate *c, int64_t best)
{
    const double most = c->score[best].value + c->score[best].stderr_;
    for (int64_t k = 0; k < best; k++)
        if (c->score[k].value <= most)
            return k;
    return best;
}

specreg_status sri_residuals_of_model(specreg_context *ctx, const sri_problem *problem,
                                      const sri_kernel *kernel, const sri_points *centres,
                                      sri_fitted *fitted)
{
    specreg_status st = SPECREG_OK;
    const int64_t T = problem->T, n = problem->n;
    double *F = NULL, *mixed = NULL;
    SRI_ALLOC(ctx, F, n, T);
    SRI_ALLOC(ctx, mixed, fitted->n_centres, T);
    if (!fitted->residual)
        SRI_ALLOC(ctx, fitted->residual, n, T);
    memcpy(mixed, fitted->alpha, (size_t)(fitted->n_centres * T) * sizeof *mixed);
    SRI_TRY(sri_coupling_mix(ctx, sri_problem_coupling(problem, kernel), fitted->n_centres, mixed));
    SRI_TRY(sri_kernel_rows_product(ctx,
                                    &(sri_kernel_matrix){kernel, &problem->points->rows, centres},
                                    T, mixed, F));
    sri_features_add(problem->unpenalised.P, n, problem->unpenalised.l, fitted->beta, T, F);
    for (int64_t i = 0; i < n * T; i++)
        fitted->residual[i] = problem->Y[i] - F[i];
done:
    sri_free(mixed);
    sri_free(F);
    return st;
}

/* Coefficients of f(x) = k_m(x) C become those of f(x) = k_m(x) C A. */
static specreg_status take_coupling_out(specreg_context *ctx, const sri_coupling *coupling,
                                        int64_t rows, double *C)
{
    if (!coupling)
        return SPECREG_OK;
    SRI_CALL(sri_outputs_apart(ctx, coupling, rows, C));
    for (int64_t k = 0; k < rows * coupling->T; k++) {
        const double a = coupling->a[k % coupling->T];
        C[k] = a > 0 ? C[k] / a : 0;
    }
    return sri_outputs_together(ctx, coupling, rows, C);
}

/* Column block k of W: its first r rows become coefficients of the centres, the others those of
 * unpenalised terms. */
specreg_status sri_sums_coefficients(specreg_context *ctx, const sri_sums_candidate *c, int64_t k,
                                     sri_fitted *out)
{
    const int64_t r = c->source.at.r, l = c->source.at.l, T = c->path.T, ld = c->path.count * T;
    const double *W = c->path.W + k * T;
    *out = (sri_fitted){.n_centres = r, .df = c->path.df[k]};
    SRI_NEW(ctx, out->alpha, r, T);
    for (int64_t j = 0; j < r; j++)
        memcpy(out->alpha + j * T, W + j * ld, (size_t)T * sizeof *W);
    if (!c->path.of_centres)
        sri_whitening_coefficients(&c->whitening, T, out->alpha);
    SRI_CALL(take_coupling_out(ctx, c->question.coupling, r, out->alpha));
    if (!l)
        return SPECREG_OK;
    SRI_NEW(ctx, out->beta, l, T);
    for (int64_t j = 0; j < l; j++)
        memcpy(out->beta + j * T, W + (r + j) * ld, (size_t)T * sizeof *W);
    return SPECREG_OK;
}

specreg_status sri_sums_take_winner(specreg_context *ctx, const sri_sums_judging *s,
                                    sri_sums_candidate *c, sri_search_result *out,
                                    sri_points **centres)
{
    const int64_t best = sri_sums_best(c);
    const int64_t k =
        s->spec->search->one_se && isfinite(c->score[best].stderr_) ? smoothest(c, best) : best;
    out->winner = c->first_row + k;
    out->kernel = c->kernel;
    out->filter = c->path.filter;
    out->param = c->question.path.v[k];
    out->score = c->score[k];
    out->engine = out->search_engine = c->path.engine;
    out->report.rank = c->path.rank;
    out->smallest = sri_sums_smallest(s, &c->sums);
    out->seconds = (sri_seconds){.gram = s->facts->seconds_centres + s->facts->seconds_sums,
                                 .centres = s->facts->seconds_centres,
                                 .solve = s->facts->seconds_solve,
                                 .select = s->facts->seconds_second_pass};
    s->facts->rows = sri_sums_rows(s, &c->sums, -1);
    s->facts->looked = s->spec->problem->n;
    s->facts->m = c->whitening.asked;
    s->facts->rank = c->source.at.r;
    SRI_CALL(
        sri_whitening_captured(ctx, &c->whitening, s->spec->problem->points, &s->facts->captured));
    SRI_CALL(sri_sums_coefficients(ctx, c, k, &out->fitted));
    SRI_CALL(sri_residuals_of_model(ctx, s->spec->problem, &c->kernel, c->whitening.centres,
                                    &out->fitted));
    SRI_CALL(sri_sums_hold_out(ctx, s, c, k, &out->fitted));
    SRI_MOVE(*centres, c->whitening.centres);
    return SPECREG_OK;
}
