/* The story: data -> kernels -> operator -> engine -> filter path -> selection -> model. */
#include "model/model.h"

specreg_status sri_fit(specreg_context *ctx, const sri_call *call, const specreg_table *train,
                       specreg_model **out)
{
    specreg_status st = SPECREG_OK;
    sri_prepared p = {0};
    sri_search_result found = {0};
    sri_fit_report *report = NULL;
    *out = NULL;
    SRI_TRY(sri_prepare(ctx, call, train, &p));             /* columns, targets, points      */
    SRI_TRY(sri_prepare_search(ctx, &p));                   /* kernel grid, selection rule   */
    SRI_TRY(sri_search(ctx, &p.problem, &p.spec, &found));  /* operators, engines, paths     */
    SRI_TRY(sri_fit_report_make(ctx, &p, &found, &report)); /* what was done, for people     */
    SRI_TRY(sri_model_make(ctx, &p, &found, report, out));  /* centres and coefficients      */
    report = NULL;
done:
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
