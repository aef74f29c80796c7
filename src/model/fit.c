/* The story: data -> kernels -> operator -> engine -> filter path -> selection -> model. */
#include "core/memory.h"
#include "model/approx.h"
#include "model/claim.h"
#include "model/cv.h"
#include "model/fit_blocks.h"
#include "model/semi.h"
#include "select/degrees.h"

/* The same with fewer centres than rows. */
static specreg_status fit_rectangle(specreg_context *ctx, const sri_call *call,
                                    const specreg_table *train, specreg_model **out)
{
    sri_recipe recipe = *call->recipe;
    recipe.search.approx.kind = SRI_APPROX_RECTANGLE;
    recipe.search.approx.chosen = true;
    sri_call fewer = sri_call_with(call, &recipe);
    fewer.announces = call->announces;
    return sri_fit_table_by_blocks(ctx, &fewer, train, out);
}

specreg_status sri_fit(specreg_context *ctx, const sri_call *call, const specreg_table *train,
                       specreg_model **out)
{
    specreg_status st = SPECREG_OK;
    sri_approx_kind kind;
    sri_prepared p = {0};
    sri_search_result found = {0};
    sri_fit_report *report = NULL;
    sri_claim claim = {0};
    *out = NULL;
    if (call->recipe->search.approx.kind > SRI_APPROX_EXACT)
        return sri_fit_table_by_blocks(ctx, call, train, out);
    SRI_TRY(sri_prepare(ctx, call, train, &p));                  /* columns, targets, points      */
    SRI_TRY(sri_semi_attach(ctx, &p));                           /* rows without targets          */
    SRI_TRY(sri_prepared_announce(ctx, &p, p.problem.n, false)); /* to the user's callback        */
    SRI_TRY(sri_prepare_search(ctx, &p));                        /* kernel grid, selection rule   */
    SRI_TRY(sri_approx_choose(ctx, &p, &kind));                  /* all rows, or fewer centres    */
    if (kind == SRI_APPROX_RECTANGLE) {
        SRI_TRY(fit_rectangle(ctx, call, train, out));
        goto done;
    }
    SRI_TRY(sri_prepared_announce(ctx, &p, p.problem.n, true)); /* the same with the plan        */
    SRI_TRY(sri_semi_search(ctx, &p, &found));                  /* operators, engines, paths     */
    SRI_TRY(sri_degrees_of_winner(ctx, &p.problem, &found));
    SRI_TRY(sri_fit_report_make(ctx, &p, &found, &report)); /* what was done, for people     */
    SRI_TRY(sri_semi_report_make(ctx, &p, report));
    SRI_TRY(sri_semi_centres(ctx, &p));
    SRI_TRY(sri_claim_make(ctx, &p, &found, &claim));      /* what was fitted, of some rows */
    SRI_TRY(sri_model_make(ctx, &p, &found, report, out)); /* centres and coefficients      */
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

/* The error by the search's measure where words are chosen inside folds. */
static specreg_status error_of_folds(specreg_context *ctx, const sri_cv_result *folds,
                                     const sri_measure *measure, struct sri_words_inside *out)
{
    sri_error_list *errors;
    double deviation;
    SRI_NEW(ctx, errors, folds->folds, 1);
    for (int64_t f = 0; f < folds->folds; f++)
        errors[f] = folds->fold[f].test.errors.all;
    *out = (struct sri_words_inside){.measure = measure, .folds = folds->folds};
    if (!sri_errors_over_folds(errors, folds->folds, measure, &out->value, &deviation))
        out->folds = 0;
    sri_free(errors);
    return SPECREG_OK;
}

/* Words that were chosen with the labels of all rows have seen those that the search held out: its
 * error is too good.  The parameters it chose are judged once more, with words chosen inside
 * folds. */
static specreg_status judge_words(specreg_context *ctx, const sri_call *call,
                                  const specreg_table *train, specreg_model *model)
{
    specreg_status st = SPECREG_OK;
    sri_fit_report *report = model->report.fit;
    const specreg_vocabulary *words = model->encoding.vocabulary;
    const sri_choices *search = &call->recipe->search;
    sri_cv_result folds = {0};
    if (model->filter.each || !report || !words || !words->mi || !report->search.selection.rows ||
        (search->rule.ops && !search->rule.ops->score))
        return st;
    SRI_TRY(sri_cv_at(ctx, call, train, model, &folds));
    SRI_TRY(error_of_folds(ctx, &folds,
                           search->criterion ? search->criterion : sri_measure_auto(true),
                           &report->words_inside));
    const struct sri_words_inside *inside = &report->words_inside;
    const bool percent = inside->folds && *inside->measure->info.unit == '%';
    if (inside->folds)
        sri_note(ctx, &report->notes,
                 "words were chosen with the labels of all rows, so that the selected error is too "
                 "good: with words chosen inside %lld folds %s is %.4g%s",
                 (long long)inside->folds, inside->measure->info.title,
                 percent ? 100 * inside->value : inside->value, percent ? " %" : "");
    report->times.total = sri_call_seconds(call) + train->read_seconds;
    st = sri_notes_check(ctx, &report->notes);
done:
    if (st == SPECREG_E_SHAPE || st == SPECREG_E_FORMAT) /* folds that lack a class, or words */
        st = SPECREG_OK;
    sri_cv_result_free(&folds);
    return st;
}

specreg_status specreg_fit(specreg_context *ctx, const specreg_table *train,
                           const specreg_options *options, specreg_model **out)
{
    SRI_MAKES(ctx, out, train);
    specreg_status st = SPECREG_OK;
    sri_call call = {0};
    SRI_TRY(sri_call_enter(ctx, options, &call));
    call.announces = true;
    SRI_TRY(sri_fit(ctx, &call, train, out));
    SRI_TRY(judge_words(ctx, &call, train, *out));
done:
    if (st != SPECREG_OK) {
        specreg_model_free(*out);
        *out = NULL;
    }
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
    SRI_TRY(specreg_table_over_data(ctx, data, &table));
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
    sri_call by_number = sri_call_with(&call, &recipe);
    by_number.announces = true;
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
