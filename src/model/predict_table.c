/* Predictions as a table. */
#include "core/memory.h"
#include "core/text.h"
#include "data/grid_points.h"
#include "model/predict.h"

/* Columns of numbers under names, filled from left to right. */
typedef struct columns {
    int64_t rows, count, used;
    double *value; /* rows x count */
    char **name;
} columns;

static specreg_status columns_new(specreg_context *ctx, int64_t rows, int64_t count, columns *out)
{
    *out = (columns){.rows = rows, .count = count};
    SRI_NEW(ctx, out->value, rows, count);
    SRI_NEW_ZERO(ctx, out->name, count, 1);
    return SPECREG_OK;
}

static void columns_free(columns *c)
{
    sri_free_list(c->name, c->count);
    sri_free(c->value);
}

/* One more, from values `stride` apart, with a name of two parts. */
static specreg_status columns_add(specreg_context *ctx, columns *c, const char *first,
                                  const char *second, const double *from, int64_t stride)
{
    sri_buffer name = {0};
    SRI_CALL(sri_buffer_print(ctx, &name, "%s%s", first, second));
    c->name[c->used] = name.data;
    for (int64_t i = 0; i < c->rows; i++)
        c->value[i * c->count + c->used] = from[i * stride];
    c->used++;
    return SPECREG_OK;
}

static specreg_status columns_table(specreg_context *ctx, const columns *c, bool finite,
                                    specreg_table **out)
{
    const specreg_view view = {c->value, c->rows, c->used, c->count};
    return (finite ? specreg_table_from_arrays : sri_table_any_arrays)(ctx, &view,
                                                                       (const char *const *)c->name,
                                                                       NULL, NULL, out);
}

/* TARGET:PART. */
static specreg_status add_part(specreg_context *ctx, const sri_predictions *p, int64_t t, int64_t k,
                               columns *c)
{
    specreg_status st = SPECREG_OK;
    const int64_t T = p->model->T;
    sri_buffer end = {0};
    SRI_TRY(sri_buffer_print(ctx, &end, ":%s", specreg_model_part(p->model, k)));
    SRI_TRY(columns_add(ctx, c, p->model->encoding.target->name[t], end.data,
                        p->part + k * p->m * T + t, T));
done:
    sri_buffer_free(&end);
    return st;
}

/* The coordinates of a grid's points. */
static specreg_status add_points(specreg_context *ctx, const specreg_table *points, columns *c)
{
    for (int64_t j = 0; points && j < points->n_columns; j++)
        SRI_CALL(columns_add(ctx, c, points->column[j].name, "", points->numbers + j,
                             points->n_numbers));
    return SPECREG_OK;
}

static int64_t axes_of(const sri_predictions *p)
{
    return p->points ? p->points->grid->spec.axes : 0;
}

/* A field and its parts are vectors: `each` columns for every target, which come first of them,
 * then intervals, then parts. */
static specreg_status put_on_grid(specreg_context *ctx, const sri_predictions *p, int64_t each,
                                  specreg_table *table)
{
    const int64_t T = p->model->T, parts = p->part ? specreg_model_parts(p->model) : 0;
    if (!p->points)
        return SPECREG_OK;
    sri_grid_values values = {.spec = p->points->grid->spec, .coordinates = axes_of(p)};
    const bool vectors = p->model->problem == SRI_FIELD && T <= 3; /* files may say anything */
    for (int64_t k = 0; vectors && k <= parts; k++) {
        sri_grid_vector *v = &values.vector[values.n_vectors++];
        v->name = k == 0 ? "field" : specreg_model_part(p->model, k - 1);
        v->count = (int)T;
        for (int64_t t = 0; t < T; t++)
            v->column[t] = axes_of(p) + t * each + (k == 0 ? 0 : each - parts + k - 1);
    }
    return sri_table_on_grid(ctx, table, &values);
}

static specreg_status regression_table(specreg_context *ctx, const sri_predictions *p,
                                       specreg_table **out)
{
    specreg_status st = SPECREG_OK;
    const int64_t T = p->model->T, parts = p->part ? specreg_model_parts(p->model) : 0;
    const int64_t each = 1 + (p->lower ? 2 : 0) + parts;
    columns c = {0};
    specreg_table *table = NULL;
    SRI_TRY(columns_new(ctx, p->m, axes_of(p) + T * each, &c));
    SRI_TRY(add_points(ctx, p->points, &c));
    for (int64_t t = 0; t < T; t++) {
        const char *name = p->model->encoding.target->name[t];
        SRI_TRY(columns_add(ctx, &c, name, "", p->F + t, T));
        if (p->lower) {
            SRI_TRY(columns_add(ctx, &c, name, ":lower", p->lower + t, T));
            SRI_TRY(columns_add(ctx, &c, name, ":upper", p->upper + t, T));
        }
        for (int64_t k = 0; k < parts; k++)
            SRI_TRY(add_part(ctx, p, t, k, &c));
    }
    SRI_TRY(columns_table(ctx, &c, !p->lower, &table));
    SRI_TRY(put_on_grid(ctx, p, each, table));
    SRI_MOVE(*out, table);
done:
    specreg_table_free(table);
    columns_free(&c);
    return st;
}

/* For each class a column: "score:" or "prob:" before its label. */
static specreg_status add_classes(specreg_context *ctx, const sri_predictions *p,
                                  const char *prefix, const double *values, columns *c)
{
    const int64_t k = p->model->encoding.target->n_classes;
    for (int64_t j = 0; j < k; j++)
        SRI_CALL(columns_add(ctx, c, prefix, p->model->encoding.target->label[j], values + j, k));
    return SPECREG_OK;
}

static specreg_status class_table(specreg_context *ctx, const sri_predictions *p,
                                  specreg_table **out)
{
    specreg_status st = SPECREG_OK;
    const sri_target *target = p->model->encoding.target;
    const int64_t m = p->m, k = target->n_classes;
    double *scores = NULL, *P = NULL;
    int32_t *winner = NULL;
    columns c = {0};
    specreg_table *table = NULL;
    SRI_ALLOC(ctx, scores, m, k);
    SRI_ALLOC(ctx, winner, m, 1);
    sri_model_decode(p->model, p->F, m, scores, winner);
    SRI_TRY(columns_new(ctx, m, axes_of(p) + (p->proba ? 2 * k : k), &c));
    SRI_TRY(add_points(ctx, p->points, &c));
    SRI_TRY(add_classes(ctx, p, "score:", scores, &c));
    if (p->proba) {
        SRI_ALLOC(ctx, P, m, k);
        sri_calibration_apply(&p->model->uncertainty.calibration, scores, m, k, P);
        SRI_TRY(add_classes(ctx, p, "prob:", P, &c));
    }
    SRI_TRY(columns_table(ctx, &c, true, &table));
    SRI_TRY(sri_table_insert_text(ctx, table, axes_of(p), "label", winner,
                                  &(sri_texts){.text = target->label, .count = k}));
    SRI_TRY(put_on_grid(ctx, p, 0, table));
    SRI_MOVE(*out, table);
done:
    specreg_table_free(table);
    columns_free(&c);
    sri_free(P);
    sri_free(winner);
    sri_free(scores);
    return st;
}

specreg_status sri_predictions_table(specreg_context *ctx, const sri_predictions *p,
                                     specreg_table **out)
{
    return p->model->encoding.coding ? class_table(ctx, p, out) : regression_table(ctx, p, out);
}

void sri_predictions_free(sri_predictions *p)
{
    sri_free(p->part);
    sri_free(p->upper);
    sri_free(p->lower);
    sri_free(p->F);
    *p = (sri_predictions){0};
}
