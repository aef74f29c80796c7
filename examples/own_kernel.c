/* A kernel of your own, by the name of seasonal: exp(-2 sin(pi (x - z) / period)^2 / width^2).
 * It sees one and a half periods of a signal and continues it. */
#include <math.h>
#include <stdio.h>

#include <specreg/specreg.h>

enum { N = 60, M = 4 };
static const double PI = 3.14159265358979323846;

/* Called from several threads at once: no state but the arguments. */
static double seasonal(const double *x, const double *z, int64_t p, const double *params,
                       void *payload)
{
    const double period = params[0], width = params[1];
    double sum = 0;
    (void)payload;
    for (int64_t k = 0; k < p; k++) {
        const double s = sin(PI * (x[k] - z[k]) / period);
        sum += s * s;
    }
    return exp(-2 * sum / (width * width));
}

static double signal(double x)
{
    return sin(x) + 0.5 * cos(2 * x);
}

static specreg_status fit(specreg_context *ctx, const specreg_view *X, const specreg_view *Y,
                          specreg_model **model)
{
    /* The parameters, their names and defaults, and the number of them. */
    const specreg_param_def params[] = {{"period", 1}, {"width", 1}};
    const specreg_kernel_def def = {sizeof def, "seasonal", seasonal, params, 2, NULL, NULL};
    specreg_options *options = NULL;
    specreg_status st = specreg_register_kernel(ctx, &def);
    if (st == SPECREG_OK)
        st = specreg_options_new(ctx, &options);
    /* Now it is named like the built-in ones; lists are searched.  The period is in the units of
     * the data, so they must not be scaled. */
    if (st == SPECREG_OK)
        st = specreg_options_set(ctx, options, "kernel", "seasonal:period={5,6.283185307,7.5}");
    if (st == SPECREG_OK)
        st = specreg_options_set(ctx, options, "scale", "none");
    if (st == SPECREG_OK)
        st = specreg_fit_arrays(ctx, X, Y, options, model);
    specreg_options_free(options);
    return st;
}

int main(void)
{
    specreg_context *ctx = NULL;
    specreg_model *model = NULL;
    double x[N], y[N], later[M], f[M], worst = 0;
    const specreg_view X = {x, N, 1, 1}, Y = {y, N, 1, 1}, Later = {later, M, 1, 1};
    int rc = 1;
    for (int i = 0; i < N; i++) {
        x[i] = 3 * PI * i / N;
        y[i] = signal(x[i]);
    }
    for (int i = 0; i < M; i++)
        later[i] = 4 * PI + i; /* far beyond the last x */
    if (specreg_context_new(&ctx) != SPECREG_OK)
        return 1;
    if (fit(ctx, &X, &Y, &model) != SPECREG_OK ||
        specreg_predict_array(ctx, model, &Later, NULL, f, M) != SPECREG_OK) {
        fprintf(stderr, "%s\n", specreg_last_error(ctx));
        goto done;
    }
    for (int i = 0; i < M; i++) {
        printf("x = %7.4f: predicted %7.4f, true %7.4f\n", later[i], f[i], signal(later[i]));
        worst = fmax(worst, fabs(f[i] - signal(later[i])));
    }
    rc = worst < 1e-3 ? 0 : 1;
done:
    specreg_model_free(model);
    specreg_context_free(ctx);
    return rc;
}
