/* Public calls that return a record: the path, cross-validation, the spectrum, the plan, and errors
 * on labelled data. */

#include "core/memory.h"
#include "model/cv.h"
#include "model/path.h"
#include "model/plan.h"
#include "model/spectrum.h"
#include "record/record.h"

/* What all records of calls that learn begin with. */
static specreg_status put_prepared(specreg_context *ctx, json_t **record, const sri_prepared *p)
{
    specreg_status st = SPECREG_OK;
    sri_data_report data = {0};
    SRI_TRY(sri_data_report_make(ctx, &p->data, &data));
    sri_json_put(record, "data", sri_data_json(&data, p->data.encoder, p->data.target));
    sri_record_terms(record, &p->data.features);
    SRI_TRY(sri_record_documents(ctx, record, p->corpus.words, &p->corpus.counts));
done:
    sri_data_report_free(&data);
    return st;
}

static void put_total(json_t **record, const sri_call *call, const specreg_table *table)
{
    sri_json_put(record, "seconds",
                 sri_seconds_json(table->read_seconds,
                                  sri_call_seconds(call) + table->read_seconds));
}

static void put_seed_and_threads(json_t **record, const sri_call *call)
{
    sri_json_put(record, "seed", json_integer((json_int_t)call->recipe->resources.seed));
    sri_json_put(record, "threads", json_integer(call->threads));
}

static void put_errors(json_t **row, const char *mse, const char *rate, bool classes,
                       const sri_path_errors *errors)
{
    sri_json_put(row, mse, sri_json_number(errors->mse));
    if (classes)
        sri_json_put(row, rate, sri_json_number(errors->error_rate));
}

static json_t *path_table(const sri_path_result *result, bool classes)
{
    json_t *table = json_array();
    for (int64_t i = 0; i < result->found.rows && i < result->rows; i++) {
        const sri_path_row *r = &result->row[i];
        const sri_tried *tried = &result->search.selection.tried[i];
        const sri_kernel *kernel = &result->found.candidate[r->candidate];
        json_t *row = json_pack("{s:o}", "kernel", sri_kernel_json(kernel));
        if (kernel->term[0].coupling)
            sri_json_put(&row, "outputs", sri_kernel_outputs_json(kernel));
        sri_record_param(&row, result->search.filter.filter.path, r->param);
        sri_json_put(&row, "df", sri_json_number(r->df));
        put_errors(&row, "train_mse", "train_error_rate", classes, &r->train);
        if (result->tested)
            put_errors(&row, "test_mse", "test_error_rate", classes, &r->test);
        sri_json_put(&row, "value", sri_json_number(tried->value));
        sri_json_put(&row, "stderr", sri_json_number(tried->stderr_));
        sri_json_add(&table, row);
    }
    return table;
}

specreg_status specreg_path(specreg_context *ctx, const specreg_table *train,
                            const specreg_table *test, const specreg_options *options, char **json)
{
    specreg_status st = SPECREG_OK;
    sri_call call = {0};
    sri_prepared p = {0};
    sri_path_result result = {0};
    const sri_search_result *found = &result.found;
    json_t *record = sri_record_new("path");
    *json = NULL;
    SRI_TRY(sri_call_enter(ctx, options, &call));
    SRI_TRY(sri_prepare(ctx, &call, train, &p));
    SRI_TRY(sri_path_run(ctx, &p, test, &result));
    SRI_TRY(put_prepared(ctx, &record, &p));
    SRI_TRY(sri_record_search(ctx, &record, &result.search, p.data.coding));
    sri_json_put(&record, "table", path_table(&result, p.data.rows.classes != NULL));
    sri_json_put(&record, "seconds",
                 json_pack("{s:f, s:f, s:f, s:f, s:f}", "read", train->read_seconds, "gram",
                           found->seconds_gram, "solve", found->seconds_solve, "select",
                           found->seconds_select, "total",
                           sri_call_seconds(&call) + train->read_seconds));
    sri_json_put(&record, "peak_bytes", json_integer(sri_memory_peak()));
    put_seed_and_threads(&record, &call);
    st = sri_record_text(ctx, json_incref(record), json);
done:
    json_decref(record);
    sri_path_result_free(&result);
    sri_prepared_free(&p);
    sri_call_leave(&call);
    return st;
}

static specreg_status fold_json(specreg_context *ctx, const sri_cv_fold *fold, bool outputs,
                                json_t **out)
{
    *out = json_pack("{s:I, s:I}", "n_train", (json_int_t)fold->n_train, "n_test",
                     (json_int_t)fold->n_test);
    sri_json_put(out, "kernel", sri_kernel_json(&fold->kernel.kernel));
    if (outputs)
        sri_json_put(out, "outputs", sri_kernel_outputs_json(&fold->kernel.kernel));
    SRI_CALL(sri_record_coefficients(ctx, out, &fold->unpenalised, fold->T));
    sri_json_put(out, "filter", sri_filter_json(&fold->filter));
    sri_errors_put_fold(&fold->test.errors.all, out);
    return SPECREG_OK;
}

