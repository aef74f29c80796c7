/* The points of a regular grid as rows for a model. */
#include "data/grid_points.h"
#include "model/model.h"

/* A grid has an axis for each feature, which must be a number. */
static specreg_status check_features(specreg_context *ctx, const specreg_model *model)
{
    specreg_status st = SPECREG_OK;
    const sri_encoder *e = model->encoding.encoder;
    SRI_REQUIRE(ctx, !model->encoding.tasks, SPECREG_E_UNAVAILABLE,
                "grid: the model is of many tasks: predict a table, whose rows name theirs");
    SRI_REQUIRE(ctx, e->n_features <= 3, SPECREG_E_SHAPE,
                "grid: the model has %lld features, grids have at most three axes",
                (long long)e->n_features);
    for (int64_t i = 0; i < e->n_features; i++)
        SRI_REQUIRE(ctx, !e->feature[i].is_text, SPECREG_E_SHAPE,
                    "grid: the model's feature '%s' is a text, grids are for numbers",
                    e->feature[i].name);
done:
    return st;
}

specreg_status specreg_grid_table(specreg_context *ctx, const specreg_model *model,
                                  const char *grid, specreg_table **out)
{
    specreg_status st = SPECREG_OK;
    const sri_encoder *e = model->encoding.encoder;
    const char *name[3] = {0};
    sri_grid_spec spec;
    *out = NULL;
    SRI_TRY(sri_grid_parse(ctx, "grid", grid, &spec));
    SRI_TRY(check_features(ctx, model));
    SRI_REQUIRE(ctx, spec.axes == e->n_features, SPECREG_E_SHAPE,
                "grid '%s' has %d %s, the model has %lld %s", grid, spec.axes,
                spec.axes == 1 ? "axis" : "axes", (long long)e->n_features,
                e->n_features == 1 ? "feature" : "features");
    for (int i = 0; i < spec.axes; i++)
        name[i] = e->feature[i].name;
    SRI_TRY(sri_grid_points(ctx, &spec, name, out));
done:
    return st;
}
