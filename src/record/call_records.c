/* Public calls that return a record: the path, cross-validation, the spectrum, the plan, and errors
 * on labelled data. */

#include "core/memory.h"
#include "data/judge.h"
#include "model/cv.h"
#include "model/fit_blocks.h"
#include "model/path.h"
#include "model/approx.h"
#include "model/plan.h"
#include "model/semi.h"
#include "model/spectrum.h"
#include "record/record.h"

/* A public call that learns from a table and gives a record. */
typedef struct work {
    const char *command;
    const specreg_table *train;
    sri_blocks *blocks;    /* in its place: plans look at a sample of their rows */
    specreg_table *sample; /* of these                                           */
    const sri_path_request *path;
    specreg_status (*prepare)(specreg_context *ctx, const sri_call *call,
                              const specreg_table *table, sri_prepared *out);
    specreg_status (*run)(specreg_context *ctx, struct work *w); /* and fills the record */
    sri_call call;
    sri_prepared p;
    json_t *record;
} work;

/* Says which columns were left out unasked. */
static specreg_status note_left_out(specreg_context *ctx, work *w)
{
    specreg_status st = SPECREG_OK;
    sri_buffer text = {0};
    const sri_dataset *d = &w->p.data;
    SRI_TRY(sri_doubt_text(ctx, d->table, &d->roles, SRI_DATES_NONE, SRI_DOUBT_ROW_NUMBER, &text));
    if (text.length)
        sri_record_note(&w->record, "%s", text.data);
done:
    sri_buffer_free(&text);
    return st;
}

static specreg_status run_work(specreg_context *ctx, work *w, const specreg_options *options,
                               char **json)
{
    specreg_status st = SPECREG_OK;
    *json = NULL;
    w->record = sri_record_new(w->command);
    SRI_TRY(sri_call_enter(ctx, options, &w->call));
    sri_json_put(&w->record, "options", sri_options_json(options));
    int64_t rows = 0;
    if (w->blocks)
        SRI_TRY(sri_first_rows(ctx, &w->call, w->blocks, &rows, &w->sample));
    SRI_TRY(w->prepare(ctx, &w->call, w->blocks ? w->sample : w->train, &w->p));
    w->p.rows = rows;
    if (w->p.data.roles.left_out)
        SRI_TRY(note_left_out(ctx, w));
    if (w->p.data.n_unlabelled)
        sri_record_note(&w->record, "%lld rows of %s have no target and help as they are",
                        (long long)w->p.data.n_unlabelled, w->p.data.table->source);
    SRI_TRY(w->run(ctx, w));
    SRI_TRY(sri_record_text(ctx, w->record, json));
done:
    json_decref(w->record);
    sri_prepared_free(&w->p);
    specreg_table_free(w->sample);
    sri_call_leave(&w->call);
    return st;
}

/* What all records of calls that learn begin with. */
static specreg_status put_prepared(specreg_context *ctx, const sri_prepared *p, json_t **record)
{
    specreg_status st = SPECREG_OK;
    const sri_dataset *d = &p->data;
    sri_data_report data = {0};
    SRI_TRY(sri_data_report_make(ctx, d, &data));
    sri_json_put(record, "data", sri_data_json(&data, d->encoder, d->target));
    sri_record_terms(record, &d->features);
    SRI_TRY(sri_record_documents(ctx, record, p->corpus.vocabulary, &p->corpus.counts));
done:
    sri_data_report_free(&data);
    return st;
}

static json_t *total_json(const sri_call *call, const specreg_table *table)
{
    return sri_seconds_json(table->read_seconds, sri_call_seconds(call) + table->read_seconds);
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
        json_t *row = json_object();
        sri_record_kernel(&row, &result->found.candidate[r->candidate]);
        sri_record_setting(&row, &result->search, tried);
        sri_record_param(&row, result->search.filter.filter.path, r->param);
        sri_json_put(&row, "df", sri_json_number(r->df));
        if (r->df_stderr > 0)
            sri_json_put(&row, "df_stderr", sri_json_number(r->df_stderr));
        put_errors(&row, "train_mse", "train_error_rate", classes, &r->train);
        if (result->tested)
            put_errors(&row, "test_mse", "test_error_rate", classes, &r->test);
        sri_json_put(&row, "value", sri_json_number(tried->value));
        sri_json_put(&row, "stderr", sri_json_number(tried->stderr_));
        sri_json_add(&table, row);
    }
    return table;
}

