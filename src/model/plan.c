#include "model/plan.h"

#include <math.h>

#include "engine/run.h"
#include "model/approx.h"
#include "select/degrees.h"
#include "select/setting.h"
#include "select/strategy.h"

/* How often the rule trains a kernel, and on how many rows each time, at least. */
static int64_t training_rows(const sri_rule *rule, const sri_setting *setting, int64_t *runs)
{
    const sri_problem *problem = &setting->problem;
    const int64_t n = problem->n;
    *runs = 1;
    if (rule->ops->trains)
        return rule->ops->trains(rule, n);
    if (!problem->folds.of_row || setting->together)
        return n;
    *runs = sri_folds_count(&problem->folds);
    return setting->smallest;
}

/* Rows of the smallest training part. */
static int64_t smallest(const sri_rule *rule, const sri_setting *setting)
{
    int64_t runs;
    return setting->problem.folds.of_row ? setting->smallest : training_rows(rule, setting, &runs);
}

static void add_work(sri_work *sum, const sri_work *w, double times)
{
    sum->flops += times * w->flops;
    sum->traffic += times * w->traffic;
    sum->values += times * w->values;
    sum->seconds += times * w->seconds;
    sum->bytes = fmax(sum->bytes, w->bytes);
}

static sri_work work_of(const sri_job *job, const sri_cost *cost)
{
    return (sri_work){.flops = cost->flops + cost->overlapped_flops,
                      .traffic = cost->traffic,
                      .values = cost->values,
                      .seconds = sri_job_seconds(job, cost),
                      .bytes = cost->bytes};
}

static void list_engines(const sri_job *job, sri_plan_result *out)
{
    out->engines = 0;
    for (int i = 0; sri_engine_at(i) && i < SRI_PLANNED_ENGINES; i++) {
        const sri_engine *e = sri_engine_at(i);
        const char *reason = sri_engine_refuses(e, job);
        sri_planned_engine *one = &out->engine[out->engines++];
        *one = (sri_planned_engine){.engine = e, .applies = reason == NULL, .why = reason};
        if (reason)
            continue;
        const sri_cost cost = e->cost(job);
        one->work = work_of(job, &cost);
        one->why = e == out->search_engine                    ? "taken"
                   : cost.bytes > (double)job->request.memory ? "needs more memory than the budget"
                                                              : "takes longer";
    }
}

/* Whether a search ends with coefficients: an engine that may leave them out does so where that
 * saves something. */
static bool leaves_coefficients(const sri_engine *engine, sri_job job)
{
    const sri_cost without = engine->cost(&job);
    job.request.scores_only = false;
    const sri_cost with = engine->cost(&job);
    return !(job.request.tolerance > 0) && !(without.flops < with.flops);
}

typedef struct plan {
    const sri_prepared *prepared;
    const sri_setting *setting;
    const sri_kernel *kernel;
    sri_job job; /* one path on all rows */
    sri_plan_result *out;
} plan;

/* So many kernels on `rows` of the rows, into a stage; kernel values apart from the rest. */
static specreg_status add_search(specreg_context *ctx, plan *p, int64_t rows, int64_t kernels,
                                 sri_work *stage)
{
    const sri_problem *problem = &p->setting->problem;
    const bool trials = p->prepared->rule.ops->trials && !p->setting->together;
    int64_t runs, train = training_rows(&p->prepared->rule, p->setting, &runs);
    const double share = (double)rows / (double)problem->n,
                 times = (double)(kernels * p->out->settings * runs);
    train = (int64_t)fmax(1, share * (double)train);
    sri_job job = p->job;
    job.shape = sri_shape_of_rows(&p->job.shape, train);
    job.hint.n_candidates = kernels * p->out->settings;
    job.hint.look_seconds = sri_approx_patience(p->prepared) / times;
    SRI_CALL(
        sri_engine_plan(ctx, p->prepared->spec.engine, &job, &p->out->search_engine, p->out->why));
    p->job.shape.rank = job.shape.rank;
    sri_cost cost = p->out->search_engine->cost(&job);
    const sri_cost values = {.values = cost.values};
    const sri_work matrices = work_of(&job, &values);
    list_engines(&job, p->out);
    add_work(&p->out->matrices, &matrices, times);
    cost.values = 0;
    const sri_work search = work_of(&job, &cost);
    add_work(stage, &search, times);
    stage->seconds += times * (trials ? sri_trial_seconds(&job, rows - train) : 0);
    p->out->runs += times;
    return SPECREG_OK;
}

/* The kernels that the strategy looks at; races run their heats on some of the rows first. */
static specreg_status add_searches(specreg_context *ctx, plan *p)
{
    const int64_t n = sri_planned_rows(p->setting, p->setting->problem.n);
    int64_t kernels = p->out->kernels;
    if (p->prepared->spec.strategy == SRI_SEARCH_COARSE && kernels > 2) {
        const int64_t coarse = sri_coarse_count(&p->prepared->grid);
        kernels = coarse < kernels ? coarse : kernels;
    } else if (p->prepared->spec.strategy == SRI_SEARCH_RACE) {
        sri_heat heat[SRI_HEATS];
        const int heats = sri_race_heats(n, &p->prepared->grid, heat, &kernels);
        for (int i = 0; i < heats; i++)
            SRI_CALL(add_search(ctx, p, heat[i].rows, heat[i].kernels, &p->out->race));
    }
    return add_search(ctx, p, n, kernels, &p->out->search);
}

