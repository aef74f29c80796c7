/* What does not go together in a search, told before the work. */
#include <math.h>
#include <stdio.h>

#include "select/combinations.h"
#include "select/each_output.h"
#include "select/search.h"

static void add_filter(const sri_filter *filter, sri_aspects *out)
{
    sri_aspects_add(out, SRI_HAS_CG, sri_filter_nonlinear(filter));
    sri_aspects_add(out, SRI_HAS_OTHER_FILTER, !filter->ops->one_system);
    sri_aspects_add(out, SRI_HAS_CUT_OFF, filter->ops->truncates);
    out->name[SRI_NAMED_FILTER] = sri_filter_name(filter);
}

/* What a rule has whose rows stay together in groups, or train some outputs only. */
static void add_rows(const sri_problem *problem, const sri_rule *rule, sri_aspects *out)
{
    sri_aspects_add(out, SRI_HAS_ROW_RULE, rule->ops->leaves_rows_out);
    sri_aspects_add(out, SRI_HAS_ONE_SYSTEM_RULE,
                    rule->ops->criterion || rule->ops->choose || rule->ops->fixed);
    sri_aspects_add(out, SRI_HAS_GROUPS, problem->rows.group);
    sri_aspects_add(out, SRI_HAS_OWN_ROWS, sri_has_own_rows(problem));
    out->name[SRI_NAMED_RULE] = rule->ops->name;
}

static void add_problem(const sri_problem *problem, sri_aspects *out)
{
    const sri_measure *measure = sri_criterion_of(problem);
    const bool classes = problem->classes;
    sri_aspects_add(out, SRI_HAS_REGRESSION, !classes);
    sri_aspects_add(out, SRI_HAS_OTHER_DECODING, classes && !sri_coding_is_convex(problem->coding));
    sri_aspects_add(out, SRI_HAS_UNPENALISED, problem->unpenalised.l);
    sri_aspects_add(out, SRI_HAS_PAPER_TERMS, problem->unpenalised.pivots);
    sri_aspects_add(out, SRI_HAS_CRITERION, problem->judging.criterion);
    sri_aspects_add(out, SRI_HAS_CLASS_CRITERION, measure->uses); /* labels or scores */
    out->name[SRI_NAMED_CRITERION] = measure->info.name;
}

/* What a rule has in a search over so many kernels. */
static void add_rule(const sri_search_spec *spec, int64_t kernels, sri_aspects *out)
{
    const sri_rule_ops *rule = spec->rule->ops;
    const unsigned df = SRI_NEED_LEVERAGE | SRI_NEED_DF;
    sri_aspects_add(out, SRI_HAS_WHOLE_RULE, sri_rule_judges(spec->rule) && !rule->trials);
    sri_aspects_add(out, SRI_HAS_NO_RULE, !sri_rule_judges(spec->rule));
    sri_aspects_add(out, SRI_HAS_OWN_MEASURE, !sri_rule_by_criterion(spec->rule));
    sri_aspects_add(out, SRI_HAS_LINEAR_RULE, rule->score && rule->need & df && !rule->fixed);
    sri_aspects_add(out, SRI_HAS_KERNELS_BY_GCV, (rule->choose || rule->fixed) && kernels != 1);
    sri_aspects_add(out, SRI_HAS_DF_RULE, sri_rule_need(spec->rule, spec->filter, kernels) & df);
    sri_aspects_add(out, SRI_HAS_BALANCING, rule->noise && rule->need & SRI_NEED_DF);
    sri_aspects_add(out, SRI_HAS_UNKNOWN_NOISE, rule->noise && isnan(spec->rule->param[0]));
    sri_aspects_add(out, SRI_HAS_DERIVATIVES, rule->derives);
    sri_aspects_add(out, SRI_HAS_BOUND, rule->bounds_errors);
    sri_aspects_add(out, SRI_HAS_FIRST_FORM, rule->bounds_errors && spec->rule->param[0] == 1);
}

specreg_status sri_search_check(specreg_context *ctx, const sri_problem *problem,
                                const sri_search_spec *spec)
{
    SRI_CALL(sri_each_check(ctx, problem, spec));
    const int64_t kernels = sri_search_candidates(spec);
    const bool one_value = kernels == 1 && spec->path && spec->path->count == 1;
    sri_aspects aspects = {0};
    char count[32];
    snprintf(count, sizeof count, "%lld", (long long)kernels);
    aspects.name[SRI_NAMED_COUNT] = count;
    aspects.name[SRI_NAMED_PARAM] = sri_path_name(spec->filter->path);
    sri_aspects_add(&aspects, SRI_HAS_SEVERAL_VALUES, !one_value && !spec->watch);
    add_rows(problem, spec->rule, &aspects);
    add_problem(problem, &aspects);
    add_rule(spec, kernels, &aspects);
    for (int64_t i = 0; i < sri_search_settings(spec); i++)
        add_filter(sri_search_setting(spec, i), &aspects);
    sri_aspects_add(&aspects, SRI_HAS_UNLABELLED, problem->extension);
    sri_aspects_add(&aspects, SRI_HAS_LEARNED, sri_kernel_grid_learns(spec->grid));
    return sri_combinations_check(ctx, &aspects);
}

specreg_status sri_search_check_rule(specreg_context *ctx, const sri_problem *problem,
                                     const sri_rule *rule)
{
    sri_aspects aspects = {0};
    add_rows(problem, rule, &aspects);
    return sri_combinations_check(ctx, &aspects);
}

specreg_status sri_search_check_fixed(specreg_context *ctx, const sri_search_spec *spec)
{
    sri_aspects aspects = {.name[SRI_NAMED_RULE] = spec->rule->ops->name};
    sri_aspects_add(&aspects, SRI_HAS_APRIORI, true);
    sri_aspects_add(&aspects, SRI_HAS_GIVEN_PATH, spec->path);
    const sri_filter *filter = spec->filter;
    sri_aspects_add(&aspects, SRI_HAS_COMPONENTS, filter->path == SRI_PATH_COMPONENTS);
    sri_aspects_add(&aspects, SRI_HAS_ORDERS, filter->path == SRI_PATH_ORDER);
    sri_aspects_add(&aspects, SRI_HAS_OWN_STEPS,
                    filter->path == SRI_PATH_T && !filter->ops->iteration &&
                        !sri_filter_nonlinear(filter));
    add_filter(filter, &aspects);
    return sri_combinations_check(ctx, &aspects);
}
