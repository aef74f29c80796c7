#include "model/fit_centres.h"

#include <math.h>
#include <stdlib.h>

#include "core/memory.h"
#include "model/claim.h"
#include "model/fit_blocks.h"
#include "sums/nystrom.h"

/* A subset is chosen from the rows looked at; nystrom has a coefficient for every row. */
enum { MOST_ROWS = 1 << 20 };

bool sri_fits_in_memory(sri_approx_kind kind)
{
    return kind == SRI_APPROX_SUBSET || kind == SRI_APPROX_NYSTROM;
}

static void describe(const sri_call *call, const sri_sums_facts *facts, specreg_model *model)
{
    const sri_approx *approx = &call->recipe->search.approx;
    model->report.fit->search.approx =
        (sri_approx_report){approx->kind, approx->centres->name, *facts};
}

static int ascending(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* The centres as rows of the table, ascending, newly allocated.  Kinds that look at the kernel see
 * the one in the middle of the list. */
static specreg_status choose_rows(specreg_context *ctx, sri_prepared *p, int64_t **row,
                                  int64_t *count)
{
    specreg_status st = SPECREG_OK;
    int64_t *number = NULL;
    const sri_approx *approx = &p->call->recipe->search.approx;
    const sri_kernel kernel = sri_kernel_grid_at(&p->grid, sri_kernel_grid_count(&p->grid) / 2);
    *row = NULL;
    SRI_REQUIRE(ctx, !sri_kernel_grid_indexed(&p->grid), SPECREG_E_ARG,
                "kernel: precomputed does not go with --approx subset");
    SRI_REQUIRE(ctx, p->problem.reader.layout.kind != SRI_LAYOUT_OUTPUTS, SPECREG_E_ARG,
                "approx: subset is for outputs that every row has, and kernels that are no fields");
    SRI_TRY(sri_row_numbers(ctx, &p->data, &number));
    const sri_centre_pool pool = {&kernel, p->problem.points, number, p->problem.resources.seed,
                                  approx->file};
    SRI_TRY(sri_centres_choose(ctx, approx, &pool, row, count));
    for (int64_t k = 0; k < *count; k++)
        (*row)[k] = p->data.rows.keep[(*row)[k]];
    qsort(*row, (size_t)*count, sizeof **row, ascending);
done:
    sri_free(number);
    return st;
}

/* The exact fit of a table with the chosen rows. */
static specreg_status fit_subset(specreg_context *ctx, const sri_call *call,
                                 const specreg_table *table, specreg_model **out)
{
    specreg_status st = SPECREG_OK;
    sri_prepared p = {0};
    specreg_table *chosen = NULL;
    int64_t *row = NULL, count;
    sri_recipe recipe = *call->recipe;
    SRI_TRY(sri_prepare(ctx, call, table, &p));
    SRI_TRY(sri_prepare_sums(ctx, &p));
    SRI_TRY(choose_rows(ctx, &p, &row, &count));
    SRI_TRY(specreg_table_select(ctx, table, row, count, &chosen));
    recipe.search.approx.kind = SRI_APPROX_EXACT;
    const sri_call exact = sri_call_with(call, &recipe);
    SRI_TRY(sri_fit(ctx, &exact, chosen, out));
    const sri_sums_facts facts = {.rows = count,
                                  .looked = table->rows,
                                  .m = count,
                                  .captured = NAN};
    describe(call, &facts, *out);
done:
    sri_free(row);
    specreg_table_free(chosen);
    sri_prepared_free(&p);
    return st;
}

static specreg_status search(specreg_context *ctx, sri_prepared *p, sri_search_result *found,
                             sri_sums_facts *facts)
{
    specreg_status st = SPECREG_OK;
    int64_t *number = NULL;
    SRI_TRY(sri_row_numbers(ctx, &p->data, &number));
    const sri_sums_spec spec = {.problem = &p->problem,
                                .search = &p->spec,
                                .approx = &p->call->recipe->search.approx,
                                .number = number};
    SRI_TRY(sri_nystrom_search(ctx, &spec, found, facts));
done:
    sri_free(number);
    return st;
}

static specreg_status fit_nystrom(specreg_context *ctx, const sri_call *call,
                                  const specreg_table *table, specreg_model **out)
{
    specreg_status st = SPECREG_OK;
    sri_prepared p = {0};
    sri_search_result found = {0};
    sri_sums_facts facts;
    sri_fit_report *report = NULL;
    sri_claim claim = {0};
    SRI_TRY(sri_prepare(ctx, call, table, &p));             /* columns, targets, points  */
    SRI_TRY(sri_prepare_sums(ctx, &p));                     /* kernel grid, rule         */
    SRI_TRY(search(ctx, &p, &found, &facts));               /* centres, paths            */
    SRI_TRY(sri_fit_report_make(ctx, &p, &found, &report)); /* what was done, for people */
    SRI_TRY(sri_claim_make(ctx, &p, &found, &claim));       /* what was fitted           */
    SRI_TRY(sri_model_make(ctx, &p, &found, report, out));  /* rows and coefficients     */
    report = NULL;
    describe(call, &facts, *out);
    SRI_TRY(sri_claim_check(ctx, &claim, *out, (*out)->report.fit)); /* it predicts the same */
done:
    sri_claim_free(&claim);
    sri_fit_report_free(report);
    sri_search_result_free(&found);
    sri_prepared_free(&p);
    return st;
}

specreg_status sri_fit_centres(specreg_context *ctx, const sri_call *call, sri_blocks *blocks,
                               specreg_model **out)
{
    specreg_status st = SPECREG_OK;
    specreg_table *table = NULL;
    int64_t rows;
    const bool subset = call->recipe->search.approx.kind == SRI_APPROX_SUBSET;
    *out = NULL;
    SRI_TRY(sri_blocks_sample(ctx, blocks, subset ? SRI_LOOKED_AT : MOST_ROWS,
                              call->recipe->resources.seed, &rows, &table));
    SRI_REQUIRE(ctx, subset || rows <= MOST_ROWS, SPECREG_E_ARG,
                "approx: nystrom has a coefficient for every row and is for up to %d, not %lld: "
                "take rectangle",
                MOST_ROWS, (long long)rows);
    SRI_TRY(subset ? fit_subset(ctx, call, table, out) : fit_nystrom(ctx, call, table, out));
done:
    if (st != SPECREG_OK) {
        specreg_model_free(*out);
        *out = NULL;
    }
    specreg_table_free(table);
    return st;
}
