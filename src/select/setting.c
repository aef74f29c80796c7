/* A rule with folds can go two ways: all folds in one run over all rows, or a run for each fold.
 * The cheaper one is taken, as far as the engines' costs tell. */
#include "select/setting.h"

#include <math.h>
#include <string.h>

#include "core/memory.h"

/* From so many rows on held-out residuals are found to a tolerance, not to rounding: a mean squared
 * error can be off by twice this share of it. */
enum { SEARCH_ROWS = 1000 };
static const double TOLERANCE = 5e-4;

/* Rows of the smallest training part that folds leave. */
static int64_t smallest_part(const sri_problem *problem)
{
    const int64_t n = problem->n, folds = sri_folds_count(&problem->folds);
    int64_t largest = 0;
    for (int64_t f = 0; f < folds; f++) {
        const int64_t rows = sri_fold_rows(sri_folds_at(&problem->folds, f), n);
        largest = rows > largest ? rows : largest;
    }
    return n - largest;
}

double sri_trial_seconds(const sri_job *job, int64_t rows)
{
    const double pairs = (double)rows * (double)job->shape.n;
    const double columns = (double)(job->path.count * job->problem.T);
    const sri_cost cost = {.flops = 2.5 * pairs * columns,
                           .values = pairs,
                           .scalar = 10 * (double)rows * columns};
    return sri_job_seconds(job, &cost);
}

sri_job sri_setting_job(const sri_setting *setting, const sri_kernel *kernel, sri_op *op,
                        sri_path path, unsigned need)
{
    const sri_problem *problem = &setting->problem;
    const sri_kernel_grid *grid = setting->spec->grid;
    const bool folds = need & SRI_NEED_FOLDS;
    const sri_engine_problem asked = {.op = op,
                                      .Y = problem->Y,
                                      .T = problem->T,
                                      .folds = problem->folds,
                                      .coupling = sri_problem_coupling(problem, kernel)};
    const sri_request request = {.need = need & SRI_NEED_OF_ENGINE,
                                 .tolerance = folds ? setting->tolerance : 0,
                                 .scores_only = folds && setting->scores_only,
                                 .memory = problem->resources.memory,
                                 .machine = problem->resources.machine};
    const sri_hint hint = {.expected_steps = setting->expected_steps,
                           .n_candidates = sri_search_candidates(setting->spec),
                           .look_seconds = setting->spec->look_seconds,
                           .operator_jobs =
                               sri_kernel_grid_matrices(grid) * sri_search_settings(setting->spec)};
    sri_job job = sri_job_make(&asked, &path, &request, &hint);
    if (!setting->spec->planned_rows)
        return job;
    const double more = sri_planned_data(setting) - problem->resources.data;
    job.shape = sri_shape_of_rows(&job.shape, sri_planned_rows(setting, problem->n));
    job.request.memory -= (int64_t)fmin(more, (double)job.request.memory);
    return job;
}

int64_t sri_planned_rows(const sri_setting *setting, int64_t rows)
{
    const int64_t all = setting->spec->planned_rows;
    return all ? (int64_t)((double)rows / (double)setting->problem.n * (double)all) : rows;
}

double sri_planned_data(const sri_setting *setting)
{
    const int64_t n = setting->problem.n;
    return setting->problem.resources.data * ((double)sri_planned_rows(setting, n) / (double)n);
}

/* A kernel with a setting of the filter, and the seconds of both ways, summed up: all folds in one
 * run, infinite where no engine has that, and a run for each. */
typedef struct ways {
    sri_kernel kernel;
    sri_op *op;
    double together, apart;
} ways;

static specreg_status add_seconds(specreg_context *ctx, const sri_setting *s,
                                  const sri_filter *filter, ways *w)
{
    specreg_status st = SPECREG_OK;
    const sri_search_spec *spec = s->spec;
    const sri_problem *problem = &s->problem;
    sri_values path = {0};
    SRI_TRY(sri_search_path(ctx, spec, filter, w->op, s->smallest, &path));
    const sri_path whole = {.filter = filter, .param = path.v, .count = path.count};
    sri_job job = sri_setting_job(s, &w->kernel, w->op, whole, spec->rule->ops->need);
    if (sri_kernel_grid_count(spec->grid) == 1 || strcmp(spec->engine, "auto") != 0)
        SRI_TRY(sri_engine_look(ctx, spec->engine, &job));
    w->together += sri_engine_seconds(spec->engine, &job);
    sri_job trial = sri_setting_job(s, &w->kernel, w->op, whole, 0);
    const int64_t train = sri_planned_rows(s, s->smallest);
    trial.shape = sri_shape_of_rows(&job.shape, train);
    const double run = sri_engine_seconds(spec->engine, &trial) +
                       sri_trial_seconds(&trial, sri_planned_rows(s, problem->n) - train);
    w->apart += (double)sri_folds_count(&problem->folds) * run;
done:
    sri_values_free(&path);
    return st;
}

/* The first kernel speaks for all; of its rank only where all must have a low one, or it is the
 * only one. */
static specreg_status compare_ways(specreg_context *ctx, sri_setting *s)
{
    specreg_status st = SPECREG_OK;
    ways w = {.kernel = sri_kernel_grid_at(s->spec->grid, 0)};
    SRI_TRY(sri_problem_op(ctx, &s->problem, &w.kernel, &w.op));
    for (int64_t i = 0; i < sri_search_settings(s->spec); i++)
        SRI_TRY(add_seconds(ctx, s, sri_search_setting(s->spec, i), &w));
    s->together = (w.together <= w.apart || s->spec->per_output) && isfinite(w.together);
    SRI_REQUIRE(
        ctx, s->together || !s->spec->per_output, SPECREG_E_ARG,
        "param: per-output takes all folds from one run, which filter %s does not have here",
        sri_filter_name(s->spec->filter));
done:
    sri_op_free(w.op);
    return st;
}

