/* Records of importance and partial dependence, from their typed results. */
#include "core/memory.h"
#include "record/record.h"

json_t *sri_importance_columns(const specreg_importances *p)
{
    json_t *columns = json_array();
    for (int64_t k = 0; k < p->columns; k++) {
        json_t *one =
            json_pack("{s:o, s:o, s:o}", "name", sri_json_string(p->name[k]), "mean",
                      sri_json_number(p->mean[k]), "stddev", sri_json_number(p->stddev[k]));
        sri_json_put(&one, "values", sri_numbers_json(p->value + k * p->repeats, p->repeats));
        sri_json_add(&columns, one);
    }
    return columns;
}

/* What both records begin with. */
static json_t *begin(specreg_context *ctx, const char *command, const specreg_model *model,
                     const char *data, int64_t rows)
{
    json_t *record = sri_record_new(command);
    sri_json_put(&record, "data",
                 json_pack("{s:o, s:I}", "file", sri_json_string(data), "n", (json_int_t)rows));
    sri_record_model(ctx, &record, model);
    return record;
}

static specreg_status finish(specreg_context *ctx, json_t *record, double seconds, char **json)
{
    sri_json_put(&record, "seconds", json_pack("{s:o}", "total", sri_json_number(seconds)));
    const specreg_status st = sri_record_text(ctx, record, json);
    json_decref(record);
    return st;
}

specreg_status specreg_importance_record(specreg_context *ctx, const specreg_model *model,
                                         const specreg_importances *importances, char **json)
{
    SRI_MAKES(ctx, json, model, importances);
    const specreg_importances *p = importances;
    json_t *record = begin(ctx, "importance", model, p->data, p->rows);
    sri_json_put(&record, "criterion", json_string(p->criterion->name));
    sri_json_put(&record, "repeats", json_integer((json_int_t)p->repeats));
    sri_json_put(&record, "seed", json_integer((json_int_t)p->seed));
    sri_json_put(&record, "baseline", sri_json_number(p->baseline));
    sri_json_put(&record, "columns", sri_importance_columns(p));
    return finish(ctx, record, p->seconds, json);
}

static json_t *labels_json(const char *const *label, int64_t count)
{
    json_t *list = json_array();
    for (int64_t k = 0; k < count; k++)
        sri_json_add(&list, sri_json_string(label[k]));
    return list;
}

static json_t *grid_json(const specreg_partial_axis *axis)
{
    return axis->label ? labels_json(axis->label, axis->points)
                       : sri_numbers_json(axis->value, axis->points);
}

/* A list for each point, of a number for each output. */
static json_t *points_json(const double *v, int64_t points, int64_t outputs)
{
    json_t *list = json_array();
    for (int64_t i = 0; i < points; i++)
        sri_json_add(&list, sri_numbers_json(v + i * outputs, outputs));
    return list;
}

static const char *kind_of(const specreg_partial_axis *axis)
{
    return axis->label ? "category" : "number";
}

static json_t *curve_json(const specreg_partial_curve *c, const specreg_partials *p)
{
    const specreg_partial_axis *a = &c->axis[0], *b = &c->axis[1];
    const int64_t points = a->points * (c->axes > 1 ? b->points : 1);
    json_t *one = json_object();
    sri_json_put(&one, "name", sri_json_string(a->name));
    sri_json_put(&one, "kind", json_string(kind_of(a)));
    sri_json_put(&one, "grid", grid_json(a));
    if (c->axes > 1)
        sri_json_put(&one, "second",
                     json_pack("{s:o, s:s, s:o}", "name", sri_json_string(b->name), "kind",
                               kind_of(b), "grid", grid_json(b)));
    sri_json_put(&one, "outputs", labels_json(p->output, p->outputs));
    sri_json_put(&one, "mean", points_json(c->mean, points, p->outputs));
    sri_json_put(&one, "low", points_json(c->low, points, p->outputs));
    sri_json_put(&one, "high", points_json(c->high, points, p->outputs));
    return one;
}

json_t *sri_partial_curves(const specreg_partials *p)
{
    json_t *list = json_array();
    for (int64_t k = 0; k < p->curves; k++)
        sri_json_add(&list, curve_json(&p->curve[k], p));
    return list;
}

specreg_status specreg_partial_record(specreg_context *ctx, const specreg_model *model,
                                      const specreg_partials *partials, char **json)
{
    SRI_MAKES(ctx, json, model, partials);
    const specreg_partials *p = partials;
    json_t *record = begin(ctx, "partial", model, p->data, p->rows);
    sri_json_put(&record, "what", json_string(p->what));
    sri_json_put(&record, "curves", sri_partial_curves(p));
    return finish(ctx, record, p->seconds, json);
}
