#include "select/memoize.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/memory.h"
#include "core/text.h"
#include "kernel/registry.h"

static void add_array(sri_digest *d, const void *data, int64_t count, size_t size)
{
    sri_digest_add(d, &count, sizeof count);
    sri_digest_add(d, data, data ? (size_t)count * size : 0);
}

static void add_rows(sri_digest *d, const sri_rows_view *rows, const sri_truth *truth, int64_t T)
{
    const sri_matrix *X = &rows->x;
    const int64_t n = rows->n, entries = X->start ? sri_matrix_entries(X) : 0;
    add_array(d, X->x, X->x ? X->n * X->p : 0, sizeof *X->x);
    if (rows->label)
        add_array(d, rows->label, n, sizeof *rows->label);
    if (rows->vector)
        add_array(d, rows->vector, n, sizeof *rows->vector);
    add_array(d, X->start, X->start ? n + 1 : 0, sizeof *X->start);
    add_array(d, X->index, entries, sizeof *X->index);
    add_array(d, X->value, entries, sizeof *X->value);
    add_array(d, truth->Y, n * T, sizeof *truth->Y);
    add_array(d, truth->classes, n, sizeof *truth->classes);
    add_array(d, truth->weight, n, sizeof *truth->weight);
}

sri_digest sri_problem_digest(const sri_problem *problem)
{
    const sri_truth truth = sri_problem_truth(problem);
    sri_digest d = {{0}};
    sri_digest_text(&d, SPECREG_VERSION);
    for (int i = 0; i < SRI_OPT_COUNT; i++)
        sri_digest_text(&d, i == SRI_OPT_CHECKPOINT ? "" : sri_option_value(problem->options, i));
    add_rows(&d, &problem->points->rows, &truth, problem->T);
    add_array(&d, problem->unpenalised.P, problem->unpenalised.l * problem->n,
              sizeof *problem->unpenalised.P);
    return d;
}

/* All that the scores depend on: the problem, its folds, the rows that trials validate on. */
static sri_digest fingerprint(const sri_setting *s)
{
    const sri_problem *problem = &s->problem;
    sri_digest d = sri_problem_digest(problem);
    add_array(&d, problem->folds.of_row,
              problem->folds.of_row ? problem->n * problem->folds.repeats : 0,
              sizeof *problem->folds.of_row);
    for (int64_t f = 0; f < s->trials.count; f++) {
        const sri_trial *t = &s->trials.trial[f];
        const sri_sample *v = &t->validate;
        const sri_truth held = {.Y = v->Y, .classes = v->classes, .weight = v->weight};
        add_array(&d, t->row, t->row ? v->n : 0, sizeof *t->row);
        add_rows(&d, &v->rows, &held, problem->T);
        add_array(&d, v->P, v->P ? v->n * problem->unpenalised.l : 0, sizeof *v->P);
    }
    return d;
}

specreg_status sri_memoize_open(specreg_context *ctx, const sri_search_spec *spec,
                                const sri_setting *setting, sri_checkpoint **out)
{
    *out = NULL;
    if (!spec->checkpoint)
        return SPECREG_OK;
    const sri_digest d = fingerprint(setting);
    return sri_checkpoint_open(ctx, spec->checkpoint, d.word, out);
}

/* A kernel as a text that tells it from every other: names and numbers to the last bit. */
static specreg_status kernel_text(specreg_context *ctx, const sri_kernel *kernel, sri_buffer *out)
{
    for (int t = 0; t < kernel->n_terms; t++) {
        const sri_kernel_term *term = &kernel->term[t];
        const sri_picked *columns = term->columns;
        SRI_CALL(sri_buffer_print(ctx, out, " %s%a*%s", term->times ? "*" : "", term->weight,
                                  sri_kernel_term_name(term)));
        for (int64_t s = 0; columns && s < columns->spans; s++)
            SRI_CALL(sri_buffer_print(ctx, out, " %" PRId64 "-%" PRId64, columns->span[s].first,
                                      columns->span[s].end));
        for (int i = 0; i < sri_kernel_param_count(term); i++)
            SRI_CALL(sri_buffer_print(ctx, out, " %a", term->param[i]));
        const sri_coupling *coupling = term->coupling;
        SRI_CALL(sri_buffer_print(ctx, out, " %s", coupling ? coupling->ops->name : "-"));
        for (int i = 0; coupling && i < coupling->ops->n_params; i++)
            SRI_CALL(sri_buffer_print(ctx, out, " %a", coupling->param[i]));
    }
    return SPECREG_OK;
}

