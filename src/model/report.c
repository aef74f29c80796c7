#include "model/report.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "kernel/registry.h"

void sri_note(specreg_context *ctx, sri_notes *notes, const char *format, ...)
{
    enum { LONGEST = 512 };
    char line[LONGEST];
    va_list args;
    va_start(args, format);
    vsnprintf(line, sizeof line, format, args);
    va_end(args);
    char *copy = sri_strdup(ctx, line);
    if (!copy || sri_grow(ctx, (void **)&notes->text, &notes->capacity, notes->count + 1,
                          sizeof *notes->text) != SPECREG_OK) {
        sri_free(copy);
        notes->failed = true;
        return;
    }
    notes->text[notes->count++] = copy;
}

specreg_status sri_notes_check(specreg_context *ctx, const sri_notes *notes)
{
    return notes->failed ? sri_fail(ctx, SPECREG_E_NOMEM, "out of memory") : SPECREG_OK;
}

void sri_notes_free(sri_notes *notes)
{
    sri_free_list(notes->text, notes->count);
    *notes = (sri_notes){0};
}

static specreg_status column_name(specreg_context *ctx, const sri_dataset *d, int64_t column,
                                  char **out)
{
    if (column >= 0)
        SRI_NEW_TEXT(ctx, *out, d->table->column[column].name);
    return SPECREG_OK;
}

static specreg_status rows_report(specreg_context *ctx, const sri_dataset *d, sri_rows_report *out)
{
    out->groups = d->rows.n_groups;
    out->tasks = d->tasks ? d->tasks->n_classes : 0;
    SRI_CALL(column_name(ctx, d, d->roles.group, &out->group));
    SRI_CALL(column_name(ctx, d, d->roles.task, &out->task_column));
    SRI_CALL(column_name(ctx, d, d->roles.weights, &out->weights));
    if (d->target && d->target->gaps) {
        SRI_NEW_ZERO(ctx, out->missing_targets, d->rows.T, 1);
        for (int64_t k = 0; k < d->rows.n * d->rows.T; k++)
            out->missing_targets[k % d->rows.T] += isnan(d->rows.Y[k]);
    }
    if (d->class_weight) {
        SRI_NEW(ctx, out->class_weight, d->target->n_classes, 1);
        memcpy(out->class_weight, d->class_weight,
               (size_t)d->target->n_classes * sizeof *out->class_weight);
    }
    return SPECREG_OK;
}

specreg_status sri_data_report_make(specreg_context *ctx, const sri_dataset *d,
                                    sri_data_report *out)
{
    const specreg_table *t = d->table;
    *out = (sri_data_report){.format = t->format ? t->format : "arrays",
                             .delimiter = t->delimiter,
                             .header = t->has_header,
                             .n = d->rows.n,
                             .p = d->p,
                             .outputs = d->rows.T,
                             .dropped_rows = t->rows - d->rows.n - d->n_unlabelled,
                             .points = d->points.flat.n,
                             .problem = sri_dataset_kind(d)};
    SRI_NEW_TEXT(ctx, out->file, t->source);
    return rows_report(ctx, d, &out->rows);
}

void sri_data_report_free(sri_data_report *report)
{
    sri_rows_report *rows = &report->rows;
    sri_free(rows->missing_targets);
    sri_free(rows->class_weight);
    sri_free(rows->weights);
    sri_free(rows->task_column);
    sri_free(rows->group);
    sri_free(report->file);
    *report = (sri_data_report){0};
}

static specreg_status copy_table(specreg_context *ctx, const sri_prepared *p,
                                 const sri_search_result *result, sri_selection_report *out)
{
    SRI_NEW(ctx, out->tried, result->rows, 1);
    out->rows = result->rows;
    for (int64_t i = 0; i < result->rows; i++) {
        const sri_search_row *row = &result->row[i];
        out->tried[i] =
            (sri_tried){.candidate = row->candidate,
                        .setting = row->setting,
                        .step = row->step,
                        .param = row->param,
                        .value = sri_rule_shown(&p->rule, &p->problem, row->score.value),
                        .stderr_ = row->score.stderr_,
                        .df = row->score.df,
                        .left = row->left};
    }
    return SPECREG_OK;
}