static specreg_status run_path(specreg_context *ctx, work *w)
{
    specreg_status st = SPECREG_OK;
    sri_path_result result = {0};
    const double read = w->train->read_seconds;
    SRI_TRY(sri_path_run(ctx, &w->p, w->path, &result));
    SRI_TRY(put_prepared(ctx, &w->p, &w->record));
    SRI_TRY(sri_record_search(ctx, &w->record, &result.search, w->p.data.coding));
    sri_json_put(&w->record, "table", path_table(&result, w->p.data.rows.classes != NULL));
    const sri_times times = sri_times_of(&result.found, read, sri_call_seconds(&w->call) + read);
    sri_record_times(&w->record, &times, true);
    put_seed_and_threads(&w->record, &w->call);
done:
    sri_path_result_free(&result);
    return st;
}

static specreg_status path_record(specreg_context *ctx, const specreg_table *train,
                                  const sri_path_request *request, const specreg_options *options,
                                  char **json)
{
    work w = {.command = "path",
              .train = train,
              .path = request,
              .prepare = sri_prepare,
              .run = run_path};
    return run_work(ctx, &w, options, json);
}

specreg_status specreg_path(specreg_context *ctx, const specreg_table *train,
                            const specreg_table *test, const specreg_options *options, char **json)
{
    SRI_MAKES(ctx, json, train);
    return path_record(ctx, train, &(sri_path_request){.test = test}, options, json);
}

