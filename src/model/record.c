#include "model/record.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "select/measure.h"

json_t *sri_record_new(const char *command)
{
    return json_pack("{s:s, s:s}", "specreg", SPECREG_VERSION, "command", command);
}

void sri_record_param(json_t **row, sri_path_kind kind, double value)
{
    sri_json_put(row, sri_path_name(kind),
                 kind == SRI_PATH_LAMBDA ? json_real(value) : json_integer((json_int_t)value));
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

json_t *sri_record_value(const sri_rule *rule, const sri_task *task, double value)
{
    if (rule->ops->negative)
        return sri_json_number(-value);
    return sri_json_number(
        sri_rule_by_criterion(rule) ? sri_criterion_shown(sri_criterion_of(task), value) : value);
}

/* selection.table: a row for every kernel and parameter tried. */
static json_t *table_json(const sri_prepared *p, const sri_search_result *result)
{
    json_t *table = json_array();
    json_t *kernel = NULL;
    int64_t candidate = -1;
    for (int64_t i = 0; i < result->rows; i++) {
        const sri_search_row *r = &result->row[i];
        if (r->candidate != candidate) {
            json_decref(kernel);
            kernel = sri_kernel_json(&result->candidate[r->candidate]);
            candidate = r->candidate;
        }
        const sri_kernel *tried = &result->candidate[r->candidate];
        json_t *row = json_pack("{s:O}", "kernel", kernel);
        if (tried->term[0].coupling)
            sri_json_put(&row, "outputs", sri_kernel_outputs_json(tried, false));
        sri_record_param(&row, p->spec.filter->path, r->param);
        sri_json_put(&row, "value", sri_record_value(&p->rule, &p->problem, r->score.value));
        sri_json_put(&row, "stderr", sri_json_number(r->score.stderr_));
        sri_json_put(&row, "df", sri_json_number(r->score.df));
        sri_json_add(&table, row);
    }
    json_decref(kernel);
    return table;
}

static void add_report(json_t **record, const sri_search_result *result)
{
    const sri_report *report = &result->report;
    if (report->fell_back)
        sri_record_note(record,
                        "the kernel matrix is singular to rounding: %lld factorization%s gave way "
                        "to the full decomposition",
                        (long long)report->fell_back, report->fell_back == 1 ? "" : "s");
    if (report->bound > 1e-6)
        sri_record_note(record,
                        "krylov stopped after %lld steps with a residual bound of %.1e of |y|: the "
                        "smallest lambda may be less exact",
                        (long long)report->steps, report->bound);
    for (int i = 0; i < result->notes; i++)
        sri_record_note(record, "%s", result->note[i]);
    if (report->steps)
        sri_json_put(record, "steps", json_integer(report->steps));
}

specreg_status sri_record_search(specreg_context *ctx, json_t **record, const sri_prepared *p,
                                 const sri_search_result *result)
{
    const sri_task *task = &p->problem;
    const sri_rule *rule = &p->rule;
    json_t *filter = sri_filter_json(&result->filter);
    sri_record_param(&filter, result->filter.path, result->param);
    if (p->spec.filter->ops->counts_kept && isfinite(result->df))
        sri_json_put(&filter, "kept", json_integer((json_int_t)llround(result->df)));
    sri_json_put(record, "kernel", sri_kernel_json(&result->kernel));
    sri_json_put(record, "outputs", sri_kernel_outputs_json(&result->kernel, false));
    sri_json_put(record, "filter", filter);
    if (task->coding)
        sri_json_put(record, "coding", sri_coding_json(task->coding));
    sri_json_put(record, "approx", json_pack("{s:s}", "name", "exact"));
    sri_json_put(record, "engine", json_string(result->engine->name));
    if (result->engine->reports_rank) {
        sri_json_put(record, "rank", json_integer(result->report.rank));
        sri_json_put(record, "rank_error", sri_json_number(result->report.left));
    }
    if (task->single) {
        sri_json_put(record, "precision", json_string("single"));
        sri_json_put(record, "rounding", sri_json_number(result->report.rounding));
    }
    json_t *selection =
        json_pack("{s:s, s:s, s:o, s:o, s:b, s:o}", "method", rule->ops->name, "criterion",
                  sri_rule_criterion(rule, task), "value",
                  sri_record_value(rule, task, result->score.value), "stderr",
                  sri_json_number(result->score.stderr_), "exact",
                  sri_rule_exact(rule, p->spec.filter), "table", table_json(p, result));
    sri_json_put(&selection, "rule", json_string(p->spec.one_se ? "1se" : "min"));
    sri_json_put(&selection, "search", json_string(sri_strategies[p->spec.strategy]));
    for (int i = 0; i < rule->ops->n_params; i++) {
        const sri_param *param = &rule->ops->params[i];
        const double v = sri_rule_number(rule, task, i);
        if (!isnan(v))
            sri_json_put(&selection, param->name,
                         param->whole ? json_integer((json_int_t)v) : json_real(v));
    }
    if (rule->path)
        sri_json_put(&selection, "file", sri_json_string(rule->path));
    if (result->search_engine)
        sri_json_put(&selection, "engine", json_string(result->search_engine->name));
    if (result->report.certain > 0)
        sri_json_put(&selection, "bound", sri_json_number(result->report.certain));
    sri_json_put(record, "selection", selection);
    sri_json_put(record, "df", sri_json_number(result->df));
    add_report(record, result);
    return *record ? SPECREG_OK : sri_fail(ctx, SPECREG_E_NOMEM, "out of memory");
}

specreg_status sri_record_errors(specreg_context *ctx, const sri_task *task, const double *F,
                                 const double *Y, const int32_t *classes, int64_t n, json_t **out)
{
    specreg_status st = SPECREG_OK;
    sri_losses losses = {0};
    const sri_regression_measure all = sri_measure_outputs(F, Y, n, task->T);
    *out = json_pack("{s:I, s:o}", "n", (json_int_t)n, "mse", sri_json_number(all.mse));
    SRI_REQUIRE(ctx, *out, SPECREG_E_NOMEM, "out of memory");
    if (classes) {
        const sri_truth truth = {.Y = Y, .classes = classes};
        SRI_TRY(sri_losses_add(ctx, task, F, task->T, &truth, NULL, n, &losses));
        sri_json_put(out, "error_rate", json_real(losses.wrong.vx / losses.v));
    } else {
        sri_json_put(out, "mae", sri_json_number(all.mae));
        sri_json_put(out, "r2", sri_json_number(all.r2));
    }
    if (!classes && (task->T > 1 || task->reader.tasks)) /* all entries as one column */
        sri_json_put(out, "explained_variance",
                     sri_json_number(sri_measure_output(F, Y, n * task->T, 1, 0).r2));
    if (!classes && task->T > 1) {
        json_t *each = json_array();
        for (int64_t t = 0; t < task->T; t++) {
            const sri_regression_measure m = sri_measure_output(F, Y, n, task->T, t);
            sri_json_add(&each, json_pack("{s:s, s:I, s:o, s:o, s:o}", "name",
                                          task->reader.target->name[t], "n", (json_int_t)m.n, "mse",
                                          sri_json_number(m.mse), "mae", sri_json_number(m.mae),
                                          "r2", sri_json_number(m.r2)));
        }
        sri_json_put(out, "per_output", each);
    }
    SRI_REQUIRE(ctx, *out, SPECREG_E_NOMEM, "out of memory");
done:
    return st;
}

/* Into a buffer of the known size: json_dumps() can lose bytes unnoticed when memory runs out. */
specreg_status sri_json_text(specreg_context *ctx, const json_t *json, size_t flags, char **out)
{
    *out = NULL;
    const size_t all = flags | JSON_REAL_PRECISION(17), length = json_dumpb(json, NULL, 0, all);
    char *text = length ? malloc(length + 1) : NULL;
    if (!text || json_dumpb(json, text, length, all) != length) {
        free(text);
        return sri_fail(ctx, SPECREG_E_NOMEM, "out of memory");
    }
    text[length] = '\0';
    *out = text;
    return SPECREG_OK;
}

specreg_status sri_record_text(specreg_context *ctx, json_t *record, char **out)
{
    const specreg_status st = sri_json_text(ctx, record, JSON_INDENT(2), out);
    json_decref(record);
    return st;
}
