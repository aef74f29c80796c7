/* Coordinates along kernel principal components: rows on two rings, which no line divides, are
 * divided by a number on one of their coordinates. */
#include <math.h>
#include <stdio.h>

#include <specreg/specreg.h>

enum { ROWS = 60, COMPONENTS = 4 };

/* Every other row on the outer ring. */
static void rings(double *X)
{
    for (int i = 0; i < ROWS; i++) {
        const double radius = i % 2 ? 3 : 1, angle = 0.4 * i;
        X[2 * i] = radius * cos(angle);
        X[2 * i + 1] = radius * sin(angle);
    }
}

/* How many columns have all outer rows on one side of all inner ones. */
static int dividing(const specreg_table *coordinates)
{
    int count = 0;
    for (int64_t j = 0; j < COMPONENTS; j++) {
        double low[2] = {HUGE_VAL, HUGE_VAL}, high[2] = {-HUGE_VAL, -HUGE_VAL};
        for (int64_t i = 0; i < ROWS; i++) {
            const double z = specreg_table_number(coordinates, i, j);
            low[i % 2] = fmin(low[i % 2], z);
            high[i % 2] = fmax(high[i % 2], z);
        }
        const int divides = high[0] < low[1] || high[1] < low[0];
        printf("%s: inner ring %6.2f to %5.2f, outer ring %6.2f to %5.2f%s\n",
               specreg_table_name(coordinates, j), low[0], high[0], low[1], high[1],
               divides ? "  <- divides them" : "");
        count += divides;
    }
    return count;
}

int main(void)
{
    double X[2 * ROWS];
    const specreg_view view = {X, ROWS, 2, 2};
    specreg_context *ctx = NULL;
    specreg_options *options = NULL;
    specreg_table *table = NULL, *coordinates = NULL;
    specreg_model *model = NULL;
    int found = 0;
    if (specreg_context_new(&ctx) != SPECREG_OK)
        return 1;
    rings(X);
    specreg_status st = specreg_options_new(ctx, &options);
    if (st == SPECREG_OK)
        st = specreg_options_set(ctx, options, "kernel", "rbf:sigma=1");
    if (st == SPECREG_OK)
        st = specreg_table_from_arrays(ctx, &view, NULL, NULL, NULL, &table);
    if (st == SPECREG_OK)
        st = specreg_kpca(ctx, table, options, COMPONENTS, &model); /* a model like any other */
    if (st == SPECREG_OK)
        st = specreg_predict(ctx, model, table, NULL, &coordinates);
    if (st == SPECREG_OK)
        found = dividing(coordinates);
    else
        fprintf(stderr, "%s\n", specreg_last_error(ctx));
    specreg_model_free(model);
    specreg_table_free(coordinates);
    specreg_table_free(table);
    specreg_options_free(options);
    specreg_context_free(ctx);
    return found == 0;
}
