/* Cross-validation of the whole procedure: the search happens inside each outer training part, so
 * that nothing of a test part has been seen by the choice of parameters or the scaling. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "core/text.h"
#include "model/model.h"
#include "model/record.h"

static const char *const measures[] = {"error_rate",         "mse", "mae",          "r2",
                                       "explained_variance", "auc", "angular_error"};
enum { MEASURES = sizeof measures / sizeof *measures };

/* Whether --outer was given. */
static bool outer_is_set(const sri_recipe *recipe)
{
    return recipe->options && recipe->options->value[SRI_OPT_OUTER];
}

/* The protocol of the IDA benchmark tests on its own splits, unless it is told others. */
static bool splits_of_ida(const sri_recipe *recipe)
{
    return recipe->search.rule.ops && recipe->search.rule.ops->search && !outer_is_set(recipe);
}

static specreg_status put_outer(specreg_context *ctx, const sri_recipe *recipe, json_t **record)
{
    specreg_status st = SPECREG_OK;
    sri_buffer text = {0};
    const bool ida = splits_of_ida(recipe);
    SRI_TRY(sri_buffer_print(ctx, &text, "%s%s", ida ? "splits:" : "",
                             ida ? recipe->search.rule.path
                                 : sri_option_value(recipe->options, SRI_OPT_OUTER)));
    sri_json_put(record, "outer", sri_json_string(text.data));
done:
    sri_buffer_free(&text);
    return st;
}

/* Splits of the rows of `d`, as --outer says. */
static specreg_status make_splits(specreg_context *ctx, const sri_prepared *p, sri_splits *out)
{
    specreg_status st = SPECREG_OK;
    sri_rule rule = {0};
    const sri_recipe *recipe = p->call->recipe;
    const sri_dataset *d = &p->data;
    const sri_strata strata = sri_task_strata(&p->problem);
    const char *outer = sri_option_value(recipe->options, SRI_OPT_OUTER);
    SRI_TRY(sri_rule_parse(ctx, outer, &rule));
    if (!outer_is_set(recipe))
        rule.param[0] = NAN; /* as many folds as there are rows or groups, at most 5 */
    if (splits_of_ida(recipe)) {
        rule.ops = &sri_rule_splits;
        SRI_STRDUP(ctx, rule.path, recipe->search.rule.path);
    }
    SRI_REQUIRE(ctx, rule.ops && rule.ops->splits, SPECREG_E_ARG,
                "outer: kfold, holdout or splits, not '%s'", outer);
    SRI_TRY(rule.ops->splits(ctx, &rule, &p->problem, out));
    SRI_TRY(sri_splits_check(ctx, "outer", &strata, d->target->label, out));
done:
    sri_rule_free(&rule);
    return st;
}

/* The table of the kept rows that `rows` lists; of documents as they are, so that their words are
 * chosen inside the part. */
static specreg_status part(specreg_context *ctx, const specreg_table *data, const sri_dataset *d,
                           const int64_t *rows, int64_t count, specreg_table **out)
{
    specreg_status st = SPECREG_OK;
    int64_t *which = NULL;
    SRI_ALLOC(ctx, which, count, 1);
    for (int64_t i = 0; i < count; i++)
        which[i] = d->keep[rows[i]];
    SRI_TRY(specreg_table_select(ctx, data, which, count, out));
done:
    free(which);
    return st;
}

/* The protocol of the IDA benchmark chooses once, from its first splits; every outer split is then
 * trained with these parameters: `recipe` becomes one of a single kernel and parameter. */
