/* Partial dependence: the mean of the predictions over all rows while a column has the same value
 * in each, and the band in which most rows lie. */
#include <math.h>
#include <string.h>

#include "model/partial_axis.h"
#include "model/predict.h"

/* What the public struct points at is taken from the arena. */
typedef struct owned {
    specreg_partials of; /* comes first: its address is that of the whole */
    sri_arena arena;
} owned;

typedef struct work {
    const sri_call *call;
    const specreg_model *model;
    sri_altered rows;
    int64_t points, outputs;
    bool proba;
    double *F;         /* block x T                         */
    int32_t *winner;   /* block                             */
    double *scores;    /* block x outputs                   */
    double *answers;   /* rows x outputs                    */
    double *answer;    /* rows: of one output               */
    sri_arena scratch; /* these                            */
} work;

static specreg_status make_work(specreg_context *ctx, work *w)
{
    specreg_status st = SPECREG_OK;
    const int64_t block = w->rows.block, n = w->rows.rows->rows;
    w->outputs = specreg_model_outputs(w->model);
    w->proba = w->model->uncertainty.calibration.slopes > 0;
    SRI_SCRATCH(ctx, &w->scratch, w->F, block, w->model->T);
    SRI_SCRATCH(ctx, &w->scratch, w->winner, block, 1);
    SRI_SCRATCH(ctx, &w->scratch, w->scores, block, w->outputs);
    SRI_SCRATCH(ctx, &w->scratch, w->answers, n, w->outputs);
    SRI_SCRATCH(ctx, &w->scratch, w->answer, n, 1);
done:
    return st;
}

/* Predictions of some rows, as people see them: targets, or numbers for each class. */
static specreg_status predict_part(specreg_context *ctx, work *w, const specreg_table *part,
                                   int64_t first, double *out)
{
    specreg_status st = SPECREG_OK;
    sri_sample rows = {0};
    const bool classes = w->model->encoding.coding != NULL;
    const sri_rows_how how = {.is_part = true, .before = first};
    SRI_TRY(sri_model_read(ctx, w->model, part, w->call->recipe, how, &rows));
    SRI_TRY(sri_model_outputs(ctx, w->model, &rows, classes ? w->F : out));
    if (!classes)
        goto done;
    sri_model_decode(w->model, w->F, part->rows, w->proba ? w->scores : out, w->winner);
    if (w->proba)
        sri_calibration_apply(&w->model->uncertainty.calibration, w->scores, part->rows, w->outputs,
                              out);
done:
    sri_sample_free(&rows);
    return st;
}

/* The value below which a share of v lies, between two neighbours as far as the share is. */
static double quantile(double *v, int64_t n, double share)
{
    const double place = share * (double)(n - 1);
    const int64_t k = (int64_t)floor(place);
    const double low = sri_kth_smallest(v, n, k + 1);
    const double high = k + 1 < n ? sri_kth_smallest(v, n, k + 2) : low;
    return low + (place - (double)k) * (high - low);
}

/* One point: all rows have these values. */
static specreg_status at_point(specreg_context *ctx, work *w, const sri_alterations *changes,
                               double *const out[3])
{
    const specreg_table *part;
    const int64_t n = w->rows.rows->rows, T = w->outputs;
    for (int64_t first = 0; (part = sri_altered_part(&w->rows, changes, first));
         first += part->rows) {
        SRI_CALL(predict_part(ctx, w, part, first, w->answers + first * T));
        SRI_CALL(sri_altered_progress(ctx, &w->rows));
    }
    for (int64_t t = 0; t < T; t++) {
        double sum = 0;
        for (int64_t i = 0; i < n; i++)
            sum += w->answer[i] = w->answers[i * T + t];
        out[0][t] = sum / (double)n;
        out[1][t] = quantile(w->answer, n, 0.1);
        out[2][t] = quantile(w->answer, n, 0.9);
    }
    return SPECREG_OK;
}

/* Every point of a curve, or of a surface. */
static specreg_status make_curve(specreg_context *ctx, work *w, sri_arena *arena, int axes,
                                 const sri_partial_axis *axis, specreg_partial_curve *out)
{
    const int64_t second = axes > 1 ? axis[1].of.points : 1;
    const int64_t points = axis[0].of.points * second, T = w->outputs;
    double *array[3];
    *out = (specreg_partial_curve){.axes = axes, .axis = {axis[0].of}};
    if (axes > 1)
        out->axis[1] = axis[1].of;
    for (int k = 0; k < 3; k++)
        SRI_ARENA_NEW(ctx, arena, array[k], points, T);
    for (int64_t i = 0; i < points; i++) {
        sri_alterations change = {axes,
                                  {{.column = axis[0].column, .row = axis[0].row[i / second]}}};
        if (axes > 1)
            change.of[1] =
                (sri_alteration){.column = axis[1].column, .row = axis[1].row[i % second]};
        double *const at[3] = {array[0] + i * T, array[1] + i * T, array[2] + i * T};
        SRI_CALL(at_point(ctx, w, &change, at));
    }
    out->mean = array[0];
    out->low = array[1];
    out->high = array[2];
    return SPECREG_OK;
}

