/* A fit to plain arrays. */

#include "core/memory.h"
#include "model/model.h"

specreg_status specreg_fit_arrays(specreg_context *ctx, const specreg_view *X,
                                  const specreg_view *Y, const specreg_options *options,
                                  specreg_model **out)
{
    specreg_status st = SPECREG_OK;
    specreg_table *table = NULL;
    int64_t *target = NULL;
    sri_call call = {0};
    *out = NULL;
    SRI_REQUIRE(ctx, Y && Y->cols >= 1, SPECREG_E_ARG, "Y has no columns");
    SRI_TRY(specreg_table_from_arrays(ctx, X, NULL, Y, NULL, &table));
    SRI_TRY(sri_call_enter(ctx, options, &call));
    SRI_ALLOC(ctx, target, Y->cols, 1);
    for (int64_t t = 0; t < Y->cols; t++)
        target[t] = X->cols + t;
    sri_recipe recipe = *call.recipe;
    recipe.data.roles.target_at = target; /* whatever the options say */
    recipe.data.roles.n_targets = Y->cols;
    const sri_call by_number = sri_call_with(&call, &recipe);
    SRI_TRY(sri_fit(ctx, &by_number, table, out));
done:
    sri_call_leave(&call);
    sri_free(target);
    specreg_table_free(table);
    return st;
}