static specreg_status put_summary(specreg_context *ctx, json_t **record,
                                  const sri_cv_result *result)
{
    specreg_status st = SPECREG_OK;
    sri_error_list *errors = NULL;
    SRI_ALLOC(ctx, errors, result->folds, 1);
    for (int64_t f = 0; f < result->folds; f++)
        errors[f] = result->fold[f].test.errors.all;
    sri_errors_put_summary(errors, result->folds, record);
done:
    sri_free(errors);
    return st;
}

static specreg_status put_rows(specreg_context *ctx, json_t **record, const sri_dataset *d)
{
    specreg_status st = SPECREG_OK;
    sri_data_report report = {0};
    SRI_TRY(sri_data_report_make(ctx, d, &report));
    json_t *data = json_pack("{s:o, s:I, s:s, s:o}", "file", sri_json_string(report.file), "n",
                             (json_int_t)report.n, "problem", sri_problem_name(report.problem),
                             "targets", sri_texts_json(d->target->name, d->target->n_columns));
    sri_record_rows(&data, &report.rows, d->target);
    sri_json_put(record, "data", data);
done:
    sri_data_report_free(&report);
    return st;
}

specreg_status specreg_cv(specreg_context *ctx, const specreg_table *data,
                          const specreg_options *options, char **json)
{
    specreg_status st = SPECREG_OK;
    sri_call call = {0};
    sri_prepared p = {0};
    sri_cv_result result = {0};
    json_t *record = sri_record_new("cv"), *folds = json_array();
    *json = NULL;
    SRI_TRY(sri_call_enter(ctx, options, &call));
    SRI_TRY(sri_prepare_rows(ctx, &call, data, &p));
    SRI_TRY(sri_cv(ctx, &p, data, &result));
    const bool outputs = p.data.tasks || p.data.target->n_columns > 1;
    for (int64_t f = 0; f < result.folds; f++) {
        json_t *fold = NULL;
        st = fold_json(ctx, &result.fold[f], outputs, &fold);
        sri_json_add(&folds, fold);
        SRI_TRY(st);
    }
    SRI_TRY(put_rows(ctx, &record, &p.data));
    sri_json_put(&record, "outer", sri_json_string(result.outer));
    SRI_TRY(put_summary(ctx, &record, &result));
    sri_json_put(&record, "folds", json_incref(folds));
    put_total(&record, &call, data);
    put_seed_and_threads(&record, &call);
    st = sri_record_text(ctx, json_incref(record), json);
done:
    json_decref(folds);
    json_decref(record);
    sri_cv_result_free(&result);
    sri_prepared_free(&p);
    sri_call_leave(&call);
    return st;
}

static void put_spectrum(json_t **record, const sri_spectrum_result *s)
{
    json_t *dimension = json_array();
    for (int e = 0; e < SRI_DIMENSIONS; e++)
        sri_json_add(&dimension,
                     json_pack("{s:o, s:o}", "lambda", sri_json_number(s->dimension[e].lambda),
                               "df", sri_json_number(s->dimension[e].df)));
    sri_json_put(record, "kernel", sri_kernel_json(&s->kernel));
    if (s->kernel.term[0].coupling)
        sri_json_put(record, "outputs", sri_kernel_outputs_json(&s->kernel));
    sri_json_put(record, "n", json_integer(s->n));
    sri_json_put(record, "trace", sri_json_number(s->trace));
    sri_json_put(record, "rank", json_integer(s->rank));
    sri_json_put(record, "eigenvalues", sri_numbers_json(s->eigenvalue, s->n));
    sri_json_put(record, "target_share", sri_numbers_json(s->target_share, s->n));
    sri_json_put(record, "effective_dimension", dimension);
}

specreg_status specreg_spectrum(specreg_context *ctx, const specreg_table *train,
                                const specreg_options *options, char **json)
{
    specreg_status st = SPECREG_OK;
    sri_call call = {0};
    sri_prepared p = {0};
    sri_spectrum_result result = {0};
    json_t *record = sri_record_new("spectrum");
    *json = NULL;
    SRI_TRY(sri_call_enter(ctx, options, &call));
    SRI_TRY(sri_prepare(ctx, &call, train, &p));
    SRI_TRY(sri_spectrum_of(ctx, &p, &result));
    if (result.candidates > 1)
        sri_record_note(&record, "of %lld kernels number %lld is shown",
                        (long long)result.candidates, (long long)result.shown + 1);
    SRI_TRY(put_prepared(ctx, &record, &p));
    put_spectrum(&record, &result);
    put_total(&record, &call, train);
    st = sri_record_text(ctx, json_incref(record), json);
done:
    json_decref(record);
    sri_spectrum_result_free(&result);
    sri_prepared_free(&p);
    sri_call_leave(&call);
    return st;
}

