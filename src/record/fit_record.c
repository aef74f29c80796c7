/* The record of a fit: what was learned from, what was chosen and why, how well it fits. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "core/options.h"
#include "record/record.h"

json_t *sri_record_new(const char *command)
{
    return json_pack("{s:s, s:s}", "specreg", SPECREG_VERSION, "command", command);
}

json_t *sri_options_json(const specreg_options *options)
{
    static const sri_option aside[] = {SRI_OPT_CALIBRATE, SRI_OPT_CHECKPOINT, SRI_OPT_LINALG,
                                       SRI_OPT_MEMORY, SRI_OPT_THREADS};
    json_t *json = json_object();
    for (int i = 0; options && i < SRI_OPT_COUNT; i++) {
        bool counts = options->value[i] != NULL;
        for (size_t k = 0; k < sizeof aside / sizeof *aside; k++)
            counts = counts && i != (int)aside[k];
        if (counts)
            sri_json_put(&json, specreg_option_at(i)->name, sri_json_string(options->value[i]));
    }
    return json;
}

void sri_record_note(json_t **record, const char *format, ...)
{
    char line[512];
    va_list args;
    va_start(args, format);
    vsnprintf(line, sizeof line, format, args);
    va_end(args);
    json_t *notes = json_incref(json_object_get(*record, "notes"));
    notes = notes ? notes : json_array();
    sri_json_add(&notes, sri_json_string(line));
    sri_json_put(record, "notes", notes);
}

void sri_record_notes(json_t **record, const sri_notes *notes)
{
    for (int64_t i = 0; i < notes->count; i++)
        sri_record_note(record, "%s", notes->text[i]);
}

void sri_record_param(json_t **row, sri_path_kind kind, double value)
{
    sri_json_put(row, sri_path_name(kind),
                 kind == SRI_PATH_LAMBDA || isnan(value) ? sri_json_number(value)
                                                         : json_integer((json_int_t)value));
}

static void put_setting(json_t **row, const sri_search_report *report, int64_t setting, double step)
{
    const sri_filter_grid *settings = &report->selection.settings;
    if (settings->count < 2)
        return;
    sri_filter filter = settings->at[setting];
    filter.step = step;
    sri_json_put(row, "filter", sri_filter_setting_json(&filter));
}

void sri_record_setting(json_t **row, const sri_search_report *report, const sri_tried *tried)
{
    put_setting(row, report, tried->setting, tried->step);
}

void sri_record_kernel(json_t **record, const sri_kernel *kernel)
{
    sri_json_put(record, "kernel", sri_kernel_json(kernel));
    if (kernel->term[0].coupling)
        sri_json_put(record, "outputs", sri_kernel_outputs_json(kernel));
}

json_t *sri_seconds_json(double read, double total)
{
    return json_pack("{s:f, s:f}", "read", read, "total", total);
}

void sri_record_times(json_t **record, const sri_times *t, bool searched)
{
    json_t *seconds = searched
                          ? json_pack("{s:f, s:f, s:f, s:f, s:f}", "read", t->read, "gram", t->gram,
                                      "solve", t->solve, "select", t->select, "total", t->total)
                          : sri_seconds_json(t->read, t->total);
    if (t->centres > 0)
        sri_json_put(&seconds, "centers", json_real(t->centres));
    sri_json_put(record, "seconds", seconds);
    sri_json_put(record, "peak_bytes", json_integer((json_int_t)t->peak_bytes));
}

/* Into a buffer of the known size: json_dumps() can lose bytes unnoticed when memory runs out. */
specreg_status sri_json_text(specreg_context *ctx, const json_t *json, size_t flags, char **out)
{
    *out = NULL;
    const size_t given = flags & JSON_REAL_PRECISION(31);
    const size_t all = given ? flags : flags | JSON_REAL_PRECISION(17),
                 length = json_dumpb(json, NULL, 0, all);
    char *text = length ? sri_alloc(ctx, (int64_t)length + 1, 1, 1) : NULL;
    if (!text || json_dumpb(json, text, length, all) != length) {
        sri_free(text);
        return sri_fail(ctx, SPECREG_E_NOMEM, "out of memory");
    }
    text[length] = '\0';
    *out = text;
    return SPECREG_OK;
}

