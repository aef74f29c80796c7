/* What every rule would choose, side by side; and, where a test file is given, the error there of
 * each choice and the choice with the least one.  The model is that of the automatic rule. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/memory.h"
#include "select/search.h"

/* In the order in which they are shown; `file` where there is one. */
static const struct {
    const sri_rule_ops *ops;
    double form; /* the bound's */
} compared[] = {{&sri_rule_loo, 0},     {&sri_rule_kfold, 0},       {&sri_rule_gcv, 0},
                {&sri_rule_bound, 1},   {&sri_rule_bound, 2},       {&sri_rule_balancing, 0},
                {&sri_rule_quasi, 0},   {&sri_rule_discrepancy, 0}, {&sri_rule_lcurve, 0},
                {&sri_rule_apriori, 0}, {&sri_rule_file, 0}};
enum { COMPARED = sizeof compared / sizeof *compared };

/* Errors of the winner of a search on the rows of the test file. */
static specreg_status test(specreg_context *ctx, const sri_problem *problem,
                           const sri_search_result *found, const sri_sample *sample,
                           sri_choice *out)
{
    specreg_status st = SPECREG_OK;
    sri_problem plain = *problem; /* classes are judged by their error rate, whatever the choice */
    sri_losses losses = {0};
    double *F = NULL;
    const sri_fitted *f = &found->fitted;
    const sri_predictors all = {&found->kernel, sri_points_centres(problem->points), f->alpha,
                                problem->T};
    plain.judging.criterion = NULL;
    SRI_ALLOC(ctx, F, sample->n, problem->T);
    SRI_TRY(sri_predict_rows(ctx, &all, &sample->rows, F));
    SRI_TRY(sri_coupling_mix(ctx, sri_problem_coupling(problem, &found->kernel), sample->n, F));
    sri_features_add(sample->P, sample->n, problem->unpenalised.l, f->beta, problem->T, F);
    const sri_truth truth = {.Y = sample->Y, .classes = sample->classes};
    SRI_TRY(sri_losses_add(ctx, &plain, sri_problem_compare(&plain, F, truth, sample->n), &losses));
    out->test_mse = sri_loss_mean(&losses.squared);
    if (problem->classes)
        out->test_error_rate = sri_loss_mean(&losses.own);
done:
    sri_free(F);
    return st;
}

/* A value as people know it. */
static double shown(const sri_rule *rule, const sri_problem *problem, double value)
{
    if (rule->ops->negative)
        return -value;
    return sri_rule_by_criterion(rule) ? sri_criterion_shown(sri_criterion_of(problem), value)
                                       : value;
}

/* The choice of one rule; a rule that is not for this problem says why. */
static specreg_status choose(specreg_context *ctx, const sri_problem *problem,
                             const sri_search_spec *spec, const sri_sample *sample, sri_choice *out)
{
    specreg_status st = SPECREG_OK;
    sri_problem own = *problem;
    sri_search_result found = {0};
    const sri_rule *rule = spec->rule;
    if (rule->ops->criterion)
        own.judging.criterion = NULL; /* it has a measure of its own */
    st = sri_search(ctx, &own, spec, &found);
    if (st == SPECREG_E_ARG || st == SPECREG_E_UNAVAILABLE || st == SPECREG_E_NUMERIC) {
        snprintf(out->why_not, sizeof out->why_not, "%s", specreg_last_error(ctx));
        return SPECREG_OK;
    }
    SRI_TRY(st);
    const sri_search_row *row = &found.row[found.winner];
    out->kernel = found.kernel;
    out->setting = row->setting;
    out->step = row->step;
    out->param = found.param;
    out->value = shown(rule, &own, found.score.value);
    out->df = found.fitted.df;
    if (sample)
        SRI_TRY(test(ctx, problem, &found, sample, out));
done:
    sri_search_result_free(&found);
    return st;
}

static specreg_status choose_all(specreg_context *ctx, const sri_problem *problem,
                                 const sri_search_spec *spec, const sri_sample *sample,
                                 sri_choice *out)
{
    for (int i = 0; i < COMPARED - !sample; i++) { /* the file is the last one */
        sri_rule rule = {.path = spec->rule->path};
        sri_search_spec own = *spec;
        sri_rule_defaults(&rule, compared[i].ops);
        if (compared[i].form > 0)
            rule.param[0] = compared[i].form;
        own.rule = &rule;
        own.path = rule.ops->fixed ? NULL : spec->path; /* it finds its own */
        own.checkpoint = NULL;
        own.one_se = false;
        out[i] = (sri_choice){.rule = rule.ops->name,
                              .form = (int)compared[i].form,
                              .criterion = sri_rule_criterion(&rule, problem),
                              .param = NAN,
                              .value = NAN,
                              .df = NAN,
                              .test_mse = NAN,
                              .test_error_rate = NAN};
        SRI_CALL(sri_stage(ctx, rule.ops->name, 1));
        SRI_CALL(choose(ctx, problem, &own, sample, &out[i]));
    }
    return SPECREG_OK;
}

static specreg_status search_by_all(specreg_context *ctx, const sri_problem *problem,
                                    const sri_search_spec *spec, sri_search_result *out)
{
    specreg_status st = SPECREG_OK;
    sri_trials file = {0};
    sri_choice *choice = NULL;
    sri_rule given = {.ops = NULL};
    sri_search_spec last = *spec;
    *out = (sri_search_result){0};
    SRI_REQUIRE(ctx, !spec->watch, SPECREG_E_ARG, "select: compare is for fit");
    SRI_CALLOC(ctx, choice, COMPARED, 1);
    if (spec->rule->path)
        SRI_TRY(sri_rule_file.trials(ctx, spec->rule, problem, &file));
    SRI_TRY(choose_all(ctx, problem, spec, file.count ? &file.trial[0].validate : NULL, choice));
    const sri_rule rule = sri_search_rule(&given, problem, &last);
    last.rule = &rule;
    SRI_TRY(sri_search(ctx, problem, &last, out));
    out->notes.choice = choice;
    out->notes.choices = COMPARED - !spec->rule->path;
    choice = NULL;
    sri_search_note(out, "the model is that of %s, the automatic rule", rule.ops->title);
done:
    sri_free(choice);
    sri_trials_free(&file);
    if (st != SPECREG_OK)
        sri_search_result_free(out);
    return st;
}

const sri_rule_ops sri_rule_compare = {
    .name = "compare",
    .title = "the automatic rule, beside others",
    .takes_path = true,
    .path_optional = true,
    .search = search_by_all,
};
