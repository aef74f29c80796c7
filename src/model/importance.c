/* Permutation importance: how much worse predictions get when a column says nothing of its row. */
#include <math.h>
#include <string.h>

#include "core/rng.h"
#include "model/altered.h"
#include "model/evaluate.h"

/* What the public struct points at is taken from the arena. */
typedef struct owned {
    specreg_importances of; /* comes first: its address is that of the whole */
    sri_arena arena;
} owned;

typedef struct work {
    const sri_call *call;
    const specreg_model *model;
    const sri_measure *measure;
    sri_altered rows;
    sri_gathered gathered;
    sri_evaluation notes;
    int64_t repeats;
    int64_t *permuted; /* repeats x rows */
} work;

static specreg_status check_measure(specreg_context *ctx, const specreg_model *model,
                                    const sri_measure *m)
{
    const bool classes = model->encoding.coding != NULL;
    SRI_CHECK(ctx, m->suits & (classes ? SRI_SUITS_CLASSES : ~(unsigned)SRI_SUITS_CLASSES),
              SPECREG_E_ARG, "criterion %s is not for %s", m->info.name,
              classes ? "classes" : "regressions");
    SRI_CHECK(
        ctx, !(m->uses & SRI_USES_PROBABILITIES) || model->uncertainty.calibration.slopes,
        SPECREG_E_UNAVAILABLE,
        "criterion %s: the model has no probabilities: fit it again with --select loo or kfold",
        m->info.name);
    return SPECREG_OK;
}

static specreg_status parse(specreg_context *ctx, const specreg_options *options, work *w,
                            uint64_t *seed)
{
    int64_t number;
    SRI_CALL(sri_criterion_parse(ctx, sri_option_value(options, SRI_OPT_CRITERION), &w->measure));
    if (!w->measure)
        w->measure = sri_measure_auto(w->model->encoding.coding != NULL);
    SRI_CALL(check_measure(ctx, w->model, w->measure));
    SRI_CALL(sri_whole_option(ctx, options, SRI_OPT_REPEATS, 1, 1e6, &w->repeats));
    SRI_CALL(sri_whole_option(ctx, options, SRI_OPT_SEED, 0, SRI_LARGEST_WHOLE, &number));
    *seed = (uint64_t)number;
    return SPECREG_OK;
}

/* The criterion of all rows, with changes. */
static specreg_status measured(specreg_context *ctx, work *w, const sri_alterations *changes,
                               double *value)
{
    const specreg_table *part;
    w->gathered.n = 0;
    for (int64_t first = 0; (part = sri_altered_part(&w->rows, changes, first));
         first += part->rows) {
        const sri_rows_how how = {.labelled = true, .is_part = true, .before = first};
        SRI_CALL(sri_gather_table(ctx, w->call->recipe, part, how, &w->gathered));
        SRI_CALL(sri_altered_progress(ctx, &w->rows));
    }
    return sri_gathered_measure(ctx, &w->gathered, w->measure, value);
}

/* The permutations of the rows, each drawn after the one before. */
static specreg_status permute(specreg_context *ctx, uint64_t seed, work *w)
{
    const int64_t n = w->rows.rows->rows;
    sri_rng rng = sri_rng_make(seed, SRI_STREAM_PERMUTATIONS);
    SRI_NEW(ctx, w->permuted, w->repeats, n);
    for (int64_t r = 0; r < w->repeats; r++) {
        int64_t *p = w->permuted + r * n;
        for (int64_t i = 0; i < n; i++)
            p[i] = i;
        sri_rng_shuffle(&rng, p, n);
    }
    return SPECREG_OK;
}

static void mean_and_deviation(const double *v, int64_t n, double *mean, double *stddev)
{
    double sum = 0, squares = 0;
    for (int64_t i = 0; i < n; i++)
        sum += v[i];
    *mean = sum / (double)n;
    for (int64_t i = 0; i < n; i++)
        squares += (v[i] - *mean) * (v[i] - *mean);
    *stddev = n > 1 ? sqrt(squares / (double)(n - 1)) : NAN;
}