specreg_status sri_record_text(specreg_context *ctx, const json_t *record, char **out)
{
    return sri_json_text(ctx, record, JSON_INDENT(2), out);
}

void sri_record_rows(json_t **data, const sri_rows_report *rows, const sri_target *target)
{
    if (rows->group) {
        sri_json_put(data, "group", json_string(rows->group));
        sri_json_put(data, "groups", json_integer((json_int_t)rows->groups));
    }
    if (rows->task_column) {
        sri_json_put(data, "task_column", json_string(rows->task_column));
        sri_json_put(data, "tasks", json_integer((json_int_t)rows->tasks));
    }
    if (rows->missing_targets)
        sri_json_put(data, "missing_targets",
                     sri_integers_json(rows->missing_targets, target->n_columns));
    if (rows->weights)
        sri_json_put(data, "weights", json_string(rows->weights));
    if (rows->class_weight) {
        json_t *weights = json_object();
        for (int64_t c = 0; c < target->n_classes; c++)
            sri_json_put(&weights, target->label[c], sri_json_number(rows->class_weight[c]));
        sri_json_put(data, "class_weight", weights);
    }
}

static json_t *columns_json(const sri_encoder *encoder)
{
    enum { MOST = 1000 };
    json_t *columns = json_array();
    char number[32];
    for (int64_t i = 0; i < encoder->n_features && i < MOST; i++)
        sri_json_add(&columns, json_string(sri_encoder_name(encoder, i, number)));
    return columns;
}

json_t *sri_data_json(const sri_data_report *d, const sri_encoder *encoder,
                      const sri_target *target)
{
    json_t *data =
        json_pack("{s:o, s:s, s:b, s:I, s:I, s:I, s:s, s:s, s:o, s:o, s:s, s:I}", "file",
                  sri_json_string(d->file), "format", d->format, "header", d->header, "n",
                  (json_int_t)d->n, "p", (json_int_t)d->p, "outputs", (json_int_t)d->outputs,
                  "problem", sri_problem_name(d->problem), "problem_why", target->why, "targets",
                  sri_texts_json(target->name, target->n_columns), "columns", columns_json(encoder),
                  "scale", sri_scale_name(encoder->scale), "dropped_rows",
                  (json_int_t)d->dropped_rows);
    if (d->delimiter) {
        const char delimiter[2] = {d->delimiter, '\0'};
        sri_json_put(&data, "delimiter", json_string(delimiter));
    }
    if (target->problem == SRI_CLASSIFICATION) {
        sri_json_put(&data, "classes", sri_texts_json(target->label, target->n_classes));
        sri_json_put(&data, "class_counts", sri_integers_json(target->count, target->n_classes));
    }
    if (d->points)
        sri_json_put(&data, "points", json_integer((json_int_t)d->points));
    sri_record_rows(&data, &d->rows, target);
    return data;
}

specreg_status sri_record_documents(specreg_context *ctx, json_t **record,
                                    const specreg_vocabulary *v, const sri_text_counts *counts)
{
    specreg_status st = SPECREG_OK;
    sri_buffer how = {0};
    if (!v)
        return st;
    SRI_TRY(sri_text_how_print(ctx, &v->how, &how));
    sri_json_put(record, "text",
                 json_pack("{s:s, s:I, s:I, s:I, s:I, s:I, s:I}", "how", how.data, "documents",
                           (json_int_t)v->documents, "seen", (json_int_t)v->seen, "words",
                           (json_int_t)v->words.count, "nonzeros", (json_int_t)counts->nonzeros,
                           "empty_documents", (json_int_t)counts->empty, "unknown_documents",
                           (json_int_t)counts->unknown));
    if (counts->empty)
        sri_record_note(record, "%lld of %lld documents have no words: rows of zeros",
                        (long long)counts->empty, (long long)counts->documents);
    if (counts->unknown)
        sri_record_note(record,
                        "%lld of %lld documents have none of the chosen words: rows of "
                        "zeros",
                        (long long)counts->unknown, (long long)counts->documents);
done:
    sri_buffer_free(&how);
    return st;
}