static specreg_status choose_once(specreg_context *ctx, const sri_call *call,
                                  const specreg_table *data, sri_recipe *recipe, double *param)
{
    specreg_status st = SPECREG_OK;
    sri_choices *search = &recipe->search;
    specreg_model *model = NULL;
    const sri_call once = sri_call_with(call, recipe);
    SRI_TRY(sri_fit(ctx, &once, data, &model));
    *param = json_number_value(json_object_get(json_object_get(model->record, "filter"),
                                               sri_path_name(search->filter.path)));
    sri_kernel_grid fixed = {.n_outputs = search->kernel.n_outputs};
    SRI_TRY(sri_kernel_from_json(ctx, model->kernel, &fixed.base));
    memcpy(fixed.outputs, search->kernel.outputs, sizeof fixed.outputs);
    search->kernel = fixed;
    search->path = (sri_values){.v = param, .count = 1};
    search->path_auto = false;
    search->rule = (sri_rule){.ops = &sri_rule_none};
    search->criterion = SRI_CRITERION_AUTO;
    search->checkpoint = NULL;
done:
    specreg_model_free(model);
    return st;
}

/* Fits on one part, tests on the other: what was chosen, and the errors. */
static specreg_status run_fold(specreg_context *ctx, const sri_call *call,
                               const specreg_table *data, const sri_dataset *d,
                               const sri_split *split, json_t **fold)
{
    specreg_status st = SPECREG_OK;
    specreg_table *train = NULL, *test = NULL;
    specreg_model *model = NULL;
    json_t *record = NULL;
    SRI_TRY(part(ctx, data, d, split->train, split->n_train, &train));
    SRI_TRY(part(ctx, data, d, split->validate, split->n_validate, &test));
    SRI_TRY(sri_fit(ctx, call, train, &model));
    SRI_TRY(sri_evaluate_record(ctx, call, model, test, &record));
    const json_t *errors = json_object_get(record, "test");
    *fold = json_pack("{s:I, s:I}", "n_train", (json_int_t)split->n_train, "n_test",
                      (json_int_t)split->n_validate);
    sri_json_put(fold, "kernel", json_incref(model->kernel));
    if (d->tasks || d->target->n_columns > 1)
        sri_json_put(fold, "outputs", json_incref(json_object_get(model->record, "outputs")));
    if (model->features.n_terms)
        sri_json_put(fold, "features", json_incref(json_object_get(model->record, "features")));
    sri_json_put(fold, "filter", json_incref(json_object_get(model->record, "filter")));
    for (int m = 0; m < MEASURES; m++)
        if (json_object_get(errors, measures[m]))
            sri_json_put(fold, measures[m], json_incref(json_object_get(errors, measures[m])));
    SRI_REQUIRE(ctx, *fold, SPECREG_E_NOMEM, "out of memory");
done:
    json_decref(record);
    specreg_model_free(model);
    specreg_table_free(test);
    specreg_table_free(train);
    return st;
}

/* Mean and standard deviation (n - 1) over the folds of each measure they have. */
static void summarise(json_t **record, const json_t *folds)
{
    json_t *mean = json_object(), *deviation = json_object();
    const size_t n = json_array_size(folds);
    for (int m = 0; m < MEASURES; m++) {
        double sum = 0, squares = 0;
        size_t count = 0;
        for (size_t i = 0; i < n; i++) {
            const json_t *v = json_object_get(json_array_get(folds, i), measures[m]);
            sum += json_number_value(v);
            count += json_is_number(v);
        }
        if (count == 0 || count < n) /* a fold without it, such as AUC of one class: no mean */
            continue;
        for (size_t i = 0; i < n; i++) {
            const json_t *v = json_object_get(json_array_get(folds, i), measures[m]);
            squares += pow(json_number_value(v) - sum / (double)n, 2);
        }
        sri_json_put(&mean, measures[m], sri_json_number(sum / (double)n));
        sri_json_put(&deviation, measures[m],
                     sri_json_number(n > 1 ? sqrt(squares / (double)(n - 1)) : NAN));
    }
    sri_json_put(record, "mean", mean);
    sri_json_put(record, "stddev", deviation);
}

