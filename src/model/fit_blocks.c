#include "model/fit_blocks.h"

#include "model/claim.h"
#include "sums/search.h"

/* Rows that are looked at first: they decide about columns, scaling, classes, widths of kernels and
 * centres. */
enum { LOOKED_AT = 65536 };

/* The numbers of the prepared rows among all rows of the data, newly allocated. */
static specreg_status row_numbers(specreg_context *ctx, const sri_dataset *data, int64_t **out)
{
    SRI_NEW(ctx, *out, data->rows.n, 1);
    for (int64_t i = 0; i < data->rows.n; i++)
        (*out)[i] = sri_table_origin(data->table, data->rows.keep[i]);
    return SPECREG_OK;
}

static sri_pass_reader reader_of(const sri_prepared *p)
{
    const sri_dataset *d = &p->data;
    return (sri_pass_reader){.reader = &p->problem.reader,
                             .weights = d->roles.weights >= 0
                                            ? d->table->column[d->roles.weights].name
                                            : NULL,
                             .class_weight = d->class_weight,
                             .T = p->problem.T,
                             .l = p->problem.unpenalised.l};
}

static specreg_status search(specreg_context *ctx, sri_prepared *p, sri_blocks *blocks,
                             sri_search_result *found, sri_sums_facts *facts)
{
    specreg_status st = SPECREG_OK;
    int64_t *number = NULL;
    const sri_approx *approx = &p->call->recipe->search.approx;
    SRI_TRY(row_numbers(ctx, &p->data, &number));
    p->problem.reader.may_be_empty = true;
    const sri_sums_spec spec = {.problem = &p->problem,
                                .search = &p->spec,
                                .approx = approx,
                                .blocks = blocks,
                                .reader = reader_of(p),
                                .number = number};
    SRI_TRY(sri_sums_search(ctx, &spec, found, &p->data.points.centres, facts));
done:
    sri_free(number);
    return st;
}

/* What the report of the rows looked at does not know. */
static void describe(const sri_call *call, const sri_sums_facts *facts, sri_fit_report *report)
{
    const sri_approx *approx = &call->recipe->search.approx;
    report->data.n = facts->rows;
    report->search.approx = (sri_approx_report){approx->kind, approx->centres->name, *facts};
}

specreg_status sri_fit_blocks(specreg_context *ctx, const sri_call *call, sri_blocks *blocks,
                              specreg_model **out)
{
    specreg_status st = SPECREG_OK;
    specreg_table *first = NULL;
    sri_prepared p = {0};
    sri_search_result found = {0};
    sri_sums_facts facts;
    sri_fit_report *report = NULL;
    sri_claim claim = {0};
    *out = NULL;
    SRI_TRY(sri_blocks_sample(ctx, blocks, LOOKED_AT, call->recipe->resources.seed, NULL, &first));
    SRI_TRY(sri_prepare(ctx, call, first, &p));             /* columns, targets, points  */
    SRI_TRY(sri_prepare_sums(ctx, &p));                     /* kernel grid, rule         */
    SRI_TRY(search(ctx, &p, blocks, &found, &facts));       /* centres, sums, paths      */
    SRI_TRY(sri_fit_report_make(ctx, &p, &found, &report)); /* what was done, for people */
    describe(call, &facts, report);
    SRI_TRY(sri_claim_make(ctx, &p, &found, &claim));      /* what was fitted           */
    SRI_TRY(sri_model_make(ctx, &p, &found, report, out)); /* centres and coefficients  */
    report = NULL;
    SRI_TRY(sri_claim_check(ctx, &claim, *out, (*out)->report.fit)); /* it predicts the same */
done:
    if (st != SPECREG_OK) {
        specreg_model_free(*out);
        *out = NULL;
    }
    sri_claim_free(&claim);
    sri_fit_report_free(report);
    sri_search_result_free(&found);
    sri_prepared_free(&p);
    specreg_table_free(first);
    return st;
}

specreg_status sri_fit_table_by_blocks(specreg_context *ctx, const sri_call *call,
                                       const specreg_table *train, specreg_model **out)
{
    sri_blocks *blocks = NULL;
    SRI_CALL(sri_blocks_of_table(ctx, train, &blocks));
    const specreg_status st = sri_fit_blocks(ctx, call, blocks, out);
    sri_blocks_free(blocks);
    return st;
}
