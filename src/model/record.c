#include "model/record.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "model/measure.h"

json_t *sri_record_new(const char *command)
{
    return json_pack("{s:s, s:s}", "specreg", SPECREG_VERSION, "command", command);
}

json_t *sri_json_number(double v)
{
    return isfinite(v) ? json_real(v) : json_null();
}

void sri_record_param(json_t *row, sri_path_kind kind, double value)
{
    json_object_set_new(row, sri_path_name(kind),
                        kind == SRI_PATH_LAMBDA ? json_real(value)
                                                : json_integer((json_int_t)value));
}

void sri_record_note(json_t *record, const char *format, ...)
{
    char line[512];
    va_list args;
    va_start(args, format);
    vsnprintf(line, sizeof line, format, args);
    va_end(args);
    json_t *notes = json_object_get(record, "notes");
    if (!notes) {
        notes = json_array();
        json_object_set_new(record, "notes", notes);
    }
    json_array_append_new(notes, json_string(line));
}

/* selection.table: a row for every kernel and parameter tried. */
static json_t *table_json(const sri_config *config, const sri_search_result *result)
{
    json_t *table = json_array();
    json_t *kernel = NULL;
    int64_t candidate = -1;
    for (int64_t i = 0; i < result->rows; i++) {
        const sri_search_row *r = &result->row[i];
        if (r->candidate != candidate) {
            json_decref(kernel);
            const sri_kernel k = sri_kernel_grid_at(&config->kernel, r->candidate);
            kernel = sri_kernel_json(&k);
            candidate = r->candidate;
        }
        json_t *row = json_pack("{s:O}", "kernel", kernel);
        sri_record_param(row, config->filter.path, r->param);
        json_object_set_new(row, "value", sri_json_number(r->score.value));
        json_object_set_new(row, "stderr", sri_json_number(r->score.stderr_));
        json_object_set_new(row, "df", sri_json_number(r->score.df));
        json_array_append_new(table, row);
    }
    json_decref(kernel);
    return table;
}

static void add_report(json_t *record, const sri_config *config, const sri_search_result *result)
{
    const sri_report *report = &result->report;
    if (report->fell_back)
        sri_record_note(record,
                        "the kernel matrix is singular to rounding: %lld factorizations gave way "
                        "to the full decomposition",
                        (long long)report->fell_back);
    if (report->bound > 1e-6)
        sri_record_note(record,
                        "krylov stopped after %lld steps with a residual bound of %.1e of |y|: the "
                        "smallest lambda may be less exact",
                        (long long)report->steps, report->bound);
    json_t *filter = json_object_get(record, "filter");
    if (config->filter.ops == &sri_filter_tsvd && isfinite(result->df))
        json_object_set_new(filter, "kept", json_integer((json_int_t)llround(result->df)));
    if (report->steps)
        json_object_set_new(record, "steps", json_integer(report->steps));
}

specreg_status sri_record_search(specreg_context *ctx, json_t *record, const sri_config *config,
                                 const sri_task *task, const sri_search_result *result)
{
    json_t *filter = sri_filter_json(&result->filter);
    sri_record_param(filter, result->filter.path, result->param);
    json_object_set_new(record, "kernel", sri_kernel_json(&result->kernel));
    json_object_set_new(record, "outputs", json_pack("{s:s}", "name", "independent"));
    json_object_set_new(record, "filter", filter);
    json_object_set_new(record, "approx", json_pack("{s:s}", "name", "exact"));
    json_object_set_new(record, "engine", json_string(result->engine->name));
    json_t *selection =
        json_pack("{s:s, s:s, s:o, s:o, s:b, s:o}", "method", config->rule.ops->name, "criterion",
                  sri_rule_criterion(&config->rule, task), "value",
                  sri_json_number(result->score.value), "stderr",
                  sri_json_number(result->score.stderr_), "exact",
                  sri_rule_exact(&config->rule, &config->filter), "table",
                  table_json(config, result));
    if (!selection)
        return sri_fail(ctx, SPECREG_E_NOMEM, "out of memory");
    if (result->search_engine)
        json_object_set_new(selection, "engine", json_string(result->search_engine->name));
    json_object_set_new(record, "selection", selection);
    json_object_set_new(record, "df", sri_json_number(result->df));
    add_report(record, config, result);
    return SPECREG_OK;
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
        SRI_TRY(sri_losses_add(ctx, task, F, task->T, Y, classes, n, &losses));
        json_object_set_new(*out, "error_rate", json_real(losses.wrong / (double)n));
    } else {
        json_object_set_new(*out, "mae", sri_json_number(all.mae));
        json_object_set_new(*out, "r2", sri_json_number(all.r2));
    }
    if (!classes && task->T > 1) {
        json_t *each = json_array();
        for (int64_t t = 0; t < task->T; t++) {
            const sri_regression_measure m = sri_measure_output(F, Y, n, task->T, t);
            json_array_append_new(each, json_pack("{s:s, s:o, s:o, s:o}", "name",
                                                  task->reader.target->name[t], "mse",
                                                  sri_json_number(m.mse), "mae",
                                                  sri_json_number(m.mae), "r2",
                                                  sri_json_number(m.r2)));
        }
        json_object_set_new(*out, "per_output", each);
    }
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
