#include "model/approx.h"

#include <math.h>

#include "sums/search.h"

enum {
    EXACT_ROWS = 5000, /* so many are always exact */
    LEAST = 100,
    MOST = 16000,
    RACE_ROWS = 65536 /* that judge kernels before all rows do */
};

/* What is asked of fewer centres, to see whether it goes together. */
static sri_sums_spec spec_of(const sri_prepared *p, const sri_approx *approx)
{
    return (sri_sums_spec){.problem = &p->problem, .search = &p->spec, .approx = approx};
}

static bool goes_together(specreg_context *ctx, const sri_prepared *p)
{
    const sri_approx rectangle = {.kind = SRI_APPROX_RECTANGLE};
    const sri_sums_spec spec = spec_of(p, &rectangle);
    return sri_sums_check(ctx, &spec) == SPECREG_OK;
}

specreg_status sri_approx_choose(specreg_context *ctx, sri_prepared *p, sri_approx_kind *out)
{
    const sri_recipe *recipe = p->call->recipe;
    double seconds;
    *out = SRI_APPROX_EXACT;
    if (recipe->search.approx.kind != SRI_APPROX_AUTO || p->problem.n <= EXACT_ROWS ||
        !sri_rule_judges(&p->rule) || p->corpus.vocabulary)
        return SPECREG_OK;
    SRI_CALL(sri_prepare_nominal_seconds(ctx, p, &seconds));
    if (seconds > recipe->resources.time && goes_together(ctx, p))
        *out = SRI_APPROX_RECTANGLE;
    return SPECREG_OK;
}

/* Seconds of a search with m centres. */
static double seconds_of(const sri_prepared *p, double rows, double m)
{
    const sri_rates rates = sri_prepare_nominal_rates();
    const double kernels = (double)sri_kernel_grid_count(&p->grid);
    const double width = fmax(1, (double)p->problem.points->p / 28);
    const double all =
        rows > 2 * RACE_ROWS && kernels > 2 ? kernels * RACE_ROWS + 2 * rows : kernels * rows;
    const double folds = 6, passes = p->problem.n_classes ? 1.6 : 1;
    return all * passes * (2 * m * m / rates.gemm + m * width / rates.values) +
           kernels * folds * 12 * m * m * m / rates.gemm;
}

static double bytes_of(const sri_prepared *p, double m)
{
    enum { MATRICES = 6 + 2 * 5, BLOCK_ROWS = 2 * 2048 }; /* at work; sums of five folds */
    const double order = m + (double)(p->problem.unpenalised.l + p->problem.T + 1);
    return 8 * order * (MATRICES * order + BLOCK_ROWS);
}

int64_t sri_approx_most(const sri_prepared *p, int64_t rows)
{
    const double time = p->call->recipe->resources.time;
    const double memory = (double)p->problem.resources.memory;
    int64_t most = LEAST;
    for (int64_t m = LEAST; m <= MOST && m < p->problem.n; m += LEAST)
        if (seconds_of(p, (double)rows, (double)m) <= time && bytes_of(p, (double)m) <= memory)
            most = m;
    return most < p->problem.n ? most : p->problem.n;
}

specreg_status sri_approx_planned(specreg_context *ctx, sri_prepared *p, sri_approx_plan *out)
{
    const sri_approx *asked = &p->call->recipe->search.approx;
    *out = (sri_approx_plan){.kind = asked->kind};
    if (asked->kind == SRI_APPROX_AUTO)
        SRI_CALL(sri_approx_choose(ctx, p, &out->kind));
    if (out->kind <= SRI_APPROX_EXACT)
        return SPECREG_OK;
    out->m = asked->m ? asked->m : sri_approx_most(p, p->problem.n);
    out->seconds = seconds_of(p, (double)p->problem.n, (double)out->m);
    out->bytes = bytes_of(p, (double)out->m);
    return SPECREG_OK;
}
