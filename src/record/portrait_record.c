/* The portrait of a fit as JSON, as the model file has it: docs/MODEL_FILE.md. */
#include <math.h>

#include "core/memory.h"
#include "record/record.h"

enum { PICTURE_DIGITS = 5, ROW_DIGITS = 7 };

/* A whole number without a point, null where it is not finite. */
static json_t *short_number(double v)
{
    return v == rint(v) && fabs(v) < 1e9 ? json_integer((json_int_t)v) : sri_json_number(v);
}

/* `count` numbers, each `step` after the one before. */
static json_t *numbers(const double *v, int64_t count, int64_t step)
{
    json_t *list = json_array();
    for (int64_t i = 0; i < count; i++)
        sri_json_add(&list, short_number(v[i * step]));
    return list;
}

/* With four digits: a point of a curve is not read off more exactly. */
static double rounded(double v)
{
    const double unit = v != 0 && isfinite(v) ? pow(10, floor(log10(fabs(v))) - 3) : 0;
    return unit > 0 && isfinite(v / unit) ? rint(v / unit) * unit : v;
}

/* The functions of a curve at one point of the path, over its cells. */
static json_t *functions(const double *f, int64_t outputs, int64_t cells)
{
    json_t *all = json_array();
    for (int64_t t = 0; t < outputs; t++) {
        json_t *one = json_array();
        for (int64_t i = 0; i < cells; i++)
            sri_json_add(&one, short_number(rounded(f[t * cells + i])));
        sri_json_add(&all, one);
    }
    return all;
}

/* A list for each of `rows` rows. */
static json_t *matrix(const double *v, int64_t rows, int64_t cols)
{
    json_t *list = json_array();
    for (int64_t i = 0; i < rows; i++)
        sri_json_add(&list, numbers(v + i * cols, cols, 1));
    return list;
}

/* A list for each column of n x T. */
static json_t *columns(const double *v, int64_t n, int64_t T)
{
    json_t *list = json_array();
    for (int64_t t = 0; t < T; t++)
        sri_json_add(&list, numbers(v + t, n, T));
    return list;
}

static json_t *codes(const int32_t *v, int64_t count)
{
    json_t *list = json_array();
    for (int64_t i = 0; i < count; i++)
        sri_json_add(&list, json_integer(v[i]));
    return list;
}

static json_t *points_json(const sri_portrait_path *path)
{
    json_t *list = json_array();
    for (int64_t i = 0; i < path->count; i++) {
        json_t *point = json_object();
        sri_json_put(&point, "at", short_number(path->at[i]));
        sri_json_put(&point, "df", short_number(path->df[i]));
        sri_json_put(&point, "train", short_number(path->train[i]));
        sri_json_put(&point, "value", short_number(path->value[i]));
        sri_json_put(&point, "stderr", short_number(path->stderr_[i]));
        sri_json_add(&list, point);
    }
    return list;
}

static json_t *spectrum_json(const sri_portrait_spectrum *s)
{
    json_t *json = json_object();
    sri_json_put(&json, "trace", short_number(s->trace));
    sri_json_put(&json, "rank", json_integer((json_int_t)s->rank));
    sri_json_put(&json, "index", numbers(s->index, s->count, 1));
    sri_json_put(&json, "eigenvalues", numbers(s->eigenvalue, s->count, 1));
    sri_json_put(&json, "target_share", numbers(s->share, s->count, 1));
    sri_json_put(&json, "target_cumulative", numbers(s->sum, s->count, 1));
    return json;
}

/* The names of what a curve shows: targets, the second of two classes, or all classes. */
static json_t *output_names(const sri_target *target, int64_t outputs)
{
    json_t *list = json_array();
    char *const *name = target->n_classes ? target->label : target->name;
    const int64_t first = target->n_classes == 2 ? 1 : 0;
    for (int64_t t = 0; t < outputs; t++)
        sri_json_add(&list, json_string(name[first + t]));
    return list;
}

static json_t *curve_rows(const sri_portrait_curve *c)
{
    json_t *rows = json_object();
    sri_json_put(&rows, "x", numbers(c->x[0], c->rows, 1));
    if (c->axes == 2)
        sri_json_put(&rows, "y", numbers(c->x[1], c->rows, 1));
    if (c->classes)
        sri_json_put(&rows, "class", codes(c->classes, c->rows));
    else
        sri_json_put(&rows, c->axes == 1 ? "y" : "z", columns(c->y, c->rows, c->outputs));
    return rows;
}