/* All but names and coefficients. */
static json_t *kinds_json(const sri_predefined *p)
{
    json_t *terms = json_array(), *dropped = json_array();
    for (int k = 0; k < p->n_terms; k++)
        sri_json_add(&terms, json_string(p->term[k].ops->name));
    for (int64_t j = 0, k = 0; j < p->all; j++) {
        const bool kept = k < p->l && p->kept[k] == j;
        if (!kept)
            sri_json_add(&dropped, json_string(p->name[j]));
        k += kept;
    }
    return json_pack("{s:o, s:s, s:o}", "terms", terms, "variant",
                     p->pivots ? "paper" : "minimiser", "dropped", dropped);
}

void sri_record_terms(json_t **record, const sri_predefined *p)
{
    if (!p->n_terms)
        return;
    json_t *json = kinds_json(p), *names = json_array();
    for (int64_t k = 0; k < p->l; k++)
        sri_json_add(&names, json_string(sri_predefined_name(p, k)));
    sri_json_put(&json, "names", names);
    sri_json_put(record, "features", json);
}

specreg_status sri_record_coefficients(specreg_context *ctx, json_t **record,
                                       const sri_unpenalised *u, int64_t T)
{
    specreg_status st = SPECREG_OK;
    const sri_predefined *p = &u->terms;
    double *natural = NULL;
    if (!p->n_terms)
        return st;
    SRI_ALLOC(ctx, natural, p->all, T);
    SRI_TRY(sri_predefined_natural(ctx, p, u->beta, T, natural));
    json_t *json = kinds_json(p), *coefficients = json_array();
    for (int64_t j = 0; j < p->all; j++)
        sri_json_add(&coefficients, json_pack("{s:o, s:o}", "name", json_string(p->name[j]),
                                              "values", sri_numbers_json(natural + j * T, T)));
    sri_json_put(&json, "coefficients", coefficients);
    sri_json_put(record, "features", json);
done:
    sri_free(natural);
    return st;
}

/* Why a row of the table has no value. */
static const char *why_left(sri_strategy strategy, const sri_tried *row)
{
    if (!isnan(row->param))
        return "the path was left: it had fallen behind";
    return strategy == SRI_SEARCH_RACE   ? "behind others on a part of the rows"
           : strategy == SRI_SEARCH_GRID ? "its family is clearly behind"
                                         : "not next to the best";
}

/* selection.table: a row for every kernel and parameter tried. */
static json_t *table_json(const sri_search_report *report)
{
    const sri_selection_report *s = &report->selection;
    json_t *table = json_array(), *kernel = NULL;
    int64_t candidate = -1;
    for (int64_t i = 0; i < s->rows; i++) {
        const sri_tried *r = &s->tried[i];
        const sri_kernel *tried = &s->candidate[r->candidate];
        if (r->candidate != candidate) {
            json_decref(kernel);
            kernel = sri_kernel_json(tried);
            candidate = r->candidate;
        }
        json_t *row = json_pack("{s:O}", "kernel", kernel);
        if (tried->term[0].coupling)
            sri_json_put(&row, "outputs", sri_kernel_outputs_json(tried));
        sri_record_setting(&row, report, r);
        sri_record_param(&row, report->filter.filter.path, r->param);
        sri_json_put(&row, "value", sri_json_number(r->value));
        sri_json_put(&row, "stderr", sri_json_number(r->stderr_));
        sri_json_put(&row, "df", sri_json_number(r->df));
        if (r->left)
            sri_json_put(&row, "reason", json_string(why_left(s->strategy, r)));
        sri_json_add(&table, row);
    }
    json_decref(kernel);
    return table;
}

/* selection.compared: what each of several rules would take. */
static json_t *compared_json(const sri_search_report *report)
{
    json_t *list = json_array();
    for (int64_t i = 0; i < report->selection.choices; i++) {
        const sri_choice *c = &report->selection.choice[i];
        json_t *row = json_pack("{s:s, s:s}", "rule", c->rule, "criterion", c->criterion);
        if (c->form)
            sri_json_put(&row, "form", json_integer(c->form));
        if (c->why_not[0]) {
            sri_json_put(&row, "reason", sri_json_string(c->why_not));
            sri_json_add(&list, row);
            continue;
        }
        sri_record_kernel(&row, &c->kernel);
        put_setting(&row, report, c->setting, c->step);
        sri_record_param(&row, report->filter.filter.path, c->param);
        sri_json_put(&row, "value", sri_json_number(c->value));
        sri_json_put(&row, "df", sri_json_number(c->df));
        if (!isnan(c->test_mse))
            sri_json_put(&row, "test_mse", sri_json_number(c->test_mse));
        if (!isnan(c->test_error_rate))
            sri_json_put(&row, "test_error_rate", sri_json_number(c->test_error_rate));
        sri_json_add(&list, row);
    }
    return list;
}