specreg_status sri_setting_folds(specreg_context *ctx, const sri_search_spec *spec,
                                 const sri_problem *problem, sri_setting *out)
{
    specreg_status st = SPECREG_OK;
    const sri_rule *rule = spec->rule;
    *out = (sri_setting){.spec = spec, .problem = *problem, .smallest = problem->n};
    if (!rule->ops->folds)
        return SPECREG_OK;
    if ((spec->inexact_as_parent || problem->n >= SEARCH_ROWS) &&
        spec->strategy != SRI_SEARCH_EXHAUSTIVE && !spec->watch)
        out->tolerance = TOLERANCE;
    out->scores_only = !spec->watch;
    SRI_TRY(sri_rule_folds(ctx, rule, problem, &out->fold, &out->problem.folds));
    out->smallest = smallest_part(&out->problem);
    if (!sri_has_own_rows(problem) && !problem->extension && !sri_kernel_grid_learns(spec->grid))
        SRI_TRY(compare_ways(ctx, out));
done:
    if (st != SPECREG_OK)
        sri_setting_free(out);
    return st;
}

/* Rows in no fold (-1) do not validate. */
static void add_class_weights(const sri_truth *truth, const int32_t *fold, int64_t n, double *mass)
{
    for (int64_t i = 0; i < n; i++)
        if (!fold || fold[i] >= 0)
            mass[truth->classes[i]] += truth->weight ? truth->weight[i] : 1;
}

/* For the balanced error: every class of the rows that validate counts the same. */
static specreg_status balance(specreg_context *ctx, sri_setting *s)
{
    const sri_truth all = sri_problem_truth(&s->problem);
    double *cost = NULL;
    SRI_NEW_ZERO(ctx, cost, s->problem.n_classes, 1);
    for (int64_t r = 0; !s->trials.count && r < (s->fold ? s->problem.folds.repeats : 1); r++)
        add_class_weights(&all, s->fold ? s->fold + r * s->problem.n : NULL, s->problem.n, cost);
    for (int64_t f = 0; f < s->trials.count; f++) {
        const sri_sample *v = &s->trials.trial[f].validate;
        const sri_truth truth = {.classes = v->classes, .weight = v->weight};
        add_class_weights(&truth, NULL, v->n, cost);
    }
    for (int64_t c = 0; c < s->problem.n_classes; c++)
        cost[c] = cost[c] > 0 ? 1 / cost[c] : 0;
    s->problem.judging.class_cost = s->class_cost = cost;
    return SPECREG_OK;
}

/* Lets the kernels share the distances or products of all pairs, where that saves time and leaves
 * most of the memory. */
static specreg_status share_pairs(specreg_context *ctx, sri_setting *s)
{
    sri_problem *problem = &s->problem;
    const double bytes = sri_pairs_bytes(problem->n);
    sri_pair kind;
    if (s->trials.count || sri_has_own_rows(problem) || problem->extension ||
        bytes > (double)problem->resources.memory / 8 ||
        !sri_pairs_worth(s->spec->grid, problem->points, &kind))
        return SPECREG_OK;
    SRI_NEW(ctx, s->points, 1, 1);
    *s->points = *problem->points;
    SRI_CALL(sri_pairs_new(ctx, problem->points, kind, &s->pairs));
    s->points->pairs = s->pairs;
    problem->points = s->points;
    problem->resources.memory -= (int64_t)bytes;
    return SPECREG_OK;
}

/* Decompositions are kept for couplings that are learned with the same scalar kernel, where they
 * leave most of the memory. */
static specreg_status keep_learners(specreg_context *ctx, sri_setting *s)
{
    const double n = (double)s->problem.n, count = (double)(s->trials.count + 1);
    if (!sri_kernel_grid_learns(s->spec->grid) || sri_points_labelled(s->problem.points) ||
        16 * n * n * count > (double)s->problem.resources.memory / 4)
        return SPECREG_OK;
    SRI_NEW_ZERO(ctx, s->learner, s->trials.count + 1, 1);
    return SPECREG_OK;
}

specreg_status sri_setting_make(specreg_context *ctx, const sri_search_spec *spec,
                                const sri_problem *problem, sri_setting *out)
{
    specreg_status st = SPECREG_OK;
    const sri_rule *rule = spec->rule;
    SRI_TRY(sri_setting_folds(ctx, spec, problem, out));
    if (rule->ops->trials && !out->together)
        SRI_TRY(rule->ops->trials(ctx, rule, problem, &out->trials));
    for (int64_t f = 0; f < out->trials.count; f++)
        if (out->trials.trial[f].train.n < out->smallest)
            out->smallest = out->trials.trial[f].train.n;
    if (spec->smallest)
        out->smallest = spec->smallest;
    if (sri_criterion_of(problem)->balances_classes)
        SRI_TRY(balance(ctx, out));
    SRI_TRY(share_pairs(ctx, out));
    SRI_TRY(keep_learners(ctx, out));
done:
    if (st != SPECREG_OK)
        sri_setting_free(out);
    return st;
}

void sri_setting_free(sri_setting *setting)
{
    for (int64_t f = -1; setting->learner && f < setting->trials.count; f++)
        sri_learner_free(sri_setting_learner(setting, f));
    sri_free(setting->learner);
    sri_pairs_free(setting->pairs);
    sri_free(setting->points); /* what is in it is the problem's */
    sri_free(setting->class_cost);
    sri_trials_free(&setting->trials);
    sri_free(setting->fold);
    *setting = (sri_setting){0};
}
