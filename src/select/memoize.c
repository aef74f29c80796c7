#include "select/memoize.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/digest.h"
#include "core/json.h"
#include "core/memory.h"
#include "core/text.h"

/* ------------------------------------------------------------------- whose checkpoint it is */

static void add_array(sri_digest *d, const void *data, int64_t count, size_t size)
{
    sri_digest_add(d, &count, sizeof count);
    sri_digest_add(d, data, data ? (size_t)count * size : 0);
}

static void add_rows(sri_digest *d, const sri_matrix *X, const sri_truth *truth, int64_t n,
                     int64_t T)
{
    const int64_t entries = X->start ? sri_matrix_entries(X) : 0;
    add_array(d, X->x, X->x ? n * X->p : 0, sizeof *X->x);
    add_array(d, X->start, X->start ? n + 1 : 0, sizeof *X->start);
    add_array(d, X->index, entries, sizeof *X->index);
    add_array(d, X->value, entries, sizeof *X->value);
    add_array(d, truth->Y, n * T, sizeof *truth->Y);
    add_array(d, truth->classes, n, sizeof *truth->classes);
    add_array(d, truth->weight, n, sizeof *truth->weight);
}

/* All that the scores depend on: the rows, their folds, the rows that trials validate on, every
 * option but the checkpoint's own name. */
static sri_digest fingerprint(const sri_setting *s)
{
    const sri_task *task = &s->task;
    const sri_truth truth = sri_task_truth(task);
    sri_digest d = {{0}};
    sri_digest_text(&d, SPECREG_VERSION);
    for (int i = 0; i < SRI_OPT_COUNT; i++) {
        const char *value = i == SRI_OPT_CHECKPOINT ? "" : sri_option_value(task->options, i);
        if (i != SRI_OPT_LINALG || *value) /* checkpoints from before this option stay valid */
            sri_digest_text(&d, value);
    }
    const sri_matrix all = sri_points_rows(task->points, 0, task->n);
    add_rows(&d, &all, &truth, task->n, task->T);
    add_array(&d, task->features.P, task->features.l * task->n, sizeof *task->features.P);
    add_array(&d, task->fold, task->fold ? task->n * task->repeats : 0, sizeof *task->fold);
    for (int64_t f = 0; f < s->trials.count; f++) {
        const sri_trial *t = &s->trials.trial[f];
        const sri_sample *v = &t->validate;
        const sri_truth held = {.Y = v->Y, .classes = v->classes, .weight = v->weight};
        add_array(&d, t->row, t->row ? v->n : 0, sizeof *t->row);
        add_rows(&d, &v->X, &held, v->n, task->T);
        add_array(&d, v->P, v->P ? v->n * task->features.l : 0, sizeof *v->P);
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

/* ------------------------------------------------------------------- one evaluation */

/* Kernel, path and rows as a text. */
static specreg_status key_text(specreg_context *ctx, const sri_setting *setting,
                               const sri_candidate *c, char **out)
{
    specreg_status st = SPECREG_OK;
    sri_buffer text = {0};
    sri_digest path = {{0}};
    json_t *json = sri_kernel_json(&c->kernel);
    if (c->kernel.term[0].coupling)
        sri_json_put(&json, "outputs", sri_kernel_outputs_json(&c->kernel, false));
    char *kernel = json ? json_dumps(json, JSON_COMPACT | JSON_REAL_PRECISION(17)) : NULL;
    SRI_REQUIRE(ctx, kernel, SPECREG_E_NOMEM, "out of memory");
    sri_digest_add(&path, c->path.v, (size_t)c->path.count * sizeof *c->path.v);
    for (int t = 0; t < c->kernel.n_terms; t++) { /* files may say other things than before */
        const sri_coupling *outputs = c->kernel.term[t].coupling;
        if (outputs)
            sri_digest_add(&path, outputs->A,
                           (size_t)(outputs->T * outputs->T) * sizeof *outputs->A);
    }
    SRI_TRY(sri_buffer_print(ctx, &text, "%" PRId64 " rows, %s, %016" PRIx64 "%016" PRIx64,
                             setting->task.n, kernel, path.word[0], path.word[1]));
    *out = text.data;
    text = (sri_buffer){0};
done:
    sri_buffer_free(&text);
    free(kernel);
    json_decref(json);
    return st;
}

static int engine_number(const sri_engine *engine)
{
    int i = 0;
    while (sri_engine_at(i) && sri_engine_at(i) != engine)
        i++;
    return i;
}

/* Two more scores hold the rest of an outcome: its rank, then the best point, the engine, the
 * effort and whether the path was left. */
enum { EXTRA = 2 };

static specreg_status recall(specreg_context *ctx, const sri_checkpoint *checkpoint,
                             const char *key, int64_t count, sri_outcome *out, bool *found)
{
    specreg_status st = SPECREG_OK;
    *out = (sri_outcome){.count = count, .fitted = {.df = NAN}};
    SRI_CALLOC(ctx, out->score, count + EXTRA, 1);
    SRI_TRY(
        sri_checkpoint_find(ctx, checkpoint, key, count + EXTRA, out->score, &out->report, found));
    const sri_score *rest = &out->score[count + 1];
    out->rank = out->score[count];
    if (*found && rest->value >= 0 && rest->value < (double)count)
        out->best = (int64_t)rest->value;
    out->left = rest->df != 0;
    if (rest->stderr_ >= 0) /* more than any number of steps: another engine took over */
        out->report.effort = rest->stderr_ < 0x1p62 ? (int64_t)rest->stderr_ : INT64_MAX;
    out->recalled = *found;
    if (*found && rest->tie >= 0 && rest->tie < 100)
        out->engine = sri_engine_at((int)rest->tie);
done:
    if (st != SPECREG_OK || !*found)
        sri_outcome_free(out);
    return st;
}

static specreg_status remember(specreg_context *ctx, sri_checkpoint *checkpoint, const char *key,
                               const sri_outcome *out)
{
    specreg_status st = SPECREG_OK;
    sri_score *score = NULL;
    SRI_CALLOC(ctx, score, out->count + EXTRA, 1);
    memcpy(score, out->score, (size_t)out->count * sizeof *score);
    score[out->count] = out->rank;
    score[out->count + 1] = (sri_score){.value = (double)out->best,
                                        .tie = engine_number(out->engine),
                                        .stderr_ = (double)out->report.effort,
                                        .df = out->left};
    SRI_TRY(sri_checkpoint_add(ctx, checkpoint, key, out->count + EXTRA, score, &out->report));
done:
    free(score);
    return st;
}

specreg_status sri_memoize(specreg_context *ctx, const sri_search_spec *spec,
                           const sri_setting *setting, sri_checkpoint *checkpoint,
                           const sri_candidate *candidate, sri_op *op, const sri_bar *bar,
                           sri_outcome *out)
{
    specreg_status st = SPECREG_OK;
    char *key = NULL;
    bool found = false;
    if (!checkpoint)
        return sri_evaluate(ctx, spec, setting, candidate, op, -1, bar, out);
    SRI_TRY(key_text(ctx, setting, candidate, &key));
    SRI_TRY(recall(ctx, checkpoint, key, candidate->path.count, out, &found));
    if (found)
        goto done;
    SRI_TRY(sri_evaluate(ctx, spec, setting, candidate, op, -1, bar, out));
    st = remember(ctx, checkpoint, key, out);
    if (st != SPECREG_OK)
        sri_outcome_free(out);
done:
    free(key);
    return st;
}
