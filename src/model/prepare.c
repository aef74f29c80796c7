#include "model/prepare.h"

#include <math.h>

#include "model/approx.h"
#include "model/plan.h"
#include "model/semi.h"

enum { NOMINAL_THREADS = 2 };
/* A third of a minute: kernel matrices whose eigenvalues fall slowly take up to three times what a
 * plan, which does not know them, expects. */
static const double FAMILY_SECONDS = 20;

specreg_status sri_prepare(specreg_context *ctx, const sri_call *call, const specreg_table *table,
                           sri_prepared *out)
{
    const sri_recipe *recipe = call->recipe;
    *out = (sri_prepared){.call = call};
    SRI_CALL(sri_choices_polynomials(ctx, &recipe->search));
    SRI_CALL(sri_corpus_train(ctx, table, recipe, &out->corpus));
    SRI_CALL(sri_kernel_grid_copy(ctx, &recipe->search.kernel, &out->grid));
    SRI_CALL(sri_dataset_rows(ctx, &out->corpus, recipe, &out->data));
    SRI_CALL(sri_dataset_inputs(ctx, recipe, &out->grid, &out->data));
    out->data.vocabulary = out->corpus.vocabulary;
    out->problem = sri_dataset_problem(&out->data, call);
    return SPECREG_OK;
}

specreg_status sri_prepare_kernel(specreg_context *ctx, const sri_call *call,
                                  const specreg_table *table, sri_prepared *out)
{
    SRI_CALL(sri_prepare(ctx, call, table, out));
    if (!call->recipe->search.unpenalised_auto)
        return SPECREG_OK;
    sri_predefined_free(&out->data.features);
    out->problem.unpenalised = (sri_features){0};
    out->problem.reader.features = NULL;
    return SPECREG_OK;
}

specreg_status sri_prepare_rows(specreg_context *ctx, const sri_call *call,
                                const specreg_table *table, sri_prepared *out)
{
    *out = (sri_prepared){.call = call};
    SRI_CALL(sri_corpus_rows(ctx, table, call->recipe, &out->corpus));
    SRI_CALL(sri_dataset_rows(ctx, &out->corpus, call->recipe, &out->data));
    out->problem = sri_dataset_problem(&out->data, call);
    return SPECREG_OK;
}

specreg_status sri_prepare_inputs(specreg_context *ctx, const sri_call *call,
                                  const specreg_table *table, sri_prepared *out)
{
    *out = (sri_prepared){.call = call};
    SRI_CALL(sri_kernel_grid_copy(ctx, &call->recipe->search.kernel, &out->grid));
    SRI_CALL(sri_dataset_unlabelled(ctx, table, call->recipe, &out->data));
    return sri_dataset_inputs(ctx, call->recipe, &out->grid, &out->data);
}

static specreg_status resolve(specreg_context *ctx, sri_prepared *p)
{
    return sri_kernel_grid_resolve(ctx, &p->grid, p->data.points.own.points,
                                   p->call->recipe->resources.seed);
}

specreg_status sri_prepare_kernels(specreg_context *ctx, sri_prepared *p)
{
    if (p->grid.automatic)
        sri_kernel_families_leave(&p->grid);
    return resolve(ctx, p);
}

static void choose_rule(sri_prepared *p)
{
    const sri_choices *search = &p->call->recipe->search;
    p->rule = sri_search_rule(&search->rule, &p->problem, &p->spec);
    p->spec.strategy = sri_search_strategy(search->strategy, &p->problem, &p->spec);
}

/* Whether automatic families can be compared: by their errors, of rows that have all outputs. */
static bool takes_families(const sri_prepared *p)
{
    const sri_points *points = p->problem.points;
    const sri_rule_ops *rule = p->rule.ops;
    return rule->score && !rule->search && sri_rule_by_criterion(&p->rule) &&
           !sri_points_labelled(points) && !points->rows.x.start &&
           !sri_kernel_grid_couples(&p->grid);
}

sri_rates sri_prepare_nominal_rates(void)
{
    return sri_machine_default(NOMINAL_THREADS).all;
}

specreg_status sri_prepare_nominal_seconds(specreg_context *ctx, sri_prepared *p, double *seconds)
{
    const sri_rates rates = sri_prepare_nominal_rates();
    const sri_machine nominal = {.one = rates, .all = rates}, *own = p->problem.resources.machine;
    SRI_CALL(sri_search_check(ctx, &p->problem, &p->spec)); /* what is wrong is told first */
    p->problem.resources.machine = &nominal;
    const specreg_status st = sri_plan_seconds(ctx, p, seconds);
    p->problem.resources.machine = own;
    if (st == SPECREG_E_NOMEM)
        *seconds = INFINITY;
    return st == SPECREG_E_NOMEM ? SPECREG_OK : st;
}

