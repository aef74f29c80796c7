/* The story: data -> kernels -> operator -> engine -> filter path -> selection -> model. */
#include "core/memory.h"
#include "model/claim.h"

specreg_status sri_fit(specreg_context *ctx, const sri_call *call, const specreg_table *train,
                       specreg_model **out)
{
    specreg_status st = SPECREG_OK;
    sri_prepared p = {0};
    sri_search_result found = {0};
    sri_fit_report *report = NULL;
    sri_claim claim = {0};
    *out = NULL;
    SRI_TRY(sri_prepare(ctx, call, train, &p));             /* columns, targets, points      */
    SRI_TRY(sri_prepare_search(ctx, &p));                   /* kernel grid, selection rule   */
    SRI_TRY(sri_search(ctx, &p.problem, &p.spec, &found));  /* operators, engines, paths     */
    SRI_TRY(sri_fit_report_make(ctx, &p, &found, &report)); /* what was done, for people     */
    SRI_TRY(sri_claim_make(ctx, &p, &found, &claim));       /* what was fitted, of some rows */
    SRI_TRY(sri_model_make(ctx, &p, &found, report, out));  /* centres and coefficients      */
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
    return st;
}

specreg_status specreg_fit(specreg_context *ctx, const specreg_table *train,
                           const specreg_options *options, specreg_model **out)
{
    specreg_status st = SPECREG_OK;
    sri_call call = {0};
    *out = NULL;
    SRI_TRY(sri_call_enter(ctx, options, &call));
    SRI_TRY(sri_fit(ctx, &call, train, out));
done:
    sri_call_leave(&call);
    return st;
}

specreg_status specreg_fit_arrays(specreg_context *ctx, const specreg_view *X,
                                  const specreg_view *Y, const specreg_options *options,
                                  specreg_model **out)
{
    specreg_status st = SPECREG_OK;
    specreg_table *table = NULL;
    int64_t *target = NULL;
    sri_call call = {0};
    *out = NULL;
    SRI_REQUIRE(ctx, Y && Y->cols >= 1, SPECREG_E_ARG, "Y has no columns");
    SRI_TRY(specreg_table_from_arrays(ctx, X, NULL, Y, NULL, &table));
    SRI_TRY(sri_call_enter(ctx, options, &call));
    SRI_ALLOC(ctx, target, Y->cols, 1);
    for (int64_t t = 0; t < Y->cols; t++)
        target[t] = X->cols + t;
    sri_recipe recipe = *call.recipe;
    recipe.data.roles.target_at = target; /* whatever the options say */
    recipe.data.roles.n_targets = Y->cols;
    const sri_call by_number = sri_call_with(&call, &recipe);
    SRI_TRY(sri_fit(ctx, &by_number, table, out));
done:
    sri_call_leave(&call);
    sri_free(target);
    specreg_table_free(table);
    return st;
}