/* selection.searched: each parameter that took several values. */
static json_t *searched_json(const sri_selection_report *s)
{
    static const char *const of[] =
        {[SRI_OF_KERNEL] = "kernel", [SRI_OF_OUTPUTS] = "outputs", [SRI_OF_FILTER] = "filter"};
    json_t *list = json_array();
    for (int i = 0; i < s->n_searched; i++) {
        const sri_searched *one = &s->searched[i];
        const bool edge = one->chosen == one->least || one->chosen == one->largest;
        json_t *json =
            json_pack("{s:s, s:s, s:I, s:o, s:o, s:b}", "of", of[one->of], "name", one->name,
                      "values", (json_int_t)one->values, "least", sri_json_number(one->least),
                      "largest", sri_json_number(one->largest), "at_edge", edge);
        if (one->term >= 0)
            sri_json_put(&json, "term", json_integer(one->term));
        sri_json_add(&list, json);
    }
    return list;
}

/* The names of kernels that were compared. */
static json_t *families_json(const sri_kernel_grid *family)
{
    json_t *list = json_array();
    for (; family; family = family->next)
        sri_json_add(&list, json_string(family->base.term[0].ops->name));
    return list;
}

/* With the table where its kernels are at hand. */
static json_t *selection_json(const sri_search_report *report)
{
    const sri_selection_report *s = &report->selection;
    const sri_rule *rule = &s->rule;
    json_t *json = json_pack("{s:s, s:s, s:o, s:o, s:b}", "method", s->method, "criterion",
                             s->criterion, "value", sri_json_number(s->value), "stderr",
                             sri_json_number(s->stderr_), "exact", s->exact);
    if (s->candidate) {
        sri_json_put(&json, "table", table_json(report));
        sri_json_put(&json, "searched", searched_json(s));
        if (s->choice)
            sri_json_put(&json, "compared", compared_json(report));
        if (s->grid.next)
            sri_json_put(&json, "families", families_json(&s->grid));
    }
    sri_json_put(&json, "rule", json_string(s->one_se ? "1se" : "min"));
    sri_json_put(&json, "search", json_string(sri_strategies[s->strategy]));
    for (int i = 0; i < rule->ops->n_params; i++) {
        const sri_param *param = &rule->ops->params[i];
        const double v = rule->param[i];
        if (!isnan(v))
            sri_json_put(&json, param->name,
                         param->whole ? json_integer((json_int_t)v) : json_real(v));
    }
    if (rule->path)
        sri_json_put(&json, "file", sri_json_string(rule->path));
    if (s->engine)
        sri_json_put(&json, "engine", json_string(s->engine->name));
    if (s->bound > 0)
        sri_json_put(&json, "bound", sri_json_number(s->bound));
    return json;
}

/* How the problem with fewer centres was solved. */
static void put_solver(json_t **json, const sri_conjugate_facts *facts)
{
    if (!facts->passes) {
        sri_json_put(json, "solver", json_string(sri_solver_names[SRI_SOLVER_SUMS]));
        return;
    }
    sri_json_put(json, "solver", json_string(sri_solver_names[SRI_SOLVER_CG]));
    sri_json_put(json, "passes", json_integer(facts->passes));
    if (!facts->sample) /* an iteration: there is nothing to solve */
        return;
    sri_json_put(json, "sample", json_integer(facts->sample));
    sri_json_put(json, "residual", sri_json_number(facts->residual));
    sri_json_put(json, "unreached", json_integer(facts->unreached));
}

