/* What fit would do: the rule, the engine, memory and time, without doing it. */
#include <math.h>
#include <stdlib.h>

#include "backend/cpu/blas.h"
#include "core/memory.h"
#include "engine/run.h"
#include "model/corpus.h"
#include "model/features.h"
#include "model/record.h"
#include "select/setting.h"
#include "select/strategy.h"

/* How often the rule trains a kernel, and on how many rows each time, at least. */
static int64_t training_rows(const sri_rule *rule, const sri_setting *setting, int64_t *runs)
{
    const sri_task *task = &setting->task;
    const int64_t n = task->n;
    *runs = 1;
    if (rule->ops == &sri_rule_holdout)
        return (int64_t)fmax(1, fmin((double)n - 1, (double)n - round((double)n * rule->param[0])));
    if (!task->fold || setting->together)
        return n;
    *runs = task->folds * task->repeats;
    return setting->smallest;
}

/* Rows of the smallest training part. */
static int64_t smallest(const sri_rule *rule, const sri_setting *setting)
{
    int64_t runs;
    return setting->task.fold ? setting->smallest : training_rows(rule, setting, &runs);
}

/* ------------------------------------------------------------------- work */

typedef struct work {
    double flops, traffic, values, seconds;
    double bytes; /* memory at the peak */
} work;

static void add_work(work *w, const sri_job *job, const sri_cost *cost, double times)
{
    w->flops += times * (cost->flops + cost->overlapped_flops);
    w->traffic += times * cost->traffic;
    w->values += times * cost->values;
    w->seconds += times * sri_job_seconds(job, cost);
    w->bytes = fmax(w->bytes, cost->bytes);
}

static void put_work(json_t **object, const work *w)
{
    sri_json_put(object, "seconds", sri_json_number(w->seconds));
    sri_json_put(object, "flops", sri_json_number(w->flops));
    sri_json_put(object, "traffic_bytes", sri_json_number(w->traffic));
    sri_json_put(object, "kernel_values", sri_json_number(w->values));
}

static void add_stage(json_t **stages, const char *name, const work *w)
{
    json_t *row = json_pack("{s:s}", "name", name);
    put_work(&row, w);
    sri_json_put(&row, "bytes", sri_json_number(w->bytes));
    sri_json_add(stages, row);
}

static json_t *engines_json(const sri_job *job, const sri_engine *chosen)
{
    json_t *list = json_array();
    for (int i = 0; sri_engine_at(i); i++) {
        const sri_engine *e = sri_engine_at(i);
        const char *reason = sri_engine_refuses(e, job);
        json_t *row = json_pack("{s:s, s:b}", "name", e->name, "applies", reason == NULL);
        if (reason) {
            sri_json_put(&row, "why", json_string(reason));
        } else {
            const sri_cost cost = e->cost(job);
            work w = {0};
            add_work(&w, job, &cost, 1);
            put_work(&row, &w);
            sri_json_put(&row, "bytes", sri_json_number(cost.bytes));
            sri_json_put(&row, "why",
                         json_string(e == chosen ? "taken"
                                     : cost.bytes > (double)job->request.memory
                                         ? "needs more memory than the budget"
                                         : "takes longer"));
        }
        sri_json_add(&list, row);
    }
    return list;
}

/* ------------------------------------------------------------------- stages */

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
    const sri_config *config;
    const sri_setting *setting;
    sri_job job;     /* one path on all rows */
    int64_t kernels; /* in the grid          */
    work matrices, search, train;
    double runs; /* of the engine, on all rows or its parts of them */
    const sri_engine *search_engine, *train_engine;
    json_t *engines;
    char why[200];
} plan;

