/* A vector field in the plane: arrows over a grid, of the whole and of its parts, and those that
 * were measured. */
#include <math.h>
#include <string.h>

#include "core/arena.h"
#include "model/call.h"
#include "page/page.h"

enum { CELLS = 20, PLANE = 2, MOST_POINTS = 600 };

typedef struct grid {
    sri_arena memory;
    double axis[PLANE][CELLS];
    double *X, *F; /* CELLS^2 x 2 */
} grid;

/* The numbers of a centre as the table had them; false where they are not numbers alone. */
static bool in_plane(const specreg_model *model)
{
    const sri_encoder *e = model->encoding.encoder;
    const sri_points *points = model->expansion.points;
    if (model->problem != SRI_FIELD || model->T != PLANE || e->sparse || e->p != PLANE ||
        e->n_features != PLANE || !points || points->stored != SRI_STORED_DENSE ||
        model->expansion.n < 1)
        return false;
    return !e->feature[0].is_text && !e->feature[1].is_text && !e->feature[0].part &&
           !e->feature[1].part;
}

static double coordinate(const specreg_model *model, int64_t row, int a)
{
    const sri_feature *f = &model->encoding.encoder->feature[a];
    return sri_feature_unscale(f, model->expansion.points->rows.x.x[row * PLANE + f->at]);
}

static specreg_status make_grid(specreg_context *ctx, const specreg_model *model, grid *g)
{
    for (int a = 0; a < PLANE; a++) {
        double low = INFINITY, high = -INFINITY;
        for (int64_t i = 0; i < model->expansion.n; i++) {
            low = fmin(low, coordinate(model, i, a));
            high = fmax(high, coordinate(model, i, a));
        }
        for (int k = 0; k < CELLS; k++)
            g->axis[a][k] = low + (high - low) * k / (CELLS - 1);
    }
    SRI_ARENA_NEW(ctx, &g->memory, g->X, CELLS * CELLS, PLANE);
    SRI_ARENA_NEW(ctx, &g->memory, g->F, CELLS * CELLS, PLANE);
    for (int i = 0; i < CELLS * CELLS; i++) {
        g->X[i * PLANE] = g->axis[0][i % CELLS];
        g->X[i * PLANE + 1] = g->axis[1][i / CELLS];
    }
    return SPECREG_OK;
}

/* One component over the grid: a list for each y. */
static json_t *component_json(const grid *g, int component)
{
    json_t *rows = json_array();
    for (int y = 0; y < CELLS; y++) {
        json_t *row = json_array();
        for (int x = 0; x < CELLS; x++)
            sri_json_add(&row, sri_json_number(g->F[(y * CELLS + x) * PLANE + component]));
        sri_json_add(&rows, row);
    }
    return rows;
}

static void put_arrows(const grid *g, json_t **to)
{
    sri_json_put(to, "u", component_json(g, 0));
    sri_json_put(to, "v", component_json(g, 1));
}

static specreg_status put_parts(specreg_context *ctx, const specreg_model *model,
                                const specreg_options *options, const grid *g, json_t **to)
{
    static const char *const shown[] = {"curlfree", "divfree"};
    const specreg_view X = {g->X, CELLS * CELLS, PLANE, PLANE};
    for (int64_t k = 0; k < specreg_model_parts(model); k++)
        for (int s = 0; s < 2; s++) {
            if (strcmp(specreg_model_part(model, k), shown[s]) != 0)
                continue;
            SRI_CALL(specreg_predict_part_array(ctx, model, &X, k, options, g->F,
                                                CELLS * CELLS * PLANE));
            json_t *part = json_object();
            put_arrows(g, &part);
            sri_json_put(to, shown[s], part);
        }
    return SPECREG_OK;
}

/* What was measured in the rows of a table, some of them where there are many. */
static json_t *points_json(const specreg_model *model, const sri_sample *rows)
{
    static const char *const keys[] = {"x", "y", "u", "v"};
    const sri_feature *feature = model->encoding.encoder->feature;
    const int64_t n = rows->n < MOST_POINTS ? rows->n : MOST_POINTS;
    json_t *json = json_object();
    for (int k = 0; k < 2 * PLANE; k++) {
        const int a = k % PLANE;
        json_t *list = json_array();
        for (int64_t i = 0; i < n; i++) {
            const int64_t row = i * rows->n / n * PLANE;
            sri_json_add(&list,
                         sri_json_number(
                             k < PLANE ? sri_feature_unscale(&feature[a],
                                                             rows->rows.x.x[row + feature[a].at])
                                       : rows->Y[row + a]));
        }
        sri_json_put(&json, keys[k], list);
    }
    return json;
}

static specreg_status put_points(specreg_context *ctx, const specreg_model *model,
                                 const specreg_table *data, const specreg_options *options,
                                 json_t **to)
{
    specreg_status st = SPECREG_OK;
    sri_call call = {0};
    sri_sample rows = {0};
    SRI_TRY(sri_call_enter_predict(ctx, options, &call));
    SRI_TRY(sri_model_read(ctx, model, data, call.recipe, (sri_rows_how){.labelled = true}, &rows));
    sri_json_put(to, "points", points_json(model, &rows));
done:
    sri_sample_free(&rows);
    sri_call_leave(&call);
    return st;
}

specreg_status sri_page_field(specreg_context *ctx, const specreg_model *model,
                              const specreg_table *data, const specreg_options *options,
                              json_t **out, json_t **cannot)
{
    specreg_status st = SPECREG_OK;
    grid g = {.memory = {0}};
    json_t *json = NULL;
    *out = NULL;
    if (model->problem == SRI_FIELD && !in_plane(model))
        sri_page_cannot(cannot, "Arrows are drawn of fields in the plane.");
    if (!in_plane(model))
        return st;
    SRI_TRY(make_grid(ctx, model, &g));
    const specreg_view X = {g.X, CELLS * CELLS, PLANE, PLANE};
    SRI_TRY(specreg_predict_array(ctx, model, &X, options, g.F, CELLS * CELLS * PLANE));
    json = json_object();
    sri_json_put(&json, "x", sri_numbers_json(g.axis[0], CELLS));
    sri_json_put(&json, "y", sri_numbers_json(g.axis[1], CELLS));
    put_arrows(&g, &json);
    SRI_TRY(put_parts(ctx, model, options, &g, &json));
    if (data)
        SRI_TRY(put_points(ctx, model, data, options, &json));
    SRI_MOVE(*out, json);
    st = *out ? SPECREG_OK : sri_fail(ctx, SPECREG_E_NOMEM, "out of memory");
done:
    json_decref(json);
    sri_arena_free(&g.memory);
    return st;
}