/* The winner, where the search leaves no coefficients: which point of the path is not known,
 * about the middle is usual. */
static specreg_status add_training(specreg_context *ctx, plan *p)
{
    sri_job job = p->job;
    job.request.need = 0;
    job.request.tolerance = 0;
    job.request.scores_only = false;
    job.path.param += job.path.count / 2;
    job.path.count = 1;
    job.hint.look_seconds = sri_approx_patience(p->prepared);
    SRI_CALL(sri_engine_plan(ctx, p->prepared->spec.engine, &job, &p->out->train_engine, NULL));
    const sri_cost cost = p->out->train_engine->cost(&job);
    p->out->train = work_of(&job, &cost);
    return SPECREG_OK;
}

/* Degrees of freedom, where the engine of the search does not tell them: memory alone, since they
 * are found only where that is quick. */
static specreg_status add_degrees(specreg_context *ctx, plan *p)
{
    const sri_path *path = &p->job.path;
    const sri_path point = {path->filter, path->param + path->count / 2, 1};
    double bytes = 0;
    if (!sri_job_needs(&p->job, SRI_NEED_DF))
        SRI_CALL(sri_degrees_bytes(ctx, &p->setting->problem, p->kernel, &point, &bytes));
    p->out->train.bytes = fmax(p->out->train.bytes, bytes);
    return SPECREG_OK;
}

static specreg_status add_costs(specreg_context *ctx, plan *p)
{
    const bool trials = p->prepared->rule.ops->trials && !p->setting->together;
    SRI_CALL(add_searches(ctx, p));
    if (trials || !leaves_coefficients(p->out->search_engine, p->job))
        SRI_CALL(add_training(ctx, p));
    return add_degrees(ctx, p);
}

static void sum_up(const plan *p, sri_plan_result *out)
{
    add_work(&out->all, &out->matrices, 1);
    add_work(&out->all, &out->race, 1);
    add_work(&out->all, &out->search, 1);
    add_work(&out->all, &out->train, 1);
    out->memory = out->all.bytes + sri_planned_data(p->setting);
    out->rates = sri_machine_now(&p->prepared->call->machine);
}

static specreg_status plan_search(specreg_context *ctx, const sri_prepared *d, sri_plan_result *out)
{
    specreg_status st = SPECREG_OK;
    const sri_problem *problem = &d->problem;
    sri_op *op = NULL;
    sri_values path = {0};
    sri_setting setting = {0};
    sri_threads threads = {0};
    *out = (sri_plan_result){0};
    sri_search_threads(problem->n, &threads);
    const int64_t middle =
        sri_kernel_family_count(&d->grid) / 2; /* the first may have a low rank */
    const sri_kernel kernel = sri_kernel_grid_at(&d->grid, middle);
    plan p = {.prepared = d, .setting = &setting, .kernel = &kernel, .out = out};
    SRI_TRY(sri_problem_op(ctx, problem, &kernel, &op));
    SRI_TRY(sri_setting_folds(ctx, &d->spec, problem, &setting));
    SRI_TRY(
        sri_search_path(ctx, &d->spec, d->spec.filter, op, smallest(&d->rule, &setting), &path));
    out->kernels = sri_kernel_grid_count(&d->grid);
    out->couplings = sri_kernel_grid_matrices(&d->grid);
    out->settings = sri_search_settings(&d->spec);
    out->path_points = path.count;
    const sri_path whole = {.filter = d->spec.filter, .param = path.v, .count = path.count};
    const bool trials = d->rule.ops->trials && !setting.together;
    p.job = sri_setting_job(&setting, &kernel, op, whole,
                            trials ? 0
                                   : sri_rule_need(&d->rule, d->spec.filter,
                                                   sri_search_candidates(&d->spec)));
    SRI_TRY(add_costs(ctx, &p));
    sum_up(&p, out);
done:
    sri_threads_leave(&threads);
    sri_setting_free(&setting);
    sri_values_free(&path);
    sri_op_free(op);
    return st;
}

specreg_status sri_plan_prepared(specreg_context *ctx, const sri_prepared *d, sri_plan_result *out)
{
    SRI_CHECK(ctx, !d->rule.ops->search, SPECREG_E_ARG,
              "plan: %s takes several searches: see the plan of kfold:k=5 for one of them",
              d->rule.ops->name);
    return plan_search(ctx, d, out);
}

specreg_status sri_plan_seconds(specreg_context *ctx, const sri_prepared *d, double *seconds)
{
    sri_plan_result result;
    SRI_CALL(plan_search(ctx, d, &result));
    *seconds = result.all.seconds;
    return SPECREG_OK;
}