/* A setting of the filter likewise; its name is among the options. */
static specreg_status filter_text(specreg_context *ctx, const sri_filter *filter, sri_buffer *out)
{
    SRI_CALL(sri_buffer_print(ctx, out, ", %d %a %d", (int)filter->step_rule, filter->step,
                              filter->variant));
    for (int i = 0; i < sri_filter_param_count(filter); i++)
        SRI_CALL(sri_buffer_print(ctx, out, " %a", filter->param[i]));
    return SPECREG_OK;
}

/* Rows, kernel, filter and path as a text. */
static specreg_status key_text(specreg_context *ctx, const sri_setting *setting,
                               const sri_candidate *c, sri_buffer *out)
{
    sri_digest path = {{0}};
    sri_digest_add(&path, c->path.v, (size_t)c->path.count * sizeof *c->path.v);
    for (int t = 0; t < c->kernel.n_terms; t++) { /* a file may have changed since */
        const sri_coupling *coupling = c->kernel.term[t].coupling;
        if (coupling && coupling->A)
            sri_digest_add(&path, coupling->A,
                           (size_t)(coupling->T * coupling->T) * sizeof *coupling->A);
    }
    SRI_CALL(sri_buffer_print(ctx, out, "%" PRId64 " rows,", setting->problem.n));
    SRI_CALL(kernel_text(ctx, &c->kernel, out));
    SRI_CALL(filter_text(ctx, &c->filter, out));
    return sri_buffer_print(ctx, out, ", %016" PRIx64 "%016" PRIx64, path.word[0], path.word[1]);
}

static const sri_engine *engine_named(const char name[16])
{
    int i = 0;
    while (sri_engine_at(i) && strncmp(sri_engine_at(i)->name, name, 16) != 0)
        i++;
    return sri_engine_at(i);
}

static specreg_status recall(specreg_context *ctx, const sri_checkpoint *checkpoint,
                             const char *key, int64_t count, sri_outcome *out, bool *found)
{
    specreg_status st = SPECREG_OK;
    sri_finished done_before = {0};
    *out = (sri_outcome){.count = count, .fitted = {.df = NAN}};
    SRI_CALLOC(ctx, out->score, count, 1);
    *found = sri_checkpoint_find(checkpoint, key, count, &done_before, out->score);
    if (!*found)
        goto done;
    out->report = done_before.report;
    out->rank = done_before.rank;
    if (done_before.best >= 0 && done_before.best < count)
        out->best = done_before.best;
    out->abandoned = done_before.left_early != 0;
    out->engine = engine_named(done_before.engine);
    out->recalled = true;
done:
    if (st != SPECREG_OK || !*found)
        sri_outcome_free(out);
    return st;
}

static specreg_status remember(specreg_context *ctx, sri_checkpoint *checkpoint, const char *key,
                               const sri_outcome *out)
{
    sri_finished finished = {.report = out->report,
                             .rank = out->rank,
                             .best = out->best,
                             .left_early = out->abandoned};
    if (out->engine)
        snprintf(finished.engine, sizeof finished.engine, "%s", out->engine->name);
    return sri_checkpoint_add(ctx, checkpoint, key, out->count, &finished, out->score);
}

specreg_status sri_memoize(specreg_context *ctx, const sri_run *run, sri_checkpoint *checkpoint)
{
    specreg_status st = SPECREG_OK;
    sri_buffer key = {0};
    bool found = false;
    if (!checkpoint)
        return sri_evaluate(ctx, run);
    SRI_TRY(key_text(ctx, run->setting, run->candidate, &key));
    SRI_TRY(recall(ctx, checkpoint, key.data, run->candidate->path.count, run->out, &found));
    if (found)
        goto done;
    SRI_TRY(sri_evaluate(ctx, run));
    st = remember(ctx, checkpoint, key.data, run->out);
    if (st != SPECREG_OK)
        sri_outcome_free(run->out);
done:
    sri_buffer_free(&key);
    return st;
}
