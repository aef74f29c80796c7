/* The points of a regular grid as rows for a model. */
#include <stdio.h>

#include "data/grid_points.h"
#include "model/grid_table.h"
#include "model/model.h"
#include "select/combinations.h"

/* A grid has an axis for each feature, which must be a number. */
static specreg_status check_features(specreg_context *ctx, const sri_encoder *e, bool tasks)
{
    sri_aspects aspects = {0};
    char count[32];
    snprintf(count, sizeof count, "%lld", (long long)e->n_features);
    aspects.name[SRI_NAMED_COUNT] = count;
    for (int64_t i = e->n_features - 1; i >= 0; i--)
        if (e->feature[i].is_text || e->feature[i].part)
            aspects.name[SRI_NAMED_INPUT] = sri_feature_column(&e->feature[i]);
    sri_aspects_add(&aspects, SRI_HAS_GRID, true);
    sri_aspects_add(&aspects, SRI_HAS_TASKS, tasks);
    sri_aspects_add(&aspects, SRI_HAS_MANY_INPUTS, e->n_features > 3);
    sri_aspects_add(&aspects, SRI_HAS_TEXT_INPUT, aspects.name[SRI_NAMED_INPUT]);
    return sri_combinations_check(ctx, &aspects);
}

specreg_status sri_grid_table(specreg_context *ctx, const sri_encoder *e, bool tasks,
                              const char *grid, specreg_table **out)
{
    const char *name[3] = {0};
    sri_grid_spec spec;
    *out = NULL;
    SRI_CALL(sri_grid_parse(ctx, "grid", grid, &spec));
    SRI_CALL(check_features(ctx, e, tasks));
    SRI_CHECK(ctx, spec.axes == e->n_features, SPECREG_E_SHAPE,
              "grid '%s' has %d %s, the model has %lld %s", grid, spec.axes,
              spec.axes == 1 ? "axis" : "axes", (long long)e->n_features,
              e->n_features == 1 ? "feature" : "features");
    for (int i = 0; i < spec.axes; i++)
        name[i] = e->feature[i].name;
    return sri_grid_points(ctx, &spec, name, out);
}

specreg_status specreg_grid_table(specreg_context *ctx, const specreg_model *model,
                                  const char *grid, specreg_table **out)
{
    SRI_MAKES(ctx, out, model, grid);
    return sri_grid_table(ctx, model->encoding.encoder, model->encoding.tasks != NULL, grid, out);
}