static json_t *curve_json(const sri_portrait_curve *c, const sri_target *target)
{
    const int64_t cells = c->count[0] * c->count[1];
    json_t *json = json_object(), *inputs = json_array(), *f = json_array(), *at = json_array();
    for (int a = 0; a < c->axes; a++)
        sri_json_add(&inputs, json_string(c->input[a]));
    for (int64_t k = 0; k < c->points; k++) {
        sri_json_add(&f, functions(c->f + k * c->outputs * cells, c->outputs, cells));
        sri_json_add(&at, json_integer((json_int_t)c->point[k]));
    }
    sri_json_put(&json, "inputs", inputs);
    sri_json_put(&json, "x", numbers(c->axis[0], c->count[0], 1));
    if (c->axes == 2)
        sri_json_put(&json, "y", numbers(c->axis[1], c->count[1], 1));
    sri_json_put(&json, "outputs", output_names(target, c->outputs));
    sri_json_put(&json, "points", at);
    sri_json_put(&json, "f", f);
    sri_json_put(&json, "rows", curve_rows(c));
    return json;
}

static json_t *filter_json(const sri_portrait *p)
{
    json_t *json = json_object();
    sri_json_put(&json, "s", numbers(p->filter.s, SRI_PORTRAIT_FILTER, 1));
    sri_json_put(&json, "kept", matrix(p->filter.kept, p->path.count, SRI_PORTRAIT_FILTER));
    return json;
}

static json_t *portrait_json(const sri_portrait *p, const sri_target *target)
{
    json_t *json = json_object(), *missing = json_array();
    for (int i = 0; i < p->n_missing; i++)
        sri_json_add(&missing, json_string(p->missing[i]));
    sri_json_put(&json, "n", json_integer((json_int_t)p->n));
    sri_json_put(&json, "rows_used", json_integer((json_int_t)p->rows_used));
    sri_json_put(&json, "parameter", json_string(sri_path_name(p->path.kind)));
    sri_json_put(&json, "points", points_json(&p->path));
    sri_json_put(&json, "chosen",
                 p->path.chosen < 0 ? json_null() : json_integer((json_int_t)p->path.chosen));
    sri_json_put(&json, "train_measure",
                 p->path.measure ? json_string(p->path.measure) : json_null());
    sri_json_put(&json, "df_of_sample", json_boolean(p->path.df_of_sample));
    if (p->spectrum.count)
        sri_json_put(&json, "spectrum", spectrum_json(&p->spectrum));
    if (p->filter.kept)
        sri_json_put(&json, "filter", filter_json(p));
    if (p->curve.axes)
        sri_json_put(&json, "curve", curve_json(&p->curve, target));
    sri_json_put(&json, "missing", missing);
    return json;
}

static json_t *rows_json(const sri_portrait_rows *r)
{
    json_t *json = json_object(), *number = json_array();
    for (int64_t i = 0; i < r->count; i++)
        sri_json_add(&number, json_integer((json_int_t)r->row[i] + 1));
    sri_json_put(&json, "by", json_string(r->by));
    sri_json_put(&json, "n", json_integer((json_int_t)r->all));
    sri_json_put(&json, "rows", number);
    sri_json_put(&json, "outputs", columns(r->F, r->count, r->T));
    if (r->classes)
        sri_json_put(&json, "classes", codes(r->classes, r->count));
    else
        sri_json_put(&json, "targets", columns(r->Y, r->count, r->T));
    return json;
}

/* Takes the JSON over. */
static specreg_status print(specreg_context *ctx, json_t *json, int digits, char **out)
{
    const specreg_status st =
        sri_json_text(ctx, json,
                      JSON_COMPACT | JSON_SORT_KEYS | JSON_REAL_PRECISION((size_t)digits), out);
    json_decref(json);
    return st;
}

specreg_status sri_portrait_texts(specreg_context *ctx, const specreg_model *model, char **portrait,
                                  char **held_rows)
{
    const sri_portrait *p = model->report.fit ? model->report.fit->portrait : NULL;
    *portrait = *held_rows = NULL;
    if (p) {
        SRI_CALL(print(ctx, portrait_json(p, model->encoding.target), PICTURE_DIGITS, portrait));
        if (p->rows.by)
            return print(ctx, rows_json(&p->rows), ROW_DIGITS, held_rows);
        return SPECREG_OK;
    }
    if (model->report.portrait)
        SRI_NEW_TEXT(ctx, *portrait, model->report.portrait);
    if (model->report.held_rows)
        SRI_NEW_TEXT(ctx, *held_rows, model->report.held_rows);
    return SPECREG_OK;
}
