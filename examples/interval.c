/* How sure is a prediction?  Learns y = sin(3 x) from 500 noisy values and asks for intervals that
 * hold nine of ten new values.
 *
 *     cc interval.c $(pkg-config --cflags --libs specreg) -lm */
#include <math.h>
#include <stdio.h>

#include <specreg/specreg.h>

enum { N = 500, M = 1000, SHOWN = 5 };

/* A number between -1 and 1; the same sequence everywhere. */
static double uniform(void)
{
    static uint64_t state = 1;
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(state >> 11) / 4503599627370496.0 - 1;
}

static void draw(double *x, double *y, int count)
{
    for (int i = 0; i < count; i++) {
        x[i] = uniform();
        y[i] = sin(3 * x[i]) + 0.3 * uniform();
    }
}

int main(void)
{
    specreg_context *ctx = NULL;
    specreg_model *model = NULL;
    static double x[N], y[N], new_x[M], new_y[M], lower[M], upper[M];
    const specreg_view X = {x, N, 1, 1}, Y = {y, N, 1, 1}, new_X = {new_x, M, 1, 1};
    int rc = 1, inside = 0;

    draw(x, y, N);
    draw(new_x, new_y, M);
    if (specreg_context_new(&ctx) != SPECREG_OK) {
        fprintf(stderr, "out of memory\n");
        return 1;
    }
    if (specreg_fit_arrays(ctx, &X, &Y, NULL, &model) != SPECREG_OK ||
        specreg_predict_interval_array(ctx, model, &new_X, 0.9, NULL, lower, upper, M) !=
            SPECREG_OK) {
        fprintf(stderr, "%s\n", specreg_last_error(ctx));
        goto done;
    }
    printf("   x     lower    upper    value\n");
    for (int i = 0; i < M; i++) {
        if (i < SHOWN)
            printf("%5.2f  %7.3f  %7.3f  %7.3f\n", new_x[i], lower[i], upper[i], new_y[i]);
        inside += lower[i] <= new_y[i] && new_y[i] <= upper[i];
    }
    printf("%d of %d values are in their intervals\n", inside, M);
    rc = inside > 0.85 * M && inside < 0.95 * M ? 0 : 1;
done:
    specreg_model_free(model);
    specreg_context_free(ctx);
    return rc;
}
