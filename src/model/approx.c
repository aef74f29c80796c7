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
        !sri_rule_judges(&p->rule) || p->corpus.vocabulary || recipe->search.checkpoint)
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

int64_t sri_approx_most(const sri_prepared *p, int64_t rows)
{
    const double time = p->call->recipe->resources.time;
    const double memory = (double)p->problem.resources.memory;
    int64_t most = LEAST;
    for (int64_t m = LEAST; m <= MOST && m < p->problem.n; m += LEAST) {
        const double order = (double)(m + p->problem.unpenalised.l + p->problem.T + 1);
        const double bytes = 8 * order * order * (6 + 2 * 5) + 16.0 * 2048 * order;
        if (seconds_of(p, (double)rows, (double)m) <= time && bytes <= memory)
            most = m;
    }
    return most < p->problem.n ? most : p->problem.n;
}
