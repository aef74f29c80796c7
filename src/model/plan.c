/* What fit would do: the rule, the engine, memory and flops, without doing it. */
#include <math.h>
#include <stdlib.h>

#include "core/memory.h"
#include "model/record.h"
#include "select/setting.h"

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

static json_t *engines_json(const sri_job *job, const sri_engine *chosen)
{
    json_t *list = json_array();
    for (int i = 0; sri_engine_at(i); i++) {
        const sri_engine *e = sri_engine_at(i);
        const char *reason = e->refuses(job);
        json_t *row = json_pack("{s:s, s:b}", "name", e->name, "applies", reason == NULL);
        if (reason) {
            sri_json_put(&row, "why", json_string(reason));
        } else {
            const sri_cost cost = e->cost(job);
            sri_json_put(&row, "flops", sri_json_number(cost.flops));
            sri_json_put(&row, "bytes", sri_json_number(cost.bytes));
            sri_json_put(&row, "why",
                                json_string(e == chosen ? "taken"
                                            : cost.bytes > (double)job->memory
                                                ? "needs more memory than the budget"
                                                : "costs more"));
        }
        sri_json_add(&list, row);
    }
    return list;
}

static void add_stage(json_t **stages, const char *name, double flops, double bytes)
{
    sri_json_add(stages, json_pack("{s:s, s:f, s:f}", "name", name, "flops", flops,
                                            "bytes", bytes));
}

/* The cost of the search and of training the winner; `job` is one path on all rows. */
static specreg_status add_costs(specreg_context *ctx, json_t **record, const sri_config *config,
                                const sri_setting *setting, sri_job job, int64_t kernels)
{
    specreg_status st = SPECREG_OK;
    const sri_engine *search = NULL, *train = NULL;
    char why[200];
    int64_t runs;
    const sri_task *task = &setting->task;
    const double n = (double)task->n, p = (double)task->points->p;
    const int64_t all_rows = job.op->n;
    const bool trials = config->rule.ops->trials && !setting->together;
    json_t *stages = json_array();
    job.need = trials ? 0
                      : sri_rule_need(&config->rule, &config->filter, kernels) & SRI_NEED_OF_ENGINE;
    job.tolerance = job.need & SRI_NEED_FOLDS ? setting->tolerance : 0;
    job.fold = task->fold;
    job.folds = task->folds;
    job.repeats = task->repeats;
    job.op->n = training_rows(&config->rule, setting, &runs);
    st = sri_engine_choose(ctx, config->engine, &job, &search, why);
    const int64_t searched = job.op->n;
    if (st != SPECREG_OK)
        goto done;
    const sri_cost one = search->cost(&job);
    const double repeats = (double)(kernels * runs);
    sri_json_put(record, "engines", engines_json(&job, search));
    job.op->n = all_rows;
    const bool factor = search == &sri_engine_lowrank; /* no matrix, and always coefficients */
    if (!factor)
        add_stage(&stages, "kernel matrices",
                  repeats * (double)searched * (double)searched * (p + 15), 8 * n * n);
    add_stage(&stages, "search", repeats * one.flops, one.bytes);
    double flops = repeats * one.flops, bytes = one.bytes;
    if (trials || (job.tolerance > 0 && !factor)) { /* the search leaves no coefficients */
        job.need = 0;
        job.tolerance = 0;
        job.param += job.count - 1;
        job.count = 1;
        SRI_TRY(sri_engine_choose(ctx, config->engine, &job, &train, NULL));
        const sri_cost last = train->cost(&job);
        add_stage(&stages, "train the winner", last.flops, last.bytes);
        flops += last.flops;
        bytes = fmax(bytes, last.bytes);
    }
    sri_json_put(record, "engine", json_string((train ? train : search)->name));
    sri_json_put(record, "search_engine", json_string(search->name));
    sri_json_put(record, "why", json_string(why));
    sri_json_put(record, "runs", json_integer((json_int_t)(kernels * runs)));
    sri_json_put(record, "flops", json_real(flops));
    sri_json_put(record, "memory_bytes",
                        json_real(bytes + 8 * n * (2 * p + 4 * (double)task->T)));
    sri_json_put(record, "stages", json_incref(stages));
done:
    job.op->n = all_rows;
    json_decref(stages);
    return st;
}

specreg_status specreg_plan(specreg_context *ctx, const specreg_table *train,
                            const specreg_options *options, char **json)
{
    specreg_status st = SPECREG_OK;
    sri_config config = {0};
    sri_dataset data = {0};
    sri_op *op = NULL;
    sri_values path = {0};
    sri_setting setting = {0};
    json_t *record = sri_record_new("plan");
    *json = NULL;
    SRI_TRY(sri_config_parse(ctx, options, &config));
    SRI_TRY(sri_dataset_make(ctx, train, &config, &data));
    const sri_task task = sri_dataset_task(&data, &config);
    sri_search_spec spec = sri_config_search(&config);
    SRI_TRY(sri_kernel_grid_resolve(ctx, &config.kernel, data.points, config.seed));
    SRI_TRY(sri_search_rule(ctx, &task, &spec));
    SRI_REQUIRE(ctx, config.rule.ops != &sri_rule_ida, SPECREG_E_ARG,
                "plan: ida is a search for each split: see the plan of kfold:k=5 for one of them");
    const sri_kernel kernel = sri_kernel_grid_at(&config.kernel, 0);
    SRI_TRY(sri_op_kernel(ctx, &kernel, data.points, &op));
    SRI_TRY(sri_setting_folds(ctx, &spec, &task, &setting));
    SRI_TRY(sri_search_path(ctx, &spec, op, smallest(&config.rule, &setting), &path));
    const int64_t kernels = sri_kernel_grid_count(&config.kernel);
    sri_json_put(&record, "data", sri_dataset_json(&data));
    sri_json_put(&record, "kernel_candidates", json_integer(kernels));
    sri_json_put(&record, "path_points", json_integer(path.count));
    sri_json_put(&record, "selection", json_string(config.rule.ops->name));
    sri_json_put(&record, "budget_bytes", json_integer(config.memory));
    sri_json_put(&record, "threads", json_integer(config.threads_used));
    const sri_job job = {.op = op,
                         .Y = data.Y,
                         .T = data.T,
                         .filter = &config.filter,
                         .param = path.v,
                         .count = path.count,
                         .memory = config.memory};
    SRI_TRY(add_costs(ctx, &record, &config, &setting, job, kernels));
    st = sri_record_text(ctx, json_incref(record), json);
done:
    json_decref(record);
    sri_setting_free(&setting);
    sri_values_free(&path);
    sri_op_free(op);
    sri_dataset_free(&data);
    sri_config_free(&config);
    return st;
}