specreg_status specreg_path_solutions(specreg_context *ctx, const specreg_table *train,
                                      const specreg_path_request *request,
                                      const specreg_options *options, char **json)
{
    SRI_MAKES(ctx, json, train, request);
    if (request->struct_size < sizeof *request)
        return sri_fail(ctx, SPECREG_E_ARG, "path request without struct_size");
    const sri_path_request own = {request->test, request->rows, request->grid, request->each,
                                  request->payload};
    return path_record(ctx, train, &own, options, json);
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
    sri_json_put(out, "df", sri_json_number(fold->df));
    if (fold->df_stderr > 0)
        sri_json_put(out, "df_stderr", sri_json_number(fold->df_stderr));
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
    for (int64_t f = 0; f < result->folds; f++)
        errors[f] = result->fold[f].test.errors.baseline;
    sri_errors_put_baseline(errors, result->folds, record);
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

static void note_unseen(json_t **record, const sri_unseen *unseen)
{
    char text[512];
    if (unseen->cells)
        sri_record_note(record, "%s", sri_unseen_text(unseen, text, sizeof text));
}

static specreg_status run_cv(specreg_context *ctx, work *w)
{
    specreg_status st = SPECREG_OK;
    sri_cv_result result = {0};
    sri_unseen unseen = {0};
    json_t *folds = json_array();
    SRI_TRY(sri_cv(ctx, &w->p, w->train, &result));
    const bool outputs = w->p.data.tasks || w->p.data.target->n_columns > 1;
    for (int64_t f = 0; f < result.folds; f++) {
        json_t *fold = NULL;
        st = fold_json(ctx, &result.fold[f], outputs, &fold);
        sri_json_add(&folds, fold);
        SRI_TRY(st);
        if (!unseen.cells)
            unseen = result.fold[f].test.unseen;
        else
            unseen.cells += result.fold[f].test.unseen.cells;
    }
    SRI_TRY(put_rows(ctx, &w->record, &w->p.data));
    sri_json_put(&w->record, "outer", sri_json_string(result.outer));
    SRI_TRY(put_summary(ctx, &w->record, &result));
    sri_json_put(&w->record, "folds", json_incref(folds));
    note_unseen(&w->record, &unseen);
    sri_json_put(&w->record, "seconds", total_json(&w->call, w->train));
    put_seed_and_threads(&w->record, &w->call);
done:
    json_decref(folds);
    sri_cv_result_free(&result);
    return st;
}

specreg_status specreg_cv(specreg_context *ctx, const specreg_table *data,
                          const specreg_options *options, char **json)
{
    SRI_MAKES(ctx, json, data);
    work w = {.command = "cv", .train = data, .prepare = sri_prepare_rows, .run = run_cv};
    return run_work(ctx, &w, options, json);
}

static void put_spectrum(json_t **record, const sri_spectrum_result *s)
{
    json_t *dimension = json_array();
    for (int e = 0; e < SRI_DIMENSIONS; e++)
        sri_json_add(&dimension,
                     json_pack("{s:o, s:o}", "lambda", sri_json_number(s->dimension[e].lambda),
                               "df", sri_json_number(s->dimension[e].df)));
    sri_record_kernel(record, &s->kernel);
    sri_json_put(record, "n", json_integer(s->n));
    sri_json_put(record, "trace", sri_json_number(s->trace));
    sri_json_put(record, "rank", json_integer(s->rank));
    sri_json_put(record, "eigenvalues", sri_numbers_json(s->eigenvalue, s->n));
    sri_json_put(record, "target_share", sri_numbers_json(s->target_share, s->n));
    sri_json_put(record, "effective_dimension", dimension);
}

static specreg_status run_spectrum(specreg_context *ctx, work *w)
{
    specreg_status st = SPECREG_OK;
    sri_spectrum_result result = {0};
    SRI_TRY(sri_spectrum_of(ctx, &w->p, &result));
    if (result.candidates > 1)
        sri_record_note(&w->record, "of %lld kernels number %lld is shown",
                        (long long)result.candidates, (long long)result.shown + 1);
    SRI_TRY(put_prepared(ctx, &w->p, &w->record));
    put_spectrum(&w->record, &result);
    sri_json_put(&w->record, "seconds", total_json(&w->call, w->train));
done:
    sri_spectrum_result_free(&result);
    return st;
}

specreg_status specreg_spectrum(specreg_context *ctx, const specreg_table *train,
                                const specreg_options *options, char **json)
{
    SRI_MAKES(ctx, json, train);
    work w = {.command = "spectrum",
              .train = train,
              .prepare = sri_prepare_kernel,
              .run = run_spectrum};
    return run_work(ctx, &w, options, json);
}

static void put_work(json_t **object, const sri_work *w)
{
    sri_json_put(object, "seconds", sri_json_number(w->seconds));
    sri_json_put(object, "flops", sri_json_number(w->flops));
    sri_json_put(object, "traffic_bytes", sri_json_number(w->traffic));
    sri_json_put(object, "kernel_values", sri_json_number(w->values));
}

/* With what it takes at its peak. */
static void put_stage(json_t **object, const sri_work *w)
{
    put_work(object, w);
    sri_json_put(object, "bytes", sri_json_number(w->bytes));
}

static void add_stage(json_t **stages, const char *name, const sri_work *w)
{
    json_t *row = json_pack("{s:s}", "name", name);
    put_stage(&row, w);
    sri_json_add(stages, row);
}

static json_t *engines_json(const sri_plan_result *plan)
{
    json_t *list = json_array();
    for (int i = 0; i < plan->engines; i++) {
        const sri_planned_engine *e = &plan->engine[i];
        json_t *row = json_pack("{s:s, s:b}", "name", e->engine->name, "applies", e->applies);
        if (e->applies)
            put_stage(&row, &e->work);
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
    if (plan->race.seconds > 0)
        add_stage(&stages, "race", &plan->race);
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

/* What there is to do, of a search that is prepared. */
static void put_search(json_t **record, const sri_prepared *p, const sri_plan_result *plan)
{
    int64_t families = 0;
    for (const sri_kernel_grid *family = &p->grid; family; family = family->next)
        families++;
    sri_json_put(record, "kernel_candidates", json_integer(plan->kernels));
    sri_json_put(record, "kernel_families", json_integer(families));
    sri_json_put(record, "search", json_string(sri_strategies[p->spec.strategy]));
    sri_json_put(record, "outputs_candidates", json_integer(plan->couplings));
    if (plan->settings > 1)
        sri_json_put(record, "filter_candidates", json_integer(plan->settings));
    sri_json_put(record, "path_points", json_integer(plan->path_points));
    sri_json_put(record, "path_parameter", json_string(sri_path_name(p->spec.filter->path)));
    sri_json_put(record, "selection", json_string(p->rule.ops->name));
    sri_json_put(record, "budget_bytes", json_integer(p->call->recipe->resources.memory));
    sri_json_put(record, "threads", json_integer(p->call->threads));
    put_plan(record, plan);
    sri_json_put(record, "machine", machine_json(&plan->rates, p->call->machine.measured));
}

/* What fewer centres than rows would take, where the fit has them. */
static void put_approx(json_t **record, const sri_approx_plan *approx)
{
    if (approx->kind <= SRI_APPROX_EXACT)
        return;
    json_t *json =
        json_pack("{s:s, s:I, s:f, s:f}", "name", sri_approx_names[approx->kind], "m",
                  (json_int_t)approx->m, "seconds", approx->seconds, "bytes", approx->bytes);
    if (approx->kind == SRI_APPROX_RECTANGLE)
        sri_json_put(&json, "solver",
                     json_string(
                         sri_solver_names[approx->passes ? SRI_SOLVER_CG : SRI_SOLVER_SUMS]));
    if (approx->passes)
        sri_json_put(&json, "passes", json_integer((json_int_t)approx->passes));
    sri_json_put(record, "approx", json);
}

/* A plan tells of the exact search in any case, whose points may be others than with fewer
 * centres. */
static specreg_status prepare_plan(specreg_context *ctx, const sri_call *call,
                                   const specreg_table *table, sri_prepared *out)
{
    sri_recipe recipe = *call->recipe;
    recipe.search.approx.kind = SRI_APPROX_EXACT;
    const sri_call exact = sri_call_with(call, &recipe);
    const specreg_status st = sri_prepare(ctx, &exact, table, out);
    out->call = call; /* which lasts */
    out->problem.resources.machine = &call->machine;
    return st;
}

static specreg_status run_plan(specreg_context *ctx, work *w)
{
    sri_approx_plan approx;
    sri_plan_result plan;
    SRI_CALL(sri_semi_attach(ctx, &w->p));
    SRI_CALL(sri_prepare_search(ctx, &w->p));
    const specreg_status st = sri_plan_prepared(ctx, &w->p, &plan);
    if (st != SPECREG_OK && st != SPECREG_E_NOMEM)
        return st;
    if (st == SPECREG_E_NOMEM) /* the exact search; fewer centres may fit the memory */
        sri_json_put(&w->record, "why", json_string(specreg_last_error(ctx)));
    const int64_t n = w->p.data.points.rows, rows = w->p.rows > n ? w->p.rows : n;
    SRI_CALL(sri_approx_planned(ctx, &w->p, rows, &approx));
    if (approx.kind <= SRI_APPROX_EXACT && st != SPECREG_OK)
        return sri_fail(ctx, st, "%s", json_string_value(json_object_get(w->record, "why")));
    SRI_CALL(put_prepared(ctx, &w->p, &w->record));
    if (w->p.rows) /* the data are a sample of them */
        SRI_CHECK(ctx,
                  json_object_set_new(json_object_get(w->record, "data"), "n",
                                      json_integer(w->p.rows)) == 0,
                  SPECREG_E_NOMEM, "out of memory");
    if (st == SPECREG_OK)
        put_search(&w->record, &w->p, &plan);
    put_approx(&w->record, &approx);
    return SPECREG_OK;
}

specreg_status specreg_plan(specreg_context *ctx, const specreg_table *train,
                            const specreg_options *options, char **json)
{
    SRI_MAKES(ctx, json, train);
    work w = {.command = "plan", .train = train, .prepare = prepare_plan, .run = run_plan};
    return run_work(ctx, &w, options, json);
}

specreg_status specreg_plan_files(specreg_context *ctx, const char *const *paths, int64_t count,
                                  const specreg_options *options, char **json)
{
    SRI_MAKES(ctx, json, paths);
    work w = {.command = "plan", .prepare = prepare_plan, .run = run_plan};
    SRI_CALL(sri_blocks_open(ctx, paths, count, options, &w.blocks));
    const specreg_status st = run_work(ctx, &w, options, json);
    sri_blocks_free(w.blocks);
    return st;
}

/* What there is to do with fewer centres than rows. */
static specreg_status put_fewer(specreg_context *ctx, sri_prepared *p, int64_t rows,
                                json_t **record)
{
    sri_approx_plan approx;
    SRI_CALL(sri_approx_planned(ctx, p, rows, &approx));
    put_approx(record, &approx);
    sri_json_put(record, "kernel_candidates", json_integer(sri_kernel_grid_count(&p->grid)));
    sri_json_put(record, "selection", json_string(p->rule.ops->name));
    sri_json_put(record, "seconds", json_real(approx.seconds_here));
    sri_json_put(record, "threads", json_integer(p->call->threads));
    return SPECREG_OK;
}

/* A plan that cannot be made is not told: the search says what is wrong. */
static specreg_status announce(specreg_context *ctx, sri_prepared *p, int64_t rows, bool planned)
{
    specreg_status st = SPECREG_OK;
    char *text = NULL;
    sri_plan_result plan;
    const bool fewer = p->call->recipe->search.approx.kind > SRI_APPROX_EXACT;
    if (!ctx->plan || (planned && !fewer && sri_plan_prepared(ctx, p, &plan) != SPECREG_OK))
        return st;
    json_t *record = sri_record_new("plan");
    SRI_TRY(put_prepared(ctx, p, &record));
    json_object_set_new(json_object_get(record, "data"), "n", json_integer(rows));
    if (planned && fewer)
        SRI_TRY(put_fewer(ctx, p, rows, &record));
    else if (planned)
        put_search(&record, p, &plan);
    SRI_TRY(sri_record_text(ctx, record, &text));
    ctx->plan(text, ctx->plan_payload);
done:
    specreg_string_free(text);
    json_decref(record);
    return st;
}

void specreg_set_plan(specreg_context *ctx, specreg_plan_fn *fn, void *payload)
{
    if (!ctx)
        return;
    ctx->plan = fn;
    ctx->plan_payload = payload;
    ctx->announce = announce;
}

/* What an evaluation found, after it was made. */
static specreg_status evaluation_text(specreg_context *ctx, const specreg_model *model,
                                      const char *source, const sri_evaluation *result,
                                      json_t *seconds, char **json)
{
    json_t *record = sri_record_new("eval");
    sri_json_put(&record, "data",
                 json_pack("{s:o, s:I}", "file", sri_json_string(source), "n",
                           (json_int_t)result->errors.all.n));
    if (result->unknown)
        sri_record_note(&record, "%lld of %lld documents have no word that the model knows",
                        (long long)result->unknown, (long long)result->rows);
    note_unseen(&record, &result->unseen);
    sri_record_model(ctx, &record, model);
    sri_json_put(&record, "seconds", seconds);
    char text[400];
    if (sri_unpredicted_text(&result->errors, text, sizeof text))
        sri_record_note(&record, "%s", text);
    sri_json_put(&record, "test", sri_errors_json(&result->errors));
    if (result->interval.level > 0)
        sri_json_put(&record, "interval",
                     json_pack("{s:f, s:s, s:o, s:o}", "level", result->interval.level, "kind",
                               result->interval.local ? "local" : "constant", "coverage",
                               sri_json_number(result->interval.share), "mean_width",
                               sri_json_number(result->interval.width)));
    const specreg_status st = sri_record_text(ctx, record, json);
    json_decref(record);
    return st;
}

specreg_status specreg_evaluate(specreg_context *ctx, const specreg_model *model,
                                const specreg_table *data, const specreg_options *options,
                                char **json)
{
    SRI_MAKES(ctx, json, model, data);
    specreg_status st = SPECREG_OK;
    sri_call call = {0};
    sri_evaluation result = {0};
    SRI_TRY(sri_call_enter_predict(ctx, options, &call));
    SRI_TRY(sri_evaluate_model(ctx, &call, model, data, &result));
    SRI_TRY(evaluation_text(ctx, model, data->source, &result, total_json(&call, data), json));
done:
    sri_errors_free(&result.errors);
    sri_call_leave(&call);
    return st;
}

specreg_status specreg_evaluate_files(specreg_context *ctx, const specreg_model *model,
                                      const char *const *paths, int64_t count,
                                      const specreg_options *options, char **json)
{
    SRI_MAKES(ctx, json, model, paths);
    specreg_status st = SPECREG_OK;
    sri_call call = {0};
    sri_evaluation result = {0};
    sri_row_parts *rows = NULL;
    SRI_TRY(sri_call_enter_predict(ctx, options, &call));
    SRI_TRY(sri_row_parts_open(ctx, model, paths, count, options, &rows));
    SRI_TRY(sri_evaluate_blocks(ctx, &call, model, rows, &result));
    SRI_TRY(evaluation_text(ctx, model, sri_row_parts_name(rows), &result,
                            sri_seconds_json(sri_row_parts_seconds(rows), sri_call_seconds(&call)),
                            json));
done:
    sri_errors_free(&result.errors);
    sri_row_parts_free(rows);
    sri_call_leave(&call);
    return st;
}