static json_t *data_json(const sri_dataset *d)
{
    json_t *targets = json_array();
    for (int64_t t = 0; t < d->target->n_columns; t++)
        sri_json_add(&targets, json_string(d->target->name[t]));
    json_t *data = json_pack("{s:o, s:I, s:s, s:o}", "file", sri_json_string(d->table->source), "n",
                             (json_int_t)d->n, "problem", sri_problem_name(sri_dataset_problem(d)),
                             "targets", targets);
    sri_dataset_json_rows(d, &data);
    return data;
}

/* Each outer split with the recipe of the parts, and a checkpoint of its own. */
static specreg_status run_folds(specreg_context *ctx, const sri_prepared *p,
                                const sri_recipe *part_recipe, const specreg_table *data,
                                const sri_splits *splits, json_t **folds)
{
    specreg_status st = SPECREG_OK;
    sri_buffer name = {0};
    for (int64_t f = 0; f < splits->count; f++) {
        sri_recipe recipe = *part_recipe;
        json_t *fold = NULL;
        name.length = 0;
        if (recipe.search.checkpoint) {
            SRI_TRY(sri_buffer_print(ctx, &name, "%s.%lld", recipe.search.checkpoint,
                                     (long long)f + 1));
            recipe.search.checkpoint = name.data;
        }
        const sri_call call = sri_call_with(p->call, &recipe);
        st = run_fold(ctx, &call, data, &p->data, &splits->split[f], &fold);
        sri_json_add(folds, fold);
        if (st != SPECREG_OK)
            goto done;
    }
done:
    sri_buffer_free(&name);
    return st;
}

/* What all rows say about the problem holds for the parts. */
static sri_recipe recipe_of_parts(const sri_prepared *p)
{
    sri_recipe recipe = *p->call->recipe;
    const sri_predefined *unpenalised = &recipe.search.unpenalised;
    recipe.data.problem = sri_dataset_problem(&p->data);
    recipe.data.tasks = p->data.tasks;
    for (int k = 0; k < unpenalised->n_terms; k++) /* parts know which of its rows are theirs */
        if (unpenalised->term[k].ops == &sri_predefined_file)
            recipe.data.features_file = unpenalised->term[k].text;
    return recipe;
}

specreg_status specreg_cv(specreg_context *ctx, const specreg_table *data,
                          const specreg_options *options, char **json)
{
    specreg_status st = SPECREG_OK;
    sri_call call = {0};
    sri_prepared p = {0};
    sri_splits splits = {0};
    double param;
    json_t *record = sri_record_new("cv"), *folds = json_array();
    *json = NULL;
    SRI_TRY(sri_call_enter(ctx, options, &call));
    SRI_TRY(sri_prepare_rows(ctx, &call, data, &p));
    SRI_TRY(make_splits(ctx, &p, &splits));
    const sri_rule_ops *rule = call.recipe->search.rule.ops;
    SRI_REQUIRE(
        ctx, !rule || !rule->numbers_rows || rule->search, SPECREG_E_ARG,
        "select: splits count the rows of the whole table, of which a search inside cv sees "
        "a part: use kfold there, and --outer splits:FILE");
    sri_recipe recipe = recipe_of_parts(&p);
    if (rule && rule->search)
        SRI_TRY(choose_once(ctx, &call, data, &recipe, &param));
    SRI_TRY(run_folds(ctx, &p, &recipe, data, &splits, &folds));
    sri_json_put(&record, "data", data_json(&p.data));
    SRI_TRY(put_outer(ctx, call.recipe, &record));
    summarise(&record, folds);
    sri_json_put(&record, "folds", json_incref(folds));
    sri_json_put(&record, "seconds",
                 json_pack("{s:f, s:f}", "read", data->read_seconds, "total",
                           sri_call_seconds(&call) + data->read_seconds));
    sri_json_put(&record, "seed", json_integer((json_int_t)p.problem.seed));
    sri_json_put(&record, "threads", json_integer(call.threads));
    st = sri_record_text(ctx, json_incref(record), json);
done:
    json_decref(folds);
    json_decref(record);
    sri_splits_free(&splits);
    sri_prepared_free(&p);
    sri_call_leave(&call);
    return st;
}
