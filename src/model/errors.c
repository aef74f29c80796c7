#include "model/errors.h"

#include <stdlib.h>

#include "core/memory.h"
#include "model/expansion.h"
#include "model/task_errors.h"
#include "select/measure.h"

specreg_status sri_record_errors(specreg_context *ctx, const sri_task *task, const double *F,
                                 const double *Y, const int32_t *classes, int64_t n, json_t **out)
{
    specreg_status st = SPECREG_OK;
    sri_losses losses = {0};
    const sri_regression_measure all = sri_measure_outputs(F, Y, n, task->T);
    *out = json_pack("{s:I, s:o}", "n", (json_int_t)n, "mse", sri_json_number(all.mse));
    SRI_REQUIRE(ctx, *out, SPECREG_E_NOMEM, "out of memory");
    if (classes) {
        const sri_truth truth = {.Y = Y, .classes = classes};
        SRI_TRY(sri_losses_add(ctx, task, F, task->T, &truth, NULL, n, &losses));
        sri_json_put(out, "error_rate", json_real(losses.wrong.vx / losses.v));
    } else {
        sri_json_put(out, "mae", sri_json_number(all.mae));
        sri_json_put(out, "r2", sri_json_number(all.r2));
    }
    if (!classes && (task->T > 1 || task->reader.tasks)) /* all entries as one column */
        sri_json_put(out, "explained_variance",
                     sri_json_number(sri_measure_output(F, Y, n * task->T, 1, 0).r2));
    if (!classes && task->T > 1) {
        json_t *each = json_array();
        for (int64_t t = 0; t < task->T; t++) {
            const sri_regression_measure m = sri_measure_output(F, Y, n, task->T, t);
            sri_json_add(&each, json_pack("{s:s, s:I, s:o, s:o, s:o}", "name",
                                          task->reader.target->name[t], "n", (json_int_t)m.n, "mse",
                                          sri_json_number(m.mse), "mae", sri_json_number(m.mae),
                                          "r2", sri_json_number(m.r2)));
        }
        sri_json_put(out, "per_output", each);
    }
    SRI_REQUIRE(ctx, *out, SPECREG_E_NOMEM, "out of memory");
done:
    return st;
}

specreg_status sri_training_errors(specreg_context *ctx, const sri_prepared *p,
                                   const sri_search_result *result, json_t **out)
{
    specreg_status st = SPECREG_OK;
    const sri_dataset *data = &p->data;
    sri_task task = p->problem;
    double *F = NULL;
    task.T = data->T;
    SRI_TRY(sri_fitted_values(ctx, p, result, &F));
    SRI_TRY(sri_record_errors(ctx, &task, F, data->Y, data->classes, data->n, out));
    if (data->task)
        SRI_TRY(sri_task_errors(ctx, &task, F, data->Y, data->classes, data->task, data->n, out));
    if (data->field)
        sri_json_put(out, "angular_error",
                     sri_json_number(sri_measure_angle(F, data->Y, data->n, data->T)));
    SRI_REQUIRE(ctx, *out, SPECREG_E_NOMEM, "out of memory");
done:
    free(F);
    return st;
}

void sri_training_errors_free(json_t *errors)
{
    json_decref(errors);
}