static json_t *approx_json(const sri_approx_report *approx)
{
    const sri_sums_facts *facts = &approx->facts;
    if (!approx->kind)
        return json_pack("{s:s}", "name", "exact");
    json_t *json = json_pack("{s:s, s:I, s:s}", "name", sri_approx_names[approx->kind], "m",
                             (json_int_t)facts->m, "centers", approx->centres);
    if (facts->rank) {
        sri_json_put(&json, "rank", json_integer(facts->rank));
        sri_json_put(&json, "captured", sri_json_number(facts->captured));
    }
    sri_json_put(&json, "looked_at", json_integer(facts->looked));
    if (approx->kind == SRI_APPROX_RECTANGLE)
        put_solver(&json, &facts->conjugate);
    return json;
}

specreg_status sri_record_search(specreg_context *ctx, json_t **record,
                                 const sri_search_report *report, const sri_coding *coding)
{
    sri_json_put(record, "kernel", sri_kernel_json(&report->kernel.kernel));
    sri_json_put(record, "outputs", sri_kernel_outputs_json(&report->kernel.kernel));
    sri_json_put(record, "filter", sri_filter_json(&report->filter));
    if (coding)
        sri_json_put(record, "coding", sri_coding_json(coding));
    sri_json_put(record, "approx", approx_json(&report->approx));
    sri_json_put(record, "engine", json_string(report->engine->name));
    if (report->engine->reports_rank) {
        sri_json_put(record, "rank", json_integer(report->run.rank));
        sri_json_put(record, "rank_error", sri_json_number(report->run.left));
    }
    if (report->single) {
        sri_json_put(record, "precision", json_string("single"));
        sri_json_put(record, "rounding", sri_json_number(report->run.rounding));
    }
    sri_json_put(record, "selection", selection_json(report));
    sri_json_put(record, "df", sri_json_number(report->df));
    if (report->df_stderr > 0)
        sri_json_put(record, "df_stderr", sri_json_number(report->df_stderr));
    sri_record_notes(record, &report->notes);
    if (report->run.steps)
        sri_json_put(record, "steps", json_integer(report->run.steps));
    if (report->run.residual > 0) {
        sri_json_put(record, "residual", sri_json_number(report->run.residual));
        sri_json_put(record, "preconditioner_rank", json_integer(report->run.rank));
    }
    return *record ? SPECREG_OK : sri_fail(ctx, SPECREG_E_NOMEM, "out of memory");
}

/* Rows without targets, and the graph. */
static json_t *unlabelled_json(const sri_semi_report *semi)
{
    json_t *json = json_pack("{s:o, s:I}", "file", sri_json_string(semi->file), "rows",
                             (json_int_t)semi->rows);
    if (!semi->has_graph)
        return json;
    sri_json_put(&json, "strength", json_real(semi->graph.strength));
    sri_json_put(&json, "neighbours", json_integer((json_int_t)semi->graph.neighbours));
    sri_json_put(&json, "weights", json_string(semi->graph.heat ? "heat" : "binary"));
    sri_json_put(&json, "normalised", json_boolean(semi->graph.normalised));
    sri_json_put(&json, "parts", json_integer((json_int_t)semi->parts));
    json_t *table = json_array();
    for (int64_t i = 0; i < semi->tried; i++)
        sri_json_add(&table, json_pack("{s:f, s:o}", "strength", semi->strength[i], "value",
                                       sri_json_number(semi->value[i])));
    sri_json_put(&json, "table", table);
    return json;
}

static specreg_status fit_json(specreg_context *ctx, const specreg_model *model, json_t **record)
{
    const sri_fit_report *report = model->report.fit;
    const sri_encoding *e = &model->encoding;
    *record = sri_record_new("fit");
    sri_json_put(record, "options", sri_options_json(report->options));
    sri_json_put(record, "data", sri_data_json(&report->data, e->encoder, e->target));
    SRI_CALL(sri_record_documents(ctx, record, e->vocabulary, &report->text));
    SRI_CALL(sri_record_search(ctx, record, &report->search, e->coding));
    SRI_CALL(sri_record_coefficients(ctx, record, &model->unpenalised, model->T));
    if (report->semi.file)
        sri_json_put(record, "unlabelled", unlabelled_json(&report->semi));
    if (report->words_inside.folds)
        sri_json_put(record, "words_inside_folds",
                     json_pack("{s:s, s:o, s:I}", "criterion",
                               report->words_inside.measure->info.name, "value",
                               sri_json_number(report->words_inside.value), "folds",
                               (json_int_t)report->words_inside.folds));
    sri_json_put(record, "train", sri_errors_json(&report->train));
    sri_record_notes(record, &report->notes);
    sri_json_put(record, "seed", json_integer((json_int_t)report->seed));
    return SPECREG_OK;
}

