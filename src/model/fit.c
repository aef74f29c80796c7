/* The story: data -> kernels -> operator -> engine -> filter path -> selection -> model. */
#include "core/memory.h"
#include "model/claim.h"
#include "model/fit_blocks.h"

specreg_status sri_fit(specreg_context *ctx, const sri_call *call, const specreg_table *train,
                       specreg_model **out)
{
    specreg_status st = SPECREG_OK;
    sri_prepared p = {0};
    sri_search_result found = {0};
    sri_fit_report *report = NULL;
    sri_claim claim = {0};
    *out = NULL;
    if (call->recipe->search.approx.kind > SRI_APPROX_EXACT)
        return sri_fit_table_by_blocks(ctx, call, train, out);
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
    SRI_MAKES(ctx, out, train);
    specreg_status st = SPECREG_OK;
    sri_call call = {0};
    SRI_TRY(sri_call_enter(ctx, options, &call));
    SRI_TRY(sri_fit(ctx, &call, train, out));
done:
    sri_call_leave(&call);
    return st;
}

specreg_status specreg_fit_data(specreg_context *ctx, const specreg_data *data,
                                const specreg_options *options, specreg_model **out)
{
    SRI_MAKES(ctx, out, data);
    specreg_status st = SPECREG_OK;
    specreg_table *table = NULL;
    int64_t *target = NULL;
    sri_call call = {0};
    SRI_REQUIRE(ctx, data->labels || data->Y, SPECREG_E_ARG, "there are neither Y nor labels");
    SRI_REQUIRE(ctx, data->labels || data->Y->cols >= 1, SPECREG_E_ARG, "Y has no columns");
    SRI_TRY(specreg_table_from_data(ctx, data, &table));
    SRI_TRY(sri_call_enter(ctx, options, &call));
    const int64_t T = data->labels ? 1 : data->Y->cols;
    SRI_ALLOC(ctx, target, T, 1);
    for (int64_t t = 0; t < T; t++)
        target[t] = (data->X_csr ? 0 : sri_data_cols(data)) + t;
    sri_recipe recipe = *call.recipe;
    sri_role_names *roles = &recipe.data.roles; /* whatever the options say */
    roles->target_at = target;
    roles->n_targets = T;
    roles->weights = data->weights ? "weights" : roles->weights;
    roles->group = data->groups ? "group" : roles->group;
    if (recipe.data.problem == SRI_PROBLEM_AUTO)
        recipe.data.problem = data->labels ? SRI_CLASSIFICATION : SRI_REGRESSION;
    const sri_call by_number = sri_call_with(&call, &recipe);
    SRI_TRY(sri_fit(ctx, &by_number, table, out));
done:
    sri_call_leave(&call);
    sri_free(target);
    specreg_table_free(table);
    return st;
}

specreg_status specreg_fit_arrays(specreg_context *ctx, const specreg_view *X,
                                  const specreg_view *Y, const specreg_options *options,
                                  specreg_model **out)
{
    SRI_MAKES(ctx, out, X, Y);
    const specreg_data data = {sizeof data, .X = X, .Y = Y};
    return specreg_fit_data(ctx, &data, options, out);
}