static int rising(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Adds a parameter with the values it took, unless it was one value only; sorts them. */
static void add_searched(sri_selection_report *out, sri_searched one, double *value, int64_t count)
{
    qsort(value, (size_t)count, sizeof *value, rising);
    for (int64_t i = 0; i < count; i++)
        one.values += i == 0 || value[i] != value[i - 1];
    if (one.values < 2)
        return;
    one.least = value[0];
    one.largest = value[count - 1];
    out->searched[out->n_searched++] = one;
}

static bool same_couplings(const sri_kernel *a, const sri_kernel *b)
{
    for (int t = 0; t < a->n_terms; t++) {
        const sri_coupling *x = a->term[t].coupling, *y = b->term[t].coupling;
        if (!x || !y)
            continue;
        for (int i = 0; i < x->ops->n_params; i++)
            if (x->param[i] != y->param[i])
                return false;
    }
    return true;
}

/* Paths depend on the coupling: of the one that was chosen. */
static void add_path(const sri_search_result *result, double *value, sri_selection_report *out)
{
    int64_t count = 0;
    for (int64_t i = 0; i < result->rows; i++)
        if (!isnan(result->row[i].param) &&
            result->row[i].setting == result->row[result->winner].setting &&
            sri_kernel_same_family(&result->candidate[result->row[i].candidate], &result->kernel) &&
            same_couplings(&result->candidate[result->row[i].candidate], &result->kernel))
            value[count++] = result->row[i].param;
    add_searched(out,
                 (sri_searched){.of = SRI_OF_FILTER,
                                .term = -1,
                                .name = sri_path_name(result->filter.path),
                                .chosen = result->param},
                 value, count);
}

/* Parameters of the filter beside that of its path; a step that follows from the kernel has as many
 * values as that, and is not searched. */
static void add_settings(const sri_search_result *result, const sri_filter_grid *settings,
                         const sri_filter *names, double *value, sri_selection_report *out)
{
    const int params = sri_filter_param_count(names);
    for (int i = 0; i < params; i++) {
        if (strcmp(sri_filter_param_at(names, i).name, sri_path_name(names->path)) == 0)
            continue;
        for (int64_t k = 0; k < result->rows; k++)
            value[k] = settings->at[result->row[k].setting].param[i];
        add_searched(out,
                     (sri_searched){.of = SRI_OF_FILTER,
                                    .term = -1,
                                    .name = sri_filter_param_at(names, i).name,
                                    .chosen = result->filter.param[i]},
                     value, result->rows);
    }
    for (int64_t k = 1; k < settings->count; k++)
        if (settings->at[k].step_rule == SRI_STEP_GIVEN &&
            settings->at[k].step != settings->at[0].step) {
            for (int64_t i = 0; i < result->rows; i++)
                value[i] = result->row[i].step;
            add_searched(out,
                         (sri_searched){.of = SRI_OF_FILTER,
                                        .term = -1,
                                        .name = "step",
                                        .chosen = result->filter.step},
                         value, result->rows);
            return;
        }
}

/* Parameters of one term of the kernel, and of its coupling where that is its own. */
static void add_term(const sri_search_result *result, const sri_kernel_term *names, int t,
                     double *value, sri_selection_report *out)
{
    const sri_kernel *won = &result->kernel;
    const sri_kernel_term *term = &won->term[t];
    const bool sum = won->n_terms > 1 || term->weight != 1;
    const bool all = sri_kernel_coupling(won) != NULL;
    for (int i = 0; i < sri_kernel_param_count(term); i++) {
        int64_t count = 0;
        for (int64_t k = 0; k < result->rows; k++) {
            const sri_kernel *tried = &result->candidate[result->row[k].candidate];
            if (sri_kernel_same_family(tried, won))
                value[count++] = tried->term[t].param[i];
        }
        add_searched(out,
                     (sri_searched){.of = SRI_OF_KERNEL,
                                    .term = sum ? t : -1,
                                    .name = sri_kernel_param_at(names, i).name,
                                    .chosen = term->param[i]},
                     value, count);
    }
    for (int i = 0; term->coupling && (t == 0 || !all) && i < term->coupling->ops->n_params; i++) {
        for (int64_t k = 0; k < result->rows; k++)
            value[k] = result->candidate[result->row[k].candidate].term[t].coupling->param[i];
        add_searched(out,
                     (sri_searched){.of = SRI_OF_OUTPUTS,
                                    .term = all ? -1 : t,
                                    .name = term->coupling->ops->params[i].name,
                                    .chosen = term->coupling->param[i]},
                     value, result->rows);
    }
}

static specreg_status find_searched(specreg_context *ctx, const sri_search_result *result,
                                    const sri_search_report *names, sri_selection_report *out)
{
    specreg_status st = SPECREG_OK;
    double *value = NULL;
    SRI_ALLOC(ctx, value, result->rows, 1);
    for (int t = 0; t < result->kernel.n_terms; t++)
        add_term(result, &names->kernel.kernel.term[t], t, value, out);
    if (out->settings.count > 1)
        add_settings(result, &out->settings, &names->filter.filter, value, out);
    add_path(result, value, out);
done:
    sri_free(value);
    return st;
}

/* The settings of the filter where there are several, a user's by the report's own name. */
static specreg_status copy_settings(specreg_context *ctx, const sri_filter_grid *from,
                                    const sri_kept_filter *names, sri_filter_grid *out)
{
    if (!from || from->count < 2)
        return SPECREG_OK;
    SRI_NEW(ctx, out->at, from->count, 1);
    for (int64_t i = 0; i < from->count; i++) {
        out->at[i] = from->at[i];
        out->at[i].user = names->user;
    }
    out->count = from->count;
    return SPECREG_OK;
}

static specreg_status make_selection(specreg_context *ctx, const sri_prepared *p,
                                     const sri_search_result *result, sri_search_report *report)
{
    const sri_rule *rule = &p->rule;
    sri_selection_report *out = &report->selection;
    *out =
        (sri_selection_report){.method = rule->ops->name,
                               .criterion = sri_rule_criterion(rule, &p->problem),
                               .value = sri_rule_shown(&p->rule, &p->problem, result->score.value),
                               .stderr_ = result->score.stderr_,
                               .exact = sri_rule_exact(rule, p->spec.filter),
                               .one_se = p->spec.one_se,
                               .strategy = p->spec.strategy,
                               .rule = {.ops = rule->ops},
                               .engine = result->search_engine,
                               .bound = result->report.certain};
    for (int i = 0; i < rule->ops->n_params; i++)
        out->rule.param[i] = sri_rule_number(rule, &p->problem, i);
    if (rule->path)
        SRI_NEW_TEXT(ctx, out->rule.path, rule->path);
    SRI_CALL(copy_table(ctx, p, result, out));
    SRI_CALL(copy_settings(ctx, p->spec.filters, &report->filter, &out->settings));
    return find_searched(ctx, result, report, out);
}

specreg_status sri_search_report_make(specreg_context *ctx, const sri_prepared *p,
                                      const sri_search_result *result, sri_search_report *out)
{
    *out = (sri_search_report){.engine = result->engine,
                               .run = result->report,
                               .single = p->problem.resources.single,
                               .df = result->fitted.df,
                               .df_stderr = result->fitted.df_stderr};
    SRI_CALL(sri_kernel_keep(ctx, &result->kernel, &out->kernel));
    SRI_CALL(sri_filter_keep(ctx, &result->filter, result->param, &out->filter));
    SRI_CALL(sri_filter_keep_each(ctx, result->fitted.each, p->problem.T, &out->filter));
    if (result->filter.ops->truncates && isfinite(result->fitted.df) &&
        result->fitted.df_stderr == 0)
        out->filter.kept = sri_kept_eigenvalues(p, result);
    SRI_CALL(make_selection(ctx, p, result, out));
    sri_notes_search(ctx, result, &out->notes);
    return sri_notes_check(ctx, &out->notes);
}

void sri_search_report_free(sri_search_report *report)
{
    sri_selection_report *s = &report->selection;
    sri_notes_free(&report->notes);
    sri_free(s->tried);
    sri_free(s->candidate);
    sri_free(s->choice);
    sri_kernel_grid_free(&s->grid);
    sri_filter_grid_free(&s->settings);
    sri_rule_free(&s->rule);
    sri_kept_filter_free(&report->filter);
    sri_kept_kernel_free(&report->kernel);
    *report = (sri_search_report){0};
}

/* Errors on the rows that trained the model. */
static specreg_status training_errors(specreg_context *ctx, const sri_prepared *p,
                                      const sri_search_result *result, sri_errors *out)
{
    specreg_status st = SPECREG_OK;
    const sri_dataset *data = &p->data;
    const sri_truth truth = {data->rows.Y, data->rows.classes, NULL};
    sri_comparison comparison = {0};
    double *F = NULL;
    const sri_errors_request request = {.report = SRI_IN_TRAIN,
                                        .field = data->field,
                                        .target = data->target,
                                        .tasks = data->tasks,
                                        .task = data->rows.task,
                                        .weight = data->rows.weight};
    SRI_TRY(sri_fitted_values(ctx, &data->points, result->fitted.residual, &F));
    comparison = sri_compare(F, truth, data->rows.n, data->rows.T, data->coding);
    SRI_TRY(sri_errors_make(ctx, &comparison, &request, out));
done:
    sri_comparison_free(&comparison);
    sri_free(F);
    return st;
}

specreg_status sri_fit_report_make(specreg_context *ctx, const sri_prepared *p,
                                   const sri_search_result *result, sri_fit_report **out)
{
    SRI_NEW_ZERO(ctx, *out, 1, 1);
    sri_fit_report *report = *out;
    report->text = p->corpus.counts;
    report->seed = p->problem.resources.seed;
    report->threads = p->call->threads;
    SRI_CALL(sri_options_copy(ctx, p->call->recipe->options, &report->options));
    SRI_CALL(sri_data_report_make(ctx, &p->data, &report->data));
    SRI_CALL(sri_search_report_make(ctx, p, result, &report->search));
    SRI_CALL(training_errors(ctx, p, result, &report->train));
    const sri_portrait_of of = {&p->problem, &p->rule, result};
    SRI_CALL(sri_portrait_make(ctx, &of,
                               sri_portrait_size_for(p->call->recipe->portrait, &p->problem),
                               &report->portrait));
    sri_notes_fit(ctx, p, result, &report->notes);
    char text[400];
    if (sri_unpredicted_text(&report->train, text, sizeof text))
        sri_note(ctx, &report->notes, "%s", text);
    return sri_notes_check(ctx, &report->notes);
}

/* Names of users' kernels are the report's own from here on. */
static void take_candidates(sri_prepared *p, sri_search_result *result, sri_search_report *out)
{
    sri_selection_report *s = &out->selection;
    for (int64_t c = 0; c < result->candidates; c++)
        for (int t = 0; t < result->candidate[c].n_terms; t++)
            result->candidate[c].term[t].user = out->kernel.user[t];
    SRI_MOVE(s->candidate, result->candidate);
    for (int64_t c = 0; c < result->notes.choices; c++)
        for (int t = 0; t < result->notes.choice[c].kernel.n_terms; t++)
            result->notes.choice[c].kernel.term[t].user = out->kernel.user[t];
    s->choices = result->notes.choices;
    SRI_MOVE(s->choice, result->notes.choice);
    sri_kernel_grid_forget(&p->grid);
    s->grid = p->grid;
    p->grid = (sri_kernel_grid){0};
}

sri_times sri_times_of(const sri_search_result *result, double read, double total)
{
    return (sri_times){.read = read,
                       .gram = result->seconds.gram,
                       .centres = result->seconds.centres,
                       .solve = result->seconds.solve,
                       .select = result->seconds.select,
                       .total = total,
                       .peak_bytes = sri_memory_peak()};
}

void sri_fit_report_close(sri_prepared *p, sri_search_result *result, sri_fit_report *report)
{
    const double read = p->data.table->read_seconds;
    take_candidates(p, result, &report->search);
    report->times = sri_times_of(result, read, sri_call_seconds(p->call) + read);
}

void sri_fit_report_free(sri_fit_report *report)
{
    if (!report)
        return;
    sri_notes_free(&report->notes);
    sri_errors_free(&report->train);
    sri_portrait_free(report->portrait);
    specreg_options_free(report->options);
    sri_search_report_free(&report->search);
    sri_data_report_free(&report->data);
    sri_free(report->semi.value);
    sri_free(report->semi.strength);
    sri_free(report->semi.file);
    sri_free(report);
}

void sri_kpca_report_free(sri_kpca_report *report)
{
    if (!report)
        return;
    sri_free(report->eigenvalue);
    sri_free_list(report->carried, report->n_carried);
    sri_data_report_free(&report->data);
    sri_free(report);
}

void sri_import_report_free(sri_import_report *report)
{
    if (report)
        sri_free(report->file);
    sri_free(report);
}
