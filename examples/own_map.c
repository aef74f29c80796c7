/* What outputs see of a row, by a map of your own: two sensors see one signal, the second later and
 * with its time running twice as fast.  Learned together, each fills the other's gaps. */
#include <math.h>
#include <stdio.h>

#include <specreg/specreg.h>

enum { N = 40, M = 5 };

/* The time of the signal that a sensor shows at time x. */
static void sensor(const double *x, int64_t p, int64_t output, double *z, void *payload)
{
    const double *lag = payload;
    for (int64_t k = 0; k < p; k++)
        z[k] = output == 0 ? x[k] : 2 * x[k] - *lag;
}

static double signal(double time)
{
    return sin(3 * time) * exp(-time / 4);
}

static specreg_status fit(specreg_context *ctx, const specreg_view *X, const specreg_view *Y,
                          double *lag, specreg_model **model)
{
    const specreg_map_def def = {.struct_size = sizeof def,
                                 .name = "sensor",
                                 .apply = sensor,
                                 .payload = lag};
    specreg_options *options = NULL;
    specreg_status st = specreg_register_map(ctx, &def);
    if (st == SPECREG_OK)
        st = specreg_options_new(ctx, &options);
    if (st == SPECREG_OK)
        st = specreg_options_set(ctx, options, "outputs", "transform:map=sensor");
    if (st == SPECREG_OK)
        st = specreg_fit_arrays(ctx, X, Y, options, model);
    specreg_options_free(options);
    return st;
}

int main(void)
{
    specreg_context *ctx = NULL;
    specreg_model *model = NULL;
    double x[N], y[2 * N], later[M], f[2 * M], lag = 0.5, worst = 0;
    const specreg_view X = {x, N, 1, 1}, Y = {y, N, 2, 2}, Later = {later, M, 1, 1};
    int rc = 1;
    for (int i = 0; i < N; i++) { /* up to time 2: the second sensor shows the signal up to 3.5 */
        x[i] = 2.0 * i / (N - 1);
        y[2 * i] = signal(x[i]);
        y[2 * i + 1] = signal(2 * x[i] - lag);
    }
    for (int i = 0; i < M; i++) /* where the first sensor has never been, but the second has */
        later[i] = 2.2 + 0.25 * i;
    if (specreg_context_new(&ctx) != SPECREG_OK)
        return rc;
    if (fit(ctx, &X, &Y, &lag, &model) != SPECREG_OK ||
        specreg_predict_array(ctx, model, &Later, NULL, f, 2 * M) != SPECREG_OK) {
        fprintf(stderr, "%s\n", specreg_last_error(ctx));
        goto done;
    }
    for (int i = 0; i < M; i++) {
        printf("time %.2f: %7.4f, was %7.4f\n", later[i], f[2 * i], signal(later[i]));
        worst = fmax(worst, fabs(f[2 * i] - signal(later[i])));
    }
    rc = worst < 0.01 ? 0 : 1;
done:
    specreg_model_free(model);
    specreg_context_free(ctx);
    return rc;
}