/* What the data are without a target. */
static json_t *carried_json(const sri_kpca_report *report, const sri_encoding *e)
{
    static const char *const of_targets[] = {"problem", "problem_why", "targets"};
    json_t *data = sri_data_json(&report->data, e->encoder, e->target);
    for (int i = 0; data && i < 3; i++)
        json_object_del(data, of_targets[i]);
    sri_json_put(&data, "carried", sri_texts_json(report->carried, report->n_carried));
    return data;
}

/* Eigenvalues and their shares. */
static void components_json(const sri_kpca_report *report, json_t **record)
{
    json_t *shares = json_array(), *sums = json_array();
    double sum = 0;
    for (int64_t j = 0; j < report->components; j++) {
        sum += report->eigenvalue[j];
        sri_json_add(&shares, sri_json_number(report->eigenvalue[j] / report->trace));
        sri_json_add(&sums, sri_json_number(sum / report->trace));
    }
    sri_json_put(record, "centred", json_boolean(report->centred));
    sri_json_put(record, "trace", sri_json_number(report->trace));
    sri_json_put(record, "eigenvalues", sri_numbers_json(report->eigenvalue, report->components));
    sri_json_put(record, "share", shares);
    sri_json_put(record, "cumulative_share", sums);
}

static specreg_status features_json(specreg_context *ctx, const specreg_model *model,
                                    json_t **record)
{
    const sri_kpca_report *report = model->report.kpca;
    *record = sri_record_new("features");
    sri_json_put(record, "kind", json_string(sri_model_kinds[model->kind]));
    sri_json_put(record, "data", carried_json(report, &model->encoding));
    sri_json_put(record, "kernel", sri_kernel_json(&model->kernel.kernel));
    sri_json_put(record, "components", json_integer((json_int_t)report->components));
    if (report->eigenvalue)
        components_json(report, record);
    else
        sri_json_put(record, "approx", approx_json(&report->approx));
    sri_json_put(record, "seed", json_integer((json_int_t)report->seed));
    return sri_record_coefficients(ctx, record, &model->unpenalised, model->T);
}

/* What a file of another program says of its model. */
static specreg_status import_json(specreg_context *ctx, const specreg_model *model, json_t **record)
{
    const sri_import_report *report = model->report.import;
    const sri_target *target = model->encoding.target;
    *record = sri_record_new("convert");
    json_t *data =
        json_pack("{s:o, s:s, s:I, s:I, s:s, s:o, s:s}", "file", sri_json_string(report->file),
                  "format", report->format, "p", (json_int_t)model->encoding.encoder->p, "outputs",
                  1, "problem", sri_problem_name(target->problem), "targets",
                  sri_texts_json(target->name, target->n_columns), "scale",
                  sri_scale_name(model->encoding.encoder->scale));
    if (target->n_classes)
        sri_json_put(&data, "classes", sri_texts_json(target->label, target->n_classes));
    sri_json_put(record, "data", data);
    sri_json_put(record, "imported",
                 json_pack("{s:s, s:s, s:I, s:b}", "format", report->format, "type", report->type,
                           "vectors", (json_int_t)report->vectors, "lacks_probabilities",
                           report->lacks_probabilities));
    sri_json_put(record, "kernel", sri_kernel_json(&model->kernel.kernel));
    if (model->encoding.coding)
        sri_json_put(record, "coding", sri_coding_json(model->encoding.coding));
    return sri_record_coefficients(ctx, record, &model->unpenalised, model->T);
}

