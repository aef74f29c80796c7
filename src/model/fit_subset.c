#include "model/fit_subset.h"

#include <math.h>
#include <stdlib.h>

#include "core/memory.h"

static int ascending(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* The centres as rows of the table, ascending, newly allocated.  Kinds that look at the kernel see
 * the one in the middle of the list. */
static specreg_status choose_rows(specreg_context *ctx, const sri_prepared *p,
                                  const int64_t *number, int64_t **row, int64_t *count)
{
    const sri_approx *approx = &p->call->recipe->search.approx;
    const sri_kernel kernel = sri_kernel_grid_at(&p->grid, sri_kernel_grid_count(&p->grid) / 2);
    const sri_centre_pool pool = {&kernel, p->problem.points, number, p->problem.resources.seed,
                                  approx->file};
    SRI_CHECK(ctx, !sri_kernel_grid_indexed(&p->grid), SPECREG_E_ARG,
              "kernel: precomputed does not go with --approx subset");
    SRI_CHECK(ctx, p->problem.reader.layout.kind != SRI_LAYOUT_OUTPUTS, SPECREG_E_ARG,
              "approx: subset is for outputs that every row has, and kernels that are no fields");
    SRI_CALL(sri_centres_choose(ctx, approx, &pool, row, count));
    for (int64_t k = 0; k < *count; k++)
        (*row)[k] = p->data.rows.keep[(*row)[k]];
    qsort(*row, (size_t)*count, sizeof **row, ascending);
    return SPECREG_OK;
}

specreg_status sri_fit_subset(specreg_context *ctx, const sri_prepared *p, const int64_t *number,
                              specreg_model **out)
{
    specreg_status st = SPECREG_OK;
    specreg_table *chosen = NULL;
    int64_t *row = NULL, count;
    sri_recipe recipe = *p->call->recipe;
    const sri_approx *approx = &p->call->recipe->search.approx;
    *out = NULL;
    SRI_TRY(choose_rows(ctx, p, number, &row, &count));
    SRI_TRY(specreg_table_select(ctx, p->data.table, row, count, &chosen));
    recipe.search.approx.kind = SRI_APPROX_EXACT;
    const sri_call exact = sri_call_with(p->call, &recipe);
    SRI_TRY(sri_fit(ctx, &exact, chosen, out));
    (*out)->report.fit->search.approx =
        (sri_approx_report){approx->kind,
                            approx->centres->name,
                            {.rows = count, .looked = p->problem.n, .m = count, .captured = NAN}};
done:
    sri_free(row);
    specreg_table_free(chosen);
    return st;
}