static void note_left_out(specreg_context *ctx, const sri_partial_axis *axis)
{
    if (axis->left_out)
        sri_log(ctx, "note: column '%s' has %lld categories, the %lld most frequent are shown",
                axis->of.name, (long long)(axis->of.points + axis->left_out),
                (long long)axis->of.points);
}

/* The axes of all chosen columns. */
static specreg_status make_axes(specreg_context *ctx, work *w, owned *o, sri_partial_axis **out)
{
    const int64_t columns = w->rows.rows->n_columns;
    SRI_ARENA_NEW(ctx, &w->scratch, *out, w->rows.chosen_count, 1);
    for (int64_t c = 0, k = 0; c < columns; c++) {
        if (!w->rows.chosen[c])
            continue;
        (*out)[k] = (sri_partial_axis){.column = c};
        SRI_CALL(sri_partial_axis_make(ctx, &o->arena, &w->rows, w->model, w->points, &(*out)[k]));
        note_left_out(ctx, &(*out)[k++]);
    }
    return SPECREG_OK;
}

static specreg_status compute(specreg_context *ctx, work *w, bool surface, owned *o)
{
    const int64_t columns = w->rows.chosen_count;
    sri_partial_axis *axis;
    specreg_partial_curve *curve;
    int64_t points = 0;
    SRI_CALL(make_work(ctx, w));
    SRI_CALL(make_axes(ctx, w, o, &axis));
    for (int64_t k = 0; k < columns; k++)
        points += axis[k].of.points;
    if (surface)
        points = axis[0].of.points * axis[1].of.points;
    o->of.curves = surface ? 1 : columns;
    SRI_ARENA_NEW(ctx, &o->arena, curve, o->of.curves, 1);
    SRI_CALL(sri_altered_stage(ctx, &w->rows, points));
    for (int64_t k = 0; k < o->of.curves; k++)
        SRI_CALL(make_curve(ctx, w, &o->arena, surface ? 2 : 1, axis + k, &curve[k]));
    o->of.curve = curve;
    return SPECREG_OK;
}

static specreg_status name_outputs(specreg_context *ctx, const work *w, owned *o)
{
    const sri_target *target = w->model->encoding.target;
    const bool classes = w->model->encoding.coding != NULL;
    const char **name;
    SRI_ARENA_NEW(ctx, &o->arena, name, w->outputs, 1);
    for (int64_t t = 0; t < w->outputs; t++)
        SRI_CALL(
            sri_arena_text(ctx, &o->arena, classes ? target->label[t] : target->name[t], &name[t]));
    o->of.output = name;
    o->of.outputs = w->outputs;
    o->of.what = !classes ? "prediction" : w->proba ? "probability" : "score";
    o->of.rows = w->rows.rows->rows;
    return SPECREG_OK;
}

specreg_status specreg_partial(specreg_context *ctx, const specreg_model *model,
                               const specreg_table *data, const specreg_options *options,
                               specreg_partials **out)
{
    SRI_MAKES(ctx, out, model, data);
    specreg_status st = SPECREG_OK;
    const char *surface = sri_option_value(options, SRI_OPT_SURFACE);
    const char *columns = *surface ? surface : sri_option_value(options, SRI_OPT_COLUMNS);
    sri_call call = {0};
    work w = {.call = &call, .model = model};
    owned *o = NULL;
    SRI_TRY(sri_call_enter_predict(ctx, options, &call));
    SRI_TRY(sri_whole_option(ctx, options, SRI_OPT_POINTS, 2, 10000, &w.points));
    SRI_TRY(sri_altered_make(ctx, &call, model, data, (sri_altered_how){false, columns}, &w.rows));
    SRI_REQUIRE(ctx, !*surface || w.rows.chosen_count == 2, SPECREG_E_ARG,
                "surface: name two columns, such as a,b, not '%s'", surface);
    SRI_CALLOC(ctx, o, 1, 1);
    SRI_TRY(compute(ctx, &w, *surface != '\0', o));
    SRI_TRY(name_outputs(ctx, &w, o));
    SRI_TRY(sri_arena_text(ctx, &o->arena, data->source, &o->of.data));
    o->of.seconds = sri_call_seconds(&call);
    *out = &o->of;
    o = NULL;
done:
    specreg_partials_free(o ? &o->of : NULL);
    sri_arena_free(&w.scratch);
    sri_altered_free(&w.rows);
    sri_call_leave(&call);
    return st;
}

void specreg_partials_free(specreg_partials *partials)
{
    owned *o = (owned *)partials;
    if (o)
        sri_arena_free(&o->arena);
    sri_free(o);
}