specreg_status sri_report_json(specreg_context *ctx, const specreg_model *model, json_t **out)
{
    specreg_status st = SPECREG_OK;
    const sri_model_report *report = &model->report;
    *out = NULL;
    if (report->fit)
        st = fit_json(ctx, model, out);
    else if (report->kpca)
        st = features_json(ctx, model, out);
    else if (report->import)
        st = import_json(ctx, model, out);
    else if (report->text)
        *out = json_loads(report->text, 0, NULL);
    else
        return st;
    if (st == SPECREG_OK && !*out)
        st = sri_fail(ctx, SPECREG_E_NOMEM, "out of memory");
    if (st != SPECREG_OK) {
        json_decref(*out);
        *out = NULL;
    }
    return st;
}

/* Keys in the order of a model file, where that is what the model comes from. */
static json_t *in_file_order(specreg_context *ctx, const specreg_model *model, json_t *json)
{
    char *text = NULL;
    if (model->report.fit)
        return json;
    const specreg_status st = sri_json_text(ctx, json, JSON_SORT_KEYS, &text);
    json_t *sorted = st == SPECREG_OK ? json_loads(text, 0, NULL) : NULL;
    sri_free(text);
    json_decref(json);
    return sorted;
}

void sri_record_model(specreg_context *ctx, json_t **record, const specreg_model *model)
{
    const sri_kernel *kernel = &model->kernel.kernel;
    sri_json_put(record, "kernel", in_file_order(ctx, model, sri_kernel_json(kernel)));
    if (model->filter.filter.ops) {
        sri_json_put(record, "outputs", in_file_order(ctx, model, sri_kernel_outputs_json(kernel)));
        sri_json_put(record, "filter", in_file_order(ctx, model, sri_filter_json(&model->filter)));
    }
    if (model->encoding.coding)
        sri_json_put(record, "coding", sri_coding_json(model->encoding.coding));
}

static specreg_status whole_record(specreg_context *ctx, const specreg_model *model, json_t **out)
{
    const sri_model_report *report = &model->report;
    json_t *record = NULL;
    SRI_CALL(sri_report_json(ctx, model, &record));
    if (!record) { /* it was taken out of the file */
        record = sri_record_new(model->kind != SRI_MODEL_PREDICTOR ? "features" : "fit");
        sri_record_model(ctx, &record, model);
    }
    /* what differs between two runs of the same call stays out of the model file */
    if (report->fit) {
        sri_record_times(&record, &report->fit->times, true);
        sri_json_put(&record, "threads", json_integer(report->fit->threads));
    }
    if (report->kpca) {
        sri_record_times(&record, &report->kpca->times, false);
        sri_json_put(&record, "threads", json_integer(report->kpca->threads));
    }
    if (model->uncertainty.calibration.slopes)
        sri_json_put(&record, "calibration", sri_calibration_json(&model->uncertainty.calibration));
    *out = record;
    return SPECREG_OK;
}

specreg_status specreg_model_record(specreg_context *ctx, const specreg_model *model, char **json)
{
    SRI_MAKES(ctx, json, model);
    specreg_status st = SPECREG_OK;
    json_t *record = NULL;
    SRI_TRY(whole_record(ctx, model, &record));
    st = sri_record_text(ctx, record, json);
done:
    json_decref(record);
    return st;
}

/* The value that keys with dots between lead to; NULL: there is none. */
static const json_t *find_value(const json_t *at, const char *keys)
{
    char key[64];
    while (at && *keys) {
        const size_t length = strcspn(keys, ".");
        snprintf(key, sizeof key, "%.*s", (int)length, keys);
        at = json_is_array(at) && key[strspn(key, "0123456789")] == '\0'
                 ? json_array_get(at, strtoul(key, NULL, 10))
                 : json_object_get(at, key);
        keys += length + (keys[length] == '.');
    }
    return at;
}

specreg_status specreg_model_number(specreg_context *ctx, const specreg_model *model,
                                    const char *keys, double *out)
{
    SRI_ARGS(ctx, model, keys, out);
    specreg_status st = SPECREG_OK;
    json_t *record = NULL;
    SRI_TRY(whole_record(ctx, model, &record));
    SRI_REQUIRE(ctx, record, SPECREG_E_NOMEM, "out of memory");
    const json_t *value = find_value(record, keys);
    SRI_REQUIRE(ctx, json_is_number(value), SPECREG_E_ARG, "the model's record has no number '%s'",
                keys);
    *out = json_number_value(value);
done:
    json_decref(record);
    return st;
}
