/* Arrays in, predictions out: learns y = sin(3 x) from 200 noisy values.
 *
 *     cc fit_predict.c $(pkg-config --cflags --libs specreg) -lm */
#include <math.h>
#include <stdio.h>

#include <specreg/specreg.h>

enum { N = 200, M = 5 };

/* A number between -1 and 1; the same sequence everywhere. */
static double uniform(void)
{
    static uint64_t state = 1;
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(state >> 11) / 4503599627370496.0 - 1;
}

int main(void)
{
    specreg_context *ctx = NULL;
    specreg_model *model = NULL;
    double x[N], y[N], new_x[M], f[M], worst = 0;
    const specreg_view X = {x, N, 1, 1}, Y = {y, N, 1, 1}, new_X = {new_x, M, 1, 1};
    int rc = 1;

    for (int i = 0; i < N; i++) {
        x[i] = uniform();
        y[i] = sin(3 * x[i]) + 0.1 * uniform();
    }
    for (int i = 0; i < M; i++)
        new_x[i] = -0.8 + 0.4 * i;

    if (specreg_context_new(&ctx) != SPECREG_OK) {
        fprintf(stderr, "out of memory\n");
        return 1;
    }
    /* NULL for the options: a Gaussian kernel, its width and lambda chosen by leave-one-out. */
    if (specreg_fit_arrays(ctx, &X, &Y, NULL, &model) != SPECREG_OK ||
        specreg_predict_array(ctx, model, &new_X, NULL, f, M) != SPECREG_OK) {
        fprintf(stderr, "%s\n", specreg_last_error(ctx));
        goto done;
    }
    printf("   x     predicted  sin(3x)\n");
    for (int i = 0; i < M; i++) {
        printf("%5.2f   %9.4f  %7.4f\n", new_x[i], f[i], sin(3 * new_x[i]));
        worst = fmax(worst, fabs(f[i] - sin(3 * new_x[i])));
    }
    rc = worst < 0.05 ? 0 : 1; /* the noise is uniform between -0.1 and 0.1 */
    if (rc)
        fprintf(stderr, "off by %g\n", worst);
done:
    specreg_model_free(model);
    specreg_context_free(ctx);
    return rc;
}
