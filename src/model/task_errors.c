#include "model/task_errors.h"

#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "select/criterion.h"
#include "select/measure.h"

typedef struct rows_of {
    int64_t *row; /* the rows of one task          */
    int64_t n;
    double *F, *Y; /* their predictions and targets */
} rows_of;

static void gather(const sri_task *task, const double *F, const double *Y, const int32_t *number,
                   int32_t which, int64_t n, rows_of *out)
{
    const int64_t T = task->T;
    out->n = 0;
    for (int64_t i = 0; i < n; i++)
        if (number[i] == which) {
            memcpy(out->F + out->n * T, F + i * T, (size_t)T * sizeof *F);
            memcpy(out->Y + out->n * T, Y + i * T, (size_t)T * sizeof *Y);
            out->row[out->n++] = i;
        }
}

specreg_status sri_task_errors(specreg_context *ctx, const sri_task *task, const double *F,
                               const double *Y, const int32_t *classes, const int32_t *number,
                               int64_t n, json_t **errors)
{
    specreg_status st = SPECREG_OK;
    const sri_target *tasks = task->reader.tasks;
    const sri_truth truth = {.Y = Y, .classes = classes};
    rows_of rows = {0};
    json_t *list = json_array();
    SRI_ALLOC(ctx, rows.row, n, 1);
    SRI_ALLOC(ctx, rows.F, n, task->T);
    SRI_ALLOC(ctx, rows.Y, n, task->T);
    for (int64_t t = 0; t <= tasks->n_classes; t++) {
        const bool known = t < tasks->n_classes;
        gather(task, F, Y, number, known ? (int32_t)t : -1, n, &rows);
        if (rows.n == 0)
            continue;
        const sri_regression_measure m = sri_measure_outputs(rows.F, rows.Y, rows.n, task->T);
        json_t *one =
            json_pack("{s:o, s:I, s:o}", "name", known ? json_string(tasks->label[t]) : json_null(),
                      "n", (json_int_t)rows.n, "mse", sri_json_number(m.mse));
        if (classes) {
            sri_losses losses = {0};
            st = sri_losses_add(ctx, task, F, task->T, &truth, rows.row, rows.n, &losses);
            sri_json_put(&one, "error_rate", json_real(losses.wrong.vx / losses.v));
        } else {
            sri_json_put(&one, "mae", sri_json_number(m.mae));
            sri_json_put(&one, "r2", sri_json_number(m.r2));
        }
        sri_json_add(&list, one);
        SRI_TRY(st);
    }
    sri_json_put(errors, "per_task", json_incref(list));
    SRI_REQUIRE(ctx, *errors, SPECREG_E_NOMEM, "out of memory");
done:
    json_decref(list);
    free(rows.Y);
    free(rows.F);
    free(rows.row);
    return st;
}