static specreg_status make_room(specreg_context *ctx, const work *w, owned *o, const char ***name,
                                double *array[3])
{
    const int64_t columns = w->rows.chosen_count;
    SRI_ARENA_NEW(ctx, &o->arena, *name, columns, 1);
    SRI_ARENA_NEW(ctx, &o->arena, array[0], columns, 1);
    SRI_ARENA_NEW(ctx, &o->arena, array[1], columns, 1);
    SRI_ARENA_NEW(ctx, &o->arena, array[2], columns, w->repeats);
    o->of.columns = columns;
    o->of.name = *name;
    o->of.mean = array[0];
    o->of.stddev = array[1];
    o->of.value = array[2];
    return SPECREG_OK;
}

static specreg_status each_column(specreg_context *ctx, work *w, owned *o)
{
    const specreg_table *t = w->rows.rows;
    const double sign = w->measure->info.larger_is_better ? -1 : 1;
    const char **name;
    double *array[3], value;
    SRI_CALL(make_room(ctx, w, o, &name, array));
    for (int64_t c = 0, k = 0; c < t->n_columns; c++) {
        if (!w->rows.chosen[c])
            continue;
        double *values = array[2] + k * w->repeats;
        SRI_CALL(sri_arena_text(ctx, &o->arena, t->column[c].name, &name[k]));
        for (int64_t r = 0; r < w->repeats; r++) {
            const sri_alterations change = {1, {{c, w->permuted + r * t->rows, 0}}};
            SRI_CALL(measured(ctx, w, &change, &value));
            values[r] = sign * (value - o->of.baseline);
        }
        mean_and_deviation(values, w->repeats, &array[0][k], &array[1][k]);
        k++;
    }
    return SPECREG_OK;
}

static specreg_status compute(specreg_context *ctx, work *w, owned *o)
{
    char text[512];
    SRI_CALL(sri_altered_stage(ctx, &w->rows, 1 + w->rows.chosen_count * w->repeats));
    SRI_CALL(measured(ctx, w, &(sri_alterations){0}, &o->of.baseline));
    SRI_CHECK(ctx, isfinite(o->of.baseline), SPECREG_E_NUMERIC,
              "criterion %s is not defined for the rows of %s", w->measure->info.name,
              w->rows.rows->source);
    if (w->notes.unseen.cells)
        sri_log(ctx, "note: %s", sri_unseen_text(&w->notes.unseen, text, sizeof text));
    return each_column(ctx, w, o);
}

specreg_status specreg_importance(specreg_context *ctx, const specreg_model *model,
                                  const specreg_table *data, const specreg_options *options,
                                  specreg_importances **out)
{
    SRI_MAKES(ctx, out, model, data);
    specreg_status st = SPECREG_OK;
    sri_call call = {0};
    work w = {.call = &call, .model = model};
    owned *o = NULL;
    w.gathered = (sri_gathered){.model = model, .out = &w.notes};
    SRI_TRY(sri_call_enter_predict(ctx, options, &call));
    SRI_CALLOC(ctx, o, 1, 1);
    const sri_altered_how how = {true, sri_option_value(options, SRI_OPT_COLUMNS)};
    SRI_TRY(sri_altered_make(ctx, &call, model, data, how, &w.rows));
    SRI_TRY(parse(ctx, options, &w, &o->of.seed));
    SRI_TRY(permute(ctx, o->of.seed, &w));
    SRI_TRY(compute(ctx, &w, o));
    o->of.criterion = &w.measure->info;
    o->of.rows = w.rows.rows->rows;
    o->of.repeats = w.repeats;
    SRI_TRY(sri_arena_text(ctx, &o->arena, data->source, &o->of.data));
    o->of.seconds = sri_call_seconds(&call);
    *out = &o->of;
    o = NULL;
done:
    specreg_importances_free(o ? &o->of : NULL);
    sri_free(w.permuted);
    sri_gathered_free(&w.gathered);
    sri_altered_free(&w.rows);
    sri_call_leave(&call);
    return st;
}

void specreg_importances_free(specreg_importances *importances)
{
    owned *o = (owned *)importances;
    if (o)
        sri_arena_free(&o->arena);
    sri_free(o);
}