static void put_work(json_t **object, const sri_work *w)
{
    sri_json_put(object, "seconds", sri_json_number(w->seconds));
    sri_json_put(object, "flops", sri_json_number(w->flops));
    sri_json_put(object, "traffic_bytes", sri_json_number(w->traffic));
    sri_json_put(object, "kernel_values", sri_json_number(w->values));
}

static void add_stage(json_t **stages, const char *name, const sri_work *w)
{
    json_t *row = json_pack("{s:s}", "name", name);
    put_work(&row, w);
    sri_json_put(&row, "bytes", sri_json_number(w->bytes));
    sri_json_add(stages, row);
}

static json_t *engines_json(const sri_plan_result *plan)
{
    json_t *list = json_array();
    for (int i = 0; i < plan->engines; i++) {
        const sri_planned_engine *e = &plan->engine[i];
        json_t *row = json_pack("{s:s, s:b}", "name", e->engine->name, "applies", e->applies);
        if (e->applies) {
            put_work(&row, &e->work);
            sri_json_put(&row, "bytes", sri_json_number(e->work.bytes));
        }
        sri_json_put(&row, "why", json_string(e->why));
        sri_json_add(&list, row);
    }
    return list;
}

static json_t *machine_json(const sri_rates *rates, bool measured)
{
    json_t *json =
        json_pack("{s:i, s:f, s:f, s:f, s:f}", "threads", rates->threads, "gemm", rates->gemm,
                  "values", rates->values, "scalar", rates->scalar, "region", rates->region);
    sri_json_put(&json, "read", sri_numbers_json(rates->read, SRI_BLOCKS));
    sri_json_put(&json, "measured", json_boolean(measured));
    return json;
}

static void put_plan(json_t **record, const sri_plan_result *plan)
{
    const sri_engine *last = plan->train_engine ? plan->train_engine : plan->search_engine;
    json_t *stages = json_array();
    if (plan->matrices.values > 0) /* a factor needs none */
        add_stage(&stages, "kernel matrices", &plan->matrices);
    add_stage(&stages, "search", &plan->search);
    if (plan->train_engine)
        add_stage(&stages, "train the winner", &plan->train);
    sri_json_put(record, "engines", engines_json(plan));
    sri_json_put(record, "engine", json_string(last->name));
    sri_json_put(record, "search_engine", json_string(plan->search_engine->name));
    sri_json_put(record, "why", json_string(plan->why));
    sri_json_put(record, "runs", json_integer((json_int_t)plan->runs));
    put_work(record, &plan->all);
    sri_json_put(record, "memory_bytes", json_real(plan->memory));
    sri_json_put(record, "stages", stages);
}

specreg_status specreg_plan(specreg_context *ctx, const specreg_table *train,
                            const specreg_options *options, char **json)
{
    specreg_status st = SPECREG_OK;
    sri_call call = {0};
    sri_prepared p = {0};
    sri_plan_result plan;
    json_t *record = sri_record_new("plan");
    *json = NULL;
    SRI_TRY(sri_call_enter(ctx, options, &call));
    SRI_TRY(sri_prepare(ctx, &call, train, &p));
    SRI_TRY(sri_plan(ctx, &p, &plan));
    SRI_TRY(put_prepared(ctx, &record, &p));
    sri_json_put(&record, "kernel_candidates", json_integer(plan.kernels));
    sri_json_put(&record, "outputs_candidates", json_integer(plan.couplings));
    sri_json_put(&record, "path_points", json_integer(plan.path_points));
    sri_json_put(&record, "selection", json_string(p.rule.ops->name));
    sri_json_put(&record, "budget_bytes", json_integer(p.problem.resources.memory));
    sri_json_put(&record, "threads", json_integer(call.threads));
    put_plan(&record, &plan);
    sri_json_put(&record, "machine", machine_json(&plan.rates, call.machine.measured));
    st = sri_record_text(ctx, json_incref(record), json);
done:
    json_decref(record);
    sri_prepared_free(&p);
    sri_call_leave(&call);
    return st;
}

specreg_status specreg_evaluate(specreg_context *ctx, const specreg_model *model,
                                const specreg_table *data, const specreg_options *options,
                                char **json)
{
    specreg_status st = SPECREG_OK;
    sri_call call = {0};
    sri_evaluation result = {0};
    json_t *record = sri_record_new("eval");
    *json = NULL;
    SRI_TRY(sri_call_enter_predict(ctx, options, &call));
    SRI_TRY(sri_evaluate_model(ctx, &call, model, data, &result));
    sri_json_put(&record, "data",
                 json_pack("{s:o, s:I}", "file", sri_json_string(data->source), "n",
                           (json_int_t)result.errors.all.n));
    if (result.unknown)
        sri_record_note(&record, "%lld of %lld documents have no word that the model knows",
                        (long long)result.unknown, (long long)data->rows);
    sri_record_model(ctx, &record, model);
    put_total(&record, &call, data);
    sri_json_put(&record, "test", sri_errors_json(&result.errors));
    st = sri_record_text(ctx, json_incref(record), json);
done:
    json_decref(record);
    sri_evaluation_free(&result);
    sri_call_leave(&call);
    return st;
}
