#include "model/predict_table.h"

#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "core/text.h"

/* Columns of numbers under names, filled from left to right. */
typedef struct columns {
    int64_t rows, count, used;
    double *value; /* rows x count */
    char **name;
} columns;

static specreg_status columns_new(specreg_context *ctx, int64_t rows, int64_t count, columns *out)
{
    specreg_status st = SPECREG_OK;
    *out = (columns){.rows = rows, .count = count};
    SRI_ALLOC(ctx, out->value, rows, count);
    SRI_CALLOC(ctx, out->name, count, 1);
done:
    return st;
}

static void columns_free(columns *c)
{
    for (int64_t j = 0; c->name && j < c->count; j++)
        free(c->name[j]);
    free(c->name);
    free(c->value);
}

/* One more, from values `stride` apart, with a name of two parts. */
static specreg_status columns_add(specreg_context *ctx, columns *c, const char *first,
                                  const char *second, const double *from, int64_t stride)
{
    sri_buffer name = {0};
    const specreg_status st = sri_buffer_print(ctx, &name, "%s%s", first, second);
    if (st != SPECREG_OK)
        return st;
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
    return (finite ? specreg_table_from_arrays : sri_table_any_arrays)(
        ctx, &view, (const char *const *)c->name, NULL, NULL, out);
}

static specreg_status regression_table(specreg_context *ctx, const sri_predictions *p,
                                       specreg_table **out)
{
    specreg_status st = SPECREG_OK;
    const int64_t T = p->model->T;
    columns c = {0};
    SRI_TRY(columns_new(ctx, p->m, p->lower ? 3 * T : T, &c));
    for (int64_t t = 0; t < T; t++) {
        const char *name = p->model->target->name[t];
        SRI_TRY(columns_add(ctx, &c, name, "", p->F + t, T));
        if (p->lower) {
            SRI_TRY(columns_add(ctx, &c, name, ":lower", p->lower + t, T));
            SRI_TRY(columns_add(ctx, &c, name, ":upper", p->upper + t, T));
        }
    }
    SRI_TRY(columns_table(ctx, &c, !p->lower, out));
done:
    columns_free(&c);
    return st;
}

/* For each class a column: "score:" or "prob:" before its label. */
static specreg_status add_classes(specreg_context *ctx, const sri_predictions *p,
                                  const char *prefix, const double *values, columns *c)
{
    specreg_status st = SPECREG_OK;
    const int64_t k = p->model->target->n_classes;
    for (int64_t j = 0; j < k; j++)
        SRI_TRY(columns_add(ctx, c, prefix, p->model->target->label[j], values + j, k));
done:
    return st;
}

static specreg_status class_table(specreg_context *ctx, const sri_predictions *p,
                                  specreg_table **out)
{
    specreg_status st = SPECREG_OK;
    const sri_target *target = p->model->target;
    const int64_t m = p->m, k = target->n_classes;
    double *scores = NULL, *P = NULL;
    int32_t *winner = NULL;
    columns c = {0};
    specreg_table *table = NULL;
    SRI_ALLOC(ctx, scores, m, k);
    SRI_ALLOC(ctx, winner, m, 1);
    sri_model_decode(p->model, p->F, m, scores, winner);
    SRI_TRY(columns_new(ctx, m, p->proba ? 2 * k : k, &c));
    SRI_TRY(add_classes(ctx, p, "score:", scores, &c));
    if (p->proba) {
        SRI_ALLOC(ctx, P, m, k);
        sri_calibration_apply(&p->model->calibration, scores, m, k, P);
        SRI_TRY(add_classes(ctx, p, "prob:", P, &c));
    }
    SRI_TRY(columns_table(ctx, &c, true, &table));
    SRI_TRY(sri_table_insert_text(ctx, table, 0, "label", winner,
                                  (const char *const *)target->label, k));
    *out = table;
    table = NULL;
done:
    specreg_table_free(table);
    columns_free(&c);
    free(P);
    free(winner);
    free(scores);
    return st;
}

specreg_status sri_predictions_table(specreg_context *ctx, const sri_predictions *p,
                                     specreg_table **out)
{
    return p->model->coding ? class_table(ctx, p, out) : regression_table(ctx, p, out);
}