specreg_status sri_prepared_announce(specreg_context *ctx, sri_prepared *p, int64_t rows, bool plan)
{
    return p->call->announces && ctx->announce ? ctx->announce(ctx, p, rows, plan) : SPECREG_OK;
}

/* Automatic families are compared where that takes less than a minute by the nominal rates. */
static specreg_status choose_families(specreg_context *ctx, sri_prepared *p)
{
    double seconds = INFINITY;
    if (!p->grid.automatic || !p->grid.next)
        return SPECREG_OK;
    if (takes_families(p))
        SRI_CALL(sri_prepare_nominal_seconds(ctx, p, &seconds));
    if (seconds > FAMILY_SECONDS) {
        p->families_left = isfinite(seconds);
        sri_kernel_families_leave(&p->grid);
        choose_rule(p);
    }
    return SPECREG_OK;
}

/* Folds of several outputs are a Krylov space each, and may need many more steps than are expected;
 * leave-one-out takes one factorization for all of them, and what is expected.  Where it is
 * expected to take at most twice as long as folds, it is the automatic rule beyond few rows, too.
 * Folds that take longer than --time are for fewer centres. */
static specreg_status consider_leaving_out(specreg_context *ctx, sri_prepared *p)
{
    const sri_recipe *recipe = p->call->recipe;
    const sri_rule folds = p->rule;
    double by_folds, by_rows;
    if (recipe->search.rule.ops || !folds.ops->folds || p->problem.T < 2 ||
        sri_points_labelled(p->problem.points) || !sri_search_may_leave_out(&p->problem, &p->spec))
        return SPECREG_OK;
    SRI_CALL(sri_prepare_nominal_seconds(ctx, p, &by_folds));
    if (by_folds > recipe->resources.time)
        return SPECREG_OK;
    sri_rule_defaults(&p->rule, &sri_rule_loo);
    const specreg_status st = sri_prepare_nominal_seconds(ctx, p, &by_rows);
    if (st != SPECREG_OK || by_rows > 2 * by_folds)
        p->rule = folds;
    p->spec.strategy = sri_search_strategy(recipe->search.strategy, &p->problem, &p->spec);
    return SPECREG_OK;
}

static void make_spec(sri_prepared *p)
{
    const sri_choices *search = &p->call->recipe->search;
    p->spec = (sri_search_spec){.grid = &p->grid,
                                .filter = search->filters.at,
                                .filters = &search->filters,
                                .path = search->path_auto ? NULL : &search->path,
                                .rule = &p->rule,
                                .per_output = search->per_output,
                                .one_se = search->one_se,
                                .extend = search->extend,
                                .checkpoint = search->checkpoint,
                                .engine = search->engine,
                                .planned_rows = p->rows > p->problem.n ? p->rows : 0,
                                .look_seconds = sri_approx_patience(p)};
}

specreg_status sri_prepare_sums(specreg_context *ctx, sri_prepared *p)
{
    SRI_CALL(sri_prepare_kernels(ctx, p));
    make_spec(p);
    SRI_CHECK(ctx, !p->spec.per_output, SPECREG_E_UNAVAILABLE,
              "param: per-output is for exact fits, not for --approx %s",
              sri_approx_names[p->call->recipe->search.approx.kind]);
    const sri_rule *asked = &p->call->recipe->search.rule;
    const bool one =
        p->spec.path && p->spec.path->count == 1 && sri_search_candidates(&p->spec) == 1;
    p->rule = *asked;
    if (!asked->ops)
        sri_rule_defaults(&p->rule, one ? &sri_rule_none : &sri_rule_kfold);
    return SPECREG_OK;
}

specreg_status sri_prepare_search(specreg_context *ctx, sri_prepared *p)
{
    if (p->grid.automatic)
        sri_kernel_families_fit(&p->grid, p->problem.points->p);
    SRI_CALL(resolve(ctx, p));
    make_spec(p);
    choose_rule(p);
    SRI_CALL(choose_families(ctx, p));
    SRI_CALL(consider_leaving_out(ctx, p));
    SRI_CALL(sri_search_check_rule(ctx, &p->problem, &p->rule));
    return sri_features_in_parts(ctx, &p->rule, &p->data, &p->problem);
}

void sri_prepared_free(sri_prepared *p)
{
    sri_semi_free(&p->semi);
    sri_dataset_free(&p->data);
    sri_kernel_grid_free(&p->grid);
    sri_corpus_free(&p->corpus);
    *p = (sri_prepared){0};
}
