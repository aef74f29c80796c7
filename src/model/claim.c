#include "model/claim.h"

#include <math.h>

#include "core/memory.h"

enum { MOST_ROWS = 1000, MOST_NUMBERS = 4 << 20 }; /* of the sample */
/* Differences as a share of the deviation of the targets: to be noted, and not to be accepted.
 * Below the last one, a share of the targets themselves, they are rounding. */
static const double NOTED = 1e-4, WRONG = 1e-2, ROUNDING = 1e-7;

void sri_claim_free(sri_claim *claim)
{
    sri_free(claim->deviation);
    sri_free(claim->F);
    sri_sample_free(&claim->rows);
}

static specreg_status measure_targets(specreg_context *ctx, const sri_problem *problem, int64_t T,
                                      sri_claim *out)
{
    double mean, square;
    SRI_NEW(ctx, out->deviation, T, 1);
    for (int64_t t = 0; t < T; t++) {
        sri_target_moments(problem, t, &mean, &square);
        out->deviation[t] = sqrt(fmax(0, square - mean * mean));
        out->largest = fmax(out->largest, sqrt(square));
    }
    return SPECREG_OK;
}

/* Numbers of some rows, `width` of each, newly allocated. */
static specreg_status gather(specreg_context *ctx, const double *from, int64_t width,
                             const int64_t *row, int64_t count, double **out)
{
    return sri_gather(ctx, from, (size_t)width * sizeof *from, row, count, (void **)out);
}

specreg_status sri_claim_make(specreg_context *ctx, const sri_prepared *p,
                              const sri_search_result *result, sri_claim *out)
{
    specreg_status st = SPECREG_OK;
    const sri_row_data *rows = &p->data.rows;
    const sri_rows_view all = {.n = rows->n, .x = rows->X, .label = rows->task};
    const int64_t entries = rows->X.x ? rows->n * rows->X.p : sri_matrix_entries(&rows->X);
    const int64_t fit = MOST_NUMBERS / (entries / rows->n + 1) + 8;
    const int64_t most = fit < MOST_ROWS ? fit : MOST_ROWS, m = rows->n < most ? rows->n : most;
    int64_t *row = NULL;
    double *F = NULL;
    *out = (sri_claim){.single = p->problem.resources.single};
    SRI_TRY(measure_targets(ctx, &p->problem, rows->T, out));
    SRI_ALLOC(ctx, row, m, 1);
    for (int64_t i = 0; i < m; i++)
        row[i] = i * rows->n / m;
    SRI_TRY(sri_fitted_values(ctx, &p->data.points, result->fitted.residual, &F));
    SRI_TRY(gather(ctx, F, rows->T, row, m, &out->F));
    SRI_TRY(gather(ctx, rows->Y, rows->T, row, m, &out->rows.Y));
    SRI_TRY(gather(ctx, rows->P, rows->l, row, m, &out->rows.P));
    SRI_TRY(sri_view_gather(ctx, &all, row, m, &out->rows.rows));
    out->rows.n = m;
done:
    sri_free(F);
    sri_free(row);
    return st;
}

/* The largest difference as a share of the deviation of its target; those that are rounding count
 * as 0. */
static double worst_share(const sri_claim *claim, int64_t T, const double *F)
{
    double worst = 0;
    for (int64_t k = 0; k < claim->rows.n * T; k++) {
        const double difference = fabs(F[k] - claim->F[k]);
        if (isnan(claim->rows.Y[k]) || difference <= ROUNDING * claim->largest)
            continue;
        if (!(difference / claim->deviation[k % T] <= worst))
            worst = isfinite(difference) ? difference / claim->deviation[k % T] : INFINITY;
    }
    return worst;
}

/* Of a model, all numbers that its file would have to hold. */
static bool is_finite(const specreg_model *m)
{
    const sri_expansion *e = &m->expansion;
    const int64_t width = e->layout.kind == SRI_LAYOUT_OUTPUTS ? 1 : m->T,
                  l = m->unpenalised.terms.l;
    const double *const array[] = {e->alpha, e->slope, m->unpenalised.beta, m->uncertainty.held_out,
                                   m->uncertainty.sample};
    const int64_t size[] = {e->n * width, e->slopes * m->T, l * m->T, e->n * m->T,
                            m->uncertainty.sampled * m->T};
    double sum = 0; /* of zeros, or NaN */
    for (int a = 0; a < 5; a++)
        for (int64_t k = 0; array[a] && k < size[a]; k++)
            sum += 0 * array[a][k];
    return sum == 0;
}

specreg_status sri_claim_check(specreg_context *ctx, const sri_claim *claim,
                               const specreg_model *model, sri_fit_report *report)
{
    specreg_status st = SPECREG_OK;
    double *F = NULL;
    sri_threads threads;
    SRI_REQUIRE(
        ctx, is_finite(model), SPECREG_E_NUMERIC,
        "rounding: coefficients of the model are not finite: take a larger lambda, or inputs "
        "and kernel values nearer to 1");
    SRI_ALLOC(ctx, F, claim->rows.n, model->T);
    sri_search_threads(claim->rows.n, &threads);
    st = sri_model_outputs(ctx, model, &claim->rows, F);
    sri_threads_leave(&threads);
    SRI_TRY(st);
    const double share = worst_share(claim, model->T, F);
    SRI_REQUIRE(ctx, share <= WRONG || (claim->single && isfinite(share)), SPECREG_E_NUMERIC,
                "rounding: predictions of the model differ from the values fitted to the training "
                "rows by up to %.2g of the targets' standard deviation: take a larger lambda, or "
                "fewer steps",
                share);
    if (share > NOTED)
        sri_note(ctx, &report->notes,
                 "by rounding, predictions of the model differ from the values fitted to the "
                 "training rows by up to %.1e of the targets' standard deviation",
                 share);
    SRI_TRY(sri_notes_check(ctx, &report->notes));
done:
    sri_free(F);
    return st;
}
