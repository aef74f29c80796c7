#include "model/errors.h"

#include "core/memory.h"
#include "model/expansion.h"

specreg_status sri_training_errors(specreg_context *ctx, const sri_prepared *p,
                                   const sri_search_result *result, sri_errors *out)
{
    specreg_status st = SPECREG_OK;
    const sri_dataset *data = &p->data;
    const sri_truth truth = {data->rows.Y, data->rows.classes, NULL};
    sri_comparison comparison = {0};
    double *F = NULL;
    const sri_errors_request request = {.report = SRI_IN_TRAIN,
                                        .field = data->field,
                                        .target = data->target,
                                        .tasks = data->tasks,
                                        .task = data->rows.task};
    SRI_TRY(sri_fitted_values(ctx, &data->points, result->residual, &F));
    comparison = sri_compare(F, truth, data->rows.n, data->rows.T, data->coding);
    SRI_TRY(sri_errors_make(ctx, &comparison, &request, out));
done:
    sri_comparison_free(&comparison);
    sri_free(F);
    return st;
}
