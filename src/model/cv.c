/* Cross-validation of the whole procedure: the search happens inside each outer training part, so
 * that nothing of a test part has been seen by the choice of parameters or the scaling. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "core/text.h"
#include "model/corpus.h"
#include "model/errors_record.h"
#include "model/evaluate.h"
#include "model/model.h"
#include "model/record.h"

static bool was_set(const specreg_options *options, sri_option which)
{
    return options && options->value[which];
}

/* The protocol of the IDA benchmark tests on its own splits, unless it is told others. */
static bool splits_of_ida(const sri_config *config)
{
    return config->rule.ops == &sri_rule_ida && !was_set(config->options, SRI_OPT_OUTER);
}

static specreg_status put_outer(specreg_context *ctx, const sri_config *config, json_t **record)
{
    specreg_status st = SPECREG_OK;
    sri_buffer text = {0};
    const bool ida = splits_of_ida(config);
    SRI_TRY(sri_buffer_print(ctx, &text, "%s%s", ida ? "splits:" : "",
                             ida ? config->rule.path
                                 : sri_option_value(config->options, SRI_OPT_OUTER)));
    sri_json_put(record, "outer", sri_json_string(text.data));
done:
    sri_buffer_free(&text);
    return st;
}

/* Splits of the rows of `d`, as --outer says. */
static specreg_status make_splits(specreg_context *ctx, const sri_config *config,
                                  const sri_dataset *d, sri_splits *out)
{
    specreg_status st = SPECREG_OK;
    sri_rule rule = {0};
    const sri_task task = sri_dataset_task(d, config);
    const sri_strata strata = sri_task_strata(&task);
    const char *outer = sri_option_value(config->options, SRI_OPT_OUTER);
    SRI_TRY(sri_rule_parse(ctx, outer, &rule));
    if (!was_set(config->options, SRI_OPT_OUTER))
        rule.param[0] = NAN; /* as many folds as there are rows or groups, at most 5 */
    if (splits_of_ida(config)) {
        rule.ops = &sri_rule_splits;
        SRI_STRDUP(ctx, rule.path, config->rule.path);
    }
    if (rule.ops == &sri_rule_kfold)
        SRI_TRY(sri_rule_kfold_splits(ctx, &rule, &strata, out));
    else if (rule.ops == &sri_rule_holdout)
        SRI_TRY(sri_splits_holdout(ctx, &strata, rule.param[0], out));
    else if (rule.ops == &sri_rule_splits)
        SRI_TRY(sri_splits_read(ctx, rule.path, d->table->rows, d->keep, d->n, out));
    else
        SRI_TRY(sri_fail(ctx, SPECREG_E_ARG, "outer: kfold, holdout or splits, not '%s'", outer));
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

/* A kernel's record as the text of the option. */
static specreg_status kernel_text(specreg_context *ctx, const json_t *kernel, sri_buffer *out)
{
    specreg_status st = SPECREG_OK;
    const json_t *terms = json_object_get(kernel, "terms");
    const char *key;
    json_t *value;
    char number[32], mark = ':';
    for (size_t t = 0; t < json_array_size(terms); t++) {
        const json_t *term = json_array_get(terms, t);
        const double weight = json_number_value(json_object_get(term, "weight"));
        SRI_TRY(
            sri_buffer_print(ctx, out, "%s%s*", t ? " + " : "", sri_format_double(weight, number)));
        SRI_TRY(kernel_text(ctx, term, out));
    }
    if (terms)
        goto done;
    SRI_TRY(sri_buffer_print(ctx, out, "%s", json_string_value(json_object_get(kernel, "name"))));
    json_object_foreach ((json_t *)kernel, key, value) {
        if (strcmp(key, "name") == 0 || strcmp(key, "weight") == 0)
            continue;
        SRI_TRY(sri_buffer_print(ctx, out, "%c%s=%s", mark, key,
                                 sri_format_double(json_number_value(value), number)));
        mark = ',';
    }
done:
    return st;
}

/* The protocol of the IDA benchmark chooses once, from its first splits; every outer split is then
 * trained with these parameters. */
static specreg_status choose_once(specreg_context *ctx, const specreg_table *data,
                                  specreg_options *options)
{
    specreg_status st = SPECREG_OK;
    specreg_model *model = NULL;
    sri_buffer kernel = {0}, param = {0};
    char number[32];
    SRI_TRY(specreg_fit(ctx, data, options, &model));
    const json_t *filter = json_object_get(model->record, "filter");
    for (int kind = SRI_PATH_LAMBDA; kind <= SRI_PATH_COMPONENTS; kind++) {
        const json_t *value = json_object_get(filter, sri_path_name((sri_path_kind)kind));
        if (value)
            SRI_TRY(sri_buffer_print(ctx, &param, "%s=%s", sri_path_name((sri_path_kind)kind),
                                     sri_format_double(json_number_value(value), number)));
    }
    SRI_TRY(kernel_text(ctx, model->kernel, &kernel));
    SRI_TRY(specreg_options_set(ctx, options, "kernel", kernel.data));
    SRI_TRY(specreg_options_set(ctx, options, "param", param.data));
    SRI_TRY(specreg_options_set(ctx, options, "select", "none"));
    SRI_TRY(specreg_options_set(ctx, options, "criterion", NULL));
    SRI_TRY(specreg_options_set(ctx, options, "checkpoint", NULL));
done:
    sri_buffer_free(&param);
    sri_buffer_free(&kernel);
    specreg_model_free(model);
    return st;
}

/* Each outer split has a checkpoint of its own. */
static specreg_status name_checkpoint(specreg_context *ctx, const specreg_options *options,
                                      int64_t number, specreg_options *own)
{
    specreg_status st = SPECREG_OK;
    sri_buffer name = {0};
    const char *path = sri_option_value(options, SRI_OPT_CHECKPOINT);
    if (!path[0])
        return st;
    SRI_TRY(sri_buffer_print(ctx, &name, "%s.%lld", path, (long long)number));
    SRI_TRY(specreg_options_set(ctx, own, "checkpoint", name.data));
done:
    sri_buffer_free(&name);
    return st;
}

typedef struct outer_fold {
    json_t *record;        /* what was chosen, and the errors */
    sri_error_list errors; /* of the fold's rows              */
} outer_fold;

/* Fits on the split's training rows and tests on the others. */
static specreg_status run_fold(specreg_context *ctx, const specreg_table *data,
                               const sri_dataset *d, const sri_split *split,
                               const specreg_options *options, outer_fold *out)
{
    specreg_status st = SPECREG_OK;
    specreg_table *train = NULL, *test = NULL;
    specreg_model *model = NULL;
    sri_errors errors = {0};
    int64_t unknown;
    SRI_TRY(part(ctx, data, d, split->train, split->n_train, &train));
    SRI_TRY(part(ctx, data, d, split->validate, split->n_validate, &test));
    SRI_TRY(sri_fit(ctx, train, options, d->tasks, &model));
    SRI_TRY(sri_model_errors(ctx, model, test, options, &errors, &unknown));
    out->errors = errors.all;
    json_t **fold = &out->record;
    *fold = json_pack("{s:I, s:I}", "n_train", (json_int_t)split->n_train, "n_test",
                      (json_int_t)split->n_validate);
    sri_json_put(fold, "kernel", json_incref(model->kernel));
    if (d->tasks || d->target->n_columns > 1)
        sri_json_put(fold, "outputs", json_incref(json_object_get(model->record, "outputs")));
    if (model->features.n_terms)
        sri_json_put(fold, "features", json_incref(json_object_get(model->record, "features")));
    sri_json_put(fold, "filter", json_incref(json_object_get(model->record, "filter")));
    sri_errors_put_fold(&errors.all, fold);
    SRI_REQUIRE(ctx, *fold, SPECREG_E_NOMEM, "out of memory");
done:
    sri_errors_free(&errors);
    specreg_model_free(model);
    specreg_table_free(test);
    specreg_table_free(train);
    return st;
}

static json_t *data_json(const sri_dataset *d)
{
    json_t *targets = json_array();
    for (int64_t t = 0; t < d->target->n_columns; t++)
        sri_json_add(&targets, json_string(d->target->name[t]));
    json_t *data =
        json_pack("{s:o, s:I, s:s, s:o}", "file", sri_json_string(d->table->source), "n",
                  (json_int_t)d->n, "problem", sri_dataset_problem(d), "targets", targets);
    sri_dataset_json_rows(d, &data);
    return data;
}

specreg_status specreg_cv(specreg_context *ctx, const specreg_table *data,
                          const specreg_options *options, char **json)
{
    specreg_status st = SPECREG_OK;
    const double start = sri_clock();
    sri_config config = {0};
    sri_corpus corpus = {0};
    sri_dataset d = {0};
    sri_splits splits = {0};
    specreg_options *own = NULL, *each = NULL;
    json_t *record = sri_record_new("cv"), *folds = json_array();
    sri_error_list *errors = NULL; /* of each fold */
    *json = NULL;
    SRI_TRY(sri_config_parse(ctx, options, &config));
    SRI_TRY(sri_corpus_rows(ctx, data, &config, &corpus));
    SRI_TRY(sri_dataset_rows(ctx, corpus.table, &config, &d));
    SRI_TRY(make_splits(ctx, &config, &d, &splits));
    SRI_REQUIRE(
        ctx, config.rule.ops != &sri_rule_splits, SPECREG_E_ARG,
        "select: splits count the rows of the whole table, of which a search inside cv sees "
        "a part: use kfold there, and --outer splits:FILE");
    SRI_TRY(sri_options_copy(ctx, options, &own));
    /* What all rows say about the problem holds for the parts. */
    SRI_TRY(specreg_options_set(ctx, own, "problem", sri_dataset_problem(&d)));
    for (int k = 0; k < config.features.n_terms; k++) /* parts know which of its rows are theirs */
        if (config.features.term[k].ops == &sri_predefined_file)
            SRI_TRY(specreg_options_set(ctx, own, "features-file", config.features.term[k].text));
    SRI_TRY(sri_options_copy(ctx, own, &each));
    if (config.rule.ops == &sri_rule_ida) {
        SRI_TRY(choose_once(ctx, data, own));
        specreg_options_free(each);
        SRI_TRY(sri_options_copy(ctx, own, &each));
    }
    SRI_ALLOC(ctx, errors, splits.count, 1);
    for (int64_t f = 0; f < splits.count; f++) {
        outer_fold fold = {0};
        SRI_TRY(name_checkpoint(ctx, own, f + 1, each));
        SRI_TRY(run_fold(ctx, data, &d, &splits.split[f], each, &fold));
        errors[f] = fold.errors;
        sri_json_add(&folds, fold.record);
    }
    sri_json_put(&record, "data", data_json(&d));
    SRI_TRY(put_outer(ctx, &config, &record));
    sri_errors_put_summary(errors, splits.count, &record);
    sri_json_put(&record, "folds", json_incref(folds));
    sri_json_put(&record, "seconds",
                 json_pack("{s:f, s:f}", "read", data->read_seconds, "total",
                           sri_clock() - start + data->read_seconds));
    sri_json_put(&record, "seed", json_integer((json_int_t)config.seed));
    sri_json_put(&record, "threads", json_integer(config.threads_used));
    st = sri_record_text(ctx, json_incref(record), json);
done:
    free(errors);
    json_decref(folds);
    json_decref(record);
    specreg_options_free(each);
    specreg_options_free(own);
    sri_splits_free(&splits);
    sri_dataset_free(&d);
    sri_corpus_free(&corpus);
    sri_config_free(&config);
    return st;
}
