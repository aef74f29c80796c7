/* Many tasks, few rows of each: the tasks are alike but not the same.  Learned together, with as
 * much in common as leave-one-out finds right, they do better than each by itself. */
#include <math.h>
#include <stdio.h>

#include <specreg/specreg.h>

enum { TASKS = 12, ROWS = 8, NEW = 40 }; /* rows of a task that train, and that do not */

/* A number between -1 and 1; the same sequence everywhere. */
static double uniform(void)
{
    static uint64_t state = 1;
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(state >> 11) / 4503599627370496.0 - 1;
}

/* Columns x and the number of the task; all have the same sine, and a slope of their own. */
static void draw(int rows, double *x, double *y)
{
    for (int i = 0; i < TASKS * rows; i++) {
        const int task = i % TASKS;
        x[2 * i] = 2 * uniform();
        x[2 * i + 1] = task;
        y[i] = sin(3 * x[2 * i]) + 0.04 * task * x[2 * i] + 0.1 * uniform();
    }
}

/* The mean squared error on new rows of the same tasks. */
static specreg_status new_error(specreg_context *ctx, const char *outputs, double *error)
{
    static double x[2 * TASKS * ROWS], y[TASKS * ROWS], new_x[2 * TASKS * NEW], new_y[TASKS * NEW];
    const specreg_view X = {x, TASKS * ROWS, 2, 2}, Y = {y, TASKS * ROWS, 1, 1};
    const specreg_view new_X = {new_x, TASKS * NEW, 2, 2};
    specreg_options *options = NULL;
    specreg_table *train = NULL, *later = NULL, *out = NULL;
    specreg_model *model = NULL;
    draw(ROWS, x, y);
    draw(NEW, new_x, new_y);
    specreg_status st = specreg_options_new(ctx, &options);
    if (st == SPECREG_OK)
        st = specreg_options_set(ctx, options, "task-column", "2");
    if (st == SPECREG_OK)
        st = specreg_options_set(ctx, options, "outputs", outputs);
    if (st == SPECREG_OK)
        st = specreg_table_from_arrays(ctx, &X, NULL, &Y, NULL, &train);
    if (st == SPECREG_OK)
        st = specreg_table_from_arrays(ctx, &new_X, NULL, NULL, NULL, &later);
    if (st == SPECREG_OK)
        st = specreg_fit(ctx, train, options, &model);
    if (st == SPECREG_OK)
        st = specreg_predict(ctx, model, later, NULL, &out);
    *error = 0;
    for (int i = 0; st == SPECREG_OK && i < TASKS * NEW; i++)
        *error += pow(specreg_table_number(out, i, 0) - new_y[i], 2) / (TASKS * NEW);
    specreg_table_free(out);
    specreg_model_free(model);
    specreg_table_free(later);
    specreg_table_free(train);
    specreg_options_free(options);
    return st;
}

int main(void)
{
    specreg_context *ctx = NULL;
    double apart, together;
    if (specreg_context_new(&ctx) != SPECREG_OK)
        return 1;
    int rc = 1;
    if (new_error(ctx, "independent", &apart) != SPECREG_OK ||
        new_error(ctx, "common:omega=auto", &together) != SPECREG_OK) {
        fprintf(stderr, "%s\n", specreg_last_error(ctx));
    } else {
        printf("mean squared error: each task by itself %.3f, together %.3f\n", apart, together);
        rc = together < apart / 2 ? 0 : 1;
    }
    specreg_context_free(ctx);
    return rc;
}