/* So many kernels on `rows` of the rows: kernel values apart from the rest. */
static specreg_status add_search(specreg_context *ctx, plan *p, int64_t rows, int64_t kernels)
{
    specreg_status st = SPECREG_OK;
    const sri_task *task = &p->setting->task;
    const bool trials = p->config->rule.ops->trials && !p->setting->together;
    int64_t runs, train = training_rows(&p->config->rule, p->setting, &runs);
    const double share = (double)rows / (double)task->n, times = (double)(kernels * runs);
    train = (int64_t)fmax(1, share * (double)train);
    sri_job job = p->job;
    job.shape = sri_shape_of_rows(&p->job.shape, train);
    SRI_TRY(sri_engine_plan(ctx, p->config->engine, &job, &p->search_engine, p->why));
    p->job.shape.rank = job.shape.rank;
    sri_cost cost = p->search_engine->cost(&job);
    work predict = {.seconds = trials ? sri_trial_seconds(&job, rows - train) : 0};
    const sri_cost values = {.values = cost.values};
    json_decref(p->engines);
    p->engines = engines_json(&job, p->search_engine);
    add_work(&p->matrices, &job, &values, times);
    cost.values = 0;
    add_work(&p->search, &job, &cost, times);
    p->search.seconds += times * predict.seconds;
    p->runs += times;
done:
    return st;
}

/* The kernels that the strategy looks at; races run their heats on some of the rows first. */
static specreg_status add_searches(specreg_context *ctx, plan *p)
{
    specreg_status st = SPECREG_OK;
    const int64_t n = p->setting->task.n;
    int64_t kernels = p->kernels, rows, keep;
    if (p->config->strategy == SRI_SEARCH_COARSE && kernels > 2) {
        const int64_t coarse = sri_coarse_count(&p->config->kernel);
        kernels = coarse < kernels ? coarse : kernels;
    } else if (p->config->strategy == SRI_SEARCH_RACE && sri_race_size(n, kernels, &rows, &keep)) {
        SRI_TRY(add_search(ctx, p, rows, kernels));
        kernels = keep + 2 < kernels ? keep + 2 : kernels; /* the best two, and their neighbours */
    }
    SRI_TRY(add_search(ctx, p, n, kernels));
done:
    return st;
}

/* The winner, where the search leaves no coefficients: which point of the path is not known,
 * about the middle is usual. */
static specreg_status add_training(specreg_context *ctx, plan *p)
{
    specreg_status st = SPECREG_OK;
    sri_job job = p->job;
    job.request.need = 0;
    job.request.tolerance = 0;
    job.request.scores_only = false;
    job.path.param += job.path.count / 2;
    job.path.count = 1;
    SRI_TRY(sri_engine_plan(ctx, p->config->engine, &job, &p->train_engine, NULL));
    const sri_cost cost = p->train_engine->cost(&job);
    add_work(&p->train, &job, &cost, 1);
done:
    return st;
}

static specreg_status add_costs(specreg_context *ctx, plan *p)
{
    specreg_status st = SPECREG_OK;
    const sri_rule *rule = &p->config->rule;
    const bool trials = rule->ops->trials && !p->setting->together;
    SRI_TRY(add_searches(ctx, p));
    if (trials || !leaves_coefficients(p->search_engine, p->job))
        SRI_TRY(add_training(ctx, p));
done:
    return st;
}

/* ------------------------------------------------------------------- the record */

static json_t *machine_json(const sri_machine *machine)
{
    const sri_rates now = sri_machine_now(machine);
    json_t *object = sri_rates_json(&now);
    sri_json_put(&object, "measured", json_boolean(machine->measured));
    return object;
}

/* Numbers that are kept for a row: dense ones twice, sparse ones by rows and by columns. */
static double features_kept(const sri_points *points)
{
    const double entries = points->columns ? (double)sri_matrix_entries(&points->sparse) : 0;
    return entries > 0 ? 5 * entries / (double)points->n : 2 * (double)points->p;
}

static void put_plan(json_t **record, const plan *p)
{
    const sri_task *task = &p->setting->task;
    const double n = (double)task->n, columns = features_kept(task->points) + 4 * (double)task->T;
    const sri_engine *last = p->train_engine ? p->train_engine : p->search_engine;
    const work *const all[] = {&p->matrices, &p->search, &p->train};
    work sum = {0};
    json_t *stages = json_array();
    for (int i = 0; i < 3; i++) {
        sum.flops += all[i]->flops;
        sum.traffic += all[i]->traffic;
        sum.values += all[i]->values;
        sum.seconds += all[i]->seconds;
        sum.bytes = fmax(sum.bytes, all[i]->bytes);
    }
    if (p->matrices.values > 0) /* a factor needs none */
        add_stage(&stages, "kernel matrices", &p->matrices);
    add_stage(&stages, "search", &p->search);
    if (p->train_engine)
        add_stage(&stages, "train the winner", &p->train);
    sri_json_put(record, "engines", json_incref(p->engines));
    sri_json_put(record, "engine", json_string(last->name));
    sri_json_put(record, "search_engine", json_string(p->search_engine->name));
    sri_json_put(record, "why", json_string(p->why));
    sri_json_put(record, "runs", json_integer((json_int_t)p->runs));
    put_work(record, &sum);
    sri_json_put(record, "memory_bytes", json_real(sum.bytes + 8 * n * columns));
    sri_json_put(record, "stages", stages);
    sri_json_put(record, "machine", machine_json(&p->config->machine));
}

specreg_status specreg_plan(specreg_context *ctx, const specreg_table *train,
                            const specreg_options *options, char **json)
{
    specreg_status st = SPECREG_OK;
    sri_config config = {0};
    sri_corpus corpus = {0};
    sri_dataset data = {0};
    sri_op *op = NULL;
    sri_values path = {0};
    sri_setting setting = {0};
    plan p = {.config = &config, .setting = &setting};
    int threads = 0;
    json_t *record = sri_record_new("plan");
    *json = NULL;
    SRI_TRY(sri_config_parse(ctx, options, &config));
    SRI_TRY(sri_corpus_train(ctx, train, &config, &corpus));
    SRI_TRY(sri_dataset_make(ctx, corpus.table, &config, &data));
    data.words = corpus.words;
    const sri_task task = sri_dataset_task(&data, &config);
    sri_search_spec spec = sri_config_search(&config);
    SRI_TRY(sri_kernel_grid_resolve(ctx, &config.kernel, data.points, config.seed));
    SRI_TRY(sri_search_rule(ctx, &task, &spec));
    SRI_REQUIRE(ctx, config.rule.ops != &sri_rule_ida, SPECREG_E_ARG,
                "plan: ida is a search for each split: see the plan of kfold:k=5 for one of them");
    sri_search_threads(task.n, &threads);
    const sri_kernel kernel = sri_kernel_grid_at(&config.kernel, 0);
    SRI_TRY(sri_task_op(ctx, &task, &kernel, &op));
    SRI_TRY(sri_setting_folds(ctx, &spec, &task, &setting));
    SRI_TRY(sri_search_path(ctx, &spec, op, smallest(&config.rule, &setting), &path));
    p.kernels = sri_kernel_grid_count(&config.kernel);
    const sri_path whole = {.filter = &config.filter, .param = path.v, .count = path.count};
    const bool trials = config.rule.ops->trials && !setting.together;
    p.job = sri_setting_job(&setting, &kernel, op, whole,
                            trials ? 0 : sri_rule_need(&config.rule, &config.filter, p.kernels));
    SRI_TRY(add_costs(ctx, &p));
    sri_json_put(&record, "data", sri_dataset_json(&data));
    sri_features_describe(&data.features, &record);
    SRI_TRY(sri_corpus_record(ctx, &corpus, &record));
    sri_json_put(&record, "kernel_candidates", json_integer(p.kernels));
    sri_json_put(&record, "outputs_candidates",
                 json_integer(sri_kernel_grid_matrices(&config.kernel)));
    sri_json_put(&record, "path_points", json_integer(path.count));
    sri_json_put(&record, "selection", json_string(config.rule.ops->name));
    sri_json_put(&record, "budget_bytes", json_integer(config.memory));
    sri_json_put(&record, "threads", json_integer(config.threads_used));
    put_plan(&record, &p);
    st = sri_record_text(ctx, json_incref(record), json);
done:
    if (threads)
        sri_threads_leave(threads);
    json_decref(p.engines);
    json_decref(record);
    sri_setting_free(&setting);
    sri_values_free(&path);
    sri_op_free(op);
    sri_dataset_free(&data);
    sri_corpus_free(&corpus);
    sri_config_free(&config);
    return st;
}
